#include <stdlib.h>

#include "../agent/hook.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "listen_impl.h"

/* What the person in Neovim hears of it: of what was changed, and how a review has ended. */
static void remote_tell_person(struct remote_call *c, const json *result, const struct err *e)
{
	static const char *const members[] = {
		"transaction",	"files",	"files_changed", "saved",      "left_modified",
		"syntax_check", "not_verified", "complete",	 "new_errors", NULL
	};
	json *v;

	if (!c->title && !c->question)
		return;
	v = json_of({ "who", json_strz(c->who) }, { "question", json_int(c->question) },
		    { "title", json_strz(c->title ? c->title : "") },
		    { "error", e->code ? json_strz(e->msg) : NULL });
	for (const char *const *m = members; *m && !e->code; m++)
		if (json_get(result, *m))
			json_put(v, *m, json_copy(json_get(result, *m)));
	nvim_event(c->nvim, "remote_client", v);
}

void remote_call_end(struct remote_call *c, json *result, const struct err *e)
{
	struct remote *client = c->remote;
	const char *refused = exempt_refused(&c->exempt);

	if (c->pending.context.draft)
		turn_draft_done(c->pending.context.draft);
	remote_tell_person(c, result, e);
	remote_record(c, result, e);
	result = e->code && !result ? error_object(e) : result;
	if (client) {
		client->waiting--;
		peer_answer(client->peer, c->id,
			    json_of({ "failed", json_bool(e->code) }, { "answer", result },
				    { "refused", refused ? json_strz(refused) : NULL },
				    { "drafted", json_bool(remote_has_drafted(c)) }));
		remote_send(client);
	} else {
		json_free(result);
	}
	json_free(c->id);
	free(c->proposed);
	free(c->title);
	free(c->who);
	exempt_release(&c->exempt);
	free(c);
}

static void remote_call_answer(void *arg, json *result, const struct err *e)
{
	if (!remote_hold_review(arg, result, e))
		remote_call_end(arg, result, e);
}

struct remote_call *remote_call_of(struct pending_call *c)
{
	return c && c->answer == remote_call_answer ? (struct remote_call *)c : NULL;
}

struct permit {
	call_permitted *fn;
	void *arg;
};

static void remote_on_permit(void *arg, struct msg *m, const struct err *e)
{
	struct permit *p = arg;

	(void)m;
	p->fn(p->arg, !e->code);
	free(p);
}

static void remote_refuse_permit(void *arg)
{
	struct err gone = ERR_INIT;

	err_set(&gone, ERR_IO, "the remote client has disconnected");
	remote_on_permit(arg, NULL, &gone);
}

/* The remote client learns that something will be written, and what, before it is. */
static void remote_permit(void *of, const char *title, const char *root, call_permitted *fn,
			  void *arg)
{
	struct remote_call *c = of;
	struct loop *loop = c->nvim->ox->loop;
	struct permit *p = mem_new(sizeof(*p));

	*p = (struct permit){ fn, arg };
	if (!c->remote) {
		loop_soon(loop, remote_refuse_permit, p);
		return;
	}
	free(c->title);
	c->title = mem_dup(title, strlen(title));
	peer_call(c->remote->peer, "write",
		  json_of({ "call", json_copy(c->id) }, { "title", json_strz(title) },
			  { "root", json_strz(root) }),
		  loop_now(loop), 0, remote_on_permit, p);
	remote_send(c->remote);
}

/* What an agent asks through its hook is in no list of tools. */
static const struct tool *remote_tool(const json *params, struct err *e)
{
	struct str name = json_get_str(params, "tool");

	return str_eq(name, str_of(tool_agent_hook.name)) ? &tool_agent_hook : tool_find(name, e);
}

/* `args` is taken. */
static struct remote_call *remote_call_new(struct remote *client, const json *id,
					   const struct tool *tool, json *args, const json *params)
{
	struct nvim *n = client->listen->nvim;
	struct remote_call *c = mem_new(sizeof(*c));
	bool sure = str_eq(json_get_str(params, "confirm"), STR("never"));

	c->number = -++n->last_other;
	c->nvim = n;
	c->remote = client;
	c->who = mem_dup(client->who, strlen(client->who));
	c->id = json_copy(id);
	c->pending = (struct pending_call){
		.id = json_number(id),
		.tool = tool,
		.args = args,
		.answer = remote_call_answer,
		.context = { .confirm = sure ? CONFIRM_NEVER : CONFIRM_ALWAYS,
			     .errors = tool == &tool_agent_hook ? ERRORS_ASK : ERRORS_REFUSE,
			     .may_run = json_get_bool(params, "may_run", false),
			     .may_read = json_get_bool(params, "may_read", false),
			     .last_project = &client->last_project,
			     .shown = client->shown,
			     .origin = client->origin,
			     .who = c->who,
			     .permit = remote_permit }
	};
	json_each(path, json_get(params, "exempt"))
		exempt_add(&c->exempt, json_text(path).p);
	if (json_get(params, "exempt"))
		c->pending.context.exempt = &c->exempt;
	return c;
}

void remote_on_call(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;
	struct nvim *n = client->listen->nvim;
	struct err e = ERR_INIT;
	const struct tool *tool = remote_tool(params, &e);
	json *args = tool ? json_parse_outer(json_get_str(params, "arguments"), &e) : NULL;
	struct remote_call *c;

	if (!client->who) {
		json_free(args);
		peer_refuse_unknown(client->peer, m); /* before it has said hello */
		return;
	}
	if (args && client->waiting >= remote_limit(client, CFG_RELAY_CALLS))
		err_set(&e, ERR_LIMIT, "too many calls are in progress; wait for an answer");
	if (e.code) {
		json_free(args);
		peer_refuse(client->peer, m->id, &e);
		return;
	}
	c = remote_call_new(client, m->id, tool, args, params);
	remote_join_turn(c, json_get(params, "turn"));
	pending_call_add(&client->calls, &c->pending);
	client->waiting++;
	if (!n->attaching)
		pending_call_start(&c->pending, n->ox);
}

void listen_run_held(struct nvim *n)
{
	struct remote *client;

	if (n->listen)
		LIST_FOREACH(client, &n->listen->remotes, all)
			pending_calls_start(&client->calls, n->ox);
}

/* Only Neovim knows whether it has shown a question, or said yes to it at once. */
void remote_on_unattended(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;
	struct pending_call *p;

	(void)m;
	(void)params;
	client->unattended = true;
	TAILQ_FOREACH(p, &client->calls, all) {
		int64_t question = remote_call_of(p)->question;

		if (question)
			nvim_event(client->listen->nvim, "confirm_unattended",
				   json_of({ "id", json_int(question) }));
	}
}

void remote_leaves_calls(struct remote *client)
{
	struct pending_call *p;

	while ((p = TAILQ_FIRST(&client->calls))) {
		remote_call_of(p)->remote = NULL;
		pending_call_leave(p);
		pending_call_cancel(p);
	}
}

bool remote_writes(const struct remote *client)
{
	struct pending_call *p;

	TAILQ_FOREACH(p, &client->calls, all)
		if (remote_call_of(p)->title)
			return true;
	return false;
}

void remote_put_caller(const struct remote_call *c, json *question)
{
	json_put(question, "call", json_int(c->number));
	json_put(question, "who", json_strz(c->who));
	json_put(question, "unattended", json_bool(c->remote && c->remote->unattended));
}

/* A question that the remote client's own person answers; the call may be over by then. */
struct remote_asked {
	struct nvim *nvim;
	int64_t question;
};

static void remote_on_confirm(void *arg, struct msg *m, const struct err *why)
{
	struct remote_asked *a = arg;
	struct err e = ERR_INIT;
	const json *body = why->code ? NULL : msg_body(m, &e);
	struct verdict v = { .yes = json_get_bool(body, "yes", false) };

	nvim_ask_verdict(a->nvim, a->question, &v);
	free(a);
}

static void remote_say_waiting(struct remote_call *c, const struct question *q)
{
	peer_notify(c->remote->peer, "progress",
		    json_of({ "title", json_strz(q->title) },
			    { "message", json_strz("waiting for the review in Neovim") },
			    { "percent", json_int(-1) }, { "done", json_bool(false) }));
	remote_send(c->remote);
}

static void remote_ask(struct remote_call *c, int64_t question, const struct question *q)
{
	struct remote_asked *a = mem_new(sizeof(*a));
	struct buf diff = BUF_INIT;
	struct shown_question shown = question_shown(q, &diff);

	*a = (struct remote_asked){ c->nvim, question };
	peer_call(c->remote->peer, "confirm",
		  json_of({ "call", json_copy(c->id) }, { "title", json_strz(shown.title) },
			  { "diff", json_take(&diff) }, { "notes", json_strz(shown.notes) },
			  { "files", json_int((int64_t)shown.files) }),
		  loop_now(c->nvim->ox->loop), 0, remote_on_confirm, a);
	remote_send(c->remote);
}

bool remote_confirm(struct remote_call *c, int64_t question, const struct question *q)
{
	bool asks = c->remote && c->remote->person;

	free(c->proposed);
	c->proposed = mem_dup(q->title, strlen(q->title));
	if (asks) {
		remote_ask(c, question, q);
	} else {
		c->question = question;
		if (c->remote)
			remote_say_waiting(c, q);
	}
	return asks;
}
