#ifndef OX_BUF_H
#define OX_BUF_H

#include <stdarg.h>
#include <stdint.h>

#include "mem.h"
#include "str.h"

/*
 * Growing bytes. Zero it or use BUF_INIT to start; buf_release() returns it to that state. After
 * the first addition `p` ends with a NUL that is not counted. Out of memory aborts.
 */
struct buf {
	char *p;
	size_t n, cap;
};

#define BUF_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory */
void buf_wipe(struct buf *b);  /* buf_release() of a secret: nothing of it stays in memory */
/* Room for n more bytes past the end; fill some, then add to b->n and call buf_end(). */
char *buf_room(struct buf *b, size_t n);
void buf_end(struct buf *b); /* puts the NUL back */
void buf_add(struct buf *b, struct str s);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addn(struct buf *b, uint64_t n); /* decimal; where thousands are written */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_addv(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void buf_drop(struct buf *b, size_t n); /* drops n bytes from the front */
char *buf_detach(struct buf *b);	/* caller frees; never NULL */

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

#endif
