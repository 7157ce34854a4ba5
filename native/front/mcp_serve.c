#include "mcp_serve.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "../servers/pool.h"
#include "../tool/shown_texts.h"
#include "front.h"
#include "mcp_guide.h"

bool mcp_serve_move(struct mcp_serve *s, const char *root, struct err *e)
{
	struct oxide *ox = s->ox;
	json *servers SCOPED(json_release) = pool_status(ox->pool);
	bool ok;

	if (json_len(servers))
		ok = err_set(
			e, ERR_UNSUPPORTED,
			"the project root is still %s, whose language servers are running; restart oxide mcp "
			"to work in %s",
			ox->root, root);
	else
		ok = oxide_set_root(ox, root, e);
	return ok;
}

/* The first of the client's directories is the project, as long as no server works on another. */
static void mcp_on_roots(void *self, const json *roots)
{
	struct mcp_serve *s = self;
	struct str uri = json_get_str(json_first(roots), "uri");
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (uri.n && !s->own_root && uri_to_path(&path, uri, &e) && strcmp(path.p, s->ox->root) &&
	    mcp_serve_move(s, path.p, &e)) {
		free(s->folder);
		s->folder = mem_dup(path.p, path.n);
	}
	if (e.code)
		mcp_log(s->io.mcp, MCP_WARNING, str_of(e.msg));
}

/* A server's work is nobody's call: all who wait hear of it. */
static void mcp_serve_progress(void *self, void *of, const char *id, struct str title,
			       struct str message, int percent, bool done)
{
	struct mcp_serve *s = self;
	struct pending_call *c;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	(void)of;
	(void)id;
	buf_add(&text, title);
	if (message.n)
		buf_addf(&text, ": %.*s", STR_ARG(message));
	if (percent >= 0 && !done)
		buf_addf(&text, " %d%%", percent);
	buf_adds(&text, done ? ", done" : "");
	TAILQ_FOREACH(c, &s->calls, all)
		mcp_progress(((struct mcp_call *)c)->request, buf_str(&text));
	mcp_stdio_wake(&s->io);
}

static void mcp_serve_message(void *self, const char *level, struct str text)
{
	struct mcp_serve *s = self;

	mcp_log(s->io.mcp,
		!strcmp(level, "error")	 ? MCP_ERROR
		: !strcmp(level, "warn") ? MCP_WARNING
					 : MCP_INFO,
		text);
	mcp_stdio_wake(&s->io);
}

static void mcp_serve_server(void *self, const char *name, const char *root, const char *state,
			     const char *reason)
{
	struct mcp_serve *s = self;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	bool died = !strcmp(state, "restarting") || !strcmp(state, "hung");

	buf_addf(&text, "%s in %s: %s%s%s", name, root, state, *reason ? ": " : "", reason);
	mcp_log(s->io.mcp,
		!strcmp(state, "dead") ? MCP_ERROR
		: died		       ? MCP_WARNING
				       : MCP_INFO,
		buf_str(&text));
	mcp_stdio_wake(&s->io);
}

static void mcp_serve_diagnostics(void *self, const char *path)
{
	struct mcp_serve *s = self;
	struct str shown = workspace_shown(s->ox->workspace, path);
	struct buf uri SCOPED(buf_release) = BUF_INIT, file SCOPED(buf_release) = BUF_INIT;

	mcp_updated(s->io.mcp, STR(MCP_DIAGNOSTICS));
	if (shown.n && shown.p[0] != '/') {
		buf_addf(&file, "/%.*s", STR_ARG(shown));
		uri_from_path(&uri, buf_str(&file));
		buf_drop(&uri, strlen("file://"));
		buf_clear(&file);
		buf_addf(&file, MCP_DIAGNOSTICS "%s", uri.p);
		mcp_updated(s->io.mcp, buf_str(&file));
	}
	mcp_stdio_wake(&s->io);
}

static void mcp_serve_actions(void *self)
{
	struct mcp_serve *s = self;

	mcp_updated(s->io.mcp, STR(MCP_ACTIONS));
	mcp_stdio_wake(&s->io);
}

/* Changes that are being made are made whole; all else is given up. */
static void mcp_client_gone(void *arg)
{
	struct mcp_serve *s = arg;

	mcp_relay_end(s);
	oxide_stop(s->ox);
}

static size_t mcp_limit(const struct mcp_serve *s, enum config_key key)
{
	return (size_t)config_get(&s->ox->config, key);
}

static struct mcp *mcp_serve_new(struct mcp_serve *s)
{
	const struct mcp_limits limits = {
		mcp_limit(s, CFG_MCP_MESSAGE), mcp_limit(s, CFG_MCP_PAGE),
		mcp_limit(s, CFG_MCP_CALLS),   mcp_limit(s, CFG_MCP_WATCHED),
		mcp_limit(s, CFG_MCP_ROOTS),
	};
	const struct mcp_host host = {
		.name = "oxide",
		.title = "Oxide",
		.version = OXIDE_VERSION,
		.instructions = mcp_instructions,
		.tools = mcp_serve_tools,
		.resources = mcp_serve_resources,
		.templates = mcp_serve_templates,
		.prompts = mcp_serve_prompts,
		.call = mcp_serve_call,
		.read = mcp_serve_read,
		.prompt = mcp_serve_prompt,
		.cancel = mcp_serve_cancel,
		.roots = mcp_on_roots,
	};

	return mcp_new(&host, &limits, s);
}

static void mcp_editor_init(struct mcp_serve *s)
{
	struct editor *ed = &s->ox->editor;

	ed->self = s;
	ed->progress = mcp_serve_progress;
	ed->message = mcp_serve_message;
	ed->server = mcp_serve_server;
	ed->diagnostics = mcp_serve_diagnostics;
	ed->actions = mcp_serve_actions;
	mcp_serve_ask_init(s);
}

/* --tools core|rust|all */
static bool mcp_read_words(struct mcp_serve *s, int argc, char **argv, struct err *e)
{
	static const struct {
		const char *name;
		unsigned listed;
	} sets[] = { { "core", TOOL_CORE }, { "rust", TOOL_RUST }, { "all", 0 } };

	s->listed = TOOL_CORE;
	for (int i = 0; i < argc; i += 2) {
		const char *name = argv[i + 1];
		size_t set = 0;

		if (strcmp(argv[i], "--tools") != 0)
			return err_set(e, ERR_INVALID, "unknown option %s", argv[i]);
		if (!name)
			return err_set(e, ERR_INVALID, "--tools needs a value");
		while (set < 3 && strcmp(name, sets[set].name) != 0)
			set++;
		if (set == 3)
			return err_set(e, ERR_INVALID, "--tools must be core, rust or all, not %s",
				       name);
		s->listed = sets[set].listed;
	}
	return true;
}

int front_mcp(struct oxide *ox, const struct call_options *o, int argc, char **argv)
{
	struct mcp_serve s = { .ox = ox,
			       .calls = TAILQ_HEAD_INITIALIZER(s.calls),
			       .own_root = o->oxide.root,
			       .here = call_is_here(o),
			       .there = o->where == CALL_EDITOR,
			       .spec = { .origin = "mcp", .root = o->oxide.root } };
	struct err e = ERR_INIT;

	if (!mcp_read_words(&s, argc, argv, &e))
		return front_refuse("mcp", &e);
	front_tell_recovered(ox);
	s.io = (struct mcp_stdio){ .mcp = mcp_serve_new(&s),
				   .loop = ox->loop,
				   .unattended = mcp_relay_unattended,
				   .ended = mcp_client_gone,
				   .arg = &s,
				   .linger = mcp_limit(&s, CFG_MCP_LINGER),
				   .unwritten = mcp_limit(&s, CFG_MCP_QUEUE) };
	if (!mcp_stdio_start(&s.io, &e)) {
		front_say("oxide: %s\n", e.msg);
		_exit(1);
	}
	s.shown = shown_texts_new(mcp_limit(&s, CFG_SHOWN_BYTES));
	mcp_editor_init(&s);
	loop_on_signal(ox->loop, mcp_stdio_stop, &s.io);
	loop_run(ox->loop);
	mcp_free(s.io.mcp);
	shown_texts_free(s.shown);
	buf_release(&s.client);
	free(s.folder);
	return 0;
}
