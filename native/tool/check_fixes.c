#include "check_fixes.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "fixes.h"
#include "offered_action.h"

/* check_fixes_start -> on_check_fixes_offered -> check_fixes_next -> (what a server offers)
 * on_check_fixes_check_fix_planned -> check_fixes_next ... -> check_fixes_end */
struct check_fixes {
	struct call *call;
	const struct diag_merge *join;
	check_fixed *fn;
	void *arg;
	json *row;	       /* of the one that is looked at, */
	json *list;	       /* and its fixes; NULL: it has not been begun */
	struct map known;      /* of its edits, as text */
	size_t at, fix, offer; /* which one; its fix; the next offer */
	struct code_actions *offers;
};

static json *row_after(const json *row)
{
	return (json *)(uintptr_t)json_next(row);
}

static void check_fixes_end(struct check_fixes *f, const struct err *e)
{
	call_on_cancel(f->call, NULL, NULL);
	f->fn(f->arg, code_actions_missing(f->offers), e);
	code_actions_free(f->offers);
	map_release(&f->known);
	free(f);
}

/* Takes the plan; the action is listed and known by its name, unless its edit is there already. */
static void put_fix(struct check_fixes *f, const struct offer *o, size_t i, struct plan *plan,
		    const struct wsedit_notes *notes)
{
	struct oxide *ox = call_oxide(f->call);
	json *edit = wsedit_of(plan, ERR_IGNORED), *row;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct registered *a;

	json_print(&text, edit);
	if (!edit || !plan_files(plan) || map_put(&f->known, buf_str(&text), f)) {
		json_free(edit);
		plan_free(plan);
		return;
	}
	a = offered_action_new(ox, o, i);
	offered_action_plan(a, plan, notes);
	row = json_push(f->list, fix_row(&o->actions.v[i]));
	json_put(row, "action_id", json_strz(a->id));
	json_put(row, "edit_to_apply", edit);
	registry_put(ox->registry, a);
}

/* The edits to one file: json_get() would take the dots of its name for a path. */
static json *edits_to(json *changes, const char *uri)
{
	json_each(m, changes)
		if (!strcmp(json_key(m), uri))
			return (json *)(uintptr_t)m;
	return json_put(changes, uri, json_array());
}

/* False: the place is one of another text than the buffer's. */
static bool check_fixes_add_edit(struct check_fixes *f, struct places *p,
				 const struct checker_diag *c, const json *row, json *changes,
				 enum pos_enc *enc)
{
	char *path SCOPED(mem_release) = checker_path(call_root(f->call), row, c->directories);
	const struct buffer *b = workspace_buffer_at(call_oxide(f->call)->workspace, path);
	json *edit = json_object();
	struct buf uri SCOPED(buf_release) = BUF_INIT;

	uri_from_path(&uri, str_of(path));
	json_put(edit, "range", proto_range(checker_range(p, path, row, enc)));
	json_put(edit, "newText", json_str(json_get_str(row, "text")));
	json_push(edits_to(changes, uri.p), edit);
	return !(b && b->modified);
}

/* A checker's suggestion as LSP would have it, in the units that its columns count. */
static bool read_suggestion(struct check_fixes *f, const struct checker_diag *c, const json *fix,
			    struct actions *out, enum pos_enc *enc)
{
	json *action SCOPED(json_release) = json_object();
	json *edit = json_put(action, "edit", json_object());
	json *changes = json_put(edit, "changes", json_object());
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct places places SCOPED(places_release) = { 0 };
	bool ok = true;

	json_put(action, "title", json_str(json_get_str(fix, "title")));
	json_put(action, "kind", json_strz("quickfix"));
	json_put(action, "isPreferred", json_bool(json_get_bool(fix, "preferred", false)));
	places_init(&places, call_oxide(f->call));
	json_each(row, json_get(fix, "edits"))
		ok = check_fixes_add_edit(f, &places, c, row, changes, enc) && ok;
	json_print(&text, action);
	return ok && actions_add(out, buf_str(&text), ERR_IGNORED);
}

static void put_suggestion(struct check_fixes *f, const struct merged_diag *j, const json *fix)
{
	struct oxide *ox = call_oxide(f->call);
	struct wsedit_context ctx = { .root = call_root(f->call) };
	struct wsedit_notes notes SCOPED(wsedit_notes_release) = { 0 };
	const struct diag *d = &j->diag;
	struct offer o = { .path = d->path,
			   .about = &d,
			   .abouts = 1,
			   .fixes = true,
			   .moves = workspace_moves(ox->workspace) };
	struct plan *plan = plan_new(workspace_source(ox->workspace, call_root(f->call)));

	/* its text is known from here on, so that the action's name is always the same */
	if (workspace_doc(ox->workspace, j->diag.path, ERR_IGNORED) &&
	    read_suggestion(f, j->check, fix, &o.actions, &ctx.enc) &&
	    wsedit_add(plan, o.actions.v[0].edit, &ctx, &notes, ERR_IGNORED) &&
	    plan_finish(plan, ERR_IGNORED)) {
		put_fix(f, &o, 0, plan, &notes);
	} else {
		plan_free(plan);
	}
	actions_release(&o.actions);
}

static void on_check_fixes_check_fix_planned(void *arg, struct plan *p,
					     const struct wsedit_notes *notes, const struct err *e);

/* True when a server has yet to say what its next fix of this one changes. */
static bool check_fixes_work_out(struct check_fixes *f, const struct merged_diag *j)
{
	const struct offer *o;

	if (!j->said || f->offer >= code_actions_count(f->offers))
		return false;
	o = code_actions_offer(f->offers, f->offer);
	if (f->fix >= o->actions.n)
		return false;
	offered_action_ask(f->call, o, f->fix, on_check_fixes_check_fix_planned, f);
	return true;
}

/* Columns of a row are bytes; compilers and people count characters. */
static void name_place(struct check_fixes *f, const struct merged_diag *j)
{
	bool placed = *j->diag.path && !j->diag.lineless;
	struct doc *d =
		placed ? workspace_doc(call_oxide(f->call)->workspace, j->diag.path, ERR_IGNORED)
		       : NULL;
	size_t column = j->at.column;

	if (d)
		column = doc_pos(d, doc_at(d, j->at.line, column), POS_UTF32).col + 1;
	json_put(f->row, "file_path", json_str(json_get_str(f->row, "file")));
	if (!j->diag.lineless)
		json_put(f->row, "character", json_int((int64_t)column));
}

static void begin_row(struct check_fixes *f, const struct merged_diag *j)
{
	map_release(&f->known);
	f->fix = 0;
	name_place(f, j);
	f->list = json_put(f->row, "available_fixes", json_array());
	json_each(fix, j->check ? json_get(j->check->row, "fixes") : NULL)
		put_suggestion(f, j, fix);
}

/* One after the other: only so can a server's command be told from another's. */
static void check_fixes_next(struct check_fixes *f)
{
	for (; f->at < f->join->n; f->at++, f->row = row_after(f->row), f->list = NULL) {
		const struct merged_diag *j = diag_merge_at(f->join, f->at);

		if (!f->list)
			begin_row(f, j);
		if (check_fixes_work_out(f, j))
			return;
		f->offer += j->said != NULL;
	}
	check_fixes_end(f, ERR_IGNORED);
}

static void on_check_fixes_check_fix_planned(void *arg, struct plan *p,
					     const struct wsedit_notes *notes, const struct err *e)
{
	struct check_fixes *f = arg;

	if (!e->code)
		put_fix(f, code_actions_offer(f->offers, f->offer), f->fix, p, notes);
	f->fix++;
	if (e->code == ERR_CANCELLED)
		check_fixes_end(f, e);
	else
		check_fixes_next(f);
}

static void on_check_fixes_offered(void *arg, const struct err *e)
{
	struct check_fixes *f = arg;

	if (e->code)
		check_fixes_end(f, e);
	else
		check_fixes_next(f);
}

void check_fixes_start(struct call *c, const struct diag_merge *j, json *rows, check_fixed *fn,
		       void *arg)
{
	struct check_fixes *f = mem_new(sizeof(*f));
	struct oxide *ox = call_oxide(c);
	struct code_actions_spec spec = { .kind = STR("quickfix"),
					  .timeout_ms = call_context(c)->timeout_ms,
					  .glance = true };
	size_t most = (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FIXES), n = 0;
	const struct diag **said = mem_new((j->n + 1) * sizeof(*said));

	*f = (struct check_fixes){ .call = c, .join = j, .fn = fn, .arg = arg };
	f->row = (json *)(uintptr_t)json_first(rows);
	for (size_t i = 0; i < j->n && n < most; i++)
		if (diag_merge_at(j, i)->said)
			said[n++] = diag_merge_at(j, i)->said;
	f->offers = code_actions_for(ox, said, n, &spec, on_check_fixes_offered, f);
	call_on_cancel(c, code_actions_cancel, f->offers);
	free(said);
}
