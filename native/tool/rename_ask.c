#include "../code/lex.h"
#include "../core/workspace.h"
#include "rename_impl.h"
#include "rename_uses.h"

static bool add_edits(struct rename *r, struct str raw, struct err *e)
{
	struct server *s = r->target->server;
	struct wsedit_context ctx = { server_encoding(s), call_shown_root(r->call), s,
				      server_shown_version };

	return r->by_uses ? rename_uses_add(r->target, raw, r->old_name, r->new_name, r->plan, e)
			  : wsedit_add(r->plan, raw, &ctx, &r->notes, e);
}

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
static void rename_ask_make_plan(struct rename *r, struct str raw, const struct err *e)
{
	struct server *s = r->target->server;
	struct workspace *w = call_oxide(r->call)->workspace;
	struct err bad = *e;

	if (bad.code == ERR_PEER && workspace_moves(w) != r->moves)
		err_set(&bad, ERR_STALE,
			"a text changed while %s was working (it said: %s); try again",
			server_name(s), e->msg);
	if (!bad.code) {
		workspace_lend(w, word_search_texts(r->mentions));
		r->plan = plan_new(call_source(r->call));
		if (!add_edits(r, raw, &bad) ||
		    (r->macros && !macro_uses_add(r->macros, r->plan, r->new_name, &bad)) ||
		    !plan_finish(r->plan, &bad) || !workspace_still(w, r->plan, r->moves, &bad))
			err_in(&bad, "the rename by %s was refused; nothing was changed",
			       server_name(s));
		workspace_lend(w, NULL);
	}
	if (bad.code && !r->why.code)
		r->why = bad;
	rename_both(r);
}

static void on_rename_aliased(void *arg, struct str raw, const struct err *e)
{
	struct rename *r = arg;

	r->alias = NULL;
	call_on_cancel(r->call, NULL, NULL);
	rename_ask_make_plan(r, raw, e);
}

static void on_rename_edit(void *arg, struct msg *m, const struct err *e)
{
	struct rename *r = arg;

	if (has_to_count_uses(r, e)) {
		r->by_uses = true;
		rename_ask(r);
		return;
	}
	if (!e->code && !r->by_uses)
		r->alias = rename_alias_start(r->target, m->raw, r->old_name, r->new_name, r->too,
					      r->n_too, on_rename_aliased, r);
	if (r->alias)
		call_on_cancel(r->call, rename_alias_cancel, r->alias);
	else
		rename_ask_make_plan(r, e->code ? STR("") : m->raw, e);
}

void rename_ask(struct rename *r)
{
	struct target *t = r->target;
	enum pos_enc enc = server_encoding(t->server);
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_addf(&name, "%s%.*s", r->is_private ? "#" : "", STR_ARG(r->new_name));
	r->moves = workspace_moves(call_oxide(r->call)->workspace);
	target_ask(t, r->by_uses ? LSP_REFERENCES : LSP_RENAME,
		   r->by_uses ? proto_references(t->doc, t->byte, enc, true)
			      : proto_rename(t->doc, t->byte, enc, buf_str(&name)),
		   on_rename_edit, r);
}

void rename_ask_again(struct rename *r)
{
	plan_free(r->plan);
	r->plan = NULL;
	wsedit_notes_release(&r->notes);
	r->notes = (struct wsedit_notes){ 0 };
	r->waiting = 1;
	r->asked_again = true;
	rename_ask(r);
}

static void on_rename_server(void *arg, struct server *s, const struct err *e)
{
	struct rename *r = arg;

	call_on_cancel(r->call, NULL, NULL);
	if (s) {
		r->target->server = s;
		r->then(r);
	} else {
		r->why = *e;
		rename_end(r);
	}
}

/* One that has died reads all again. */
void rename_pick(struct rename *r, void (*then)(struct rename *r))
{
	struct server *s = r->target->server;

	r->then = then;
	completeness_server(r->reach, s, LSP_RENAME,
			    server_can(s, LSP_RENAME) ? POOL_OPEN : POOL_SETTLED, on_rename_server,
			    r);
	call_on_cancel(r->call, completeness_cancel, r->reach);
}
