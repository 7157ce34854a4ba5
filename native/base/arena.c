#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "mem.h"

/* Blocks grow from one to the next, so that a thousand small arenas are small. */
#define FIRST_BYTES 224
#define MOST_BYTES  4064

struct arena_block {
	struct arena_block *before;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static struct arena_block *block_new(size_t size, struct arena_block *before)
{
	struct arena_block *b = mem_new(sizeof(*b) + size);

	b->before = before;
	b->size = size;
	return b;
}

void *arena_new(struct arena *a, size_t n)
{
	size_t align = alignof(max_align_t), size;
	struct arena_block *b = a->last;
	void *p;

	n = (n + align - 1) / align * align;
	if (b && n > MOST_BYTES / 4 && b->size - b->used < n) {
		/* by itself, so that the room which is left in the last one stays of use */
		a->last->before = block_new(n, b->before);
		b = a->last->before;
	} else if (!b || b->size - b->used < n) {
		size = !b ? FIRST_BYTES : b->size < MOST_BYTES / 2 ? 2 * b->size : MOST_BYTES;
		a->last = b = block_new(n > size ? n : size, b);
	}
	p = b->bytes + b->used;
	b->used += n;
	return p;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_new(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (struct str){ p, s.n };
}

void arena_release(struct arena *a)
{
	while (a->last) {
		struct arena_block *b = a->last;

		a->last = b->before;
		free(b);
	}
}
