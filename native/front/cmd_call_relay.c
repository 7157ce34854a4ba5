#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "cmd_call.h"

/* Nothing is left to wait for: the loop runs out. */
static void finish(struct caller *c)
{
	c->gone = true;
	relay_free(c->relay);
	c->relay = NULL;
}

static void print_answer(struct caller *c, const struct relay_result *r)
{
	struct err e = ERR_INIT;
	json *v;

	if (!c->text) {
		caller_print_json(r->answer);
		return;
	}
	v = relay_answer(r, &e);
	caller_print(c, v, &e);
}

static void print_fate(struct caller *c, const struct relay_result *r)
{
	struct err e = ERR_INIT;
	json *v = relay_fate(r, &e);

	caller_print(c, v, &e);
}

static void on_done(void *arg, const struct relay_result *r)
{
	struct caller *c = arg;

	if (r->end == RELAY_ANSWERED) {
		c->status = r->failed;
		print_answer(c, r);
	} else if (r->end == RELAY_WRITING) {
		print_fate(c, r);
	} else {
		caller_say(r->why.msg, "; going on without it");
		c->here = true;
	}
	finish(c);
}

static void on_confirm(void *self, const struct relay_question *q, relay_said *fn, void *arg)
{
	caller_ask(self, q, fn, arg);
}

static void on_progress(void *self, struct str title, struct str message, int percent, bool done)
{
	caller_progress(self, title, message, percent, done);
}

static void on_found(void *self, const struct err *e)
{
	struct caller *c = self;

	if (e->code) {
		if (e->code != ERR_NOT_FOUND)
			caller_say(e->msg, "; going on without it");
		c->here = true;
		finish(c);
		return;
	}
	c->root = mem_dup(relay_root(c->relay), strlen(relay_root(c->relay)));
	if (*relay_note(c->relay))
		caller_say(relay_note(c->relay), "");
	c->asked = relay_call(c->relay, c->tool->name, c->args,
			      c->yes ? CONFIRM_NEVER : CONFIRM_ALWAYS, on_done, c);
}

/* The first time the core is told, and answers; the second time it is not waited for. */
static void on_signal(void *arg)
{
	struct caller *c = arg;

	if (c->relay && c->asked)
		relay_cancel(c->relay, c->asked);
	else if (c->relay)
		finish(c);
	c->asked = 0;
}

bool call_is_here(const struct call_options *o)
{
	bool own = o->oxide.config_path || o->oxide.data;

	return o->where == CALL_HERE || (own && o->where != CALL_EDITOR);
}

bool caller_through_editor(struct caller *c, const struct call_options *o)
{
	static const struct relay_events events = { on_found, on_confirm, on_progress, NULL };
	struct relay_spec spec = { "oxide call", "cli", o->oxide.root, c->person, NULL };
	struct err e = ERR_INIT;

	if (call_is_here(o))
		return false;
	c->loop = loop_new(&e);
	if (!c->loop)
		return false; /* it is said when a core of our own wants one */
	loop_on_signal(c->loop, on_signal, c);
	c->relay = relay_open(c->loop, &spec, &events, c);
	loop_run(c->loop);
	loop_free(c->loop);
	if (c->here && o->where == CALL_EDITOR) {
		err_set(&e, ERR_NOT_FOUND, "no editor works on this project");
		caller_print(c, NULL, &e);
		return true;
	}
	return !c->here;
}
