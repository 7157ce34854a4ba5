#include "../base/buf.h"
#include "../base/err.h"
#include "../base/mem.h"
#include "merge_impl.h"

/* One of the two changes of the base, and how far its hunks have been gone through. */
struct marked_side {
	struct diff d;
	struct str text;
	size_t from, end; /* the hunks of the group at hand */
};

/* Hunks of both sides that hang together, apart from all others. */
struct marked_group {
	struct span base, now, target; /* the same part of each text */
};

struct marking {
	struct merge *to;
	struct marked_side now, target;
	const struct merge_labels *labels;
	size_t put; /* lines that were added to `now` so far, less those taken away */
};

static bool meets(const struct marked_side *group, const struct diff_hunk *h)
{
	for (size_t i = group->from; i < group->end; i++)
		if (merge_hunks_clash(&group->d.v[i], h))
			return true;
	return false;
}

static const struct diff_hunk *next_hunk(const struct marked_side *s)
{
	return s->end < s->d.n ? &s->d.v[s->end] : NULL;
}

static bool take_next(struct marked_side *s, const struct marked_side *other)
{
	const struct diff_hunk *h = next_hunk(s);

	if (!h || !meets(other, h))
		return false;
	s->end++;
	return true;
}

/* Where a byte of the base, at the edge of the group, is on this side: `n` of its hunks lie
 * before. */
static size_t carried(const struct marked_side *s, size_t byte, size_t n)
{
	return n ? byte - s->d.v[n - 1].old_bytes.end + s->d.v[n - 1].new_bytes.end : byte;
}

static void merge_marked_widen(struct span *base, const struct marked_side *s)
{
	if (s->from == s->end)
		return;
	if (s->d.v[s->from].old_bytes.at < base->at)
		base->at = s->d.v[s->from].old_bytes.at;
	if (s->d.v[s->end - 1].old_bytes.end > base->end)
		base->end = s->d.v[s->end - 1].old_bytes.end;
}

static struct span span_of(const struct marked_side *s, struct span base)
{
	return (struct span){ carried(s, base.at, s->from), carried(s, base.end, s->end) };
}

/* What is only put in comes before what takes the place of the lines behind it. */
static bool comes_first(const struct diff_hunk *a, const struct diff_hunk *b)
{
	return a->old_at < b->old_at || (a->old_at == b->old_at && a->old_n <= b->old_n);
}

static bool next_group(struct marking *g, struct marked_group *out)
{
	const struct diff_hunk *a = next_hunk(&g->now), *b = next_hunk(&g->target);

	g->now.from = g->now.end;
	g->target.from = g->target.end;
	if (!a && !b)
		return false;
	if (a && (!b || comes_first(a, b)))
		g->now.end++;
	else
		g->target.end++;
	while (take_next(&g->now, &g->target) || take_next(&g->target, &g->now))
		;
	out->base = (struct span){ SIZE_MAX, 0 };
	merge_marked_widen(&out->base, &g->now);
	merge_marked_widen(&out->base, &g->target);
	out->now = span_of(&g->now, out->base);
	out->target = span_of(&g->target, out->base);
	return true;
}

static struct str part(const struct marked_side *s, struct span at)
{
	return str_sub(s->text, at.at, at.end);
}

static void add_line_end(struct buf *out, struct str before)
{
	if (before.n && !str_ends(before, STR("\n")))
		buf_addc(out, '\n');
}

static void merge_marked_mark(struct marking *g, const struct marked_group *at)
{
	struct str now = part(&g->now, at->now), target = part(&g->target, at->target);
	size_t first = str_count(str_sub(g->now.text, 0, at->now.at), '\n') + g->put + 1;
	struct span top = { at->now.at, at->now.at }, below = { at->now.end, at->now.end };
	struct buf head SCOPED(buf_release) = BUF_INIT, tail SCOPED(buf_release) = BUF_INIT;
	struct merge *m = g->to;

	buf_addf(&head, "<<<<<<< %s\n", g->labels->now);
	add_line_end(&tail, now);
	buf_adds(&tail, "=======\n");
	buf_add(&tail, target);
	add_line_end(&tail, target);
	buf_addf(&tail, ">>>>>>> %s\n", g->labels->target);
	edits_add(&m->edits, top, buf_str(&head), 0);
	edits_add(&m->edits, below, buf_str(&tail), 0);
	mem_add(m->clash, m->clashes, m->cap,
		(struct merge_lines){ first, first + str_count(now, '\n') +
						     str_count(buf_str(&tail), '\n') });
	g->put += 1 + str_count(buf_str(&tail), '\n');
}

static void merge_group(struct marking *g, const struct marked_group *at)
{
	struct str now = part(&g->now, at->now), target = part(&g->target, at->target);

	if (g->target.from == g->target.end || str_eq(now, target))
		return;
	if (g->now.from < g->now.end) {
		merge_marked_mark(g, at);
		return;
	}
	edits_add(&g->to->edits, at->now, target, 0);
	g->put += str_count(target, '\n') - str_count(now, '\n');
}

bool merge_marked(struct merge *m, struct str base, struct str target, struct str now,
		  const struct merge_labels *labels)
{
	struct marking g = { .to = m, .now.text = now, .target.text = target, .labels = labels };
	struct marked_group at;
	struct edit_clash none;

	diff_lines(&g.now.d, base, now);
	diff_lines(&g.target.d, base, target);
	while (next_group(&g, &at))
		merge_group(&g, &at);
	diff_release(&g.now.d);
	diff_release(&g.target.d);
	if (!edits_check(&m->edits, now.n, &none))
		BUG("lines that differ overlap");
	return !m->clashes;
}
