#include "buf.h"

#include <stdio.h>
#include <stdlib.h>

#include "err.h"
#include "mem.h"

void buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf)BUF_INIT;
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->p)
		b->p[0] = '\0';
}

void buf_wipe(struct buf *b)
{
	volatile char *p = b->p;

	for (size_t i = 0; i < b->cap; i++)
		p[i] = 0;
	buf_release(b);
}

char *buf_room(struct buf *b, size_t n)
{
	b->p = mem_grow(b->p, &b->cap, b->n + n + 1, 1);
	return b->p + b->n;
}

void buf_end(struct buf *b)
{
	if (b->n >= b->cap)
		BUG("buffer filled past its capacity");
	b->p[b->n] = '\0';
}

void buf_add(struct buf *b, struct str s)
{
	char *to = buf_room(b, s.n);

	if (s.n)
		memcpy(to, s.p, s.n);
	b->n += s.n;
	b->p[b->n] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, str_of(s));
}

void buf_addc(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->p[++b->n] = '\0';
}

void buf_addn(struct buf *b, uint64_t n)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(b, (struct str){ at, (size_t)(digits + sizeof(digits) - at) });
}

void buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->cap - b->n;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room ? b->p + b->n : NULL, room, fmt, ap);
	if (n < 0)
		BUG("bad format \"%s\"", fmt);
	if ((size_t)n >= room)
		vsnprintf(buf_room(b, (size_t)n), (size_t)n + 1, fmt, again);
	va_end(again);
	b->n += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void buf_drop(struct buf *b, size_t n)
{
	if (n > b->n)
		BUG("dropping %zu of %zu bytes", n, b->n);
	if (!n)
		return;
	memmove(b->p, b->p + n, b->n - n + 1);
	b->n -= n;
}

char *buf_detach(struct buf *b)
{
	char *p;

	buf_room(b, 0);
	buf_end(b);
	p = b->p;
	*b = (struct buf)BUF_INIT;
	return p;
}
