
#include "../base/mem.h"
#include "cmd_call.h"

/* Nothing is left to wait for: the loop runs out. */
static void call_relay_end(struct shell_call *c)
{
	c->gone = true;
	terminal_cancel(&c->terminal);
	relay_free(c->pending.relay);
	c->pending.relay = NULL;
}

static void call_relay_done(void *arg, const struct relay_result *r)
{
	struct shell_call *c = arg;
	struct err e = ERR_INIT;
	json *v;

	c->pending.relayed = 0;
	if (r->end == RELAY_ANSWERED && !c->text) {
		c->status = r->failed;
		shell_call_print_json(r->answer);
	} else if (r->end != RELAY_UNTOUCHED) {
		v = (r->end == RELAY_ANSWERED ? relay_answer : relay_fate)(r, &e);
		pending_call_answer(&c->pending, v, &e);
	} else if (c->pending.cancelled) {
		pending_call_cancel(&c->pending);
	} else {
		shell_call_say(r->why.msg, "; continuing without it");
		c->here = true;
	}
	call_relay_end(c);
}

static void call_relay_found(void *self, const struct err *e)
{
	struct shell_call *c = self;

	if (e->code) {
		if (e->code != ERR_NOT_FOUND)
			shell_call_say(e->msg, "; continuing without it");
		c->here = true;
		call_relay_end(c);
		return;
	}
	c->root = mem_dup(relay_root(c->pending.relay), strlen(relay_root(c->pending.relay)));
	if (*relay_note(c->pending.relay))
		shell_call_say(relay_note(c->pending.relay), "");
	pending_call_relay(&c->pending, c->pending.relay, call_relay_done);
}

/* The first time the core is told, and answers; the second time it is not waited for. */
static void call_relay_signal(void *arg)
{
	struct shell_call *c = arg;

	if (c->pending.relay && c->pending.relayed && !c->pending.cancelled)
		pending_call_cancel(&c->pending);
	else if (c->pending.relay)
		call_relay_end(c);
}

bool shell_call_through_editor(struct shell_call *c, const struct call_options *o)
{
	static const struct relay_events events = { .found = call_relay_found,
						    .confirm = shell_call_ask,
						    .progress = shell_call_progress };
	struct relay_spec spec = { "oxide call", "cli", o->oxide.root, c->person, NULL };
	struct err e = ERR_INIT;

	if (call_is_here(o))
		return false;
	c->loop = loop_new(&e);
	if (!c->loop)
		return false; /* it is said when a core of our own wants one */
	loop_on_signal(c->loop, call_relay_signal, c);
	c->pending.relay = relay_open(c->loop, &spec, &events, c);
	loop_run(c->loop);
	loop_free(c->loop);
	if (c->here && o->where == CALL_EDITOR) {
		err_set(&e, ERR_NOT_FOUND, "no editor has this project open");
		shell_call_print(c, NULL, &e);
		return true;
	}
	return !c->here;
}
