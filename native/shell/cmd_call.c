#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/bytes.h"
#include "../base/mem.h"
#include "../base/plain.h"
#include "../io/spare_memory.h"
#include "cmd_call.h"
#include "command.h"

static void shell_show_part(void *arg, struct str part)
{
	struct buf shown SCOPED(buf_release) = BUF_INIT;

	(void)arg;
	bytes_show(&shown, part);
	front_put(buf_str(&shown));
}

void shell_call_print_json(struct str text)
{
	shell_show_part(NULL, text);
	front_put(STR("\n"));
}

void shell_call_print(struct shell_call *c, json *answer, const struct err *e)
{
	struct buf out SCOPED(buf_release) = BUF_INIT;
	json *v SCOPED(json_release) = e->code && !answer ? error_object(e) : answer, *told = v;
	struct err why = *e;

	if (c->text) {
		v = plain_tree(told);
		json_free(told);
		plain_err(&why);
	}
	if (!c->text) {
		json_stream(v, shell_show_part, NULL);
		buf_addc(&out, '\n');
	} else if (e->code) {
		front_print_error(&out, c->pending.tool, &why, v, isatty(1));
	} else {
		front_print_answer(&out, c->pending.tool, v, isatty(1));
	}
	front_put(buf_str(&out));
}

static void shell_call_answer(void *arg, json *result, const struct err *e)
{
	struct shell_call *c = arg;

	c->status = e->code ? 1 : 0;
	shell_call_print(c, result, e);
	if (c->ox)
		oxide_stop(c->ox);
}

struct asking {
	editor_verdict *fn;
	void *arg;
	bool *gone;
};

static void shell_on_said(void *arg, bool yes)
{
	struct asking *a = arg;
	struct verdict v = { .yes = yes };

	a->fn(a->arg, &v);
	free(a);
}

static void shell_nobody(void *arg)
{
	struct asking *a = arg;
	struct verdict v = { .later = true };

	if (!*a->gone)
		a->fn(a->arg, &v);
	free(a);
}

static void shell_unconfirm(void *self, int64_t question)
{
	struct shell_call *c = self;

	(void)question; /* there is never more than one */
	c->gone = true;
	if (c->person)
		free(c->said_arg);
	terminal_cancel(&c->terminal);
}

static void shell_on_permitted(void *arg, const struct verdict *v)
{
	struct asking *a = arg;

	a->fn(a->arg, v);
	free(a);
}

static int64_t shell_confirm(void *self, const struct question *q, editor_verdict *fn, void *arg)
{
	struct shell_call *c = self;
	struct asking *a = mem_new(sizeof(*a));
	struct buf diff SCOPED(buf_release) = BUF_INIT;
	struct shown_question shown;

	*a = (struct asking){ fn, arg, &c->gone };
	c->gone = false;
	if (!c->person) {
		loop_soon(c->loop, shell_nobody, a);
		return 1;
	}
	if (q->permission) {
		shell_call_ask_permission(c, q, shell_on_permitted, a);
		return 1;
	}
	shown = question_shown(q, &diff);
	shell_call_ask(c, &shown, shell_on_said, a);
	return 1;
}

static void shell_progress(void *self, void *of, const char *id, struct str title,
			   struct str message, int percent, bool done)
{
	(void)of;
	(void)id;
	shell_call_progress(self, title, message, percent, done);
}

void shell_call_serve(struct shell_call *c)
{
	c->loop = c->ox->loop;
	c->ox->editor = (struct editor){ .self = c,
					 .confirm = shell_confirm,
					 .unconfirm = shell_unconfirm,
					 .progress = shell_progress };
}

static void shell_on_signal(void *arg)
{
	struct shell_call *c = arg;

	if (c->pending.call)
		pending_call_cancel(&c->pending);
	else
		oxide_stop(c->ox);
}

/* With a core of our own. */
static void shell_call_by_itself(struct shell_call *c, const struct oxide_options *o)
{
	struct err e = ERR_INIT;

	/* It ends with its answer: what is released until then would only be asked for again. */
	spare_memory_keep();
	c->ox = oxide_with_servers(o, &e);
	if (!c->ox) {
		shell_call_print(c, NULL, &e);
		return;
	}
	front_tell_recovered(c->ox);
	shell_call_serve(c);
	loop_on_signal(c->loop, shell_on_signal, c);
	pending_call_start(&c->pending, c->ox);
	loop_run(c->loop);
	oxide_free(c->ox);
}

/* The answer is an error then, as of the tool. */
static int shell_call_refuse(struct shell_call *c, int argc, char **argv, struct err *e)
{
	struct buf command SCOPED(buf_release) = BUF_INIT;
	size_t n = strlen(e->msg);

	for (int i = 1; i < argc; i++) /* also behind what is wrong */
		c->text = c->text || !strcmp(argv[i], "--text");
	buf_addf(&command, "call %s", argv[0]);
	if (!c->pending.tool)
		snprintf(e->msg + n, sizeof(e->msg) - n, "; see `oxide tools`");
	else if (e->code == ERR_INVALID)
		front_point_to_help(e, command.p);
	json_free(c->pending.args);
	shell_call_print(c, NULL, e);
	return 2;
}

int cmd_call(const struct call_options *o, int argc, char **argv)
{
	struct shell_call c = { .pending.answer = shell_call_answer, .status = 1 };
	struct oxide_options own = o->oxide;
	struct err e = ERR_INIT;

	c.pending.tool = tool_find(str_of(argv[0]), &e);
	if (!c.pending.tool || !shell_call_read(&c, argc - 1, argv + 1, &e))
		return shell_call_refuse(&c, argc, argv, &e);
	c.person = isatty(2) && (isatty(0) || isatty(1));
	c.pending.context.confirm = c.yes      ? CONFIRM_NEVER
				    : c.person ? CONFIRM_ALWAYS
					       : CONFIRM_AUTO;
	if (!shell_call_through_editor(&c, o)) {
		own.root = c.root ? c.root : own.root;
		shell_call_by_itself(&c, &own);
	}
	json_free(c.pending.args);
	terminal_release(&c.terminal);
	free(c.root);
	return c.status;
}
