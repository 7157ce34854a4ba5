#include "relay.h"

#include <stdlib.h>

#include "../base/jscan.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "relay_impl.h"

struct relay_waiting { /* a call */
	struct relay_waiting *next;
	struct relay *relay;
	int64_t id;
	relay_done *fn;
	void *arg;
	char *title; /* of what is about to be written; NULL: nothing was yet */
	char *root;  /* where */
	int64_t written_ms;
};

struct relay_asked { /* a question of the core */
	struct relay_asked *next;
	struct relay *relay;
	json *id;
};

static void reply_said(void *arg, bool yes)
{
	struct relay_asked *a = arg, **at = &a->relay->asked;
	struct contact *c = a->relay->chosen;
	json *v = json_object();

	json_put(v, "yes", json_bool(yes));
	peer_answer(c->peer, a->id, v);
	peer_io_wake(c->link);
	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	json_free(a->id);
	free(a);
}

static void on_confirm(struct relay *r, struct msg *m, const json *body)
{
	struct shown_question q = { .title = json_get_str(body, "title").p,
				    .notes = json_get_str(body, "notes").p,
				    .diff = json_get_str(body, "diff"),
				    .files = (size_t)json_get_int(body, "files", 0) };
	struct relay_asked *a = mem_new(sizeof(*a));

	a->relay = r;
	a->id = json_copy(m->id);
	a->next = r->asked;
	r->asked = a;
	r->ev->confirm(r->self, &q, reply_said, a);
}

/* From our answer on it may be written: whatever happens then, this call is not made again. */
static bool on_write(struct relay *r, const json *body)
{
	int64_t id = json_get_int(body, "call", 0);
	struct str title = json_get_str(body, "title"), root = json_get_str(body, "root");

	for (struct relay_waiting *w = r->waiting; w; w = w->next)
		if (w->id == id) {
			free(w->title);
			free(w->root);
			w->title = mem_dup(title.p, title.n);
			w->root = mem_dup(root.p, root.n);
			w->written_ms = loop_wall_ms();
			return true;
		}
	return false;
}

static void on_request(void *self, struct msg *m)
{
	struct contact *c = self;
	struct err e = ERR_INIT;
	const json *body = msg_body(m, &e);

	if (body && str_eq(m->method, STR("write")) && on_write(c->relay, body)) {
		peer_answer(c->peer, m->id, json_object());
	} else if (body && str_eq(m->method, STR("confirm")) && c == c->relay->chosen &&
		   c->relay->spec->person) {
		on_confirm(c->relay, m, body);
	} else {
		err_set(&e, ERR_UNSUPPORTED, "%.*s is not answered here", STR_ARG(m->method));
		peer_refuse(c->peer, m->id, &e);
	}
}

static void on_notify(void *self, struct msg *m)
{
	struct contact *c = self;
	const struct relay_events *ev = c->relay->ev;
	struct err e = ERR_INIT;
	const json *v = str_eq(m->method, STR("progress")) ? msg_body(m, &e) : NULL;

	if (v && ev->progress)
		ev->progress(c->relay->self, json_get_str(v, "title"), json_get_str(v, "message"),
			     (int)json_get_int(v, "percent", -1), json_get_bool(v, "done", false));
	else if (str_eq(m->method, STR("actions")) && ev->actions)
		ev->actions(c->relay->self);
}

static void turn(void *self, uint64_t now)
{
	struct contact *c = self;

	peer_tick(c->peer, now);
}

static uint64_t deadline(void *self)
{
	struct contact *c = self;

	return peer_deadline(c->peer);
}

static void ended(void *self, const struct err *e)
{
	struct contact *c = self;

	c->gone = *e;
	if (!e->code)
		err_set(&c->gone, ERR_IO, "the editor has gone away");
	peer_close(c->peer, &c->gone);
	peer_io_wake(c->link); /* takes a turn: its calls fail */
}

struct contact *contact_new(struct relay *r, int fd)
{
	static const struct peer_handler handler = { on_request, on_notify, NULL, NULL };
	struct contact *c = mem_new(sizeof(*c));
	struct peer_io_spec spec = { NULL, c, turn, deadline, ended, NULL, 0 };

	c->relay = r;
	c->peer = spec.peer =
		peer_new(&codec_lines_raw, (size_t)config_get(&r->config, CFG_RELAY_MESSAGE),
			 PEER_CANCEL_SILENT, &handler, c);
	peer_set_name(c->peer, "core");
	c->link = peer_io_socket(r->loop, &spec, fd);
	c->next = r->contacts;
	r->contacts = c;
	return c;
}

void contact_end(struct contact *c)
{
	peer_io_free(c->link);
	c->link = NULL;
}

void contact_free(struct contact *c)
{
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

static void free_now(void *arg)
{
	struct relay *r = arg;
	struct contact *c;
	struct relay_asked *a;

	while ((c = r->contacts)) {
		r->contacts = c->next;
		contact_free(c);
	}
	while ((a = r->asked)) {
		r->asked = a->next;
		json_free(a->id);
		free(a);
	}
	buf_release(&r->note);
	free(r);
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	r->freed = true;
	for (struct contact *c = r->contacts; c; c = c->next)
		contact_end(c);
	loop_soon(r->loop, free_now, r);
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

/* {failed, answer}: the answer is left as it stands, for it may be large. */
static bool read_answer(struct str raw, struct relay_result *out)
{
	struct jscan s = jscan_of(raw, &out->why);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key);) {
		if (str_eq(key, STR("failed")))
			out->failed = jscan_bool(&s);
		else if (str_eq(key, STR("answer")))
			out->answer = jscan_raw(&s);
		else
			jscan_skip(&s);
	}
	return jscan_ok(&s) && out->answer.n;
}

static void on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct relay_waiting *w = arg, **at = &w->relay->waiting;
	const struct err *gone = &w->relay->chosen->gone;
	struct relay_result result = { .why = gone->code ? *gone : *e,
				       .title = w->title,
				       .root = w->root,
				       .written_ms = w->written_ms };

	if (result.why.code || !read_answer(m->raw, &result))
		result.end = w->title ? RELAY_WRITING : RELAY_UNTOUCHED;
	if (!w->relay->freed)
		w->fn(w->arg, &result);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	free(w->title);
	free(w->root);
	free(w);
}

static const char *const confirm_names[] = { "auto", "always", "never" };

int64_t relay_call(struct relay *r, const char *tool, const json *args, enum call_confirm confirm,
		   relay_done *fn, void *arg)
{
	struct relay_waiting *w = mem_new(sizeof(*w));
	json *params = json_object();
	struct buf text = BUF_INIT;

	json_print(&text, args);
	json_put(params, "tool", json_strz(tool));
	json_put(params, "arguments", json_take(&text));
	json_put(params, "confirm", json_strz(confirm_names[confirm]));
	w->relay = r;
	w->fn = fn;
	w->arg = arg;
	w->next = r->waiting;
	r->waiting = w;
	w->id = peer_call(r->chosen->peer, "call", params, loop_now(r->loop), 0, on_reply, w);
	peer_io_wake(r->chosen->link);
	return w->id;
}

void relay_cancel(struct relay *r, int64_t call)
{
	json *params = json_object();

	json_put(params, "call", json_int(call));
	peer_notify(r->chosen->peer, "cancel", params);
	peer_io_wake(r->chosen->link);
}

void relay_unattended(struct relay *r)
{
	peer_notify(r->chosen->peer, "unattended", json_object());
	peer_io_wake(r->chosen->link);
}
