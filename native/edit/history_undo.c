#include <stdio.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/path.h"
#include "history_record.h"
#include "plan_impl.h"

/* Paths in records end with a NUL (arena_str). */
static const char *after(const struct history_file *f)
{
	return f->new_path.n ? f->new_path.p : f->path.p;
}

static bool is_link(const struct history_file *h)
{
	return h->was_mode == MODE_LINK || h->now_mode == MODE_LINK;
}

/* A folder that the change made will go, and so will what it put above this path. */
static bool is_free(const struct record *r, struct plan *p, const struct map *occupied,
		    const char *path, bool *yes, struct err *e)
{
	struct str dir = path_dir(str_of(path));
	struct seen s;

	*yes = true;
	for (size_t i = 0; i < r->entry.n_made; i++)
		if (str_eq(r->entry.made[i], str_of(path)))
			return true;
	for (; dir.n > r->entry.root.n; dir = path_dir(dir))
		if (map_get(occupied, dir))
			return true;
	if (!overlay_name(p, path, &s, e))
		return false;
	*yes = s.kind == FS_NONE;
	return true;
}

/* Whether a file, and the name it will go back to, are as the change left them. */
static bool as_left(const struct record *r, struct plan *p, const struct map *occupied, size_t i,
		    bool *yes, struct err *e)
{
	const struct history_file *h = &r->entry.file[i];
	bool link = h->now_mode == MODE_LINK;
	struct seen s;

	*yes = true;
	if (h->exists) {
		if (!(link ? overlay_name : overlay_look)(p, after(h), &s, e))
			return false;
		*yes = s.kind == FS_FILE && hash_of(node_text(s.node)) == r->file[i].now_hash &&
		       (s.node->now_mode == MODE_LINK) == link;
	}
	if (!*yes || (h->exists && !h->new_path.n) || map_get(occupied, h->path))
		return true;
	return is_free(r, p, occupied, h->path.p, yes, e);
}

static void name_stale(struct err *e, const struct buf *names, size_t n)
{
	/* The message has room for many names, not for thousands. */
	size_t most = sizeof(e->msg) - 120, shown = names->n;

	if (shown > most)
		for (shown = most; shown && names->p[shown] != ',';)
			shown--;
	err_set(e, ERR_STALE,
		"%zu file%s no longer as the change left %s, so nothing was undone: %.*s%s", n,
		n == 1 ? " is" : "s are", n == 1 ? "it" : "them", (int)shown, names->p,
		shown < names->n ? " and more" : "");
}

static bool check(const struct record *r, struct plan *p, struct err *e)
{
	struct map occupied = MAP_INIT; /* names that files of this change have now */
	struct buf names = BUF_INIT;
	size_t stale = 0;
	bool ok = true;

	for (size_t i = 0; i < r->entry.files; i++)
		if (r->entry.file[i].exists)
			map_put(&occupied, str_of(after(&r->entry.file[i])), p);
	for (size_t i = 0; i < r->entry.files && ok; i++) {
		const struct history_file *h = &r->entry.file[i];
		bool yes;

		ok = as_left(r, p, &occupied, i, &yes, e);
		if (!ok || yes)
			continue;
		stale++;
		buf_addf(&names, "%s%s", names.n ? ", " : "",
			 plan_shown(p, h->exists ? after(h) : h->path.p));
	}
	if (ok && stale) {
		name_stale(e, &names, stale);
		ok = false;
	}
	map_release(&occupied);
	buf_release(&names);
	return ok;
}

static bool damaged(struct plan *p, const char *path, struct err *e)
{
	return err_set(e, ERR_IO, "%s: the recorded edits do not restore the old text",
		       plan_shown(p, path));
}

static bool back_mode(struct plan *p, const char *path, unsigned mode, struct err *e)
{
	struct op op = { .kind = OP_MODE, .path = path, .mode = mode };

	return plan_add(p, &op, e);
}

/* Edits a file where it is now. */
static bool back_text(struct plan *p, const struct history_file *h, const struct record_file *f,
		      struct err *e)
{
	struct op op = { .kind = OP_SPANS, .path = after(h), .exact = true };
	struct edits set = EDITS_INIT;
	struct str text;
	bool ok;

	if (!plan_text(p, op.path, &text, e))
		return false;
	for (size_t i = 0; i < f->edits; i++) {
		if (f->edit[i].span.end > text.n) {
			edits_release(&set);
			return damaged(p, op.path, e);
		}
		edits_add(&set, f->edit[i].span, f->edit[i].with, 0);
	}
	op.spans = &set;
	ok = plan_add(p, &op, e) && plan_text(p, op.path, &text, e);
	edits_release(&set);
	return ok && (hash_of(text) == f->was_hash || damaged(p, op.path, e)) &&
	       (h->was_mode == h->now_mode || back_mode(p, op.path, h->was_mode, e));
}

static bool back_file(struct plan *p, const struct history_file *h, const struct record_file *f,
		      struct err *e)
{
	struct op op = { .kind = OP_CREATE, .path = h->path.p };
	struct edits set = EDITS_INIT;
	bool ok;

	if (hash_of(f->text) != f->was_hash)
		return damaged(p, op.path, e);
	if (h->was_mode == MODE_LINK) {
		op = (struct op){ .kind = OP_LINK, .path = op.path, .leads_to = f->text };
		return plan_add(p, &op, e);
	}
	if (!plan_add(p, &op, e))
		return false;
	edits_add(&set, (struct span){ 0, 0 }, f->text, 0);
	op = (struct op){ .kind = OP_SPANS, .path = op.path, .spans = &set, .exact = true };
	ok = plan_add(p, &op, e);
	edits_release(&set);
	return ok && back_mode(p, op.path, h->was_mode, e);
}

/* Names go back by way of others, since some of them may have changed places. */
static bool back_name(const struct record *r, struct plan *p, size_t i, bool away, struct err *e)
{
	const struct history_file *h = &r->entry.file[i];
	struct buf third = BUF_INIT;
	struct op op = { .kind = OP_RENAME };
	bool ok;

	if (!h->new_path.n || is_link(h))
		return true;
	buf_addf(&third, "%s/" TXN_PREFIX "undo-%zu", r->entry.root.p, i);
	op.path = away ? h->new_path.p : third.p;
	op.new_path = away ? third.p : h->path.p;
	ok = plan_add(p, &op, e);
	buf_release(&third);
	return ok;
}

static bool take_back(const struct record *r, struct plan *p, struct err *e)
{
	bool ok = true;

	for (size_t i = 0; i < r->entry.files && ok; i++) {
		const struct history_file *h = &r->entry.file[i];
		struct op gone = { .kind = OP_REMOVE, .path = after(h) };

		if (h->existed && h->exists && !is_link(h))
			ok = back_text(p, h, &r->file[i], e);
		else if (h->exists)
			ok = plan_add(p, &gone, e);
	}
	for (size_t i = 0; i < r->entry.files && ok; i++)
		ok = back_name(r, p, i, true, e);
	for (size_t i = 0; i < r->entry.files && ok; i++)
		ok = back_name(r, p, i, false, e);
	for (size_t i = 0; i < r->entry.files && ok; i++)
		if (r->entry.file[i].existed &&
		    (!r->entry.file[i].exists || is_link(&r->entry.file[i])))
			ok = back_file(p, &r->entry.file[i], &r->file[i], e);
	/* Folders that came with the change go as well, if nothing else is in them by now. */
	for (size_t i = 0; i < r->entry.n_made && ok; i++)
		map_put(&p->gone, r->entry.made[i], p);
	return ok;
}

bool record_undo(const struct record *r, struct plan *p, struct err *e)
{
	if (!check(r, p, e) || !take_back(r, p, e))
		return false;
	/* Counted as a person would, not by the detours. */
	p->asked = 0;
	for (size_t i = 0; i < r->entry.files; i++) {
		const struct history_file *h = &r->entry.file[i];

		p->asked += r->file[i].edits + (h->new_path.n || !h->existed || !h->exists ||
						h->was_mode != h->now_mode || is_link(h));
	}
	return true;
}
