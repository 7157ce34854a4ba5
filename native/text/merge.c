#include "merge_impl.h"

#include <stdlib.h>

#include "../base/err.h"
#include "../base/mem.h"

/* Whether it puts in more lines, or fewer, than it takes away: they may lie on either side of what
 * else comes to its edge. */
static bool is_loose(const struct diff_hunk *h)
{
	return h->new_n && h->new_n != h->old_n;
}

bool merge_hunks_clash(const struct diff_hunk *a, const struct diff_hunk *b)
{
	size_t a_end = a->old_at + a->old_n, b_end = b->old_at + b->old_n;
	bool touch = a->old_at <= b_end && b->old_at <= a_end;

	return (a->old_at < b_end && b->old_at < a_end) || (touch && is_loose(a) && is_loose(b));
}

static bool hunks_equal(const struct diff_hunk *a, struct str a_text, const struct diff_hunk *b,
			struct str b_text)
{
	return a->old_at == b->old_at && a->old_n == b->old_n &&
	       str_eq(str_sub(a_text, a->new_bytes.at, a->new_bytes.end),
		      str_sub(b_text, b->new_bytes.at, b->new_bytes.end));
}

static void add_clash(struct merge *m, const struct diff_hunk *theirs)
{
	struct merge_lines lines = { theirs->new_at + 1, theirs->new_at + theirs->new_n };

	if (m->clashes && m->clash[m->clashes - 1].first == lines.first)
		return; /* several changes meet the same one */
	mem_add(m->clash, m->clashes, m->cap, lines);
}

struct merging {
	struct merge *to;
	struct str target, now;
	struct diff ours, theirs; /* base -> target, base -> now */
};

/* `i`: the first of theirs that does not lie before the hunk. */
static void merge_hunk(struct merging *g, const struct diff_hunk *h, size_t i)
{
	const struct diff_hunk *v = g->theirs.v;
	/* What lies between two of theirs is as far from both as it was. */
	size_t was_end = i ? v[i - 1].old_bytes.end : 0, now_end = i ? v[i - 1].new_bytes.end : 0;
	struct span at = { h->old_bytes.at - was_end + now_end,
			   h->old_bytes.end - was_end + now_end };
	bool clean = true;

	for (; i < g->theirs.n && v[i].old_at <= h->old_at + h->old_n; i++) {
		if (!merge_hunks_clash(h, &v[i]))
			continue;
		clean = false;
		if (!hunks_equal(h, g->target, &v[i], g->now))
			add_clash(g->to, &v[i]);
	}
	if (clean)
		edits_add(&g->to->edits, at, str_sub(g->target, h->new_bytes.at, h->new_bytes.end),
			  0);
}

bool merge_texts(struct merge *m, struct str base, struct str target, struct str now)
{
	struct merging g = { .to = m, .target = target, .now = now };
	struct edit_clash none;
	size_t i = 0;

	diff_lines(&g.ours, base, target);
	diff_lines(&g.theirs, base, now);
	for (size_t k = 0; k < g.ours.n; k++) {
		const struct diff_hunk *h = &g.ours.v[k];

		while (i < g.theirs.n && g.theirs.v[i].old_at + g.theirs.v[i].old_n <= h->old_at &&
		       !merge_hunks_clash(h, &g.theirs.v[i]))
			i++;
		merge_hunk(&g, h, i);
	}
	diff_release(&g.ours);
	diff_release(&g.theirs);
	if (m->clashes)
		edits_release(&m->edits);
	if (!edits_check(&m->edits, now.n, &none))
		BUG("lines that differ overlap");
	return !m->clashes;
}

void merge_release(struct merge *m)
{
	edits_release(&m->edits);
	free(m->clash);
	*m = (struct merge)MERGE_INIT;
}

void merge_describe(const struct merge *m, struct buf *out)
{
	bool one = m->clashes == 1 && m->clash[0].last <= m->clash[0].first;

	buf_adds(out, one ? "line " : "lines ");
	for (size_t i = 0; i < m->clashes; i++) {
		const struct merge_lines *l = &m->clash[i];

		buf_addf(out, i ? ", %zu" : "%zu", l->first);
		if (l->last > l->first)
			buf_addf(out, "-%zu", l->last);
	}
}
