#include <stdio.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/path.h"
#include "../text/merge.h"
#include "history_record.h"
#include "plan_impl.h"

/* A directory that the change made will go, and so will what it put above this path. */
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

struct taking {
	const struct record *r;
	struct plan *p;
	json *clashes;	     /* NULL: nothing may have changed since */
	struct map occupied; /* names that files of this change have now */
	struct buf names;    /* of those that are not as it left them */
	size_t stale;
};

/* In place of what the change left there is something else; `lines` is taken. */
static void add_stale(struct taking *t, const char *path, struct str why, json *lines)
{
	struct str shown = str_of(plan_shown(t->p, path));

	t->stale++;
	buf_addf(&t->names, "%s%.*s", t->names.n ? ", " : "", STR_ARG(shown));
	if (!t->clashes)
		return;
	buf_addf(&t->names, " (%.*s)", STR_ARG(why));
	json_push(t->clashes, json_of({ "file", json_str(shown) }, { "lines", lines },
				      { "reason", lines ? NULL : json_str(why) }));
}

/* What a person has changed elsewhere in the file stays. */
static bool merge_back(const struct record *r, size_t i, struct str now, struct merge *m)
{
	struct arena a SCOPED(arena_release) = { 0 };

	return merge_texts(m, r->file[i].now, record_was(r, i, &a), now);
}

static void look_at_lines(struct taking *t, size_t i, struct str now)
{
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	struct buf why SCOPED(buf_release) = BUF_INIT;
	json *lines = NULL;

	if (!merge_back(t->r, i, now, &m)) {
		lines = json_array();
		for (size_t k = 0; k < m.clashes; k++) {
			json *range = json_push(lines, json_array());

			json_push(range, json_int((int64_t)m.clash[k].first));
			json_push(range, json_int((int64_t)m.clash[k].last));
		}
		merge_describe(&m, &why);
		add_stale(t, history_path_after(&t->r->entry.file[i]), buf_str(&why), lines);
	}
}

/* Its text alone has changed: where that is as before already, as `u` in its buffer has it, nothing
 * is to be done. */
static bool is_edited(const struct history_file *h)
{
	return h->existed && h->exists && !h->new_path.n && !history_file_links(h) &&
	       h->was_mode == h->now_mode;
}

/* A file that is there after the change. */
static bool look_at_file(struct taking *t, size_t i, bool *there, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	const struct record_file *f = &t->r->file[i];
	bool link = h->now_mode == MODE_LINK, regular;
	struct seen s;

	if (!(link ? overlay_name : overlay_look)(t->p, history_path_after(h), &s, e))
		return false;
	*there = s.kind != FS_NONE;
	regular = s.kind == FS_FILE && (s.node->now_mode == MODE_LINK) == link;
	if (regular && (hash_of(node_text(s.node)) == f->now_hash ||
			(is_edited(h) && hash_of(node_text(s.node)) == f->was_hash)))
		return true;
	if (!t->clashes || (*there && !regular))
		add_stale(t, history_path_after(h), STR("is another file"), NULL);
	else if (*there && h->existed && f->whole && !history_file_links(h))
		look_at_lines(t, i, node_text(s.node));
	else if (*there)
		add_stale(t, history_path_after(h), STR("was changed"), NULL);
	else if (h->existed)
		add_stale(t, history_path_after(h), STR("is gone"), NULL);
	return true;
}

/* As it was before the change, so that nothing is to be done. */
static bool is_back(struct taking *t, size_t i, bool *yes, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	struct seen s;

	*yes = false;
	if (!t->clashes || h->exists)
		return true;
	if (!overlay_name(t->p, h->path.p, &s, e))
		return false;
	*yes = s.kind == FS_FILE && (s.node->now_mode == MODE_LINK) == (h->was_mode == MODE_LINK) &&
	       hash_of(node_text(s.node)) == t->r->file[i].was_hash;
	return true;
}

/* Whether a file, and the name it will go back to, are as the change left them. */
static bool history_undo_look_at(struct taking *t, size_t i, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	bool there = true, yes = true;
	size_t stale = t->stale;

	if (h->exists && !look_at_file(t, i, &there, e))
		return false;
	if (t->stale > stale || (h->exists && !h->new_path.n) || map_get(&t->occupied, h->path))
		return true;
	if (!h->existed || !is_back(t, i, &yes, e) || yes)
		return !e->code;
	if (!is_free(t->r, t->p, &t->occupied, h->path.p, &yes, e))
		return false;
	if (!yes)
		add_stale(t, h->exists ? history_path_after(h) : h->path.p,
			  h->exists ? STR("its old name is taken") : STR("is there again"), NULL);
	return true;
}

static void name_stale(const struct taking *t, struct err *e)
{
	/* The message has room for many names, not for thousands. */
	size_t most = sizeof(e->msg) - 120, shown = t->names.n, n = t->stale;

	if (shown > most)
		for (shown = most; shown && t->names.p[shown] != ',';)
			shown--;
	if (t->clashes)
		err_set(e, ERR_STALE,
			"%zu file%s been changed in the same lines meanwhile, so nothing was "
			"changed: %.*s%s",
			n, n == 1 ? " has" : "s have", (int)shown, t->names.p,
			shown < t->names.n ? " and more" : "");
	else
		err_set(e, ERR_STALE,
			"%zu file%s no longer as %s left %s, so nothing was %s: %.*s%s", n,
			n == 1 ? " is" : "s are", t->r->again ? "the undo" : "the change",
			n == 1 ? "it" : "them", t->r->again ? "redone" : "undone", (int)shown,
			t->names.p, shown < t->names.n ? " and more" : "");
}

static bool check(struct taking *t, struct err *e)
{
	const struct record *r = t->r;
	bool ok = true;

	for (size_t i = 0; i < r->entry.files; i++)
		if (r->entry.file[i].exists)
			map_put(&t->occupied, str_of(history_path_after(&r->entry.file[i])), t);
	for (size_t i = 0; i < r->entry.files && ok; i++)
		ok = history_undo_look_at(t, i, e);
	if (ok && t->stale) {
		name_stale(t, e);
		ok = false;
	}
	return ok;
}

static bool damaged(struct plan *p, const char *path, struct err *e)
{
	return err_set(e, ERR_IO, "%s: the recorded edits do not restore the old text",
		       plan_shown(p, path));
}

static bool back_mode(const struct taking *t, const char *path, const struct history_file *h,
		      struct err *e)
{
	struct op op = { .kind = OP_MODE, .path = path, .mode = h->was_mode };
	unsigned mode;

	if (t->clashes && h->exists) {
		if (!plan_mode(t->p, path, &mode, e))
			return false;
		if (mode != h->now_mode)
			return true; /* that stays, too */
	}
	return plan_add(t->p, &op, e);
}

/* The recorded edits, of the text as the change left it. */
static bool add_back(const struct taking *t, size_t i, struct str text, struct edits *set,
		     struct err *e)
{
	const struct record_file *f = &t->r->file[i];

	for (size_t k = 0; k < f->edits; k++) {
		if (f->edit[k].span.end > text.n)
			return damaged(t->p, history_path_after(&t->r->entry.file[i]), e);
		edits_add(set, f->edit[k].span, f->edit[k].with, 0);
	}
	return true;
}

/* Edits a file where it is now. */
static bool back_text(const struct taking *t, size_t i, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	const struct record_file *f = &t->r->file[i];
	struct op op = { .kind = OP_SPANS, .path = history_path_after(h), .exact = true };
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	struct str text;
	bool as_left, ok;

	if (!plan_text(t->p, op.path, &text, e))
		return false;
	if (is_edited(h) && hash_of(text) == f->was_hash)
		return true;
	as_left = hash_of(text) == f->now_hash;
	ok = as_left ? add_back(t, i, text, &m.edits, e) : merge_back(t->r, i, text, &m);
	op.spans = &m.edits;
	ok = ok && plan_add(t->p, &op, e) && plan_text(t->p, op.path, &text, e);
	return ok && (!as_left || hash_of(text) == f->was_hash || damaged(t->p, op.path, e)) &&
	       (h->was_mode == h->now_mode || back_mode(t, op.path, h, e));
}

static bool back_file(struct taking *t, size_t i, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	const struct record_file *f = &t->r->file[i];
	struct op op = { .kind = OP_CREATE, .path = h->path.p };
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	bool ok, is;

	if (hash_of(f->text) != f->was_hash)
		return damaged(t->p, op.path, e);
	if (!is_back(t, i, &is, e) || is)
		return is;
	if (h->was_mode == MODE_LINK) {
		op = (struct op){ .kind = OP_LINK, .path = op.path, .leads_to = f->text };
		return plan_add(t->p, &op, e);
	}
	if (!plan_add(t->p, &op, e))
		return false;
	edits_add(&set, (struct span){ 0, 0 }, f->text, 0);
	op = (struct op){ .kind = OP_SPANS, .path = op.path, .spans = &set, .exact = true };
	ok = plan_add(t->p, &op, e);
	return ok && back_mode(t, op.path, h, e);
}

/* Names go back by way of others, since some of them may have changed places. */
static bool back_name(const struct taking *t, size_t i, bool away, struct err *e)
{
	const struct history_file *h = &t->r->entry.file[i];
	struct buf third SCOPED(buf_release) = BUF_INIT;
	struct op op = { .kind = OP_RENAME };

	if (!h->new_path.n || history_file_links(h))
		return true;
	buf_addf(&third, "%s/" TXN_PREFIX "undo-%zu", t->r->entry.root.p, i);
	op.path = away ? h->new_path.p : third.p;
	op.new_path = away ? third.p : h->path.p;
	return plan_add(t->p, &op, e);
}

static bool history_undo_take_back(struct taking *t, struct err *e)
{
	const struct record *r = t->r;
	bool ok = true;

	for (size_t i = 0; i < r->entry.files && ok; i++) {
		const struct history_file *h = &r->entry.file[i];
		struct op gone = { .kind = OP_REMOVE,
				   .path = history_path_after(h),
				   .ignore = t->clashes };

		if (h->existed && h->exists && !history_file_links(h))
			ok = back_text(t, i, e);
		else if (h->exists)
			ok = plan_add(t->p, &gone, e);
	}
	for (size_t i = 0; i < r->entry.files && ok; i++)
		ok = back_name(t, i, true, e);
	for (size_t i = 0; i < r->entry.files && ok; i++)
		ok = back_name(t, i, false, e);
	for (size_t i = 0; i < r->entry.files && ok; i++)
		if (r->entry.file[i].existed &&
		    (!r->entry.file[i].exists || history_file_links(&r->entry.file[i])))
			ok = back_file(t, i, e);
	/* Directories that came with the change go as well, if nothing else is in them by now. */
	for (size_t i = 0; i < r->entry.n_made && ok; i++)
		map_put(&t->p->gone, r->entry.made[i], t->p);
	return ok;
}

/* What the change could write, taking it back can: also files of a project that is not loaded now,
 * and directories that came with them. */
static void allow_again(const struct record *r, struct plan *p)
{
	for (size_t i = 0; i < r->n_exempt; i++)
		plan_allow(p, r->exempt[i].p);
	if (!r->entry.n_projects)
		return;
	for (size_t i = 0; i < r->entry.files; i++) {
		plan_allow(p, r->entry.file[i].path.p);
		if (r->entry.file[i].new_path.n)
			plan_allow(p, r->entry.file[i].new_path.p);
	}
	for (size_t i = 0; i < r->entry.n_made; i++)
		plan_allow(p, r->entry.made[i].p);
}

bool record_undo(const struct record *r, struct plan *p, json *clashes, struct err *e)
{
	struct taking t = { .r = r, .p = p, .clashes = clashes };
	size_t asked = p->asked;
	bool ok;

	allow_again(r, p);
	ok = check(&t, e) && history_undo_take_back(&t, e);

	map_release(&t.occupied);
	buf_release(&t.names);
	if (!ok)
		return false;
	/* Counted as a person would, not by the detours. */
	p->asked = asked;
	for (size_t i = 0; i < r->entry.files; i++) {
		const struct history_file *h = &r->entry.file[i];

		p->asked +=
			r->file[i].edits + (h->new_path.n || !h->existed || !h->exists ||
					    h->was_mode != h->now_mode || history_file_links(h));
	}
	return true;
}
