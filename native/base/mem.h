#ifndef OX_MEM_H
#define OX_MEM_H

#include <stddef.h>

/* These abort when memory runs out; nothing above has to handle it. free() releases. */
void *mem_new(size_t n);					     /* zeroed */
void *mem_grow_past(void *p, size_t *cap, size_t want, size_t each); /* mem_grow() alone */
/*
 * Room for `want` items of `each` bytes in the array `p`, whose capacity is *cap items. Grows by
 * half, so that adding one at a time is linear. What is new is not zeroed.
 */
static inline void *mem_grow(void *p, size_t *cap, size_t want, size_t each)
{
	return want <= *cap ? p : mem_grow_past(p, cap, want, each);
}
void *mem_copy(const void *p, size_t n);
char *mem_dup(const char *s, size_t n); /* n bytes and a NUL */

#endif
