#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "listen_impl.h"

static void leave(struct guest_call *c)
{
	struct guest_call **at = &c->guest->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->guest->waiting--;
	c->guest = NULL;
}

static void call_free(struct guest_call *c)
{
	if (c->guest)
		leave(c);
	json_free(c->id);
	json_free(c->held);
	free(c->proposed);
	free(c->title);
	free(c->who);
	free(c);
}

/* What the person in Neovim hears of it: of what was changed, and how a review has ended. */
static void tell_person(struct guest_call *c, const json *result, const struct err *e)
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
	nvim_event_json(c->nvim, "guest", v);
}

static void on_answer(void *arg, json *result, const struct err *e)
{
	struct guest_call *c = arg;
	struct guest *g = c->guest;
	json *v = json_object();

	tell_person(c, result, e);
	guest_record(c, result, e);
	json_put(v, "failed", json_bool(e->code));
	json_put(v, "answer", e->code && !result ? error_object(e) : result);
	if (g) {
		peer_answer(g->peer, c->id, v);
		guest_send(g);
	} else {
		json_free(v);
	}
	call_free(c);
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

/* The guest learns that something will be written, and what, before it is. */
static void permit(void *of, const char *title, const char *root, call_permitted *fn, void *arg)
{
	struct guest_call *c = ((struct asker *)of)->guest;
	struct loop *loop = c->nvim->ox->loop;
	struct permit *p = mem_new(sizeof(*p));
	json *params;

	*p = (struct permit){ fn, arg };
	if (!c->guest) {
		loop_soon(loop, refuse_permit, p);
		return;
	}
	free(c->title);
	c->title = mem_dup(title, strlen(title));
	params = json_object();
	json_put(params, "call", json_copy(c->id));
	json_put(params, "title", json_strz(title));
	json_put(params, "root", json_strz(root));
	peer_call(c->guest->peer, "write", params, loop_now(loop), 0, on_permit, p);
	guest_send(c->guest);
}

static void run(struct guest_call *c)
{
	json *args = c->held;

	c->held = NULL;
	c->call = call_start(c->nvim->ox, c->tool, args, &c->context, on_answer, c);
}

void guest_call(struct guest *g, struct msg *m, const json *params)
{
	struct nvim *n = g->listen->nvim;
	struct err e = ERR_INIT;
	const struct tool *tool = tool_find(json_get_str(params, "tool"), &e);
	json *args = tool ? json_parse_outer(json_get_str(params, "arguments"), &e) : NULL;
	bool sure = str_eq(json_get_str(params, "confirm"), STR("never"));
	struct guest_call *c;

	if (args && g->waiting >= guest_limit(g, CFG_RELAY_CALLS))
		err_set(&e, ERR_LIMIT, "too many calls are under way; wait for an answer");
	if (e.code) {
		json_free(args);
		peer_refuse(g->peer, m->id, &e);
		return;
	}
	c = mem_new(sizeof(*c));
	c->asker = (struct asker){ -++g->listen->calls, c };
	c->nvim = n;
	c->guest = g;
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
	c->next = g->calls;
	g->calls = c;
	g->waiting++;
	if (!n->attaching)
		run(c);
}

void listen_run_held(struct nvim *n)
{
	for (struct guest *g = n->listen ? n->listen->guests : NULL; g; g = g->next)
		for (struct guest_call *c = g->calls; c; c = c->next)
			if (c->held)
				run(c);
}

/* One that has not begun is answered here and now. */
static void take_back(struct guest_call *c)
{
	struct err e = ERR_INIT;

	c->cancelled = true;
	if (c->call) {
		call_cancel(c->call);
		return;
	}
	err_set(&e, ERR_CANCELLED, "cancelled");
	on_answer(c, NULL, &e);
}

void guest_cancel(struct guest *g, const json *params)
{
	int64_t id = json_get_int(params, "call", 0);

	for (struct guest_call *c = g->calls; c; c = c->next)
		if (json_number(c->id) == id) {
			take_back(c);
			return;
		}
}

/* Only Neovim knows whether it has shown a question, or said yes to it at once. */
void guest_unattended(struct guest *g)
{
	g->unattended = true;
	for (const struct guest_call *c = g->calls; c; c = c->next)
		if (c->question) {
			json *v = json_object();

			json_put(v, "id", json_int(c->question));
			nvim_event_json(c->nvim, "confirm_unattended", v);
		}
}

bool guest_is_unattended(const struct guest_call *c)
{
	return c->guest && c->guest->unattended;
}

void guest_leaves_calls(struct guest *g)
{
	while (g->calls) {
		struct guest_call *c = g->calls;
		bool started = c->call;

		leave(c);
		if (started)
			call_cancel(c->call);
		else
			call_free(c);
	}
}

bool guest_writes(const struct guest *g)
{
	for (const struct guest_call *c = g->calls; c; c = c->next)
		if (c->title)
			return true;
	return false;
}

const char *guest_who(const struct guest_call *c)
{
	return c->who;
}

/* A question that the guest's own person answers; the call may be over by then. */
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

static void say_waiting(struct guest_call *c, const struct question *q)
{
	json *v = json_object();

	json_put(v, "title", json_strz(q->title));
	json_put(v, "message", json_strz("waits for the review in Neovim"));
	json_put(v, "percent", json_int(-1));
	json_put(v, "done", json_bool(false));
	peer_notify(c->guest->peer, "progress", v);
	guest_send(c->guest);
}

static void ask_guest(struct guest_call *c, int64_t question, const struct question *q)
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
	peer_call(c->guest->peer, "confirm", v, loop_now(c->nvim->ox->loop), 0, on_confirm, a);
	guest_send(c->guest);
}

bool guest_confirm(struct guest_call *c, int64_t question, const struct question *q)
{
	bool asks = c->guest && c->guest->person;

	free(c->proposed);
	c->proposed = mem_dup(q->title, strlen(q->title));
	if (asks) {
		ask_guest(c, question, q);
	} else {
		c->question = question;
		if (c->guest)
			say_waiting(c, q);
	}
	return asks;
}
