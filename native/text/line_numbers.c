#include "line_numbers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "line_ends.h"

/* A number as it is before a line: what it has of a hundred million, if any, and its last digits,
 * the first one where memory begins. They are counted up in a register: a digit that has just been
 * put into memory by itself keeps who reads it with others waiting. */
struct counter {
	size_t number;
	uint64_t digits;
	unsigned n; /* of them; 8 behind a front */
	unsigned front_n;
	char front[16];
};

#define DIGITS	 8
#define OVERFLOW ((size_t)100000000)
#define NUMBER	 24 /* bytes that the longest one has at most, with a colon and a space */

static struct counter counter_at(size_t number)
{
	struct counter c = { .number = number };
	char low[DIGITS + 1] = "";

	if (number >= OVERFLOW)
		c.front_n = (unsigned)snprintf(c.front, sizeof(c.front), "%zu", number / OVERFLOW);
	c.n = (unsigned)snprintf(low, sizeof(low), "%0*u", c.front_n ? DIGITS : 0,
				 (unsigned)(number % OVERFLOW));
	memcpy(&c.digits, low, DIGITS);
	return c;
}

/* Where digit i is among them. */
static inline unsigned digit_shift(unsigned i)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	i = DIGITS - 1 - i;
#endif
	return 8 * i;
}

/* One more; 0: there are not enough digits. */
static inline uint64_t digits_next(uint64_t digits, unsigned n)
{
	unsigned i = n - 1;

	digits += (uint64_t)1 << digit_shift(i);
	for (; (digits >> digit_shift(i) & 0xff) > '9'; i--) {
		if (!i)
			return 0;
		digits -= (uint64_t)10 << digit_shift(i);
		digits += (uint64_t)1 << digit_shift(i - 1);
	}
	return digits;
}

static inline char *digits_put(char *to, uint64_t digits, unsigned n)
{
	memcpy(to, &digits, DIGITS);
	memcpy(to + n, ": ", 2);
	return to + n + 2;
}

/* Writes up to NUMBER bytes. */
static char *counter_put(char *to, const struct counter *c)
{
	memcpy(to, c->front, c->front_n);
	return digits_put(to + c->front_n, c->digits, c->n);
}

/* By n lines, which has made these digits of its own. */
static void counter_move(struct counter *c, uint64_t digits, size_t n)
{
	c->number += n;
	c->digits = digits;
	if (!digits)
		*c = counter_at(c->number);
}

struct numbering {
	struct str text;
	const char *from; /* the line that is next */
	struct counter count;
	char *to;
};

/* The line that ends at lf. */
static void number_one(struct numbering *g, const char *lf)
{
	char *to = counter_put(g->to, &g->count);
	size_t n = (size_t)(lf - g->from);

	memcpy(to, g->from, n);
	to += n - (n && lf[-1] == '\r');
	*to = '\n';
	g->to = to + 1;
	g->from = lf + 1;
	counter_move(&g->count, digits_next(g->count.digits, g->count.n), 1);
}

#define SHORT LINE_BLOCK /* bytes of a line that are copied in one go, needed or not */
#define STEP  16	 /* of what it has more */

/* The same for n lines, as long as the digits are enough; returns how many. There is no front, and
 * behind each of the lines SHORT bytes can be read. */
static size_t number_some(struct numbering *g, const char *base, const uint32_t *end, size_t n)
{
	const char *from = g->from, *start = g->text.p;
	const uint32_t *at = end;
	uint64_t digits = g->count.digits;
	unsigned wide = g->count.n;
	char *to = g->to;

	while (at < end + n) {
		const char *lf = base + *at++;
		size_t bytes = (size_t)(lf - from);

		to = digits_put(to, digits, wide);
		memcpy(to, from, SHORT);
		for (size_t i = SHORT; i < bytes; i += STEP)
			memcpy(to + i, from + i, STEP);
		to += bytes;
		to -= lf > start && lf[-1] == '\r';
		*to++ = '\n';
		from = lf + 1;
		if (!(digits = digits_next(digits, wide)))
			break;
	}
	g->from = from;
	g->to = to;
	counter_move(&g->count, digits, (size_t)(at - end));
	return (size_t)(at - end);
}

/* The lines that end at base + end[i]. */
static void number_ends(struct numbering *g, struct buf *out, const char *base, const uint32_t *end,
			size_t n)
{
	size_t bytes = n ? (size_t)(base + end[n - 1] + 1 - g->from) : 0, safe = n, i = 0;

	g->to = buf_room(out, bytes + n * NUMBER + SHORT);
	while (safe && g->text.p + g->text.n - (base + end[safe - 1]) < SHORT)
		safe--;
	while (i < n)
		if (i < safe && !g->count.front_n)
			i += number_some(g, base, end + i, safe - i);
		else
			number_one(g, base + end[i++]);
	out->n = (size_t)(g->to - out->p);
}

size_t number_listed(struct buf *out, struct str text, const uint32_t *end, size_t n, size_t first)
{
	struct numbering g = { .text = text, .from = text.p, .count = counter_at(first) };

	number_ends(&g, out, text.p, end, n);
	buf_end(out);
	return g.count.number;
}

#define PART ((size_t)64 * LINE_BLOCK) /* whose line ends are listed at once */

size_t number_lines(struct buf *out, struct str text, size_t first)
{
	struct numbering g = { .text = text, .from = text.p, .count = counter_at(first) };
	uint32_t end[LINE_ENDS_ROOM(PART)];
	struct str rest;

	if (!text.n)
		return first;
	buf_room(out, text.n + text.n / 8); /* as a rule */
	for (size_t at = 0; at < text.n; at += PART) {
		struct str part = str_sub(text, at, at + PART < text.n ? at + PART : text.n);

		number_ends(&g, out, part.p, end, line_ends_list(part, end));
	}
	rest = str_sub(text, (size_t)(g.from - text.p), text.n);
	if (rest.n) {
		out->n = (size_t)(counter_put(buf_room(out, NUMBER), &g.count) - out->p);
		buf_add(out, rest);
		g.count.number++;
	}
	buf_end(out);
	return g.count.number;
}

/* "N: " or, before a line end, "N:" with this very number; 0: whatever it says. */
static bool skip_number(struct str *line, size_t *number)
{
	size_t n = 0, value = 0;

	while (n < line->n && n < 18 && line->p[n] >= '0' && line->p[n] <= '9')
		value = value * 10 + (size_t)(line->p[n++] - '0');
	if (!n || line->p[0] == '0' || n == line->n || line->p[n] != ':')
		return false;
	*line = str_sub(*line, n + 1, line->n);
	if (line->n && line->p[0] != '\n' && line->p[0] != '\r' && !str_skip(line, STR(" ")))
		return false;
	if (*number && *number != value)
		return false;
	*number = value;
	return true;
}

bool number_strip(struct buf *out, struct str numbered, size_t first)
{
	size_t start = out->n, number = first;

	if (!numbered.n)
		return false;
	for (size_t at = 0; at < numbered.n;) {
		const char *lf = memchr(numbered.p + at, '\n', numbered.n - at);
		size_t end = lf ? (size_t)(lf - numbered.p) + 1 : numbered.n;
		struct str line = str_sub(numbered, at, end);

		if (!skip_number(&line, &number)) {
			out->n = start;
			if (out->p)
				buf_end(out);
			return false;
		}
		buf_add(out, line);
		number++;
		at = end;
	}
	return true;
}

void line_hash(char out[LINE_HASH_SIZE], struct str line)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t h = hash_of(line);

	for (int i = 0; i < 8; i++, h >>= 4)
		out[i] = digits[h & 15];
	out[8] = '\0';
}
