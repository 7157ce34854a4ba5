#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/bytes.h"
#include "../base/mem.h"
#include "../base/plain.h"
#include "cmd_call.h"

static void show_part(void *arg, struct str part)
{
	struct buf shown = BUF_INIT;

	(void)arg;
	bytes_show(&shown, part);
	front_put(buf_str(&shown));
	buf_release(&shown);
}

void caller_print_json(struct str text)
{
	show_part(NULL, text);
	front_put(STR("\n"));
}

void caller_print(struct caller *c, json *answer, const struct err *e)
{
	struct buf out = BUF_INIT;
	json *v = e->code && !answer ? error_object(e) : answer, *told = v;
	struct err why = *e;

	if (c->text) {
		v = plain_tree(told);
		json_free(told);
		plain_err(&why);
	}
	if (!c->text) {
		json_stream(v, show_part, NULL);
		buf_addc(&out, '\n');
	} else if (e->code) {
		text_error(&out, &why, v, isatty(1));
	} else {
		text_answer(&out, c->tool, v, isatty(1));
	}
	front_put(buf_str(&out));
	buf_release(&out);
	json_free(v);
}

static void on_answer(void *arg, json *result, const struct err *e)
{
	struct caller *c = arg;

	c->call = NULL;
	c->status = e->code ? 1 : 0;
	caller_print(c, result, e);
	oxide_stop(c->ox);
}

struct asking {
	editor_verdict *fn;
	void *arg;
	bool *gone;
};

static void on_said(void *arg, bool yes)
{
	struct asking *a = arg;
	struct verdict v = { .yes = yes };

	a->fn(a->arg, &v);
	free(a);
}

static void nobody(void *arg)
{
	struct asking *a = arg;
	struct verdict v = { .later = true };

	if (!*a->gone)
		a->fn(a->arg, &v);
	free(a);
}

static void unconfirm(void *self, int64_t question)
{
	struct caller *c = self;

	(void)question; /* there is never more than one */
	c->gone = true;
	if (c->person)
		free(c->said_arg);
}

static int64_t confirm(void *self, const struct question *q, editor_verdict *fn, void *arg)
{
	struct caller *c = self;
	struct asking *a = mem_new(sizeof(*a));
	struct buf diff = BUF_INIT;
	struct relay_question shown = { .title = q->title, .notes = q->notes ? q->notes : "" };

	*a = (struct asking){ fn, arg, &c->gone };
	c->gone = false;
	if (!c->person) {
		loop_soon(c->loop, nobody, a);
		return 1;
	}
	plan_preview(q->plan, &diff);
	shown.diff = buf_str(&diff).p;
	shown.files = plan_files(q->plan);
	caller_ask(c, &shown, on_said, a);
	buf_release(&diff);
	return 1;
}

static void progress(void *self, const char *id, struct str title, struct str message, int percent,
		     bool done)
{
	(void)id;
	caller_progress(self, title, message, percent, done);
}

static void on_signal(void *arg)
{
	struct caller *c = arg;

	if (c->call)
		call_cancel(c->call);
	else
		oxide_stop(c->ox);
}

/* What was to be reviewed in an editor that has gone away is not simply done instead. */
static enum call_confirm how_to_confirm(const struct caller *c)
{
	bool reviewed = c->root;

	return c->yes ? CONFIRM_NEVER : c->person || reviewed ? CONFIRM_ALWAYS : CONFIRM_AUTO;
}

/* With a core of our own. */
static void by_itself(struct caller *c, const struct oxide_options *o)
{
	struct call_context ctx = { .confirm = how_to_confirm(c) };
	struct err e = ERR_INIT;

	c->ox = oxide_with_servers(o, &e);
	if (!c->ox) {
		caller_print(c, NULL, &e);
		return;
	}
	front_tell_recovered(c->ox);
	c->loop = c->ox->loop;
	c->ox->editor = (struct editor){
		.self = c, .confirm = confirm, .unconfirm = unconfirm, .progress = progress
	};
	loop_on_signal(c->loop, on_signal, c);
	c->call = call_start(c->ox, c->tool, c->args, &ctx, on_answer, c);
	c->args = NULL;
	loop_run(c->loop);
	oxide_free(c->ox);
}

int front_call(const struct call_options *o, int argc, char **argv)
{
	struct caller c = { .status = 1 };
	struct oxide_options own = o->oxide;
	struct err e = ERR_INIT;

	c.tool = tool_find(str_of(argv[0]), &e);
	if (!c.tool || !caller_read(&c, argc - 1, argv + 1, &e)) {
		json_free(c.args);
		caller_print(&c, NULL, &e);
		return 2;
	}
	c.person = isatty(2) && (isatty(0) || isatty(1));
	if (!caller_through_editor(&c, o)) {
		own.root = c.root ? c.root : own.root;
		by_itself(&c, &own);
	}
	json_free(c.args);
	free(c.root);
	return c.status;
}
