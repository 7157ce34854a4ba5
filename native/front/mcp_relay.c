#include <stdio.h>

#include "../core/projects.h"
#include "../io/loop.h"
#include "front.h"
#include "mcp_serve.h"

/*
 * Calls by way of the editor that has the project open. It is looked for at the first call, and
 * again at the next one when there was none or it has gone; what comes meanwhile waits. The root is
 * the editor's from then on, so that paths mean the same should we go on without it.
 */

/* To the client, and to whoever looks at standard error. */
static void say(struct mcp_serve *s, const char *what, const char *more)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%s%s", what, more);
	front_say("oxide: %s\n", text.p);
	mcp_log(s->io.mcp, MCP_WARNING, buf_str(&text));
	mcp_stdio_wake(&s->io);
	buf_release(&text);
}

static void go_on_alone(struct mcp_serve *s, const char *why)
{
	if (!s->told)
		say(s, why, s->there ? "" : "; going on without it");
	s->told = true;
}

static void let_go(struct mcp_serve *s)
{
	relay_free(s->relay);
	s->relay = NULL;
	s->looking = false;
}

static void answer_cancelled(struct server_call *c)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "cancelled");
	mcp_call_answer(c, NULL, &e);
}

static void without_editor(struct server_call *c)
{
	struct err e = ERR_INIT;

	if (!c->of->there) {
		mcp_call_here(c);
		return;
	}
	err_set(&e, ERR_NOT_FOUND,
		"no editor works on this project, and --editor goes nowhere else; open the project "
		"in Neovim");
	mcp_call_answer(c, NULL, &e);
}

static void answer_fate(struct server_call *c, const struct relay_result *r)
{
	struct err e = ERR_INIT;
	json *v = relay_fate(r, &e);

	mcp_call_answer(c, v, &e);
}

/* The editor may call it otherwise: "app-2" is a second one of that name. */
static void forget_project(struct projects *own, struct str root)
{
	const struct project *p = root.n ? projects_of(own, root.p) : NULL;
	struct err ignored = ERR_INIT;

	if (p && str_eq(str_of(p->root), root))
		projects_remove(own, str_of(p->name), &ignored);
}

/* What the client has loaded in the editor is loaded here too, should we go on without it. */
static void follow_projects(struct server_call *c, const json *answer)
{
	struct projects *own = c->of->ox->projects;
	struct str in = json_get_str(c->args, "add_project_path");
	struct err ignored = ERR_INIT;
	const struct project *p;

	forget_project(own, json_get_str(answer, "removed"));
	p = in.n ? projects_add(own, in.p, &ignored) : NULL;
	if (p)
		c->of->last_project = p->id;
}

static void on_done(void *arg, const struct relay_result *r)
{
	struct server_call *c = arg;
	struct err e = ERR_INIT;
	json *v;

	c->relayed = 0;
	if (r->end == RELAY_ANSWERED) {
		v = relay_answer(r, &e);
		if (!e.code && c->tool == &tool_manage_projects)
			follow_projects(c, v);
		mcp_call_answer(c, v, &e);
		return;
	}
	go_on_alone(c->of, r->why.msg);
	if (r->end == RELAY_WRITING)
		answer_fate(c, r);
	else if (c->cancelled)
		answer_cancelled(c);
	else
		without_editor(c);
}

static void start(struct server_call *c)
{
	struct mcp_serve *s = c->of;

	if (!s->relay) {
		without_editor(c);
		return;
	}
	c->reviewed = true;
	c->relayed = relay_call(s->relay, c->tool->name, c->args, CONFIRM_ALWAYS, on_done, c);
}

/* The editor's root becomes ours. */
static void take_up(struct mcp_serve *s)
{
	struct err e = ERR_INIT;

	if (strcmp(relay_root(s->relay), s->ox->root) &&
	    !mcp_serve_move(s, relay_root(s->relay), &e)) {
		go_on_alone(s, e.msg);
		let_go(s);
		return;
	}
	s->told = false;
	if (s->io.until)
		relay_unattended(s->relay);
	if (*relay_note(s->relay))
		say(s, relay_note(s->relay), "");
}

static void on_found(void *self, const struct err *e)
{
	struct mcp_serve *s = self;

	s->looking = false;
	if (!e->code) {
		take_up(s);
	} else {
		if (e->code != ERR_NOT_FOUND)
			go_on_alone(s, e->msg);
		let_go(s);
	}
	for (struct server_call *c = s->calls, *next; c; c = next) {
		next = c->next;
		if (c->args && c->cancelled)
			answer_cancelled(c);
		else if (c->args && !c->relayed)
			start(c);
	}
}

static void on_progress(void *self, struct str title, struct str message, int percent, bool done)
{
	struct mcp_serve *s = self;

	s->ox->editor.progress(s, NULL, title, message, percent, done);
}

static void on_actions(void *self)
{
	struct mcp_serve *s = self;

	s->ox->editor.actions(s);
}

/* Called what the client calls itself: that says more to a person than our own name. */
static void look(struct mcp_serve *s, const struct mcp_request *r)
{
	static const struct relay_events events = { on_found, NULL, on_progress, on_actions };

	buf_clear(&s->client);
	mcp_client(r, &s->client);
	s->spec.name = s->client.n ? s->client.p : "oxide mcp";
	s->spec.folder = s->folder;
	s->relay = relay_open(s->ox->loop, &s->spec, &events, s);
	s->looking = !relay_alone(s->relay);
	if (!s->looking)
		let_go(s);
}

static bool any_relayed(const struct mcp_serve *s)
{
	for (const struct server_call *c = s->calls; c; c = c->next)
		if (c->relayed)
			return true;
	return false;
}

/* It has gone, or the client has moved to another folder. */
static bool is_stale(const struct mcp_serve *s)
{
	return !s->looking && !any_relayed(s) &&
	       (relay_gone(s->relay) || strcmp(relay_root(s->relay), s->ox->root));
}

void mcp_relay_call(struct server_call *c)
{
	struct mcp_serve *s = c->of;

	if (s->relay && is_stale(s))
		let_go(s);
	if (!s->relay && !s->here)
		look(s, c->request);
	if (!s->looking)
		start(c);
}

void mcp_relay_cancel(struct server_call *c)
{
	c->cancelled = true;
	if (c->relayed)
		relay_cancel(c->of->relay, c->relayed);
}

/* One that is still looked for is told when it is found. */
void mcp_relay_unattended(void *self)
{
	struct mcp_serve *s = self;

	if (s->relay && !s->looking)
		relay_unattended(s->relay);
}

/* The editor takes back what it can when the connection ends. */
void mcp_relay_end(struct mcp_serve *s)
{
	let_go(s);
	s->here = true;
	for (struct server_call *c = s->calls, *next; c; c = next) {
		next = c->next;
		if (c->args)
			answer_cancelled(c);
	}
}
