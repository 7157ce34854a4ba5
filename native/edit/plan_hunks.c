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

bool plan_keep_hunks(struct plan *p, size_t i, const bool *keep, size_t n, struct err *e)
{
	struct plan_file *f = &p->file[i];
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	struct buf now = BUF_INIT;
	bool ok;

	if (!f->existed || !f->exists || plan_file_links(f))
		return err_set(e, ERR_INVALID,
			       "%s is created or deleted as a whole, and has no "
			       "hunks to choose from",
			       f->path);
	ok = plan_want(p, i, e) && plan_hunks_collect(f, keep, n, &set, e);
	if (ok && !edits_check(&set, f->was.n, &why))
		BUG("hunks of a diff overlap");
	if (ok) {
		edits_apply(&set, f->was, &now);
		edits_reduce(&set, f->was);
		edits_release(&f->edits);
		f->edits = set;
		set = (struct edits)EDITS_INIT;
		f->now = arena_str(&p->arena, buf_str(&now));
		f->now_hash = hash_of(f->now);
		plan_compare(f);
	}
	edits_release(&set);
	buf_release(&now);
	return ok;
}
