#include "linemap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "../base/err.h"
#include "../base/mem.h"

/*
 * The current text as runs of lines, in a treap ordered by place: runs of original lines that still
 * are together, and runs of added ones. Original lines never change their order, so the same tree
 * is also ordered by original number; an added run has the number of the next one behind it that
 * was there when it came.
 */
struct run {
	size_t original; /* number of the first line */
	size_t n;
	bool added;
	size_t total; /* lines in this run and those below it */
	uint32_t left, right, weight;
};

struct linemap {
	struct run *run; /* [0] is none */
	size_t runs, cap;
	uint32_t root, unused; /* unused: a list by `left` */
	uint32_t dice;
	size_t lines;
};

static uint32_t throw_dice(struct linemap *m)
{
	m->dice ^= m->dice << 13;
	m->dice ^= m->dice >> 17;
	m->dice ^= m->dice << 5;
	return m->dice;
}

static uint32_t new_run(struct linemap *m, size_t original, size_t n, bool added, uint32_t weight)
{
	uint32_t r = m->unused;

	if (r) {
		m->unused = m->run[r].left;
	} else {
		if (m->runs == UINT32_MAX)
			BUG("more than %zu runs of lines", m->runs);
		m->run = mem_grow(m->run, &m->cap, m->runs + 1, sizeof(*m->run));
		r = (uint32_t)m->runs++;
	}
	m->run[r] = (struct run){ original, n, added, n, 0, 0, weight };
	return r;
}

static void drop_runs(struct linemap *m, uint32_t r)
{
	uint32_t right;

	for (; r; r = right) {
		right = m->run[r].right;
		drop_runs(m, m->run[r].left);
		m->run[r].left = m->unused;
		m->unused = r;
	}
}

static void sum(struct linemap *m, uint32_t r)
{
	struct run *x = &m->run[r];

	x->total = x->n + m->run[x->left].total + m->run[x->right].total;
}

static uint32_t merge(struct linemap *m, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	if (m->run[a].weight >= m->run[b].weight) {
		m->run[a].right = merge(m, m->run[a].right, b);
		sum(m, a);
		return a;
	}
	m->run[b].left = merge(m, a, m->run[b].left);
	sum(m, b);
	return b;
}

/* If line `at` is inside a run, that run ends before it from now on: what is left of it is
 * returned, a tree of its own. */
static uint32_t linemap_cut(struct linemap *m, size_t at)
{
	uint32_t r = m->root, rest;
	size_t skip = at, left, keep;

	while (r) {
		left = m->run[m->run[r].left].total;
		if (skip < left) {
			r = m->run[r].left;
			continue;
		}
		skip -= left;
		if (skip < m->run[r].n)
			break;
		skip -= m->run[r].n;
		r = m->run[r].right;
	}
	if (!r || !skip)
		return 0;
	keep = skip;
	rest = new_run(m, m->run[r].original + (m->run[r].added ? 0 : keep), m->run[r].n - keep,
		       m->run[r].added, throw_dice(m));
	m->run[r].n = keep;
	for (uint32_t up = m->root; up != r;) { /* the same way again, now that it is known */
		left = m->run[m->run[up].left].total;
		m->run[up].total -= m->run[rest].n;
		if (at < left) {
			up = m->run[up].left;
		} else {
			at -= left + m->run[up].n;
			up = m->run[up].right;
		}
	}
	m->run[r].total -= m->run[rest].n;
	return rest;
}

/* The runs of the first `at` lines, and the others; no run is on both sides. */
static void part(struct linemap *m, uint32_t r, size_t at, uint32_t *before, uint32_t *behind)
{
	size_t left;
	uint32_t half;

	if (!r) {
		*before = *behind = 0;
		return;
	}
	left = m->run[m->run[r].left].total;
	if (at <= left) {
		part(m, m->run[r].left, at, before, &half);
		m->run[r].left = half;
		*behind = r;
	} else {
		part(m, m->run[r].right, at - left - m->run[r].n, &half, behind);
		m->run[r].right = half;
		*before = r;
	}
	sum(m, r);
}

/* Takes the tree apart before line `at`. */
static void linemap_split(struct linemap *m, size_t at, uint32_t *before, uint32_t *behind)
{
	uint32_t rest = linemap_cut(m, at);

	part(m, m->root, at, before, behind);
	*behind = merge(m, rest, *behind);
}

struct linemap *linemap_new(size_t lines)
{
	struct linemap *m = mem_new(sizeof(*m));

	m->dice = 2463534242u;
	m->lines = lines;
	new_run(m, 0, 0, true, 0); /* none */
	m->root = new_run(m, 0, lines + 1, false, throw_dice(m));
	return m;
}

void linemap_free(struct linemap *m)
{
	if (m)
		free(m->run);
	free(m);
}

size_t linemap_lines(const struct linemap *m)
{
	return m->run[m->root].total - 1;
}

size_t linemap_now(const struct linemap *m, size_t original)
{
	size_t at = 0;
	uint32_t r = m->root;

	if (original > m->lines)
		BUG("line %zu of %zu", original, m->lines);
	while (r) {
		const struct run *x = &m->run[r];

		if (original < x->original) {
			r = x->left;
			continue;
		}
		at += m->run[x->left].total;
		if (!x->added && original < x->original + x->n)
			return at + (original - x->original);
		at += x->n;
		r = x->right;
	}
	return LINEMAP_GONE;
}

void linemap_splice(struct linemap *m, size_t at, size_t removed, size_t added)
{
	uint32_t before, gone, behind, next;

	if (at + removed > linemap_lines(m))
		BUG("lines %zu to %zu of %zu", at, at + removed, linemap_lines(m));
	linemap_split(m, at, &before, &m->root);
	linemap_split(m, removed, &gone, &behind);
	drop_runs(m, gone);
	if (added) {
		for (next = behind; m->run[next].left;)
			next = m->run[next].left;
		next = new_run(m, m->run[next].original, added, true, throw_dice(m));
		before = merge(m, before, next);
	}
	m->root = merge(m, before, behind);
}
