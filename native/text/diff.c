#include "diff.h"

#include <stdint.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "line_ids.h"

/* One of the two texts, as lines with their ends. */
struct side {
	struct str text;
	struct line_table lines;
	size_t n;	  /* lines; unlike the table's, without an empty last one */
	size_t skip, end; /* lines in [skip, end) may differ; the arrays below begin at skip */
	uint32_t *id;	  /* the same number for the same bytes */
	bool *changed;
	/* The lines that the other text has too, which are all that Myers has to look at. */
	uint32_t *seq;
	size_t *real; /* where they are in `id` */
	size_t seq_n;
};

static void side_init(struct side *s, struct str text)
{
	*s = (struct side){ .text = text };
	lines_init(&s->lines, text, LINES_VIM);
	s->lines.at[0] = 0;
	s->n = s->lines.n - (s->lines.at[s->lines.n - 1] == text.n);
}

static void side_release(struct side *s)
{
	lines_release(&s->lines);
	free(s->id);
	free(s->changed);
	free(s->seq);
	free(s->real);
}

static size_t diff_line_at(const struct side *s, size_t line)
{
	return line < s->lines.n ? s->lines.at[line] : s->text.n;
}

static struct str line_text(const struct side *s, size_t line)
{
	return str_sub(s->text, diff_line_at(s, line), diff_line_at(s, line + 1));
}

/* Leaves the lines between the common beginning and the common end. */
static void diff_trim(struct side *a, struct side *b)
{
	size_t most = a->n < b->n ? a->n : b->n, head = 0, tail = 0;

	while (head < most && str_eq(line_text(a, head), line_text(b, head)))
		head++;
	while (tail < most - head &&
	       str_eq(line_text(a, a->n - tail - 1), line_text(b, b->n - tail - 1)))
		tail++;
	a->skip = b->skip = head;
	a->end = a->n - tail;
	b->end = b->n - tail;
}

static void diff_number_lines(struct side *s, struct line_ids *ids, int which)
{
	size_t n = s->end - s->skip;

	s->id = mem_new(n * sizeof(*s->id));
	s->changed = mem_new(n * sizeof(*s->changed));
	s->seq = mem_new(n * sizeof(*s->seq));
	s->real = mem_new(n * sizeof(*s->real));
	for (size_t i = 0; i < n; i++)
		s->id[i] = line_id(ids, line_text(s, s->skip + i), which);
}

/* A line that the other text lacks is changed, whatever becomes of the rest. */
static void set_apart(struct side *s, const struct line_ids *ids, int other)
{
	for (size_t i = 0; i < s->end - s->skip; i++)
		if (ids->v[s->id[i]].times[other]) {
			s->seq[s->seq_n] = s->id[i];
			s->real[s->seq_n++] = i;
		} else {
			s->changed[i] = true;
		}
}

/* A part of the grid of both sequences: a's lines [ax, ax + n) against b's [by, by + m). */
struct box {
	ptrdiff_t ax, n, by, m;
};

struct myers {
	struct side *a, *b;
	/* How far along a the best path of d steps gets on each diagonal x - y, from the start of
	 * the box and, backwards, from its end; -1 where none does. */
	ptrdiff_t *way[2];
	ptrdiff_t left; /* of DIFF_COST */
};

static bool diff_same(const struct myers *y, const struct box *box, int back, ptrdiff_t i,
		      ptrdiff_t j)
{
	if (back) {
		i = box->n - 1 - i;
		j = box->m - 1 - j;
	}
	return y->a->seq[box->ax + i] == y->b->seq[box->by + j];
}

/* Takes the paths of one direction a step further. True when one meets the other direction's,
 * which is `reach` steps from its own start; *x and *k say where, from the path's own corner. */
static bool advance(struct myers *y, const struct box *box, int back, ptrdiff_t d, ptrdiff_t reach,
		    ptrdiff_t *x, ptrdiff_t *k)
{
	ptrdiff_t *way = y->way[back], *other = y->way[!back], n = box->n, m = box->m;
	/* Past the corners of the box the outermost diagonals are used up, one at a step. */
	ptrdiff_t low = d <= m ? -d : d - 2 * m, high = d <= n ? d : 2 * n - d;

	for (*k = low; *k <= high; *k += 2) {
		ptrdiff_t at = -1, start, r = n - m - *k;

		if (!d)
			at = 0;
		if (*k < d && way[*k + 1] >= 0 && way[*k + 1] - *k <= m)
			at = way[*k + 1];
		if (*k > -d && way[*k - 1] >= at && way[*k - 1] >= 0 && way[*k - 1] < n)
			at = way[*k - 1] + 1;
		if (at < 0) {
			if (*k == d || *k == -d)
				way[*k] = -1;
			continue;
		}
		for (start = at; at < n && at - *k < m && diff_same(y, box, back, at, at - *k);)
			at++;
		y->left -= at - start + 1;
		way[*k] = *x = at;
		if (reach >= 0 && r >= -reach && r <= reach && other[r] >= 0 && at + other[r] >= n)
			return true;
	}
	return false;
}

/* Finds a point that a shortest way through the box passes, about half way. */
static bool middle(struct myers *y, const struct box *box, ptrdiff_t *x, ptrdiff_t *j)
{
	bool odd = (box->n - box->m) & 1;
	ptrdiff_t k;

	for (ptrdiff_t d = 0; y->left > 0; d++) {
		if (advance(y, box, 0, d, odd ? d - 1 : -1, x, &k)) {
			*j = *x - k;
			return true;
		}
		if (advance(y, box, 1, d, odd ? -1 : d, x, &k)) {
			*j = box->m - (*x - k);
			*x = box->n - *x;
			return true;
		}
	}
	return false;
}

static void diff_mark(const struct side *s, ptrdiff_t at, ptrdiff_t n)
{
	for (ptrdiff_t i = at; i < at + n; i++)
		s->changed[s->real[i]] = true;
}

static void diff_compare(struct myers *y, struct box box)
{
	ptrdiff_t x, j;

	while (box.n && box.m && diff_same(y, &box, 0, 0, 0)) {
		box.ax++;
		box.by++;
		box.n--;
		box.m--;
	}
	while (box.n && box.m && diff_same(y, &box, 1, 0, 0)) {
		box.n--;
		box.m--;
	}
	if (!box.n || !box.m || !middle(y, &box, &x, &j) || (!x && !j) ||
	    (x == box.n && j == box.m)) {
		diff_mark(y->a, box.ax, box.n);
		diff_mark(y->b, box.by, box.m);
		return;
	}
	diff_compare(y, (struct box){ box.ax, x, box.by, j });
	diff_compare(y, (struct box){ box.ax + x, box.n - x, box.by + j, box.m - j });
}

static void run_myers(struct side *a, struct side *b)
{
	size_t all = a->seq_n + b->seq_n, zero = all + 1;
	ptrdiff_t *room SCOPED(mem_release) = mem_new(2 * (2 * zero + 1) * sizeof(*room));
	struct myers y = { a, b, { room + zero, room + 3 * zero + 1 }, DIFF_COST };

	diff_compare(&y, (struct box){ 0, (ptrdiff_t)a->seq_n, 0, (ptrdiff_t)b->seq_n });
}

static void diff_collect(struct diff *d, const struct side *a, const struct side *b)
{
	size_t i = a->skip, j = b->skip;

	while (i < a->end || j < b->end) {
		struct diff_hunk h = { .old_at = i, .new_at = j };

		while (i < a->end && a->changed[i - a->skip])
			i++;
		while (j < b->end && b->changed[j - b->skip])
			j++;
		h.old_n = i - h.old_at;
		h.new_n = j - h.new_at;
		if (!h.old_n && !h.new_n) {
			i++;
			j++;
			continue;
		}
		diff_add(d, h);
	}
}

/* The line that begins at byte `at`, with its end. */
static struct str line_from(struct str text, size_t at)
{
	const char *lf = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return str_sub(text, at, lf ? (size_t)(lf - text.p) + 1 : text.n);
}

static void move_on(struct span *s, size_t by)
{
	s->at += by;
	s->end += by;
}

static void turn_by(char *p, size_t n, struct str first)
{
	memmove(p, p + first.n, n - first.n);
	memcpy(p + n - first.n, first.p, first.n);
}

void diff_slide(struct diff *d, struct str old_text, struct str new_text, char *turn)
{
	for (size_t i = 0; i < d->n; i++) {
		struct diff_hunk *h = &d->v[i];
		struct span *in = &h->new_bytes;

		if (h->old_n && h->new_n)
			continue;
		for (;;) {
			struct str first = h->new_n ? line_from(new_text, in->at)
						    : line_from(old_text, h->old_bytes.at);
			struct str next = line_from(old_text, h->old_bytes.end);

			if (i + 1 < d->n && h[1].old_at - h->old_at - h->old_n < 2)
				break;
			if (!next.n || !str_eq(first, next))
				break;
			h->old_at++;
			h->new_at++;
			move_on(&h->old_bytes, next.n);
			if (!turn)
				move_on(in, next.n);
			else if (h->new_n)
				turn_by(turn + in->at, in->end - in->at, next);
		}
	}
}

static void find_changed(struct side *a, struct side *b)
{
	struct line_ids ids SCOPED(line_ids_release) = { 0 };

	line_ids_init(&ids, a->end - a->skip + b->end - b->skip);
	diff_number_lines(a, &ids, 0);
	diff_number_lines(b, &ids, 1);
	set_apart(a, &ids, 1);
	set_apart(b, &ids, 0);
	run_myers(a, b);
}

void diff_lines(struct diff *d, struct str old_text, struct str new_text)
{
	struct side a SCOPED(side_release) = { 0 }, b SCOPED(side_release) = { 0 };

	*d = (struct diff){ 0 };
	side_init(&a, old_text);
	side_init(&b, new_text);
	diff_trim(&a, &b);
	if (a.skip < a.end && b.skip < b.end) {
		find_changed(&a, &b);
		diff_collect(d, &a, &b);
	} else if (a.skip < a.end || b.skip < b.end) {
		diff_add(d, (struct diff_hunk){ .old_at = a.skip,
						.old_n = a.end - a.skip,
						.new_at = b.skip,
						.new_n = b.end - b.skip });
	}
	for (size_t i = 0; i < d->n; i++) {
		struct diff_hunk *h = &d->v[i];

		h->old_bytes = (struct span){ diff_line_at(&a, h->old_at),
					      diff_line_at(&a, h->old_at + h->old_n) };
		h->new_bytes = (struct span){ diff_line_at(&b, h->new_at),
					      diff_line_at(&b, h->new_at + h->new_n) };
	}
	diff_slide(d, old_text, new_text, NULL);
}

void diff_add(struct diff *d, struct diff_hunk h)
{
	mem_add(d->v, d->n, d->cap, h);
}

void diff_release(struct diff *d)
{
	free(d->v);
	*d = (struct diff){ 0 };
}

void diff_edits(struct edits *set, struct str old_text, struct str new_text)
{
	struct edit_clash why;

	edits_lend(set, (struct span){ 0, old_text.n }, new_text, 0);
	edits_check(set, old_text.n, &why);
	edits_reduce(set, old_text);
}
