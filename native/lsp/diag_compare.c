#include "diag_compare.h"

#include <stdlib.h>

#include "../base/mem.h"

/* A diagnostic by what makes it the same as another. Slots count lines of the text after: 2n is
 * line n, 2n + 1 the lines from n on that are in the place of others. */
struct mark {
	const struct diag *d;
	size_t slot, at; /* at: index in its list */
};

static size_t diag_compare_line_of(struct doc *doc, const struct diag *d)
{
	return lines_find(doc_lines(doc, LINES_VIM), doc_byte(doc, d->range.from, d->enc));
}

static size_t slot_before(const struct diff *moved, size_t line)
{
	size_t old_end = 0, new_end = 0;

	for (size_t i = 0; i < moved->n && moved->v[i].old_at <= line; i++) {
		const struct diff_hunk *h = &moved->v[i];

		if (line < h->old_at + h->old_n)
			return 2 * h->new_at + 1;
		old_end = h->old_at + h->old_n;
		new_end = h->new_at + h->new_n;
	}
	return 2 * (line - old_end + new_end);
}

static size_t slot_after(const struct diff *moved, size_t line)
{
	for (size_t i = 0; i < moved->n && moved->v[i].new_at <= line; i++)
		if (line < moved->v[i].new_at + moved->v[i].new_n)
			return 2 * moved->v[i].new_at + 1;
	return 2 * line;
}

static int by_mark(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;
	int c;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->d->severity != b->d->severity)
		return a->d->severity < b->d->severity ? -1 : 1;
	if ((c = str_cmp(a->d->code, b->d->code)))
		return c;
	return str_cmp(a->d->message, b->d->message);
}

static struct mark *marks_of(const struct diag_side *side, const struct diff *moved,
			     size_t (*slot)(const struct diff *moved, size_t line))
{
	struct mark *v = mem_new((side->n + 1) * sizeof(*v));

	for (size_t i = 0; i < side->n; i++)
		v[i] = (struct mark){ side->v[i],
				      slot(moved, diag_compare_line_of(side->doc, side->v[i])), i };
	qsort(v, side->n, sizeof(*v), by_mark);
	return v;
}

void diag_compare(const struct diag_side *before, const struct diag_side *after,
		  const struct diff *moved, bool *fresh)
{
	struct mark *was SCOPED(mem_release) = marks_of(before, moved, slot_before);
	struct mark *now SCOPED(mem_release) = marks_of(after, moved, slot_after);

	for (size_t i = 0, k = 0; k < after->n; k++) {
		int c = 1;

		while (i < before->n && (c = by_mark(&was[i], &now[k])) < 0)
			i++;
		fresh[now[k].at] = i == before->n || c;
		i += i < before->n && !c;
	}
}
