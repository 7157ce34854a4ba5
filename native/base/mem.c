#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

void (*mem_large_pages)(void *p, size_t n);
atomic_bool mem_made_much;

void *mem_new(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		BUG("out of memory (%zu bytes)", n);
	return p;
}

/* Fresh memory costs more in page faults than in filling it, unless its pages are large ones. What
 * is behind the last of those keeps small ones if it is less than half of one. */
static void *fresh(size_t n)
{
	size_t large = (n + MEM_LARGE / 2) / MEM_LARGE * MEM_LARGE;
	void *p;

	if (!large || !mem_large_pages)
		return malloc(n);
	if (posix_memalign(&p, MEM_LARGE, n > large ? n : large))
		return NULL;
	mem_large_pages(p, large);
	return p;
}

void *mem_grow_past(void *p, size_t *cap, size_t want, size_t each)
{
	size_t n = *cap + *cap / 2 + 8;

	if (n < want)
		n = want;
	if (n > SIZE_MAX / each)
		BUG("out of memory (%zu items of %zu bytes)", n, each);
	if (n * each >= MEM_MUCH)
		mem_made_much = true;
	p = p ? realloc(p, n * each) : fresh(n * each);
	if (!p)
		BUG("out of memory (%zu bytes)", n * each);
	*cap = n;
	return p;
}

void *mem_copy(const void *p, size_t n)
{
	void *copy = mem_new(n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *mem_dup(const char *s, size_t n)
{
	char *copy = mem_new(n + 1);

	if (n)
		memcpy(copy, s, n);
	return copy;
}

void mem_release(void *at)
{
	void *p; /* which may be declared as a pointer to anything */

	memcpy(&p, at, sizeof(p));
	free(p);
}
