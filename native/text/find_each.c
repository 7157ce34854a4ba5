#include "find_each.h"

#include <stdint.h>
#include <stdlib.h>

#include "../base/mem.h"

#define WINDOW 8

struct table {
	uint32_t *head; /* slot -> needle index plus 1 */
	uint32_t *next; /* needle -> next in its slot, plus 1 */
	uint32_t *at;	/* needle -> where in it its window stands */
	uint64_t *bits; /* one for each slot: something is there */
	unsigned shift;
};

static uint32_t slot_of(const struct table *t, const char *p)
{
	uint64_t w;

	memcpy(&w, p, WINDOW);
	return (uint32_t)((w * 0x9e3779b97f4a7c15u) >> t->shift);
}

/* For each needle the window that is rarest among all the needles' windows. */
static void choose_windows(struct table *t, const struct sought *v, size_t n, size_t slots)
{
	uint32_t *seen = mem_new(slots * sizeof(*seen));

	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at + WINDOW <= v[i].needle.n; at++)
			seen[slot_of(t, v[i].needle.p + at)]++;
	for (size_t i = 0; i < n; i++) {
		uint32_t least = UINT32_MAX;

		for (size_t at = 0; at + WINDOW <= v[i].needle.n; at++) {
			uint32_t count = seen[slot_of(t, v[i].needle.p + at)];

			if (count < least) {
				least = count;
				t->at[i] = (uint32_t)at;
			}
		}
	}
	free(seen);
}

static void table_fill(struct table *t, const struct sought *v, size_t n)
{
	size_t bytes = 0, slots = 1024;

	for (size_t i = 0; i < n; i++)
		bytes += v[i].needle.n;
	for (t->shift = 54; slots < 2 * bytes && t->shift > 36; t->shift--)
		slots *= 2;
	t->head = mem_new(slots * sizeof(*t->head));
	t->next = mem_new((n + 1) * sizeof(*t->next));
	t->at = mem_new((n + 1) * sizeof(*t->at));
	t->bits = mem_new(slots / 8);
	choose_windows(t, v, n, slots);
	for (size_t i = 0; i < n; i++) {
		uint32_t slot;

		if (v[i].needle.n < WINDOW)
			continue;
		slot = slot_of(t, v[i].needle.p + t->at[i]);
		t->next[i] = t->head[slot];
		t->head[slot] = (uint32_t)i + 1;
		t->bits[slot / 64] |= (uint64_t)1 << slot % 64;
	}
}

static void table_free(struct table *t)
{
	free(t->head);
	free(t->next);
	free(t->at);
	free(t->bits);
}

static void short_needle(struct str text, const struct sought *v, size_t i, find_hit *fn, void *arg)
{
	ptrdiff_t step;

	for (size_t at = 0; (step = str_find(str_sub(text, at, text.n), v[i].needle)) >= 0; at++) {
		at += (size_t)step;
		fn(arg, i, at);
	}
}

/* The needles whose window stands at `at`, where the rest of them stands around it too. */
static void look_at(const struct table *t, struct str text, const struct sought *v, size_t at,
		    find_hit *fn, void *arg)
{
	for (uint32_t i = t->head[slot_of(t, text.p + at)]; i; i = t->next[i - 1]) {
		struct str needle = v[i - 1].needle;
		size_t from = at - t->at[i - 1];

		if (at >= t->at[i - 1] && needle.n <= text.n - from &&
		    !memcmp(text.p + from, needle.p, needle.n))
			fn(arg, i - 1, from);
	}
}

void find_each_hit(struct str text, const struct sought *v, size_t n, find_hit *fn, void *arg)
{
	struct table t;

	for (size_t i = 0; i < n; i++)
		if (v[i].needle.n && v[i].needle.n < WINDOW)
			short_needle(text, v, i, fn, arg);
	table_fill(&t, v, n);
	for (size_t at = 0; at + WINDOW <= text.n; at++) {
		uint32_t slot = slot_of(&t, text.p + at);

		if (t.bits[slot / 64] >> slot % 64 & 1)
			look_at(&t, text, v, at, fn, arg);
	}
	table_free(&t);
}

static void count_hit(void *arg, size_t i, size_t place)
{
	struct sought *v = arg;

	if (!v[i].times)
		v[i].at = place;
	if (v[i].times < 2)
		v[i].times++;
}

void find_each(struct str text, struct sought *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].times = 0;
	find_each_hit(text, v, n, count_hit, v);
}
