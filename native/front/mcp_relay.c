
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
static void mcp_relay_say(struct mcp_serve *s, const char *what, const char *more)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	buf_addf(&text, "%s%s", what, more);
	front_say("oxide: %s\n", text.p);
	mcp_log(s->io.mcp, MCP_WARNING, buf_str(&text));
	mcp_stdio_wake(&s->io);
}

static void mcp_relay_go_on_alone(struct mcp_serve *s, const char *why)
{
	if (!s->told)
		mcp_relay_say(s, why, s->there ? "" : "; continuing without it");
	s->told = true;
}

static void mcp_relay_let_go(struct mcp_serve *s)
{
	relay_free(s->relay);
	s->relay = NULL;
	s->looking = false;
}

static void mcp_without_editor(struct mcp_call *c)
{
	struct err e = ERR_INIT;

	if (!c->of->there) {
		pending_call_start(&c->pending, c->of->ox);
		return;
	}
	err_set(&e, ERR_NOT_FOUND,
		"no editor has this project open, which --editor requires; open the project "
		"in Neovim");
	pending_call_answer(&c->pending, NULL, &e);
}

/* The editor may call it otherwise: "app-2" is a second one of that name. */
static void forget_project(struct projects *own, struct str root)
{
	const struct project *p = root.n ? projects_of(own, root.p) : NULL;

	if (p && str_eq(str_of(p->root), root))
		projects_remove(own, str_of(p->name), ERR_IGNORED);
}

/* What the client has loaded in the editor is loaded here too, should we go on without it. */
static void follow_projects(struct mcp_call *c, const json *answer)
{
	struct projects *own = c->of->ox->projects;
	struct str in = json_get_str(c->pending.args, "add_project_path");
	const struct project *p;

	forget_project(own, json_get_str(answer, "removed"));
	p = in.n ? projects_add(own, in.p, ERR_IGNORED) : NULL;
	if (p)
		c->of->last_project = p->id;
}

static void mcp_relay_done(void *arg, const struct relay_result *r)
{
	struct mcp_call *c = arg;
	struct err e = ERR_INIT;
	json *v;

	c->pending.relayed = 0;
	if (r->end != RELAY_ANSWERED)
		mcp_relay_go_on_alone(c->of, r->why.msg);
	if (r->end != RELAY_UNTOUCHED) {
		v = (r->end == RELAY_ANSWERED ? relay_answer : relay_fate)(r, &e);
		if (!e.code && c->pending.tool == &tool_manage_projects)
			follow_projects(c, v);
		pending_call_answer(&c->pending, v, &e);
	} else if (c->pending.cancelled) {
		pending_call_cancel(&c->pending);
	} else {
		mcp_without_editor(c);
	}
}

static void mcp_relay_start(struct mcp_call *c)
{
	struct mcp_serve *s = c->of;

	if (s->relay)
		pending_call_relay(&c->pending, s->relay, mcp_relay_done);
	else
		mcp_without_editor(c);
}

/* The editor's root becomes ours. */
static void mcp_relay_take_up(struct mcp_serve *s)
{
	struct err e = ERR_INIT;

	if (strcmp(relay_root(s->relay), s->ox->root) &&
	    !mcp_serve_move(s, relay_root(s->relay), &e)) {
		mcp_relay_go_on_alone(s, e.msg);
		mcp_relay_let_go(s);
		return;
	}
	s->told = false;
	if (s->io.until)
		relay_unattended(s->relay);
	if (*relay_note(s->relay))
		mcp_relay_say(s, relay_note(s->relay), "");
}

static void mcp_relay_found(void *self, const struct err *e)
{
	struct mcp_serve *s = self;
	struct pending_call *c, *next;

	s->looking = false;
	if (!e->code) {
		mcp_relay_take_up(s);
	} else {
		if (e->code != ERR_NOT_FOUND)
			mcp_relay_go_on_alone(s, e->msg);
		mcp_relay_let_go(s);
	}
	for (c = TAILQ_FIRST(&s->calls); c; c = next) {
		next = TAILQ_NEXT(c, all);
		if (!c->call)
			mcp_relay_start((struct mcp_call *)c);
	}
}

static void mcp_relay_progress(void *self, struct str title, struct str message, int percent,
			       bool done)
{
	struct mcp_serve *s = self;

	s->ox->editor.progress(s, NULL, NULL, title, message, percent, done);
}

static void mcp_relay_actions(void *self)
{
	struct mcp_serve *s = self;

	s->ox->editor.actions(s);
}

/* Called what the client calls itself: that says more to a person than our own name. */
static void mcp_relay_look(struct mcp_serve *s, const struct mcp_request *r)
{
	static const struct relay_events events = { .found = mcp_relay_found,
						    .progress = mcp_relay_progress,
						    .actions = mcp_relay_actions };

	buf_clear(&s->client);
	mcp_client(r, &s->client);
	s->spec.name = s->client.n ? s->client.p : "oxide mcp";
	s->spec.folder = s->folder;
	s->relay = relay_open(s->ox->loop, &s->spec, &events, s);
	s->looking = !relay_alone(s->relay);
	if (!s->looking)
		mcp_relay_let_go(s);
}

static bool any_relayed(const struct mcp_serve *s)
{
	const struct pending_call *c;

	TAILQ_FOREACH(c, &s->calls, all)
		if (c->relayed)
			return true;
	return false;
}

/* It has gone, or the client has moved to another directory. */
static bool mcp_relay_is_stale(const struct mcp_serve *s)
{
	return !s->looking && !any_relayed(s) &&
	       (relay_gone(s->relay) || strcmp(relay_root(s->relay), s->ox->root));
}

void mcp_relay_call(struct mcp_call *c)
{
	struct mcp_serve *s = c->of;

	if (s->relay && mcp_relay_is_stale(s))
		mcp_relay_let_go(s);
	if (!s->relay && !s->here)
		mcp_relay_look(s, c->request);
	if (!s->looking)
		mcp_relay_start(c);
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
	mcp_relay_let_go(s);
	s->here = true;
	pending_calls_end(&s->calls);
}
