#include "shell_relay.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "front.h"

struct relayed_tool {
	struct pending_call pending;
	struct shell_relay *of;
	call_answer *fn;
	void *arg;
};

static void relayed_answer(void *arg, json *result, const struct err *e)
{
	struct relayed_tool *c = arg;
	call_answer *fn = c->fn;
	void *to = c->arg;

	free(c);
	fn(to, result, e);
}

static void relayed_done(void *arg, const struct relay_result *r)
{
	struct relayed_tool *c = arg;
	struct err e = ERR_INIT;
	json *v;

	c->pending.relayed = 0;
	if (r->end != RELAY_UNTOUCHED) {
		v = (r->end == RELAY_ANSWERED ? relay_answer : relay_fate)(r, &e);
		pending_call_answer(&c->pending, v, &e);
	} else if (c->pending.cancelled) {
		pending_call_cancel(&c->pending);
	} else {
		front_say("oxide: %s; continuing without it\n", r->why.msg);
		pending_call_start(&c->pending, c->of->ox);
	}
}

static void *relayed_start(void *self, const struct tool *t, json *args,
			   const struct call_context *context, call_answer *fn, void *arg)
{
	struct shell_relay *r = self;
	struct relayed_tool *c = mem_new(sizeof(*c));

	*c = (struct relayed_tool){ .pending = { .tool = t,
						 .args = args,
						 .context = *context,
						 .answer = relayed_answer },
				    .of = r,
				    .fn = fn,
				    .arg = arg };
	if (shell_relay_is_there(r))
		pending_call_relay(&c->pending, r->relay, relayed_done);
	else
		pending_call_start(&c->pending, r->ox);
	return c;
}

static void relayed_cancel(void *self, void *call)
{
	struct relayed_tool *c = call;

	(void)self;
	pending_call_cancel(&c->pending);
}

const struct call_runner shell_relay_runner = { relayed_start, relayed_cancel };

/* Paths mean the same here and there. */
static void take_root(struct shell_relay *r)
{
	struct err e = ERR_INIT;

	if (strcmp(relay_root(r->relay), r->ox->root) &&
	    !oxide_set_root(r->ox, relay_root(r->relay), &e)) {
		front_say("oxide: %s; continuing without Neovim\n", e.msg);
		shell_relay_end(r);
	}
}

static void relay_was_found(void *self, const struct err *e)
{
	struct shell_relay *r = self;

	if (!e->code) {
		take_root(r);
	} else {
		if (r->must)
			err_set(&r->why, ERR_NOT_FOUND, "no editor has this project open");
		else if (e->code != ERR_NOT_FOUND)
			front_say("oxide: %s; continuing without it\n", e->msg);
		shell_relay_end(r);
	}
	r->found(r->arg);
}

bool shell_relay_open(struct shell_relay *r, struct oxide *ox, const struct call_options *o,
		      const char *who, void (*fn)(void *arg), void *arg)
{
	static const struct relay_events events = { .found = relay_was_found };

	*r = (struct shell_relay){ .ox = ox,
				   .spec = { who, "chat", o->oxide.root, false, NULL },
				   .must = o->where == CALL_EDITOR,
				   .found = fn,
				   .arg = arg };
	if (call_is_here(o))
		return false;
	r->relay = relay_open(ox->loop, &r->spec, &events, r);
	return true;
}

bool shell_relay_is_there(const struct shell_relay *r)
{
	return r->relay && !relay_gone(r->relay);
}

void shell_relay_end(struct shell_relay *r)
{
	if (r->relay)
		relay_free(r->relay);
	r->relay = NULL;
}
