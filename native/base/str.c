#include "str.h"

#include <stdint.h>

#include "mem.h"

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq(str_sub(s, 0, prefix.n), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_eq(str_sub(s, s.n - suffix.n, s.n), suffix);
}

bool str_skip(struct str *s, struct str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_sub(*s, prefix.n, s->n);
	return true;
}

bool str_line(struct str *rest, struct str *line)
{
	const char *lf;

	if (!rest->n)
		return false;
	lf = memchr(rest->p, '\n', rest->n);
	line->p = rest->p;
	line->n = lf ? (size_t)(lf - rest->p) : rest->n;
	*rest = str_sub(*rest, line->n + (lf ? 1 : 0), rest->n);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_sub(s, 1, s.n);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

ptrdiff_t str_find(struct str hay, struct str needle)
{
	const char *at;

	if (!needle.n)
		return 0;
	if (needle.n > hay.n)
		return -1;
	at = memmem(hay.p, hay.n, needle.p, needle.n);
	return at ? at - hay.p : -1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

#define BLOCK 64 /* bytes that memcmp looks at in one go, where a run is long */

size_t str_common(struct str a, struct str b)
{
	size_t n = least(a.n, b.n), at = 0;

	while (n - at >= BLOCK && !memcmp(a.p + at, b.p + at, BLOCK))
		at += BLOCK;
	while (at < n && a.p[at] == b.p[at])
		at++;
	return at;
}

size_t str_common_end(struct str a, struct str b)
{
	size_t n = least(a.n, b.n), got = 0;

	while (n - got >= BLOCK && !memcmp(a.p + a.n - got - BLOCK, b.p + b.n - got - BLOCK, BLOCK))
		got += BLOCK;
	while (got < n && a.p[a.n - got - 1] == b.p[b.n - got - 1])
		got++;
	return got;
}

size_t str_distance(struct str a, struct str b, size_t most)
{
	size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
	size_t *row SCOPED(mem_release) = NULL;

	if (gap > most)
		return gap;
	row = mem_new((b.n + 1) * sizeof(*row));
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t corner = row[0]; /* row[i-1][j-1] */

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t swap = corner + (a.p[i - 1] != b.p[j - 1]);

			corner = row[j];
			row[j] = least(swap, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[b.n];
}

/* Sixteen bytes at a time, which every machine has an instruction for or the compiler has a way. */
typedef unsigned char lanes __attribute__((vector_size(16)));

#define LANE_MOST 255 /* what one of them can count to */

bool str_find_name(struct str text, struct str name, size_t *at)
{
	ptrdiff_t step;

	for (; (step = str_find(str_sub(text, *at, text.n), name)) >= 0; ++*at) {
		size_t end;

		*at += (size_t)step;
		end = *at + name.n;
		if ((!*at || !str_named(text.p[*at - 1])) &&
		    (end == text.n || !str_named(text.p[end])))
			return true;
	}
	return false;
}

struct str str_cut(struct str s, size_t most)
{
	size_t n = most;

	if (s.n <= most)
		return s;
	while (n && most - n < 4 && str_inside(s.p[n]))
		n--;
	return str_sub(s, 0, n);
}

bool str_same_word(struct str s, const char *word)
{
	return s.n == strlen(word) && !strncasecmp(s.p, word, s.n);
}

size_t str_lines(struct str s)
{
	return str_count(s, '\n') + (s.n && s.p[s.n - 1] != '\n');
}

static size_t sum_of(lanes v)
{
	const uint64_t every = 0x00ff00ff00ff00ffu;
	uint64_t half[2], sum;

	memcpy(half, &v, sizeof(half));
	sum = (half[0] & every) + (half[0] >> 8 & every) + (half[1] & every) +
	      (half[1] >> 8 & every);
	return (size_t)(sum * 0x0001000100010001u >> 48);
}

size_t str_count(struct str s, char c)
{
	size_t at = 0, n = 0;

	while (s.n - at >= sizeof(lanes)) {
		lanes sums = { 0 }, bytes;

		for (int i = 0; i < LANE_MOST && s.n - at >= sizeof(lanes); i++) {
			memcpy(&bytes, s.p + at, sizeof(bytes));
			at += sizeof(bytes);
			sums -= (lanes)(bytes == (unsigned char)c); /* less -1 where it is */
		}
		n += sum_of(sums);
	}
	while (at < s.n)
		n += s.p[at++] == c;
	return n;
}
