#include "alignment.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "line_ids.h"

/*
 * A shortest difference is a shortest path through the grid of both texts, from its first corner to
 * its last: down takes an old line away, right puts a new one in, and along a diagonal both stay.
 * All of them lie between the two that keep to the left and to the right wherever they can, and
 * where those two share a diagonal, all others do.
 *
 * With at most `most` edits they stay in a band of that many diagonals (Ukkonen), which is made
 * wider until it is wide enough.
 */
enum { DOWN = 1, RIGHT = 2, BOTH = 4 }; /* the ways on from a point that are shortest */

struct grid {
	const uint32_t *a, *b; /* the lines */
	size_t n, m;
	size_t back; /* diagonals to the left of the first one */
	size_t width;
	unsigned char *way; /* of each row of the band */
};

static uint32_t *ids_of(struct line_ids *ids, struct str text, int which, size_t lines)
{
	uint32_t *v = mem_new((lines + 1) * sizeof(*v));
	struct str line;

	str_skip(&text, STR("\xef\xbb\xbf"));
	for (size_t i = 0; str_line(&text, &line); i++)
		v[i] = line_id(ids, line, which);
	return v;
}

static size_t alignment_count_lines(struct str text)
{
	size_t n = 0;
	struct str line;

	str_skip(&text, STR("\xef\xbb\xbf"));
	while (str_line(&text, &line))
		n++;
	return n;
}

static bool is_unique(const struct line_ids *ids, uint32_t id)
{
	return ids->v[id].times[0] == 1 && ids->v[id].times[1] == 1;
}

/* Lines that both texts begin with, to the last that is nowhere else: no shortest difference can
 * take that one for another. */
static size_t sure_head(const struct alignment *al, const struct line_ids *ids, const uint32_t *a,
			const uint32_t *b)
{
	size_t sure = 0;

	for (size_t i = 0; i < al->n && i < al->m && a[i] == b[i]; i++)
		if (is_unique(ids, a[i]))
			sure = i + 1;
	return sure;
}

static size_t sure_tail(const struct alignment *al, const struct line_ids *ids, const uint32_t *a,
			const uint32_t *b, size_t head)
{
	size_t sure = 0;

	for (size_t i = 1; i <= al->n - head && i <= al->m - head; i++) {
		if (a[al->n - i] != b[al->m - i])
			break;
		if (is_unique(ids, a[al->n - i]))
			sure = i;
	}
	return sure;
}

/* One row of the band, from the one below it (NULL: there is none): how many edits it takes from
 * each point to the end, `most` + 1 where it takes more. */
static void fill_row(struct grid *g, size_t i, uint32_t most, uint32_t *row, const uint32_t *below)
{
	unsigned char *way = g->way + i * g->width;

	for (size_t k = g->width; k--;) {
		size_t j = i + k - g->back; /* where i + k < back, beyond m */
		uint32_t down = most, right = most, both = most + 1, least;

		row[k] = most + 1;
		way[k] = 0;
		if (j > g->m)
			continue;
		if (i == g->n && j == g->m) {
			row[k] = 0;
			continue;
		}
		if (below && k)
			down = below[k - 1];
		if (k + 1 < g->width)
			right = row[k + 1];
		if (below && j < g->m && g->a[i] == g->b[j])
			both = below[k];
		least = down < right ? down + 1 : right + 1;
		least = both < least ? both : least;
		if (least > most)
			continue;
		row[k] = least;
		way[k] = (unsigned char)((down + 1 == least ? DOWN : 0) |
					 (right + 1 == least ? RIGHT : 0) |
					 (both == least ? BOTH : 0));
	}
}

/* Whether `most` edits are enough. */
static bool fill(struct grid *g, size_t most)
{
	uint32_t *row SCOPED(mem_release) = mem_new(g->width * sizeof(*row));
	uint32_t *below SCOPED(mem_release) = mem_new(g->width * sizeof(*row));

	for (size_t i = g->n + 1; i--;) {
		uint32_t *last = row;

		fill_row(g, i, (uint32_t)most, row, i < g->n ? below : NULL);
		row = below;
		below = last;
	}
	return below[g->back] <= most;
}

static bool fill_band(struct grid *g)
{
	size_t by = g->m > g->n ? g->m - g->n : g->n - g->m, most;

	for (size_t more = 2;; more *= 2) {
		most = by + 2 * more;
		if (most > g->n + g->m)
			most = g->n + g->m;
		g->back = (g->m > g->n ? 0 : by) + more;
		if (g->back > g->n)
			g->back = g->n;
		g->width = most + 1;
		if (g->width > ALIGN_COST / (g->n + 1))
			return false;
		g->way = mem_new((g->n + 1) * g->width);
		if (fill(g, most))
			return true;
		free(g->way);
		g->way = NULL;
	}
}

/* The path that goes as `first` says wherever it can; to[i]: the new line that is old line i. */
static void alignment_follow(const struct grid *g, int first, size_t *to)
{
	size_t i = 0, j = 0;

	while (i < g->n || j < g->m) {
		unsigned char way = g->way[i * g->width + (j + g->back - i)];

		if (way & first)
			way = (unsigned char)first;
		else if (way & BOTH)
			way = BOTH;
		if (way == RIGHT) {
			j++;
			continue;
		}
		to[i++] = way == BOTH ? j : ALIGN_NONE;
		j += way == BOTH;
	}
}

static void align_middle(struct grid *g, size_t *to)
{
	size_t *other SCOPED(mem_release) = mem_new((g->n + 1) * sizeof(*other));

	for (size_t i = 0; i < g->n; i++)
		to[i] = ALIGN_NONE;
	if (g->n && g->m && fill_band(g)) {
		alignment_follow(g, DOWN, to);
		alignment_follow(g, RIGHT, other);
		for (size_t i = 0; i < g->n; i++)
			if (to[i] != other[i])
				to[i] = ALIGN_NONE;
		free(g->way);
	}
}

static void align_ids(struct alignment *al, const struct line_ids *ids, const uint32_t *a,
		      const uint32_t *b)
{
	bool same = al->n == al->m && !memcmp(a, b, al->n * sizeof(*a));
	size_t head = same ? al->n : sure_head(al, ids, a, b);
	size_t tail = same ? 0 : sure_tail(al, ids, a, b, head);
	struct grid g = {
		.a = a + head, .b = b + head, .n = al->n - head - tail, .m = al->m - head - tail
	};

	for (size_t i = 0; i < head; i++)
		al->to[i] = i;
	align_middle(&g, al->to + head);
	for (size_t i = 0; i < g.n; i++)
		al->to[head + i] += al->to[head + i] == ALIGN_NONE ? 0 : head;
	for (size_t i = 0; i <= tail; i++) /* and the line behind the last */
		al->to[al->n - i] = al->m - i;
}

void align_lines(struct alignment *al, struct str was, struct str now)
{
	struct line_ids ids SCOPED(line_ids_release) = { 0 };
	uint32_t *a SCOPED(mem_release) = NULL, *b SCOPED(mem_release) = NULL;

	*al = (struct alignment){ .n = alignment_count_lines(was),
				  .m = alignment_count_lines(now) };
	al->to = mem_new((al->n + 1) * sizeof(*al->to));
	line_ids_init(&ids, al->n + al->m);
	a = ids_of(&ids, was, 0, al->n);
	b = ids_of(&ids, now, 1, al->m);
	align_ids(al, &ids, a, b);
}

void alignment_release(struct alignment *al)
{
	free(al->to);
	*al = (struct alignment){ 0 };
}
