#include "../base/hash.h"
#include "plan_impl.h"

/* The changes of the hunks that stay, as edits of the old text. */
static bool plan_hunks_collect(const struct plan_file *f, const bool *keep, size_t n,
			       struct edits *set, struct err *e)
{
	const struct diff *d = &f->diff;
	size_t hunk = 0;

	for (size_t i = 0, to; i < d->n; i = to, hunk++) {
		to = diff_group(d, i, DIFF_CONTEXT);
		for (size_t k = i; k < to && hunk < n && keep[hunk]; k++)
			edits_add(set, d->v[k].old_bytes,
				  str_sub(buf_str(&f->lines), d->v[k].new_bytes.at,
					  d->v[k].new_bytes.end),
				  0);
	}
	return hunk == n || err_set(e, ERR_INVALID, "%s has %zu hunks, but the review covers %zu",
				    f->path, hunk, n);
}

void plan_set_text(struct plan *p, struct plan_file *f, struct edits *set, struct str now)
{
	edits_release(&f->edits);
	f->edits = *set;
	*set = (struct edits)EDITS_INIT;
	f->now = arena_str(&p->arena, now);
	f->now_hash = hash_of(f->now);
	plan_compare(f);
}

/* What these hunks make of the old text, into `set` and `now`. */
static bool take_hunks(struct plan *p, size_t i, const bool *keep, size_t n, struct edits *set,
		       struct buf *now, struct err *e)
{
	struct plan_file *f = &p->file[i];
	struct edit_clash why;

	if (!f->existed || !f->exists || plan_file_links(f))
		return err_set(e, ERR_INVALID,
			       "%s is created or deleted as a whole, and has no "
			       "hunks to choose from",
			       f->path);
	if (!plan_want(p, i, e) || !plan_hunks_collect(f, keep, n, set, e))
		return false;
	if (!edits_check(set, f->was.n, &why))
		BUG("hunks of a diff overlap");
	edits_apply(set, f->was, now);
	return true;
}

bool plan_keep_hunks(struct plan *p, size_t i, const bool *keep, size_t n, struct err *e)
{
	struct plan_file *f = &p->file[i];
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	struct buf now SCOPED(buf_release) = BUF_INIT;

	if (!take_hunks(p, i, keep, n, &set, &now, e))
		return false;
	edits_reduce(&set, f->was);
	plan_set_text(p, f, &set, buf_str(&now));
	return true;
}

bool plan_text_kept(struct plan *p, size_t i, const bool *keep, size_t n, struct buf *out,
		    struct err *e)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	bool ok = keep ? take_hunks(p, i, keep, n, &set, out, e) : plan_want(p, i, e);

	if (ok && !keep)
		buf_add(out, p->file[i].now);
	return ok;
}
