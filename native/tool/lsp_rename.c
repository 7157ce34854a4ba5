#include <stdlib.h>

#include "../base/mem.h"
#include "../core/mentions.h"
#include "../core/shown.h"
#include "../core/workspace.h"
#include "../lsp/wsedit.h"
#include "macro_uses.h"
#include "target.h"

/*
 * lsp_rename: gives a symbol a new name everywhere, all at once or not at all.
 *
 *     run -> on_target -+-> on_prepared --+-> both -> on_searched -> call_change
 *                       +-> on_edit ------+
 *
 * prepareRename and rename go out together, so that asking first costs no time. Meanwhile the
 * project is searched for the old name, to tell what the server left. Where that is whole files,
 * and the server may not know them yet (its index is young, or it has none), they are shown to it
 * and it is asked once more: on_searched -> show_files -> on_shown -> ask -> on_edit. So it is
 * where macros of C use the symbol, for the plan then holds more: find_macros -> on_macros -> ask.
 * Each time the server is picked anew: meanwhile it may have died, or be shown a change on trial.
 *
 * The servers look at the change before it is made, where it is of few files: a name may be taken.
 */
struct rename {
	struct call *call;
	struct target *target;
	struct str old_name, new_name; /* the new one borrowed from the arguments */
	char *old_copy;
	int64_t asked;
	uint64_t moves; /* of the workspace when the server was asked */
	uint64_t text;	/* the hash of what the place is in */
	struct pick *pick;
	void (*then)(struct rename *r); /* once it is picked */
	int waiting;			/* answers still to come */
	struct err why;
	struct plan *plan;
	struct wsedit_notes notes;
	struct mentions *mentions;
	struct macro_uses *macros;
	struct shown *showing;
	bool settled; /* the server knew all files */
	bool shown;
};

static void rename_free(struct rename *r)
{
	mentions_free(r->mentions);
	macro_uses_free(r->macros);
	wsedit_notes_release(&r->notes);
	free(r->old_copy);
	free(r);
}

static void rename_end(struct rename *r)
{
	struct call *call = r->call;
	struct err why = r->why;

	plan_free(r->plan);
	target_free(r->target);
	rename_free(r);
	call_fail(call, &why);
}

/* The last of it: the plan and the answer are call_change()'s. */
static void tell_mentions(void *arg, const struct plan *p, json *report)
{
	struct rename *r = arg;
	bool complete = true;
	size_t total = 0;

	if (report) {
		json_put(report, "mentions", mentions_left(r->mentions, p, &total, &complete));
		json_put(report, "mentions_total", json_int((int64_t)total));
		complete = complete && r->settled;
		json_put(report, "complete",
			 json_bool(complete && json_get_bool(report, "complete", true)));
	}
	rename_free(r);
}

/* To look at a thousand files would take the servers minutes. With some of them alone, the others,
 * in which the old name stands, would bring errors that are none. Of macros that it changes, other
 * files may have uses. */
static void decide_to_verify(struct rename *r, struct change *ch)
{
	struct oxide *ox = call_oxide(r->call);
	size_t most = (size_t)config_get(&ox->config, CFG_RENAME_VERIFIED);
	uint64_t patience = call_context(r->call)->timeout_ms;

	if (!json_get_bool(call_args(r->call), "verify", !ch->dry_run) || !most)
		return;
	ch->alone = !r->macros || !macro_uses_any(r->macros);
	ch->patience_ms = patience ? patience : (uint64_t)config_get(&ox->config, CFG_RENAME_WAIT);
	ch->verify = plan_files(r->plan) <= most;
	if (ch->verify)
		return;
	json_put(ch->report, "syntax_check",
		 json_strf("skipped: it changes %zu files, and servers look at %zu at most "
			   "(rename.verified_files)",
			   plan_files(r->plan), most));
	json_put(ch->report, "complete", json_bool(false));
}

/* A macro that may mean several things by one name is changed only where a server looks at it. */
static bool in_doubt(struct rename *r, const struct change *ch)
{
	const char *macro = r->macros ? macro_uses_doubt(r->macros) : NULL;

	if (!macro || ch->verify || ch->dry_run)
		return false;
	err_set(&r->why, ERR_UNSUPPORTED,
		"the macro %s may mean several things that are called %.*s, and no server is to look "
		"at so large a change; raise rename.verified_files, or change the macro first",
		macro, STR_ARG(r->old_name));
	return true;
}

static void hand_over(struct rename *r)
{
	struct call *call = r->call;
	struct target *target = r->target;
	json *report = json_object();
	struct buf title = BUF_INIT, name = BUF_INIT;
	struct change ch = { 0 };

	buf_addf(&title, "rename %.*s to %.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	buf_addf(&name, "rename_%.*s_to_%.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	json_put(report, "old_name", json_str(r->old_name));
	json_put(report, "new_name", json_str(r->new_name));
	json_put(report, "server", json_strz(server_name(target->server)));
	r->settled = target->settled;
	ch.more = tell_mentions;
	ch.arg = r;
	ch.plan = r->plan;
	ch.report = report;
	ch.title = title.p;
	ch.name = name.p;
	ch.server = server_name(target->server);
	ch.labels = buf_str(&r->notes.labels).p;
	ch.annotated = r->notes.confirm;
	ch.must = !str_eq(json_get_str(call_args(call), "confirm"), STR("apply"));
	ch.dry_run = json_get_bool(call_args(call), "dry_run", false);
	decide_to_verify(r, &ch);
	if (in_doubt(r, &ch)) {
		json_free(report);
		rename_end(r);
	} else {
		call_change(call, &ch);
		target_free(target);
	}
	buf_release(&title);
	buf_release(&name);
}

static bool show_files(struct rename *r);
static bool find_macros(struct rename *r);

static void on_searched(void *arg)
{
	struct rename *r = arg;

	if (call_cancelled(r->call)) {
		err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
		rename_end(r);
		return;
	}
	if (!show_files(r) && !find_macros(r))
		hand_over(r);
}

static void both(struct rename *r)
{
	if (--r->waiting)
		return;
	call_on_cancel(r->call, NULL, NULL);
	if (!r->why.code && !plan_edits(r->plan))
		err_set(&r->why, ERR_NOT_FOUND, "%s found nothing to rename at %.*s",
			server_name(r->target->server), STR_ARG(r->old_name));
	if (r->why.code)
		rename_end(r);
	else
		mentions_wait(r->mentions, on_searched, r);
}

/* What prepareRename says of the place is the better reason: it comes first in the line. */
static void on_prepared(void *arg, struct msg *m, const struct err *e)
{
	struct rename *r = arg;
	struct prepared p = { 0 };
	struct err bad = ERR_INIT;

	if (e->code)
		r->why = *e;
	else if (!proto_prepared(m->raw, &p, &bad))
		r->why = bad;
	else if (p.refused)
		err_set(&r->why, ERR_INVALID, "%s says that nothing here can be renamed (%.*s)",
			server_name(r->target->server), STR_ARG(r->old_name));
	buf_release(&p.placeholder);
	both(r);
}

static int64_t shown_version(void *self, const char *path)
{
	return server_version(self, path);
}

static void on_edit(void *arg, struct msg *m, const struct err *e)
{
	struct rename *r = arg;
	struct server *s = r->target->server;
	struct workspace *w = call_oxide(r->call)->workspace;
	struct wsedit_context ctx = { server_encoding(s), call_shown_root(r->call), s,
				      shown_version };
	struct err bad = *e;

	if (!bad.code) {
		workspace_lend(w, mentions_texts(r->mentions));
		r->plan = plan_new(call_source(r->call));
		if (!wsedit_add(r->plan, m->raw, &ctx, &r->notes, &bad) ||
		    (r->macros && !macro_uses_add(r->macros, r->plan, r->new_name, &bad)) ||
		    !plan_finish(r->plan, &bad) || !workspace_still(w, r->plan, r->moves, &bad))
			err_in(&bad, "the rename by %s is refused, nothing was changed",
			       server_name(s));
		workspace_lend(w, NULL);
	}
	if (bad.code && !r->why.code)
		r->why = bad;
	both(r);
}

static void rename_cancel(void *state)
{
	struct rename *r = state;

	pool_cancel(r->target->server, r->asked);
}

static void ask(struct rename *r)
{
	struct target *t = r->target;

	r->moves = workspace_moves(call_oxide(r->call)->workspace);
	r->asked = pool_ask(t->server, LSP_RENAME,
			    proto_rename(t->doc, t->byte, server_encoding(t->server), r->new_name),
			    call_context(r->call)->timeout_ms, on_edit, r);
	call_on_cancel(r->call, rename_cancel, r);
}

static void ask_again(struct rename *r)
{
	plan_free(r->plan);
	r->plan = NULL;
	wsedit_notes_release(&r->notes);
	r->notes = (struct wsedit_notes){ 0 };
	r->waiting = 1;
	ask(r);
}

/* In another text the place may be of another name. */
static void on_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct rename *r = arg;
	struct target *t = r->target;

	(void)settled;
	r->pick = NULL;
	call_on_cancel(r->call, NULL, NULL);
	if (s)
		t->server = s;
	if (!s)
		r->why = *e;
	else if (doc_hash(t->doc) != r->text)
		err_set(&r->why, ERR_STALE, "%s has changed meanwhile; ask again", t->path);
	if (r->why.code)
		rename_end(r);
	else
		r->then(r);
}

static void pick_cancel(void *state)
{
	struct rename *r = state;

	pool_unpick(r->pick);
}

/* One that has died reads all again. */
static void pick_again(struct rename *r, void (*then)(struct rename *r))
{
	struct server *s = r->target->server;

	r->then = then;
	r->pick =
		pool_pick_named(call_oxide(r->call)->pool, r->target->path, str_of(server_name(s)),
				LSP_RENAME, server_can(s, LSP_RENAME) ? POOL_OPEN : POOL_SETTLED,
				on_picked, r);
	call_on_cancel(r->call, pick_cancel, r);
}

static void on_shown(void *arg)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (call_cancelled(r->call))
		on_searched(r);
	else
		pick_again(r, ask_again);
}

static void showing_cancel(void *state)
{
	struct rename *r = state;

	shown_cancel(r->showing);
}

static bool show_files(struct rename *r)
{
	struct oxide *ox = call_oxide(r->call);
	size_t most = (size_t)config_get(&ox->config, CFG_RENAME_OPEN);
	const char **paths;
	size_t n;

	if (r->shown || server_knows(r->target->server))
		return false;
	r->shown = true;
	n = mentions_files(r->mentions, r->plan, most, &paths);
	r->showing = shown_start(ox, paths, n, on_shown, r);
	free(paths);
	if (r->showing)
		call_on_cancel(r->call, showing_cancel, r);
	return r->showing;
}

static void macros_cancel(void *state)
{
	struct rename *r = state;

	macro_uses_cancel(r->macros);
}

static void on_macros(void *arg)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (!call_cancelled(r->call) && macro_uses_any(r->macros))
		pick_again(r, ask_again);
	else
		on_searched(r);
}

static void ask_for_macros(struct rename *r)
{
	if (!server_can(r->target->server, LSP_REFERENCES)) {
		hand_over(r);
		return;
	}
	r->macros = macro_uses_find(r->target, r->old_name, r->mentions, on_macros, r);
	call_on_cancel(r->call, macros_cancel, r);
}

static bool find_macros(struct rename *r)
{
	const char **paths;
	size_t n;

	if (r->macros)
		return false;
	n = mentions_macros(r->mentions, &paths);
	free(paths);
	if (n)
		pick_again(r, ask_for_macros);
	return n;
}

static void on_target(void *arg, struct target *t, const struct err *e)
{
	struct rename *r = arg;
	uint64_t patience = call_context(r->call)->timeout_ms;
	struct span word;

	if (!t) {
		r->why = *e;
		rename_end(r);
		return;
	}
	r->target = t;
	r->text = doc_hash(t->doc);
	word = target_word(doc_text(t->doc), t->byte);
	r->old_copy = mem_dup(doc_text(t->doc).p + word.at, word.end - word.at);
	r->old_name = str_of(r->old_copy);
	if (str_eq(r->old_name, r->new_name)) {
		err_set(&r->why, ERR_INVALID, "it is called %s already", r->old_copy);
		rename_end(r);
		return;
	}
	r->mentions = mentions_start(call_oxide(r->call), call_root(r->call), r->old_name,
				     workspace_filetype(call_oxide(r->call)->workspace, t->path));
	r->waiting = 1 + server_can(t->server, LSP_PREPARE_RENAME);
	if (r->waiting > 1)
		pool_ask(t->server, LSP_PREPARE_RENAME,
			 proto_at(t->doc, t->byte, server_encoding(t->server)), patience,
			 on_prepared, r);
	ask(r);
}

static void run(struct call *call)
{
	struct rename *r = mem_new(sizeof(*r));

	r->call = call;
	r->new_name = str_trim(json_get_str(call_args(call), "new_name"));
	if (!r->new_name.n) {
		err_set(&r->why, ERR_INVALID, "new_name is empty");
		rename_end(r);
		return;
	}
	target_find(call, LSP_RENAME, POOL_SETTLED, TARGET_PLACE, on_target, r);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, "file the symbol is in", NULL },
	{ "line", P_INT, false, "line of the symbol, from 1", NULL },
	{ "column", P_INT, false, "column of the symbol in bytes, from 1", NULL },
	{ "symbol", P_STR, false, "name on that line, or a name path in the file (Class/method)",
	  NULL },
	{ "new_name", P_STR, true, "what to call it", NULL },
	{ "confirm", P_STR, false, "ask (default) or apply", "ask|apply" },
	{ "dry_run", P_BOOL, false, "only show what would change", NULL },
	{ "verify", P_BOOL, false,
	  "new errors refuse it; with dry_run false when left out, else true", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_rename = {
	.name = "lsp_rename",
	.title = "Rename a symbol",
	.doc = "Rename a symbol across the project by its meaning: preview, confirmation, all files "
	       "or none",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_CORE | TOOL_RUST,
	.run = run,
};
