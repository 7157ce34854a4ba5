#ifndef OX_MEM_H
#define OX_MEM_H

#include <stdatomic.h>
#include <stddef.h>

/*
 * What one function alone holds is released where its scope ends, on every way out of it:
 *
 *     struct buf text SCOPED(buf_release) = BUF_INIT;
 *     char *path SCOPED(mem_release) = path_join(dir, name);
 *
 * The last that is declared goes first. Such a variable has a value where it is declared, NULL or
 * zeros for want of another. What may be given away is released by hand.
 */
#define SCOPED(release) __attribute__((cleanup(release)))

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
/* One more item for the array v, of n items with room for cap: `mem_add(l->v, l->n, l->cap, it)`.
 * All but the item are evaluated more than once. */
#define mem_add(v, n, cap, ...)                                                                    \
	((v) = mem_grow((v), &(cap), (n) + 1, sizeof(*(v))), (v)[(n)++] = __VA_ARGS__)
/* Whether anything of MEM_MUCH and more was made, on any thread, since this was set to false. */
#define MEM_MUCH ((size_t)128 << 10)
extern atomic_bool mem_made_much;
void *mem_copy(const void *p, size_t n);
char *mem_dup(const char *s, size_t n); /* n bytes and a NUL */
void mem_release(void *at);		/* frees what the pointer at `at` points to; for SCOPED */

#endif
