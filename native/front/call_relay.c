#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../core/recovery.h"
#include "call_impl.h"

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
		fwrite(r->answer.p, 1, r->answer.n, stdout);
		puts("");
		fflush(stdout);
		return;
	}
	v = json_parse(r->answer, &e);
	if (v && r->failed)
		err_set(&e, err_from_name(json_get_str(v, "error.code").p), "%s",
			json_get_str(v, "error.message").p);
	caller_print(c, v, &e);
}

static void on_done(void *arg, const struct relay_result *r)
{
	struct caller *c = arg;

	if (r->end == RELAY_ANSWERED) {
		c->status = r->failed;
		print_answer(c, r);
	} else if (r->end == RELAY_WRITING) {
		caller_tell_fate(c, r);
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

bool caller_through_editor(struct caller *c, const struct call_options *o)
{
	static const struct relay_events events = { on_found, on_confirm, on_progress };
	struct relay_spec spec = { "oxide call", o->oxide.root, c->person };
	struct err e = ERR_INIT;
	bool own = o->oxide.config_path || o->oxide.data;

	if (o->where == CALL_HERE || (own && o->where != CALL_EDITOR))
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

/* The entry of the change in the history; NULL: there is none. */
static const struct history_entry *find_change(struct oxide *ox, const struct relay_result *r)
{
	const struct history_entry *entry;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (!ox->history || !history_list(ox->history, ox->root, &entry, &n, &e))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (entry[i].time_ms >= r->written_ms && str_eq(entry[i].title, str_of(r->title)))
			return &entry[i];
	return NULL;
}

void caller_tell_fate(struct caller *c, const struct relay_result *r)
{
	struct oxide_options o = { .root = c->root, .origin = "cli" };
	struct err e = ERR_INIT, none = ERR_INIT;
	struct oxide *ox = oxide_new(&o, &none); /* finishes what was left half done */
	const struct history_entry *made = ox ? find_change(ox, r) : NULL;
	json *v;

	if (made)
		err_set(&e, ERR_IO,
			"%s, and cannot say how it went; the change was made: %s, transaction %.*s",
			r->why.msg, r->title, STR_ARG(made->id));
	else
		err_set(&e, ERR_IO,
			"%s while it was writing: %s; the history does not have it, so look at the "
			"files before you ask again",
			r->why.msg, r->title);
	v = error_object(&e);
	if (made)
		json_put(v, "transaction", json_str(made->id));
	if (ox && ox->recovered.notes)
		json_put(v, "recovery", recovery_json(&ox->recovered));
	caller_print(c, v, &e);
	oxide_free(ox);
}
