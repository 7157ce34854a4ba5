#include <stdlib.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/path.h"
#include "../text/diff.h"
#include "history_impl.h"
#include "plan_impl.h"

void record_diff(const struct record *r, size_t i, struct arena *a, struct buf *diff)
{
	const struct history_file *h = &r->entry.file[i];
	struct str root = r->entry.root, now = h->new_path.n ? h->new_path : h->path;
	struct diff_side before = { path_shown(root, h->path).p, h->was_mode, record_was(r, i, a) };
	struct diff_side after = { path_shown(root, now).p, h->now_mode, r->file[i].now };

	if (!h->existed)
		before = (struct diff_side){ 0 };
	if (!h->exists)
		after = (struct diff_side){ 0 };
	diff_sides(diff, &before, &after, NULL, DIFF_CONTEXT);
}

/*
 * An entry has the edits that lead back, not the text that the change left: that is what is there
 * now, or what the entries since lead back to.
 */
struct showing {
	struct plan *p;
	struct map
		was; /* by path: a file's text before the last entry looked at, as a struct str */
	struct arena arena;
};

/* False: there is no such text, or it cannot be read. */
static bool text_then(struct showing *t, const char *path, struct str *text)
{
	const struct str *known = map_get(&t->was, str_of(path));
	struct seen s;

	if (known) {
		*text = *known;
		return known->p;
	}
	if (!overlay_name(t->p, path, &s, ERR_IGNORED) || s.kind != FS_FILE)
		return false;
	*text = node_text(s.node);
	return true;
}

static void history_diff_put_text(struct showing *t, struct str path, struct str text)
{
	struct str *kept = arena_new(&t->arena, sizeof(*kept));

	*kept = text;
	map_put(&t->was, path, kept);
}

/* Has the new texts of an entry, as far as they are known: those files are `whole` then. */
static void find_texts(struct showing *t, struct record *r)
{
	for (size_t i = 0; i < r->entry.files; i++) {
		struct record_file *f = &r->file[i];
		struct str text;

		if (!r->entry.file[i].exists) {
			f->whole = true;
		} else if (!f->whole &&
			   text_then(t, history_path_after(&r->entry.file[i]), &text) &&
			   hash_of(text) == f->now_hash) {
			f->now = text;
			f->whole = true;
		}
	}
}

/* Goes back over one that came after the one to be shown. */
static void go_back(struct showing *t, struct record *r)
{
	find_texts(t, r);
	for (size_t i = 0; i < r->entry.files; i++)
		if (r->entry.file[i].exists)
			history_diff_put_text(t, str_of(history_path_after(&r->entry.file[i])),
					      (struct str){ NULL, 0 });
	for (size_t i = 0; i < r->entry.files; i++)
		if (r->file[i].whole && r->entry.file[i].existed)
			history_diff_put_text(t, r->entry.file[i].path,
					      arena_str(&t->arena, record_was(r, i, &t->arena)));
}

static void show_file(struct showing *t, const struct record *r, size_t i, struct buf *diff)
{
	struct history_file *h = &r->entry.file[i];
	struct record one = { .entry = r->entry, .file = &r->file[i] }, forth;

	one.entry.file = h;
	one.entry.files = 1;
	if (!one.file->whole)
		buf_addf(diff,
			 "# %s was edited since; what this changed there is not known any more\n",
			 path_shown(r->entry.root, h->path).p);
	else if (!r->again)
		record_diff(&one, 0, &t->arena, diff);
	else if (record_reverse(&forth, &one, &t->arena, ERR_IGNORED))
		record_diff(&forth, 0, &t->arena, diff);
}

/* Of one that was undone, what that did is turned round. */
static bool history_diff_show(struct showing *t, struct history *h, const struct slot *s,
			      struct record *r, struct buf *diff, struct err *e)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct record redo;
	bool ok = !s->undone || slot_read_redo(h, s, r, &raw, &redo, &t->arena, e);

	if (ok && s->undone)
		r = &redo;
	if (ok)
		find_texts(t, r);
	for (size_t i = 0; ok && i < r->entry.files; i++)
		show_file(t, r, i, diff);
	return ok;
}

bool history_diff(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *diff, struct err *e)
{
	struct showing t = { .p = p };
	bool found = false;
	struct slots s SCOPED(slots_release) = { 0 };
	bool ok = slots_read(h, &s, e);

	h->damaged = 0;
	for (size_t i = s.n; ok && !found && i--;) {
		const struct slot *v = &s.v[i];
		bool is_it = str_eq(v->id, id);
		struct buf raw SCOPED(buf_release) = BUF_INIT;
		struct record r;

		if ((is_it || !v->undone) && slot_is_of(v, root) &&
		    slot_read(h, v, root, &raw, &r, &t.arena)) {
			found = is_it;
			if (is_it)
				ok = history_diff_show(&t, h, v, &r, diff, e);
			else
				go_back(&t, &r);
		}
	}
	map_release(&t.was);
	arena_release(&t.arena);
	return ok && (found || err_set(e, ERR_NOT_FOUND, "unknown change %.*s", STR_ARG(id)));
}
