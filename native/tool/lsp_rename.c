#include <stdlib.h>

#include "../base/mem.h"
#include "../core/reach.h"
#include "../core/workspace.h"
#include "../lsp/wsedit.h"
#include "../text/lex.h"
#include "macro_rename.h"
#include "macro_uses.h"
#include "rename_uses.h"
#include "target.h"

/*
 * lsp_rename: gives a symbol a new name everywhere, all at once or not at all.
 *
 *     run -> on_target -+-> on_prepared --+-> both -> on_searched -> call_change
 *                       +-> on_edit ------+
 *
 * prepareRename and rename go out together, so that asking first costs no time. Meanwhile the
 * project is searched for the old name. Files that have it and that the server has not read as they
 * are now are shown to it, and it is asked again until its answer rests on all of them (reach.h):
 * on_searched -> on_reached -> ask -> on_edit. So it is where macros of C use the symbol, for the
 * plan then holds more: find_macros -> on_macros -> ask. Each time the server is picked anew:
 * meanwhile it may have died, or be shown a change on trial.
 * A macro of C itself no server renames: both -> rename_macro -> hand_over.
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
	bool by_uses; /* the server refuses to make it, for there are many files */
	struct err why;
	json *refusal; /* the error object, where it says more */
	struct plan *plan;
	struct wsedit_notes notes;
	struct mentions *mentions;
	struct macro_uses *macros;
	struct macro_rename *renaming; /* it is a macro, perhaps */
	struct reach *reach;	       /* NULL for those */
};

static void rename_free(struct rename *r)
{
	reach_free(r->reach);
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
	json *refusal = r->refusal;

	plan_free(r->plan);
	target_free(r->target);
	rename_free(r);
	call_fail_with(call, &why, refusal);
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
		if (r->reach)
			reach_report(r->reach, report);
		else if (!complete)
			reasons_add(report, "not all files were searched (mentions.files)");
		else if (!json_get(report, "complete"))
			json_put(report, "complete", json_bool(true));
	}
	rename_free(r);
}

static bool is_large(const struct rename *r, const struct change *ch)
{
	return plan_files(r->plan) > ch->most;
}

static void decide_to_verify(struct rename *r, struct change *ch)
{
	struct oxide *ox = call_oxide(r->call);
	uint64_t patience = call_context(r->call)->timeout_ms;

	ch->most = (size_t)config_get(&ox->config, CFG_RENAME_VERIFIED);
	ch->home = r->target->path;
	ch->verify = json_get_bool(call_args(r->call), "verify", !ch->dry_run) && ch->most;
	ch->alone = true;
	ch->patience_ms =
		patience ? patience
			 : (uint64_t)config_get(&ox->config,
						is_large(r, ch) ? CFG_GATE_WAIT : CFG_RENAME_WAIT);
}

/* A macro that may mean several things by one name is changed only where a server looks at it. */
static bool in_doubt(struct rename *r, const struct change *ch)
{
	const char *macro = r->macros ? macro_uses_doubt(r->macros) : NULL;

	if (!macro || (ch->verify && !is_large(r, ch)) || ch->dry_run)
		return false;
	err_set(&r->why, ERR_UNSUPPORTED,
		"the macro %s may mean several things that are called %.*s, and no server is to look "
		"at so large a change; raise rename.verified_files, or change the macro first",
		macro, STR_ARG(r->old_name));
	return true;
}

static bool may_be_incomplete(const struct rename *r)
{
	return str_eq(json_get_str(call_args(r->call), "incomplete"), STR("allow"));
}

static void hand_over(struct rename *r)
{
	struct call *call = r->call;
	struct target *target = r->target;
	json *report = json_object();
	struct buf title = BUF_INIT, name = BUF_INIT, refused = BUF_INIT;
	struct change ch = { 0 };

	buf_addf(&title, "rename %.*s to %.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	buf_addf(&name, "rename_%.*s_to_%.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	json_put(report, "old_name", json_str(r->old_name));
	json_put(report, "new_name", json_str(r->new_name));
	json_put(report, "server", json_strz(server_name(target->server)));
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
	ch.new_name = r->new_name;
	ch.dry_run = json_get_bool(call_args(call), "dry_run", false);
	if (r->reach && !may_be_incomplete(r) && reach_refuses(r->reach, &refused))
		ch.refused = refused.p;
	decide_to_verify(r, &ch);
	if (in_doubt(r, &ch)) {
		json_free(report);
		rename_end(r);
	} else {
		call_change(call, &ch);
		target_free(target);
	}
	buf_release(&refused);
	buf_release(&title);
	buf_release(&name);
}

static bool find_macros(struct rename *r);
static void pick_again(struct rename *r, void (*then)(struct rename *r));
static void ask_again(struct rename *r);

static bool has_place(void *arg, const struct mention *m)
{
	const struct rename *r = arg;

	return mention_in_plan(m, r->plan);
}

static bool is_refused(struct rename *r)
{
	bool dry = json_get_bool(call_args(r->call), "dry_run", false);

	if (!r->why.code && !may_be_incomplete(r) && !call_decides(r->call, dry))
		r->refusal = reach_refusal(r->reach, &r->why);
	return r->why.code;
}

static void on_reached(void *arg, bool again)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (call_cancelled(r->call))
		err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
	else if (again) {
		pick_again(r, ask_again);
		return;
	}
	if (is_refused(r))
		rename_end(r);
	else if (!find_macros(r))
		hand_over(r);
}

static void reach_stop(void *state)
{
	struct rename *r = state;

	reach_cancel(r->reach);
}

static void look_for_more(struct rename *r)
{
	struct target *t = r->target;

	if (!r->reach) {
		r->reach = reach_new(call_oxide(r->call), r->mentions, t->path, t->byte);
		reach_overrides(r->reach);
		if (!t->settled && !server_indexes_late(t->server))
			reach_doubt(r->reach, false, "%s was still making its index",
				    server_name(t->server));
	}
	reach_look(r->reach, t->server, plan_edits(r->plan), has_place, on_reached, r);
	call_on_cancel(r->call, reach_stop, r);
}

static void on_searched(void *arg)
{
	struct rename *r = arg;

	if (call_cancelled(r->call)) {
		err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
		rename_end(r);
	} else if (r->macros) {
		hand_over(r);
	} else {
		look_for_more(r);
	}
}

static void on_macro_searched(void *arg)
{
	struct rename *r = arg;

	if (!call_cancelled(r->call)) {
		hand_over(r);
		return;
	}
	err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
	rename_end(r);
}

static void on_macro_renamed(void *arg, struct plan *p, const struct err *e, json *refusal)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	r->renaming = NULL;
	if (p) {
		plan_free(r->plan);
		r->plan = p;
		r->why = (struct err)ERR_INIT;
		mentions_wait(r->mentions, on_macro_searched, r);
		return;
	}
	if (e->code != ERR_NOT_FOUND)
		r->why = *e;
	r->refusal = refusal;
	rename_end(r);
}

static void macro_cancel(void *state)
{
	struct rename *r = state;

	macro_rename_cancel(r->renaming);
}

/* What no server renames. */
static bool rename_macro(struct rename *r)
{
	struct target *t = r->target;
	struct workspace *w = call_oxide(r->call)->workspace;

	if (!r->why.code || r->why.code == ERR_CANCELLED || call_cancelled(r->call) ||
	    !language_has_macros(language_of(workspace_filetype(w, t->path))))
		return false;
	r->renaming = macro_rename_start(t, r->old_name, r->new_name, on_macro_renamed, r);
	call_on_cancel(r->call, macro_cancel, r);
	return true;
}

static void both(struct rename *r)
{
	if (--r->waiting)
		return;
	call_on_cancel(r->call, NULL, NULL);
	if (rename_macro(r))
		return;
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

static bool add_edits(struct rename *r, struct str raw, struct err *e)
{
	struct server *s = r->target->server;
	struct wsedit_context ctx = { server_encoding(s), call_shown_root(r->call), s,
				      shown_version };

	return r->by_uses ? rename_uses_add(r->target, raw, r->old_name, r->new_name, r->plan, e)
			  : wsedit_add(r->plan, raw, &ctx, &r->notes, e);
}

static void ask(struct rename *r);

/* What a name means in C does not hang on other names, so that its uses are what is renamed. */
static bool has_to_count_uses(const struct rename *r, const struct err *e)
{
	const struct target *t = r->target;
	const char *ft = workspace_filetype(call_oxide(r->call)->workspace, t->path);

	return !r->by_uses && server_limits_rename(t->server, e) &&
	       language_dialect(language_of(ft)) == DIALECT_C &&
	       server_can(t->server, LSP_REFERENCES);
}

/* What a server refuses while texts change under it says nothing of what they are now. */
static void on_edit(void *arg, struct msg *m, const struct err *e)
{
	struct rename *r = arg;
	struct server *s = r->target->server;
	struct workspace *w = call_oxide(r->call)->workspace;
	struct err bad = *e;

	if (has_to_count_uses(r, e)) {
		r->by_uses = true;
		ask(r);
		return;
	}
	if (bad.code == ERR_PEER && workspace_moves(w) != r->moves)
		err_set(&bad, ERR_STALE,
			"a text changed while %s was at work (it said: %s); ask again",
			server_name(s), e->msg);
	if (!bad.code) {
		workspace_lend(w, mentions_texts(r->mentions));
		r->plan = plan_new(call_source(r->call));
		if (!add_edits(r, m->raw, &bad) ||
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
	enum pos_enc enc = server_encoding(t->server);

	r->moves = workspace_moves(call_oxide(r->call)->workspace);
	r->asked = pool_ask(t->server, r->by_uses ? LSP_REFERENCES : LSP_RENAME,
			    r->by_uses ? proto_references(t->doc, t->byte, enc, true)
				       : proto_rename(t->doc, t->byte, enc, r->new_name),
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
		err_set(&r->why, ERR_STALE, "%.*s has changed meanwhile; ask again",
			STR_ARG(call_shown(r->call, t->path)));
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

	call_may_again(call);
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
	{ "incomplete", P_STR, false,
	  "refuse (default) or allow: what to do where not all uses could be looked at",
	  "refuse|allow" },
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
	.say = say_change,
};
