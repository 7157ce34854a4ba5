#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "listen_impl.h"

static void remote_call_unlink(struct remote_call *c)
{
	LIST_REMOVE(c, all);
	c->remote->waiting--;
	c->remote = NULL;
}

static void remote_call_free(struct remote_call *c)
{
	if (c->remote)
		remote_call_unlink(c);
	json_free(c->id);
	json_free(c->held);
	free(c->proposed);
	free(c->title);
	free(c->who);
	free(c);
}

/* What the person in Neovim hears of it: of what was changed, and how a review has ended. */
static void tell_person(struct remote_call *c, const json *result, const struct err *e)
{
	static const char *const members[] = {
		"transaction",	"files",	"files_changed", "saved",      "left_modified",
		"syntax_check", "not_verified", "complete",	 "new_errors", NULL
	};
	json *v;

	if (!c->title && !c->question)
		return;
	v = json_object();
	json_put(v, "who", json_strz(c->who));
	json_put(v, "question", json_int(c->question));
	json_put(v, "title", json_strz(c->title ? c->title : ""));
	if (e->code)
		json_put(v, "error", json_strz(e->msg));
	for (const char *const *m = members; *m && !e->code; m++)
		if (json_get(result, *m))
			json_put(v, *m, json_copy(json_get(result, *m)));
	nvim_event_json(c->nvim, "remote_client", v);
}

static void remote_call_answer(void *arg, json *result, const struct err *e)
{
	struct remote_call *c = arg;
	struct remote *g = c->remote;
	json *v = json_object();

	tell_person(c, result, e);
	remote_record(c, result, e);
	json_put(v, "failed", json_bool(e->code));
	json_put(v, "answer", e->code && !result ? error_object(e) : result);
	if (g) {
		peer_answer(g->peer, c->id, v);
		remote_send(g);
	} else {
		json_free(v);
	}
	remote_call_free(c);
}

struct permit {
	call_permitted *fn;
	void *arg;
};

static void on_permit(void *arg, struct msg *m, const struct err *e)
{
	struct permit *p = arg;

	(void)m;
	p->fn(p->arg, !e->code);
	free(p);
}

static void refuse_permit(void *arg)
{
	struct err gone = ERR_INIT;

	err_set(&gone, ERR_IO, "the caller has gone away");
	on_permit(arg, NULL, &gone);
}

/* The remote client learns that something will be written, and what, before it is. */
static void permit(void *of, const char *title, const char *root, call_permitted *fn, void *arg)
{
	struct remote_call *c = ((struct asker *)of)->remote;
	struct loop *loop = c->nvim->ox->loop;
	struct permit *p = mem_new(sizeof(*p));
	json *params;

	*p = (struct permit){ fn, arg };
	if (!c->remote) {
		loop_soon(loop, refuse_permit, p);
		return;
	}
	free(c->title);
	c->title = mem_dup(title, strlen(title));
	params = json_object();
	json_put(params, "call", json_copy(c->id));
	json_put(params, "title", json_strz(title));
	json_put(params, "root", json_strz(root));
	peer_call(c->remote->peer, "write", params, loop_now(loop), 0, on_permit, p);
	remote_send(c->remote);
}

static void remote_call_run(struct remote_call *c)
{
	json *args = c->held;

	c->held = NULL;
	c->call = call_start(c->nvim->ox, c->tool, args, &c->context, remote_call_answer, c);
}

void remote_call(struct remote *g, struct msg *m, const json *params)
{
	struct nvim *n = g->listen->nvim;
	struct err e = ERR_INIT;
	const struct tool *tool = tool_find(json_get_str(params, "tool"), &e);
	json *args = tool ? json_parse_outer(json_get_str(params, "arguments"), &e) : NULL;
	bool sure = str_eq(json_get_str(params, "confirm"), STR("never"));
	struct remote_call *c;

	if (args && g->waiting >= remote_limit(g, CFG_RELAY_CALLS))
		err_set(&e, ERR_LIMIT, "too many calls are under way; wait for an answer");
	if (e.code) {
		json_free(args);
		peer_refuse(g->peer, m->id, &e);
		return;
	}
	c = mem_new(sizeof(*c));
	c->asker = (struct asker){ -++g->listen->calls, c };
	c->nvim = n;
	c->remote = g;
	c->who = mem_dup(g->who, strlen(g->who));
	c->id = json_copy(m->id);
	c->tool = tool;
	c->held = args;
	c->context = (struct call_context){ .confirm = sure ? CONFIRM_NEVER : CONFIRM_ALWAYS,
					    .last_project = &g->last_project,
					    .of = &c->asker,
					    .origin = g->origin,
					    .who = c->who,
					    .permit = permit };
	LIST_INSERT_HEAD(&g->calls, c, all);
	g->waiting++;
	if (!n->attaching)
		remote_call_run(c);
}

void listen_run_held(struct nvim *n)
{
	struct remote *g;
	struct remote_call *c;

	if (!n->listen)
		return;
	LIST_FOREACH(g, &n->listen->remotes, all)
		LIST_FOREACH(c, &g->calls, all)
			if (c->held)
				remote_call_run(c);
}

/* One that has not begun is answered here and now. */
static void take_back(struct remote_call *c)
{
	struct err e = ERR_INIT;

	c->cancelled = true;
	if (c->call) {
		call_cancel(c->call);
		return;
	}
	err_set(&e, ERR_CANCELLED, "cancelled");
	remote_call_answer(c, NULL, &e);
}

void remote_cancel(struct remote *g, const json *params)
{
	int64_t id = json_get_int(params, "call", 0);
	struct remote_call *c;

	LIST_FOREACH(c, &g->calls, all)
		if (json_number(c->id) == id) {
			take_back(c);
			return;
		}
}

/* Only Neovim knows whether it has shown a question, or said yes to it at once. */
void remote_unattended(struct remote *g)
{
	const struct remote_call *c;

	g->unattended = true;
	LIST_FOREACH(c, &g->calls, all)
		if (c->question) {
			json *v = json_object();

			json_put(v, "id", json_int(c->question));
			nvim_event_json(c->nvim, "confirm_unattended", v);
		}
}

bool remote_is_unattended(const struct remote_call *c)
{
	return c->remote && c->remote->unattended;
}

void remote_leaves_calls(struct remote *g)
{
	struct remote_call *c;

	while ((c = LIST_FIRST(&g->calls))) {
		bool started = c->call;

		remote_call_unlink(c);
		if (started)
			call_cancel(c->call);
		else
			remote_call_free(c);
	}
}

bool remote_writes(const struct remote *g)
{
	const struct remote_call *c;

	LIST_FOREACH(c, &g->calls, all)
		if (c->title)
			return true;
	return false;
}

const char *remote_who(const struct remote_call *c)
{
	return c->who;
}

/* A question that the remote client's own person answers; the call may be over by then. */
struct asked {
	struct nvim *nvim;
	int64_t question;
};

static void on_confirm(void *arg, struct msg *m, const struct err *why)
{
	struct asked *a = arg;
	struct err e = ERR_INIT;
	const json *body = why->code ? NULL : msg_body(m, &e);
	struct verdict v = { .yes = json_get_bool(body, "yes", false) };

	nvim_ask_verdict(a->nvim, a->question, &v);
	free(a);
}

static void say_waiting(struct remote_call *c, const struct question *q)
{
	json *v = json_object();

	json_put(v, "title", json_strz(q->title));
	json_put(v, "message", json_strz("waits for the review in Neovim"));
	json_put(v, "percent", json_int(-1));
	json_put(v, "done", json_bool(false));
	peer_notify(c->remote->peer, "progress", v);
	remote_send(c->remote);
}

static void ask_remote(struct remote_call *c, int64_t question, const struct question *q)
{
	struct asked *a = mem_new(sizeof(*a));
	struct buf diff = BUF_INIT;
	json *v = json_object();

	*a = (struct asked){ c->nvim, question };
	plan_preview(q->plan, &diff);
	json_put(v, "call", json_copy(c->id));
	json_put(v, "title", json_strz(q->title));
	json_put(v, "diff", json_take(&diff));
	json_put(v, "notes", json_strz(q->notes ? q->notes : ""));
	json_put(v, "files", json_int((int64_t)plan_files(q->plan)));
	peer_call(c->remote->peer, "confirm", v, loop_now(c->nvim->ox->loop), 0, on_confirm, a);
	remote_send(c->remote);
}

bool remote_confirm(struct remote_call *c, int64_t question, const struct question *q)
{
	bool asks = c->remote && c->remote->person;

	free(c->proposed);
	c->proposed = mem_dup(q->title, strlen(q->title));
	if (asks) {
		ask_remote(c, question, q);
	} else {
		c->question = question;
		if (c->remote)
			say_waiting(c, q);
	}
	return asks;
}
