#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "mem.h"

#define BLOCK_BYTES 4064

struct arena_block {
	struct arena_block *before;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

void *arena_new(struct arena *a, size_t n)
{
	size_t align = alignof(max_align_t);
	struct arena_block *b = a->last;
	void *p;

	n = (n + align - 1) / align * align;
	if (!b || b->size - b->used < n) {
		size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = mem_new(sizeof(*b) + size);
		b->before = a->last;
		b->size = size;
		a->last = b;
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
