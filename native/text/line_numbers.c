#include "line_numbers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "line_ends.h"

/* "N: " as it is before a line. Counting up in place costs less than printing again. */
struct counter {
	char text[48]; /* ends at NUMBER_END, and grows to the left */
	size_t n;      /* with the colon and the space */
};

#define NUMBER_END 24

static void counter_start(struct counter *c, size_t number)
{
	char digits[NUMBER_END];
	int n = snprintf(digits, sizeof(digits), "%zu: ", number);

	memset(c->text, ' ', sizeof(c->text));
	memcpy(c->text + NUMBER_END - n, digits, (size_t)n);
	c->n = (size_t)n;
}

static void counter_next(struct counter *c)
{
	char *first = c->text + NUMBER_END - c->n;
	char *digit = c->text + NUMBER_END - 3;

	for (; digit >= first && *digit == '9'; digit--)
		*digit = '0';
	if (digit >= first) {
		++*digit;
	} else {
		*digit = '1';
		c->n++;
	}
}

static size_t counter_value(const struct counter *c)
{
	return (size_t)strtoull(c->text + NUMBER_END - c->n, NULL, 10);
}

#define BLOCK LINE_BLOCK /* is written in one go as well, needed or not */

/* A number is at most as long as a block; so is what this writes. */
static char *line_numbers_put_number(char *to, const struct counter *c)
{
	const char *from = c->text + NUMBER_END - c->n;

	memcpy(to, from, 16);
	if (c->n > 16)
		memcpy(to + 16, from + 16, c->n - 16);
	return to + c->n;
}

struct copying {
	const char *start, *from, *end;
	char *to;
	struct counter counter;
};

/* The LF of a line, instead of a CR that was copied before it. */
static inline char *put_end(char *to, bool after_cr)
{
	to -= after_cr;
	*to = '\n';
	return to + 1;
}

/* How far ahead the text is asked for. The loop below branches on what it has read, so a wrong
 * guess costs the wait for memory, unless the bytes have come already. */
#define AHEAD ((size_t)32 * BLOCK)

/* Copies `blocks` whole blocks; before the first one there is a byte, and behind the last one as
 * many can be read again. */
static void copy_blocks(struct copying *c, size_t blocks)
{
	struct counter count = c->counter;
	const char *from = c->from;
	char *to = c->to;

	for (; blocks; blocks--, from += BLOCK) {
		uint64_t ends = line_ends(from);
		int done = 0;

		__builtin_prefetch(from + AHEAD);
		memcpy(to, from, BLOCK);
		while (ends) {
			int at = __builtin_ctzll(ends);

			ends &= ends - 1;
			to = put_end(to + at - done, from[at - 1] == '\r');
			to = line_numbers_put_number(to, &count);
			counter_next(&count);
			done = at + 1;
			memcpy(to, from + done, BLOCK);
		}
		to += BLOCK - done;
	}
	c->counter = count;
	c->from = from;
	c->to = to;
}

/* The same a byte at a time. Behind the last line of all there is no number. */
static void copy_bytes(struct copying *c, size_t n)
{
	for (; n; n--, c->from++) {
		if (*c->from != '\n') {
			*c->to++ = *c->from;
			continue;
		}
		c->to = put_end(c->to, c->from > c->start && c->from[-1] == '\r');
		if (c->from + 1 < c->end) {
			c->to = line_numbers_put_number(c->to, &c->counter);
			counter_next(&c->counter);
		}
	}
}

#define PART 64 /* blocks between looks at the room */

/* One part; the end is left to copy_bytes(), for blocks are read twice as far as they go. */
static void copy_part(struct copying *c)
{
	size_t left = (size_t)(c->end - c->from), blocks = left / BLOCK;

	if (c->from == c->start)
		copy_bytes(c, 1);
	else if (blocks > 1)
		copy_blocks(c, blocks - 1 < PART ? blocks - 1 : PART);
	else
		copy_bytes(c, left);
}

size_t number_lines(struct buf *out, struct str text, size_t first)
{
	struct copying c = { .start = text.p, .from = text.p, .end = text.p + text.n };
	/* As if each byte were a line, and what the last copies write too far. */
	const size_t room = PART * BLOCK * (NUMBER_END + 1) + 4 * BLOCK;

	if (!text.n)
		return first;
	counter_start(&c.counter, first);
	/* Lines have some 40 bytes as a rule; where they are shorter the room grows below. */
	buf_room(out, text.n + text.n / 40 * c.counter.n + room);
	c.to = line_numbers_put_number(out->p + out->n, &c.counter);
	counter_next(&c.counter);
	while (c.from < c.end) {
		out->n = (size_t)(c.to - out->p);
		c.to = buf_room(out, room);
		copy_part(&c);
	}
	out->n = (size_t)(c.to - out->p);
	buf_end(out);
	return counter_value(&c.counter);
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
