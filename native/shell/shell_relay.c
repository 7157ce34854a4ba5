#include "shell_relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../front/front.h"

struct relayed_tool {
	struct pending_call pending;
	struct shell_relay *of;
	char turn[TURN_ID]; /* of the draft in its context; "": it has none */
	bool lost;	    /* fails soon */
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

/* NULL: it has none, or what was in it has been settled meanwhile. */
static struct turn_draft *draft_of(const struct relayed_tool *c)
{
	return *c->turn ? turn_draft_going(c->of->ox, str_of(c->turn), NULL) : NULL;
}

/* A call that goes on in the draft of its turn which Neovim keeps, or that has it reviewed. */
static bool is_drafted_there(const struct relayed_tool *c)
{
	const struct turn_draft *t = draft_of(c);

	return t && t->elsewhere;
}

#define DRAFT_GONE "Neovim has exited, and the changes of this turn are lost"

/* What comes next may count on it: nothing goes on here as if it had been made. */
static void lose_draft(struct relayed_tool *c, json *answer, const struct err *fate)
{
	struct turn_draft *t = draft_of(c);
	struct turn_changes what = { .fate = TURN_LOST };
	struct err e = *fate;

	if (!e.code)
		err_set(&e, ERR_STALE, DRAFT_GONE "; nothing was changed, so read the files again");
	what.why = &e;
	if (t)
		t->elsewhere = false;
	if (t && !c->pending.context.turn) /* its review */
		turn_draft_settle(t, &what);
	pending_call_answer(&c->pending, answer, &e);
}

static void relayed_lost(void *arg)
{
	struct err e = ERR_INIT;

	lose_draft(arg, NULL, &e);
}

static void relayed_not_done(struct relayed_tool *c, const struct relay_result *r)
{
	if (is_drafted_there(c) && relay_gone(c->of->relay)) {
		relayed_lost(c);
	} else if (is_drafted_there(c)) {
		pending_call_answer(&c->pending, NULL, &r->why);
	} else if (c->pending.cancelled) {
		pending_call_cancel(&c->pending);
	} else {
		front_say("oxide: %s; continuing without it\n", r->why.msg);
		c->pending.context.draft = draft_of(c);
		pending_call_start(&c->pending, c->of->ox);
	}
}

static void relayed_done(void *arg, const struct relay_result *r)
{
	struct relayed_tool *c = arg;
	const struct call_context *context = &c->pending.context;
	struct turn_draft *t = draft_of(c);
	struct err e = ERR_INIT;
	json *v;

	c->pending.relayed = 0;
	if (r->refused.n && context->exempt)
		exempt_refuse(context->exempt, r->refused.p);
	if (r->end == RELAY_UNTOUCHED) {
		relayed_not_done(c, r);
		return;
	}
	v = (r->end == RELAY_ANSWERED ? relay_answer : relay_fate)(r, &e);
	if (r->end == RELAY_WRITING && is_drafted_there(c)) {
		lose_draft(c, v, &e);
		return;
	}
	if (t && context->turn)
		t->elsewhere = r->drafted;
	pending_call_answer(&c->pending, v, &e);
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
	if (context->draft)
		snprintf(c->turn, sizeof(c->turn), "%s", context->draft->id);
	c->lost = !shell_relay_is_there(r) && is_drafted_there(c);
	if (shell_relay_is_there(r))
		pending_call_relay(&c->pending, r->relay, relayed_done);
	else if (c->lost)
		loop_soon(r->ox->loop, relayed_lost, c);
	else
		pending_call_start(&c->pending, r->ox);
	return c;
}

static void relayed_cancel(void *self, void *call)
{
	struct relayed_tool *c = call;

	(void)self;
	if (!c->lost)
		pending_call_cancel(&c->pending);
}

static void relayed_leave(void *self, const struct turn_draft *draft)
{
	struct shell_relay *r = self;

	if (shell_relay_is_there(r))
		relay_notify(r->relay, "leave", json_of({ "turn", json_strz(draft->id) }));
}

const struct call_runner shell_relay_runner = { relayed_start, relayed_cancel, relayed_leave };

static void relay_settled(void *self, const json *v)
{
	struct shell_relay *r = self;
	struct turn_draft *t = turn_draft_going(r->ox, json_get_str(v, "turn"), NULL);
	struct err why = ERR_INIT;
	struct turn_changes what = { .fate = turn_fate_of(json_get_str(v, "fate")),
				     .report = json_get(v, "report"),
				     .why = &why };

	if (json_get(v, "why"))
		err_set(&why, err_from_name(json_get_str(v, "code").p), "%s",
			json_get_str(v, "why").p);
	if (t && t->elsewhere)
		turn_draft_settle(t, &what);
}

static void relay_progress(void *self, struct str title, struct str message, int percent, bool done)
{
	(void)self;
	(void)percent;
	if (!done && str_starts(message, STR("waiting for")))
		front_say("oxide: %.*s: %.*s\n", STR_ARG(title), STR_ARG(message));
}

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
	static const struct relay_events events = { .found = relay_was_found,
						    .progress = relay_progress,
						    .settled = relay_settled };

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
