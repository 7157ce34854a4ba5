#include "relay.h"

#include <stdlib.h>

#include "../base/jscan.h"
#include "../base/mem.h"
#include "../core/turn_drafts.h"
#include "../io/loop.h"
#include "relay_impl.h"

struct relay_waiting { /* a call */
	LIST_ENTRY(relay_waiting) all;
	struct relay *relay;
	int64_t id;
	relay_done *fn;
	void *arg;
	char *title; /* of what is about to be written; NULL: nothing was yet */
	char *root;  /* where */
	int64_t written_ms;
};

struct relay_asked { /* a question of the core */
	LIST_ENTRY(relay_asked) all;
	struct relay *relay;
	json *id;
};

static void relay_said_reply(void *arg, bool yes)
{
	struct relay_asked *a = arg;
	struct contact *c = a->relay->chosen;

	peer_answer(c->peer, a->id, json_of({ "yes", json_bool(yes) }));
	peer_io_wake(c->link);
	LIST_REMOVE(a, all);
	json_free(a->id);
	free(a);
}

static void contact_on_confirm(void *self, struct msg *m, const json *body)
{
	struct contact *c = self;
	struct relay *r = c->relay;
	struct shown_question q = { .title = json_get_str(body, "title").p,
				    .notes = json_get_str(body, "notes").p,
				    .diff = json_get_str(body, "diff"),
				    .files = (size_t)json_get_int(body, "files", 0) };
	struct relay_asked *a;

	if (c != r->chosen || !r->spec->person) {
		peer_refuse_unknown(c->peer, m);
		return;
	}
	a = mem_new(sizeof(*a));
	a->relay = r;
	a->id = json_copy(m->id);
	LIST_INSERT_HEAD(&r->asked, a, all);
	r->ev->confirm(r->self, &q, relay_said_reply, a);
}

/* From our answer on it may be written: whatever happens then, this call is not made again. */
static void contact_on_write(void *self, struct msg *m, const json *body)
{
	struct contact *c = self;
	int64_t id = json_get_int(body, "call", 0);
	struct str title = json_get_str(body, "title"), root = json_get_str(body, "root");
	struct relay_waiting *w;

	LIST_FOREACH(w, &c->relay->waiting, all)
		if (w->id == id) {
			free(w->title);
			free(w->root);
			w->title = mem_dup(title.p, title.n);
			w->root = mem_dup(root.p, root.n);
			w->written_ms = loop_wall_ms();
			peer_answer(c->peer, m->id, json_object());
			return;
		}
	peer_refuse_unknown(c->peer, m);
}

static void contact_on_progress(void *self, struct msg *m, const json *v)
{
	struct contact *c = self;
	const struct relay_events *ev = c->relay->ev;

	(void)m;
	if (ev->progress)
		ev->progress(c->relay->self, json_get_str(v, "title"), json_get_str(v, "message"),
			     (int)json_get_int(v, "percent", -1), json_get_bool(v, "done", false));
}

static void contact_on_actions(void *self, struct msg *m, const json *params)
{
	struct contact *c = self;

	(void)m;
	(void)params;
	if (c->relay->ev->actions)
		c->relay->ev->actions(c->relay->self);
}

static void contact_on_settled(void *self, struct msg *m, const json *what)
{
	struct contact *c = self;
	const struct relay_events *ev = c->relay->ev;

	(void)m;
	if (c == c->relay->chosen && ev->settled)
		ev->settled(c->relay->self, what);
}

static void contact_on_order(void *self, struct msg *m, const json *order)
{
	struct contact *c = self;
	const struct relay_events *ev = c->relay->ev;
	struct err e = ERR_INIT;

	if (c != c->relay->chosen || !ev->order)
		peer_refuse_unknown(c->peer, m);
	else if (ev->order(c->relay->self, order, &e))
		peer_answer(c->peer, m->id, json_object());
	else
		peer_refuse(c->peer, m->id, &e);
}

static const struct peer_method contact_methods[] = {
	{ "write", true, contact_on_write },
	{ "confirm", true, contact_on_confirm },
	{ "order", true, contact_on_order },
	{ "progress", false, contact_on_progress },
	{ "actions", false, contact_on_actions },
	{ "settled", false, contact_on_settled },
	{ NULL, false, NULL },
};

static void contact_tell_gone(void *arg)
{
	struct contact *c = arg;
	struct relay *r = c->relay;

	if (!r->freed && c == r->chosen)
		r->ev->gone(r->self);
}

static void contact_ended(void *self, const struct err *e)
{
	struct contact *c = self;

	c->gone = *e;
	if (!e->code)
		err_set(&c->gone, ERR_IO, "the editor has disconnected");
	peer_close(c->peer, &c->gone);
	peer_io_wake(c->link); /* takes a turn: its calls fail */
	if (c->relay->ev->gone)
		loop_soon(c->relay->loop, contact_tell_gone, c);
}

struct contact *contact_new(struct relay *r, int fd)
{
	static const struct peer_handler handler = { .methods = contact_methods };
	struct contact *c = mem_new(sizeof(*c));
	struct peer_io_spec spec = { .self = c, .ended = contact_ended };

	c->relay = r;
	c->peer = spec.peer =
		peer_new(&codec_lines_raw, (size_t)config_get(&r->config, CFG_RELAY_MESSAGE),
			 PEER_CANCEL_SILENT, &handler, c);
	peer_set_name(c->peer, "core");
	c->link = peer_io_socket(r->loop, &spec, fd);
	LIST_INSERT_HEAD(&r->contacts, c, all);
	return c;
}

void contact_end(struct contact *c)
{
	peer_io_free(c->link);
	c->link = NULL;
}

static void contact_free(struct contact *c)
{
	LIST_REMOVE(c, all);
	peer_io_free(c->link);
	peer_free(c->peer);
	json_free(c->info);
	free(c);
}

struct relay *relay_open(struct loop *l, const struct relay_spec *spec,
			 const struct relay_events *ev, void *self)
{
	struct relay *r = mem_new(sizeof(*r));

	r->loop = l;
	r->spec = spec;
	r->ev = ev;
	r->self = self;
	config_init(&r->config);
	relay_find(r);
	return r;
}

static void relay_free_now(void *arg)
{
	struct relay *r = arg;
	struct contact *c;
	struct relay_asked *a;

	while ((c = LIST_FIRST(&r->contacts)))
		contact_free(c);
	while ((a = LIST_FIRST(&r->asked))) {
		LIST_REMOVE(a, all);
		json_free(a->id);
		free(a);
	}
	buf_release(&r->note);
	free(r);
}

void relay_free(struct relay *r)
{
	struct contact *c;

	if (!r)
		return;
	r->freed = true;
	LIST_FOREACH(c, &r->contacts, all)
		contact_end(c);
	loop_soon(r->loop, relay_free_now, r);
}

const char *relay_root(const struct relay *r)
{
	return json_get_str(r->chosen->info, "root").p;
}

const char *relay_note(const struct relay *r)
{
	return buf_str(&r->note).p;
}

bool relay_alone(const struct relay *r)
{
	return !r->hellos && !r->why.code;
}

bool relay_gone(const struct relay *r)
{
	return r->chosen->gone.code != ERR_OK;
}

/* {failed, answer}: the answer is left as it is, for it may be large. */
static bool relay_read_answer(struct str raw, struct relay_result *out, struct arena *a)
{
	struct jscan s = jscan_of(raw, &out->why);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key);) {
		if (str_eq(key, STR("failed")))
			out->failed = jscan_bool(&s);
		else if (str_eq(key, STR("answer")))
			out->answer = jscan_raw(&s);
		else if (str_eq(key, STR("refused")))
			out->refused = jscan_text(&s, a);
		else if (str_eq(key, STR("drafted")))
			out->drafted = jscan_bool(&s);
		else
			jscan_skip(&s);
	}
	return jscan_ok(&s) && out->answer.n;
}

static void relay_on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct relay_waiting *w = arg;
	const struct err *gone = &w->relay->chosen->gone;
	struct relay_result result = { .why = gone->code ? *gone : *e,
				       .title = w->title,
				       .root = w->root,
				       .written_ms = w->written_ms };
	struct arena a SCOPED(arena_release) = { 0 };

	if (result.why.code || !relay_read_answer(m->raw, &result, &a))
		result.end = w->title ? RELAY_WRITING : RELAY_UNTOUCHED;
	if (!w->relay->freed)
		w->fn(w->arg, &result);
	LIST_REMOVE(w, all);
	free(w->title);
	free(w->root);
	free(w);
}

static const char *const confirm_names[] = { "auto", "always", "never" };

/* NULL: nobody can be asked about more. */
static json *relay_exempt(const struct exemptions *exempt)
{
	json *list = exempt ? json_array() : NULL;
	const char *path;

	for (size_t at = 0; exempt && (path = exempt_each(exempt, &at));)
		json_push(list, json_strz(path));
	return list;
}

/* NULL: it is of none. */
static json *relay_turn(const struct call_context *how)
{
	const struct turn_draft *d = how->draft;

	if (!d && !how->turn)
		return NULL;
	return json_of({ "id", json_strz(d ? d->id : how->turn) },
		       { "title", json_strz(d ? d->title : "") },
		       { "who", json_strz(how->who ? how->who : "") },
		       { "draft", json_bool(d && how->turn) },
		       { "review", json_bool(d && !how->turn) });
}

int64_t relay_call(struct relay *r, const char *tool, const json *args,
		   const struct call_context *how, relay_done *fn, void *arg)
{
	struct relay_waiting *w = mem_new(sizeof(*w));
	struct buf text = BUF_INIT;

	json_print(&text, args);
	w->relay = r;
	w->fn = fn;
	w->arg = arg;
	LIST_INSERT_HEAD(&r->waiting, w, all);
	w->id = peer_call(r->chosen->peer, "call",
			  json_of({ "tool", json_strz(tool) }, { "arguments", json_take(&text) },
				  { "confirm", json_strz(confirm_names[how->confirm]) },
				  { "may_run", json_bool(how->may_run) },
				  { "may_read", json_bool(how->may_read) },
				  { "exempt", relay_exempt(how->exempt) },
				  { "turn", relay_turn(how) }),
			  loop_now(r->loop), 0, relay_on_reply, w);
	peer_io_wake(r->chosen->link);
	return w->id;
}

struct relay_requested {
	struct relay *relay;
	relay_replied *fn;
	void *arg;
};

static void relay_on_replied(void *arg, struct msg *m, const struct err *e)
{
	struct relay_requested *q = arg;

	(void)m;
	if (!q->relay->freed)
		q->fn(q->arg, e);
	free(q);
}

void relay_request(struct relay *r, const char *method, json *params, relay_replied *fn, void *arg)
{
	struct relay_requested *q = mem_new(sizeof(*q));

	*q = (struct relay_requested){ r, fn, arg };
	peer_call(r->chosen->peer, method, params, loop_now(r->loop), 0, relay_on_replied, q);
	peer_io_wake(r->chosen->link);
}

void relay_notify(struct relay *r, const char *method, json *params)
{
	peer_notify(r->chosen->peer, method, params);
	peer_io_wake(r->chosen->link);
}

void relay_cancel(struct relay *r, int64_t call)
{
	relay_notify(r, "cancel", json_of({ "call", json_int(call) }));
}

void relay_unattended(struct relay *r)
{
	relay_notify(r, "unattended", json_object());
}
