#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

atomic_bool mem_made_much;

static void note_much(size_t n)
{
	if (n >= MEM_MUCH)
		mem_made_much = true;
}

void *mem_new(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	note_much(n);
	if (!p)
		BUG("out of memory (%zu bytes)", n);
	return p;
}

void *mem_grow_past(void *p, size_t *cap, size_t want, size_t each)
{
	size_t n = *cap + *cap / 2 + 8;

	if (n < want)
		n = want;
	if (n > SIZE_MAX / each)
		BUG("out of memory (%zu items of %zu bytes)", n, each);
	note_much(n * each);
	p = realloc(p, n * each);
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
