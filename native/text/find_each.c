#include "find_each.h"

#include <stdlib.h>

#include "../base/mem.h"

#define WINDOW	    8
#define MOST_STRIDE 8

static uint32_t slot_of(const char *p, unsigned shift)
{
	uint64_t w;

	memcpy(&w, p, WINDOW);
	return (uint32_t)((w * 0x9e3779b97f4a7c15u) >> shift);
}

/* A power of two with room for twice as many, and how far to shift a hash for it. */
static size_t slots_for(size_t n, unsigned *shift)
{
	size_t slots = 64;

	for (*shift = 58; slots<2 * n && * shift> 36; --*shift)
		slots *= 2;
	return slots;
}

static size_t shortest(const struct finder *f)
{
	size_t least = WINDOW + MOST_STRIDE - 1;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].needle.n >= WINDOW && f->v[i].needle.n < least)
			least = f->v[i].needle.n;
	return least;
}

/* Counts the windows of all needles, by what they hash to, up to what a byte holds. */
static uint8_t *count_windows(const struct finder *f, unsigned *shift)
{
	size_t bytes = 0;
	uint8_t *seen;

	for (size_t i = 0; i < f->n; i++)
		bytes += f->v[i].needle.n;
	seen = mem_new(slots_for(bytes, shift));
	for (size_t i = 0; i < f->n; i++)
		for (size_t at = 0; at + WINDOW <= f->v[i].needle.n; at++) {
			uint8_t *count = &seen[slot_of(f->v[i].needle.p + at, *shift)];

			*count += *count < UINT8_MAX;
		}
	return seen;
}

/* Where those windows in a row begin that are the rarest together. */
static size_t rarest(const struct finder *f, struct str needle, const uint8_t *seen, unsigned shift)
{
	size_t least = SIZE_MAX, sum = 0, best = 0;

	for (size_t end = 1; end + WINDOW <= needle.n + 1; end++) {
		sum += seen[slot_of(needle.p + end - 1, shift)];
		if (end < f->stride)
			continue;
		if (sum < least) {
			least = sum;
			best = end - f->stride;
		}
		sum -= seen[slot_of(needle.p + end - f->stride, shift)];
	}
	return best;
}

static void add_windows(struct finder *f, size_t needle)
{
	for (size_t i = 0; i < f->stride; i++) {
		size_t entry = needle * f->stride + i;
		uint32_t *head =
			&f->head[slot_of(f->v[needle].needle.p + f->at[needle] + i, f->shift)];

		f->next[entry] = *head;
		*head = (uint32_t)entry + 1;
	}
}

void finder_init(struct finder *f, struct sought *v, size_t n)
{
	unsigned shift;
	uint8_t *seen SCOPED(mem_release) = NULL;

	*f = (struct finder){ .v = v, .n = n };
	f->stride = shortest(f) - WINDOW + 1;
	/* Sparse: a slot that is taken costs a look at a needle. */
	f->head = mem_new(slots_for(4 * n * f->stride, &f->shift) * sizeof(*f->head));
	f->next = mem_new(n * f->stride * sizeof(*f->next));
	f->at = mem_new(n * sizeof(*f->at));
	seen = count_windows(f, &shift);
	for (size_t i = 0; i < n; i++) {
		if (v[i].needle.n < WINDOW)
			continue;
		f->at[i] = (uint32_t)rarest(f, v[i].needle, seen, shift);
		add_windows(f, i);
	}
}

void finder_release(struct finder *f)
{
	free(f->head);
	free(f->next);
	free(f->at);
	*f = (struct finder){ 0 };
}

static void short_needle(struct str text, struct str needle, size_t i, find_hit *fn, void *arg)
{
	ptrdiff_t step;

	for (size_t at = 0; (step = str_find(str_sub(text, at, text.n), needle)) >= 0; at++) {
		at += (size_t)step;
		fn(arg, i, at);
	}
}

/* The needles of which a window is at `at`, where the rest of them is around it too. */
static void find_each_look_at(const struct finder *f, struct str text, size_t at, find_hit *fn,
			      void *arg)
{
	for (uint32_t e = f->head[slot_of(text.p + at, f->shift)]; e; e = f->next[e - 1]) {
		size_t i = (e - 1) / f->stride, window = f->at[i] + (e - 1) % f->stride;
		struct str needle = f->v[i].needle;

		if (at >= window && needle.n <= text.n - (at - window) &&
		    !memcmp(text.p + at - window, needle.p, needle.n))
			fn(arg, i, at - window);
	}
}

void finder_hits(const struct finder *f, struct str text, find_hit *fn, void *arg)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].needle.n && f->v[i].needle.n < WINDOW)
			short_needle(text, f->v[i].needle, i, fn, arg);
	for (size_t at = 0; at + WINDOW <= text.n; at += f->stride)
		find_each_look_at(f, text, at, fn, arg);
}

static void count_hit(void *arg, size_t i, size_t place)
{
	struct sought *v = arg;

	v[i].at = place;
	v[i].times += v[i].times < 2;
}

void finder_count(struct finder *f, struct str text)
{
	for (size_t i = 0; i < f->n; i++)
		f->v[i].times = 0;
	finder_hits(f, text, count_hit, f->v);
}
