#include "tool.h"

#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/turn_drafts.h"
#include "../core/workspace.h"
#include "auto_update.h"
#include "call_impl.h"
#include "call_lines.h"

const struct tool *tool_find(struct str name, struct err *e)
{
	const struct tool *best = NULL;
	size_t least = name.n / 2 + 1;

	for (const struct tool *const *t = tools; *t; t++)
		if (str_eq(name, str_of((*t)->name)))
			return *t;
	for (const struct tool *const *t = tools; *t; t++) {
		size_t d = str_distance(name, str_of((*t)->name), least);

		if (d < least) {
			least = d;
			best = *t;
		}
	}
	err_set(e, ERR_NOT_FOUND, "unknown tool %.*s%s%s%s", STR_ARG(name),
		best ? " (did you mean " : "", best ? best->name : "", best ? "?)" : "");
	return NULL;
}

void call_run(void *arg)
{
	struct call *c = arg;
	struct err e = ERR_INIT;

	if (c->cancelled) {
		err_set(&e, ERR_CANCELLED, "cancelled");
		call_fail(c, &e);
	} else if (tool_check_args(c->tool, c->args, &e) && !c->why) {
		workspace_look(c->ox->workspace);
		if (c->ctx.draft)
			draft_refresh(c->ctx.draft->draft);
		c->tool->run(c);
	} else {
		call_fail(c, e.code ? &e : c->why);
	}
}

/* The one that the file lies in that is named by an absolute path. */
static const struct project *project_of_file(struct oxide *ox, const struct tool *t,
					     const json *args)
{
	const struct project *found = NULL;

	for (const struct param *p = t->params; p->name && !found; p++) {
		struct str path = p->type == P_PATH ? json_get_str(args, p->name) : STR("");
		struct buf whole SCOPED(buf_release) = BUF_INIT;

		if (!path.n || *path.p != '/')
			continue;
		path_normal(&whole, "/", path);
		found = projects_of(ox->projects, whole.p);
	}
	return found;
}

static const struct project *pick_project(struct oxide *ox, const struct tool *t, const json *args,
					  unsigned *last, struct err *e)
{
	struct str name = json_get_str(args, "project_name");
	const struct project *file = name.n ? NULL : project_of_file(ox, t, args);

	if (file)
		*last = file->id;
	return projects_pick(ox->projects, name, last, e);
}

const struct project *tool_project(struct oxide *ox, const struct tool *t, const json *args,
				   const struct call_context *ctx, struct err *e)
{
	unsigned last = ctx->last_project ? *ctx->last_project : 0;

	return ctx->project ? ctx->project : pick_project(ox, t, args, &last, e);
}

/* Before run(), when its caller may have turned to another one. */
static void find_project(struct call *c)
{
	unsigned first = 0, *last = c->ctx.last_project ? c->ctx.last_project : &first;

	struct err e = ERR_INIT;

	if (!c->ctx.project)
		c->ctx.project = pick_project(c->ox, c->tool, c->args, last, &e);
	if (e.code)
		c->why = mem_copy(&e, sizeof(e));
}

struct call *call_start(struct oxide *ox, const struct tool *t, json *args,
			const struct call_context *ctx, call_answer *fn, void *arg)
{
	struct call *c = mem_new(sizeof(*c));

	c->ox = ox;
	c->tool = t;
	c->args = args;
	c->ctx = *ctx;
	c->ctx.now = false; /* of this call: one that it makes with its context runs by itself */
	c->fn = fn;
	c->arg = arg;
	c->moment = ctx->shown ? shown_texts_moment(ctx->shown) : 0;
	c->carried = ctx->came_to; /* a call inside of another has today's lines */
	ox->calls++;
	find_project(c);
	if (!ctx->background)
		auto_update_gives_way(ox);
	if (!ctx->now)
		oxide_soon(ox, call_run, c);
	return c;
}

void call_cancel(void *call)
{
	struct call *c = call;
	void (*fn)(void *state) = c->on_cancel;

	c->cancelled = true;
	c->on_cancel = NULL;
	if (fn)
		fn(c->state);
}

struct oxide *call_oxide(struct call *c)
{
	return c->ox;
}

bool call_may_take_back(const struct call *c, const struct plan *p, struct err *e)
{
	const char *origin = c->ctx.origin ? c->ctx.origin : c->ox->origin;

	if (!plan_has_exempt(p) || (!c->ctx.turn && strcmp(origin, "mcp") != 0))
		return true;
	return err_set(e, ERR_DENIED,
		       "the change is of files outside of the projects, or protected ones; only "
		       "the user can undo it, with :Oxide undo or :Oxide turn undo");
}

const struct call_context *call_context(const struct call *c)
{
	return &c->ctx;
}

const struct tool *call_tool(const struct call *c)
{
	return c->tool;
}

const struct project *call_project(const struct call *c)
{
	return c->ctx.project;
}

void call_work_in(struct call *c, const struct project *p)
{
	c->ctx.project = p;
	if (c->ctx.last_project && !c->cancelled)
		*c->ctx.last_project = p->id;
}

const char *call_root(const struct call *c)
{
	return c->ctx.project->root;
}

char *call_path(const struct call *c, struct str path)
{
	struct buf out = BUF_INIT;
	char *place;

	path_normal(&out, call_root(c), path);
	if (!(place = workspace_place(c->ox->workspace, out.p)))
		return buf_detach(&out);
	buf_release(&out);
	return place;
}

const char *call_shown_root(const struct call *c)
{
	return c->ctx.shown_root ? c->ctx.shown_root : call_root(c);
}

struct str call_shown(const struct call *c, const char *path)
{
	return path_shown(str_of(call_shown_root(c)), str_of(path));
}

bool call_has_history(const struct call *c, struct err *e)
{
	return c->ox->history || err_set(e, ERR_NOT_FOUND,
					 "no history is kept: the directory oxide of "
					 "$XDG_STATE_HOME is not writable");
}

const struct plan_source *call_source(const struct call *c)
{
	const struct plan_source *real = workspace_source(c->ox->workspace, call_shown_root(c));
	struct turn_draft *t = c->tool->flags & TOOL_TEXT ? c->ctx.draft : NULL;

	workspace_exempt(c->ox->workspace, c->ctx.exempt);
	if (c->tool->flags & TOOL_TEXT)
		workspace_by_text(c->ox->workspace);
	return t ? draft_source(t->draft, real->root) : real;
}

struct doc *call_doc(struct call *c, const char *path, struct err *e)
{
	struct turn_draft *t = c->tool->flags & TOOL_TEXT ? c->ctx.draft : NULL;
	bool gone = false;
	struct doc *d = t ? draft_doc(t->draft, path, &gone) : NULL;

	if (gone)
		err_set(e, ERR_NOT_FOUND, "%.*s: no such file: this turn has removed it",
			STR_ARG(call_shown(c, path)));
	return d || gone ? d : workspace_doc(c->ox->workspace, path, e);
}

const json *call_args(const struct call *c)
{
	return c->args;
}

void call_on_cancel(struct call *c, void (*fn)(void *state), void *state)
{
	c->on_cancel = fn;
	c->state = state;
}

bool call_cancelled(const struct call *c)
{
	return c->cancelled;
}

void answer_warn(json *result, struct str text)
{
	struct str said = json_get_str(result, "warning");

	json_put(result, "warning",
		 json_strf("%.*s%s%.*s", STR_ARG(said), said.n ? "; " : "", STR_ARG(text)));
}

/* A disk that failed once the change before was answered. */
static void tell_unsettled(struct oxide *ox, json *result)
{
	if (!ox->unsettled.n || ox->unsettled_told || !json_is(result, JSON_OBJECT))
		return;
	answer_warn(result, buf_str(&ox->unsettled));
	ox->unsettled_told = true;
}

/* Not from inside of the last call's end: it may have documents in hand. */
static void tool_trim(void *arg)
{
	struct oxide *ox = arg;

	if (!ox->calls)
		workspace_trim(ox->workspace);
}

void call_answered(struct call *c, json *result, const struct err *e)
{
	struct oxide *ox = c->ox;
	bool background = c->ctx.background;

	if (!background)
		tell_unsettled(ox, result);
	workspace_exempt(ox->workspace, NULL);
	c->fn(c->arg, result, e);
	call_again_release(c);
	json_free(c->explained);
	json_free(c->args);
	free(c->why);
	free(c);
	if (!background)
		auto_update_goes_on(ox);
	if (!--ox->calls && !ox->brief)
		oxide_soon(ox, tool_trim, ox);
}

void call_done(struct call *c, json *result)
{
	call_shows_rows(c, result);
	call_answered(c, result, ERR_IGNORED);
}

json *error_object(const struct err *e)
{
	json *v = json_object(), *error = json_put(v, "error", json_object());

	json_put(error, "code", json_strz(err_name(e->code)));
	json_put(error, "message", json_strz(e->msg));
	if (e->code == ERR_NO_SERVER && *log_path())
		json_put(error, "log", json_strz(log_path()));
	return v;
}

void error_put(json *object, const char *name, json *value)
{
	json_put((json *)(uintptr_t)json_get(object, "error"), name, value);
}

/* With what call_carry() has found. */
static json *explained(struct call *c, const struct err *e)
{
	json *object = error_object(e);

	json_each(v, c->explained)
		error_put(object, json_key(v), json_copy(v));
	return object;
}

void call_fail_with(struct call *c, const struct err *e, json *object)
{
	if (e->code == ERR_STALE && !object && c->explained)
		object = explained(c, e);
	if (!call_again(c, e, object))
		call_answered(c, object, e);
}

void call_end(struct call *c, json *result, const struct err *e)
{
	if (e->code)
		call_fail_with(c, e, result);
	else
		call_done(c, result);
}

void call_fail(struct call *c, const struct err *e)
{
	if (!e->code)
		BUG("%s failed without a reason", c->tool->name);
	call_fail_with(c, e, NULL);
}
