#include <stdlib.h>

#include "../base/mem.h"
#include "../code/disabled.h"
#include "../core/workspace.h"
#include "rename_impl.h"

/*
 * lsp_rename: gives a symbol a new name everywhere, all at once or not at all.
 *
 *     rename_run -> on_rename_target -+-> on_rename_prepared --+-> rename_both
 *                                     +-> on_rename_edit ------+
 *     rename_both -> on_rename_reached -> call_change
 *
 * prepareRename and rename go out together, so that asking first costs no time. Meanwhile the
 * project is searched for the old name. Files that have it and that the server has not read as they
 * are now are shown to it, and it is asked again until its answer rests on all of them
 * (completeness.h): on_rename_reached -> rename_ask -> on_rename_edit. So it is where macros of C
 * use the symbol, for the plan then holds more: find_macros -> on_rename_macros -> rename_ask. Each
 * time the server is picked again: meanwhile it may have died, or be shown a change on trial. In
 * the end members are looked for that may stand for what is renamed (rename_alike.h). A
 * macro of C itself no server renames: rename_both -> rename_macro -> rename_hand_over.
 *
 * The servers look at the change before it is made, where it is of few files: a name may be taken.
 */
static bool find_macros(struct rename *r);

static bool lsp_rename_has_place(void *arg, const struct word_use *m)
{
	const struct rename *r = arg;

	return word_in_plan(m, r->plan);
}

static bool keeps_name(void *arg, const struct word_use *m)
{
	const struct rename *r = arg;

	return word_kept(m, r->plan, r->old_name);
}

/* A member that overrides it, or is overridden, is renamed with it. What has been asked about, and
 * is not part of the answer yet, never will be. */
static bool rename_too(void *arg, const struct word_use *m)
{
	struct rename *r = arg;

	for (size_t i = 0; i < r->n_too; i++)
		if (r->too[i].byte == m->at && !strcmp(r->too[i].path, m->path))
			return false;
	mem_add(r->too, r->n_too, r->too_cap,
		(struct rename_place){ mem_dup(m->path, strlen(m->path)), m->at });
	return true;
}

static bool is_refused(struct rename *r)
{
	bool dry = json_get_bool(call_args(r->call), "dry_run", false);

	if (!r->why.code && !rename_may_be_incomplete(r) && !call_decides(r->call, dry))
		r->refusal = completeness_refusal(r->reach, &r->why);
	return r->why.code;
}

static void on_rename_searched(void *arg)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (!call_cancelled(r->call)) {
		rename_hand_over(r);
		return;
	}
	err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
	rename_end(r);
}

static void find_alike(struct rename *r)
{
	if (rename_verifies_all(r))
		r->alike = rename_alike_start(r->call, r->mentions, r->plan, on_rename_searched, r);
	if (r->alike)
		call_on_cancel(r->call, rename_alike_cancel, r->alike);
	else
		rename_hand_over(r);
}

static void on_rename_reached(void *arg, bool again)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (call_cancelled(r->call))
		err_set(&r->why, ERR_CANCELLED, "cancelled; nothing was changed");
	else if (again) {
		rename_pick(r, rename_ask_again);
		return;
	}
	if (is_refused(r))
		rename_end(r);
	else if (!find_macros(r))
		find_alike(r);
}

static void look_for_more(struct rename *r)
{
	completeness_look(r->reach, r->target->server, plan_edits(r->plan), lsp_rename_has_place,
			  on_rename_reached, r);
	call_on_cancel(r->call, completeness_cancel, r->reach);
}

/* What a server of C says of code that it does not compile is that nothing is there. */
static void name_condition(struct rename *r)
{
	const struct target *t = r->target;
	struct workspace *w = call_oxide(r->call)->workspace;
	const struct language *lang = language_of(workspace_filetype(w, t->path));
	struct buf condition SCOPED(buf_release) = BUF_INIT;
	struct err why = r->why;

	if (why.code == ERR_PEER && disabled_perhaps(lang, doc_text(t->doc), t->byte, &condition))
		err_set(&r->why, why.code, "%s; it is inside %s, which may not be compiled",
			why.msg, condition.p);
}

static void on_macro_renamed(void *arg, struct plan *p, const struct err *e, json *refusal)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	r->renaming = NULL;
	if (p) {
		completeness_free(r->reach);
		r->reach = NULL;
		plan_free(r->plan);
		r->plan = p;
		r->why = (struct err)ERR_INIT;
		word_search_wait(r->mentions, on_rename_searched, r);
		return;
	}
	if (e->code != ERR_NOT_FOUND)
		r->why = *e;
	else
		name_condition(r);
	r->refusal = refusal;
	rename_end(r);
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
	call_on_cancel(r->call, macro_rename_cancel, r->renaming);
	return true;
}

void rename_both(struct rename *r)
{
	if (--r->waiting)
		return;
	call_on_cancel(r->call, NULL, NULL);
	rename_leave_headers(r);
	if (rename_macro(r))
		return;
	if (!r->why.code && !plan_edits(r->plan))
		err_set(&r->why, ERR_NOT_FOUND, "%s found nothing to rename at %.*s",
			server_name(r->target->server), STR_ARG(r->old_name));
	if (r->why.code)
		rename_end(r);
	else if (r->macros)
		rename_hand_over(r);
	else
		look_for_more(r);
}

/* What prepareRename says of the place is the better reason: it comes first in the line. */
static void on_rename_prepared(void *arg, struct msg *m, const struct err *e)
{
	struct rename *r = arg;
	struct prepared p = { 0 };
	struct err bad = ERR_INIT;

	if (e->code)
		r->why = *e;
	else if (!proto_prepared(m->raw, &p, &bad))
		r->why = bad;
	else if (p.refused)
		err_set(&r->why, ERR_INVALID, "%s says that %.*s cannot be renamed",
			server_name(r->target->server),
			STR_ARG(r->old_name.n ? r->old_name : STR("what is there")));
	buf_release(&p.placeholder);
	rename_both(r);
}

static void on_rename_macros(void *arg)
{
	struct rename *r = arg;
	const struct err *unknown = macro_uses_unknown(r->macros);

	call_on_cancel(r->call, NULL, NULL);
	if (unknown)
		completeness_doubt(r->reach, true, "what macros mean by %.*s is not known: %s",
				   STR_ARG(r->old_name), unknown->msg);
	if (!call_cancelled(r->call) && macro_uses_any(r->macros))
		rename_pick(r, rename_ask_again);
	else if (!call_cancelled(r->call) && is_refused(r))
		rename_end(r);
	else
		on_rename_searched(r);
}

static void ask_for_macros(struct rename *r)
{
	if (!server_can(r->target->server, LSP_REFERENCES)) {
		rename_hand_over(r);
		return;
	}
	r->macros = macro_uses_find(r->target, r->old_name, r->mentions, on_rename_macros, r);
	call_on_cancel(r->call, macro_uses_cancel, r->macros);
}

static bool find_macros(struct rename *r)
{
	const char **paths;
	size_t n;

	if (r->macros)
		return false;
	n = word_search_macros(r->mentions, &paths);
	free(paths);
	if (n)
		rename_pick(r, ask_for_macros);
	return n;
}

/* A word behind a # is a private name of JavaScript: the sign is no part of what an
 * editor takes for the word, and whoever gives another name means no public one. */
static struct span private_word(struct rename *r, struct span word)
{
	const struct target *t = r->target;
	struct str text = doc_text(t->doc);
	struct str ft = str_of(workspace_filetype(call_oxide(r->call)->workspace, t->path));

	if (!str_starts(ft, STR("javascript")) && !str_starts(ft, STR("typescript")))
		return word;
	if (t->byte < text.n && text.p[t->byte] == '#')
		word = target_word(text, t->byte + 1);
	r->is_private = word.at && text.p[word.at - 1] == '#';
	if (r->is_private)
		str_skip(&r->new_name, STR("#"));
	return word;
}

static void on_rename_target(void *arg, struct target *t, const struct err *e)
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
	word = private_word(r, target_word(doc_text(t->doc), t->byte));
	r->old_copy = mem_dup(doc_text(t->doc).p + word.at, word.end - word.at);
	r->old_name = str_of(r->old_copy);
	if (str_eq(r->old_name, r->new_name)) {
		err_set(&r->why, ERR_INVALID, "it is already called %s", r->old_copy);
		rename_end(r);
		return;
	}
	r->mentions =
		word_search_start_with(call_oxide(r->call), call_root(r->call), r->old_name,
				       rename_verifies(r) ? r->new_name : STR(""),
				       workspace_filetype(call_oxide(r->call)->workspace, t->path));
	r->reach = completeness_new(call_oxide(r->call), r->mentions, t->path, t->byte);
	completeness_overrides(r->reach, rename_too);
	completeness_keeps(r->reach, keeps_name);
	if (!t->settled && !server_indexes_late(t->server))
		completeness_doubt(r->reach, false, "%s was still indexing",
				   server_name(t->server));
	r->waiting = 1 + server_can(t->server, LSP_PREPARE_RENAME);
	if (r->waiting > 1)
		server_ask(t->server, LSP_PREPARE_RENAME,
			   proto_at(t->doc, t->byte, server_encoding(t->server)), patience,
			   on_rename_prepared, r);
	rename_ask(r);
	rename_read_headers(r);
}

static void rename_run(struct call *call)
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
	target_find(call, LSP_RENAME, POOL_SETTLED, TARGET_PLACE, on_rename_target, r);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file the symbol is in" },
	PLACE_PARAMS,
	{ "symbol", P_STR, false, NULL,
	  "name on that line, or a name path in the file (Class/method)" },
	{ "new_name", P_STR, true, NULL, "its new name" },
	{ "confirm", P_STR, false, "ask|apply", "ask (default) or apply" },
	DRY_RUN_PARAM,
	{ "incomplete", P_STR, false, "refuse|allow",
	  "refuse (default) or allow it if not all uses could be checked" },
	{ "verify", P_BOOL, false, NULL,
	  "new errors refuse it; default: false with dry_run, else true" },
	PARAMS_END,
};

const struct tool tool_lsp_rename = {
	.name = "lsp_rename",
	.title = "Rename a symbol",
	.doc = "Rename a symbol across the project by its meaning: preview, confirmation, all files "
	       "or none",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_CORE | TOOL_RUST | TOOL_DRAFTS,
	.run = rename_run,
	.print = print_change,
};
