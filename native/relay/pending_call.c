#include "pending_call.h"

#include "../servers/pool.h"

void pending_call_add(struct pending_calls *l, struct pending_call *c)
{
	c->list = l;
	TAILQ_INSERT_TAIL(l, c, all);
}

void pending_call_leave(struct pending_call *c)
{
	if (c->list)
		TAILQ_REMOVE(c->list, c, all);
	c->list = NULL;
}

void pending_call_answer(struct pending_call *c, json *result, const struct err *e)
{
	c->call = NULL;
	c->relayed = 0;
	pending_call_leave(c);
	json_free(c->args);
	c->args = NULL;
	c->answer(c, result, e);
}

static void pending_call_ended(void *arg, json *result, const struct err *e)
{
	pending_call_answer(arg, result, e);
}

void pending_call_start(struct pending_call *c, struct oxide *ox)
{
	json *args = c->args;

	c->args = NULL;
	c->context.of = c;
	c->call = call_start(ox, c->tool, args, &c->context, pending_call_ended, c);
	if (c->context.now) {
		call_run(c->call); /* which may end it, and free this */
		pool_hurry(ox->pool);
	}
}

void pending_calls_start(struct pending_calls *l, struct oxide *ox)
{
	struct pending_call *c;

	TAILQ_FOREACH(c, l, all)
		if (!c->call)
			pending_call_start(c, ox);
}

void pending_call_relay(struct pending_call *c, struct relay *r, relay_done *fn)
{
	if (c->context.confirm == CONFIRM_AUTO)
		c->context.confirm = CONFIRM_ALWAYS;
	c->relay = r;
	c->relayed = relay_call(r, c->tool->name, c->args, &c->context, fn, c);
}

void pending_call_cancel(struct pending_call *c)
{
	struct err e = ERR_INIT;

	c->cancelled = true;
	if (c->call) {
		call_cancel(c->call);
	} else if (c->relayed) {
		relay_cancel(c->relay, c->relayed);
	} else {
		err_set(&e, ERR_CANCELLED, "cancelled");
		pending_call_answer(c, NULL, &e);
	}
}

void pending_calls_cancel(struct pending_calls *l, int64_t id)
{
	struct pending_call *c;

	TAILQ_FOREACH(c, l, all)
		if (c->id == id) {
			pending_call_cancel(c);
			return;
		}
}

void pending_calls_end(struct pending_calls *l)
{
	struct pending_call *c, *next;

	for (c = TAILQ_FIRST(l); c; c = next) {
		next = TAILQ_NEXT(c, all);
		if (c->call)
			continue;
		c->relayed = 0;
		pending_call_cancel(c);
	}
}
