#include "action_plan.h"

#include <stdlib.h>
#include <time.h>

#include "../base/mem.h"
#include "../core/projects.h"
#include "../core/workspace.h"
#include "../io/disk.h"

/* action_plan_start -> action_plan_end
 *     where it may get an edit: -> on_action_resolved
 *     where it has a command: -> take_requested_edit -> on_command_executed */
struct action_plan {
	struct oxide *ox;
	struct server *server;
	const struct action *action;
	uint64_t moves, timeout_ms;
	action_plan_done *fn;
	void *arg;
	struct actions resolved;
	struct plan *plan;
	struct wsedit_notes notes;
	struct buf asked_for; /* the change that the command wants */
	int64_t began_ns;     /* when it was told to, by the clock of files */
	int64_t asked;
	bool changes, cancelled;
	struct err why;
};

#ifndef CLOCK_REALTIME_COARSE
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME /* macOS: the clock of its files, too */
#endif

/* Files have the time of the last tick; the clock of this reads on. */
static int64_t files_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* typescript-language-server makes an empty file itself before it asks for the text of a new one.
 * Nothing may have changed yet: such a file goes again. */
static bool remove_empty_file(struct action_plan *r, const struct plan_file *f)
{
	const struct fs *fs = disk_fs();
	struct fs_stat now;

	return f->existed && !f->was.n && f->was_mode != MODE_LINK && !f->seen.link &&
	       f->seen.kind == FS_FILE && f->seen.ctime_ns >= r->began_ns &&
	       !workspace_buffer_at(r->ox->workspace, f->path) &&
	       fs->stat(fs->self, f->path, &now, ERR_IGNORED) && fs_untouched(&now, &f->seen) &&
	       fs->remove(fs->self, f->path, ERR_IGNORED);
}

static bool action_plan_add_edit(struct action_plan *r, struct str edit, struct err *e);

/* Of the project that the server works for. */
static const char *root_for(const struct action_plan *r)
{
	return projects_home(r->ox->projects, server_root(r->server))->root;
}

static const struct plan_source *source_for(const struct action_plan *r)
{
	return workspace_source(r->ox->workspace, root_for(r));
}

/* The plan once more, in which such files are made by the change. */
static bool make_files(struct action_plan *r, struct err *e)
{
	struct plan *first = r->plan, *again = plan_new(source_for(r));
	size_t made = 0;
	bool ok = true;

	for (size_t i = 0; i < plan_files(first) && ok; i++) {
		const struct plan_file *f = plan_file(first, i);
		struct op op = { .kind = OP_CREATE, .path = f->path };

		if (!remove_empty_file(r, f))
			continue;
		made++;
		ok = plan_add(again, &op, e);
	}
	if (!made) {
		plan_free(again);
		return true;
	}
	r->plan = again;
	wsedit_notes_release(&r->notes);
	r->notes = (struct wsedit_notes){ 0 };
	ok = ok && action_plan_add_edit(r, buf_str(&r->asked_for), e) && plan_finish(again, e);
	plan_free(first);
	return ok;
}

static void action_plan_end(void *arg)
{
	struct action_plan *r = arg;
	struct workspace *w = r->ox->workspace;
	struct err *e = &r->why;

	if (r->cancelled)
		err_set(e, ERR_CANCELLED, "cancelled; nothing was changed");
	else if (!e->code && !r->changes)
		err_set(e, ERR_UNSUPPORTED, "it changes nothing");
	if (!e->code && plan_finish(r->plan, e) && (!r->asked_for.n || make_files(r, e)))
		workspace_still(w, r->plan, r->moves, e);
	if (e->code) {
		err_in(e, "%s: %.*s", server_name(r->server), STR_ARG(r->action->title));
		plan_free(r->plan);
		r->plan = NULL;
	}
	r->fn(r->arg, r->plan, &r->notes, e);
	wsedit_notes_release(&r->notes);
	actions_release(&r->resolved);
	buf_release(&r->asked_for);
	free(r);
}

static bool action_plan_add_edit(struct action_plan *r, struct str edit, struct err *e)
{
	struct wsedit_context ctx = { server_encoding(r->server), root_for(r), r->server,
				      server_shown_version };

	r->changes = true;
	return wsedit_add(r->plan, edit, &ctx, &r->notes, e);
}

/* The server speaks of a text that it has not seen since: a second change cannot follow. */
static bool take_requested_edit(void *arg, struct str edit, struct err *e)
{
	struct action_plan *r = arg;

	if (r->changes)
		return err_set(e, ERR_UNSUPPORTED, "a command can request one change only");
	buf_add(&r->asked_for, edit);
	return action_plan_add_edit(r, edit, &r->why) || err_set(e, r->why.code, "%s", r->why.msg);
}

static void on_command_executed(void *arg, struct msg *m, const struct err *e)
{
	struct action_plan *r = arg;

	(void)m;
	server_capture(r->server, (struct capture){ 0 });
	if (e->code && !r->why.code)
		r->why = *e;
	action_plan_end(r);
}

static void execute_command(struct action_plan *r, const struct action *a)
{
	r->began_ns = files_now();
	server_capture(r->server, (struct capture){ take_requested_edit, r });
	r->asked = server_ask(r->server, LSP_EXECUTE, action_execute(a), r->timeout_ms,
			      on_command_executed, r);
}

/* True when an answer is still to come. */
static bool plan_change(struct action_plan *r, const struct action *a)
{
	if (r->cancelled)
		return false;
	if (a->edit.n) {
		action_plan_add_edit(r, a->edit, &r->why);
		return false;
	}
	if (!server_executes(r->server, a->command))
		return false;
	execute_command(r, a);
	return true;
}

static void on_action_resolved(void *arg, struct msg *m, const struct err *e)
{
	struct action_plan *r = arg;

	r->asked = 0;
	r->why = *e;
	if (!e->code && actions_add(&r->resolved, m->raw, &r->why) && r->resolved.n &&
	    plan_change(r, &r->resolved.v[0]))
		return;
	action_plan_end(r);
}

bool action_plan_possible(const struct server *s, const struct action *a)
{
	return a->edit.n || server_can(s, LSP_RESOLVE_ACTION) || server_executes(s, a->command);
}

struct action_plan *action_plan_start(struct oxide *ox, struct server *s, const struct action *a,
				      uint64_t moves, uint64_t timeout_ms, action_plan_done *fn,
				      void *arg)
{
	struct action_plan *r = mem_new(sizeof(*r));

	*r = (struct action_plan){ .ox = ox, .server = s, .action = a, .fn = fn, .arg = arg };
	r->moves = moves;
	r->timeout_ms = timeout_ms;
	r->plan = plan_new(source_for(r));
	if (!a->edit.n && server_can(s, LSP_RESOLVE_ACTION))
		r->asked = server_ask(s, LSP_RESOLVE_ACTION, action_resolve(a), timeout_ms,
				      on_action_resolved, r);
	else if (!plan_change(r, a))
		oxide_soon(ox, action_plan_end, r);
	return r;
}

void action_plan_cancel(void *action_plan)
{
	struct action_plan *r = action_plan;

	r->cancelled = true;
	if (r->asked)
		server_cancel(r->server, r->asked);
}
