#include "find.h"

#include "../base/mem.h"

static struct str without_mark(struct str s)
{
	str_skip(&s, STR("\xef\xbb\xbf"));
	return s;
}

/* What the search compares byte by byte: up to the first line end of the needle. */
struct needle {
	struct str all, head;
};

static struct needle needle_of(struct str s)
{
	struct needle n = { without_mark(s), { 0 } };
	const char *lf = n.all.n ? memchr(n.all.p, '\n', n.all.n) : NULL;

	n.head = n.all;
	if (lf) {
		n.head.n = (size_t)(lf - n.all.p);
		if (n.head.n && lf[-1] == '\r')
			n.head.n--;
	}
	return n;
}

static bool skip_line_end(struct str *s)
{
	return str_skip(s, STR("\n")) || str_skip(s, STR("\r\n"));
}

/* Whether the needle is at this byte, line ends counting as the same; where it ends there. */
static bool stands_at(struct str text, size_t at, struct str needle, size_t *end)
{
	struct str rest = str_sub(text, at, text.n);

	while (needle.n) {
		const char *lf = memchr(needle.p, '\n', needle.n);
		size_t n = lf ? (size_t)(lf - needle.p) : needle.n;

		if (lf && n && needle.p[n - 1] == '\r')
			n--;
		if (!str_skip(&rest, str_sub(needle, 0, n)))
			return false;
		needle = str_sub(needle, n, needle.n);
		if (lf && (!skip_line_end(&needle) || !skip_line_end(&rest)))
			return false;
	}
	*end = text.n - rest.n;
	return true;
}

#define LONG 4096 /* bytes of a needle that is not compared place by place */

static void unify(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
			buf_addc(out, s.p[i]);
}

/* The byte of `s` that is byte `at` once line ends are unified. */
static size_t before_unify(struct str s, size_t at)
{
	size_t i = 0;

	for (; at; i++)
		at -= s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n';
	return i;
}

/* The same for long needles: in time that does not grow with both, however alike all lines are. */
static bool next_long_place(struct str text, struct str needle, size_t from, struct span *at)
{
	struct str rest = str_sub(text, from, text.n);
	struct buf plain SCOPED(buf_release) = BUF_INIT, sought SCOPED(buf_release) = BUF_INIT;
	bool differ = memchr(text.p, '\r', text.n) || memchr(needle.p, '\r', needle.n);
	ptrdiff_t hit;

	if (differ) {
		unify(&plain, rest);
		unify(&sought, needle);
		hit = str_find(buf_str(&plain), buf_str(&sought));
	} else {
		hit = str_find(rest, needle);
	}
	if (hit >= 0 && differ) {
		at->at = from + before_unify(rest, (size_t)hit);
		at->end = from + before_unify(rest, (size_t)hit + sought.n);
	} else if (hit >= 0) {
		*at = (struct span){ from + (size_t)hit, from + (size_t)hit + needle.n };
	}
	return hit >= 0;
}

/* The first exact place that begins at `from` or behind it. */
static bool next_place(struct str text, const struct needle *n, size_t from, struct span *at)
{
	if (!n->all.n || from >= text.n)
		return false;
	if (n->all.n > LONG)
		return next_long_place(text, n->all, from, at);
	while (from < text.n) {
		const char *hit;

		if (n->head.n)
			hit = memmem(text.p + from, text.n - from, n->head.p, n->head.n);
		else
			hit = memchr(text.p + from, '\n', text.n - from);
		if (!hit)
			return false;
		at->at = (size_t)(hit - text.p);
		if (!n->head.n && at->at && hit[-1] == '\r')
			at->at--;
		if (at->at >= from && stands_at(text, at->at, n->all, &at->end))
			return true;
		from = (size_t)(hit - text.p) + 1;
	}
	return false;
}

static size_t find_line_of(struct str text, size_t byte)
{
	size_t line = 0;
	const char *p = text.p, *end = text.p + byte;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		line++;
		p++;
	}
	return line;
}

size_t find_all(struct str text, struct str needle, struct span **spans)
{
	struct needle n = needle_of(needle);
	size_t count = 0, cap = 0;
	struct span at = { 0 };

	*spans = NULL;
	while (next_place(text, &n, at.end, &at)) {
		*spans = mem_grow(*spans, &cap, count + 1, sizeof(**spans));
		(*spans)[count++] = at;
	}
	return count;
}

static size_t count_places(struct str text, const struct needle *n, struct span first)
{
	size_t count = 1;
	struct span at = first;

	while (next_place(text, n, at.end, &at))
		count++;
	if (count == 1 && next_place(text, n, first.at + 1, &at))
		count = 2; /* they overlap: which one is meant, nobody can tell */
	return count;
}

/* The needle's lines; a final line end ends the last one. Caller frees. */
static struct str *lines_of(struct str s, size_t *n, bool *ends)
{
	struct str *v = NULL, line;
	size_t cap = 0;

	*n = 0;
	*ends = str_ends(s, STR("\n"));
	while (str_line(&s, &line)) {
		mem_add(v, *n, cap, line);
	}
	return v;
}

/* The bytes of n whole lines; with the last one's end or without. */
static struct span bytes_of(const struct lookup *l, size_t at, size_t n, bool with_end)
{
	struct span s = { lookup_start(l, at), lookup_start(l, at + n) };

	if (!with_end)
		s.end = lines_span(&l->table, l->text, at + n - 1).end;
	return s;
}

#define MANY_LINES 64 /* from so many on places are not tried one by one */

/* The places where whole lines match by a proof: the first one, and whether there is another. */
static size_t count_fits(struct lookup *l, const struct str *v, size_t n, enum match how,
			 size_t *where)
{
	size_t k, count = 0;

	if (n >= MANY_LINES)
		return lookup_run(l, v, n, how, where);
	k = lookup_rarest(l, v, n);

	for (size_t i = lookup_first(l, v[k]); i != LOOKUP_END && count < 2;
	     i = lookup_next(l, i)) {
		if (i < k || !lookup_fits(l, i - k, v, n, how))
			continue;
		if (!count++)
			*where = i - k;
	}
	return count;
}

static struct found by_proof(struct str text, struct str needle)
{
	struct found f = { 0 };
	struct lookup l SCOPED(lookup_release) = { 0 };
	size_t n;
	bool ends;
	struct str *v SCOPED(mem_release) = lines_of(needle, &n, &ends);

	lookup_init(&l, text, LINES_VIM);
	for (enum match how = MATCH_TRAILING_SPACE; n && how <= MATCH_PUNCTUATION; how++) {
		size_t fits = count_fits(&l, v, n, how, &f.line);

		if (fits == 1) {
			f.how = how;
			f.span = bytes_of(&l, f.line, n, ends);
			f.open_end = ends && f.line + n == l.n && !lookup_has_final_end(&l);
		}
		if (fits)
			break;
	}
	return f;
}

struct found find_text(struct str text, struct str needle)
{
	struct needle n = needle_of(needle);
	struct found f = { 0 };

	if (!n.all.n)
		return f;
	if (!next_place(text, &n, 0, &f.span))
		return by_proof(text, n.all);
	f.times = count_places(text, &n, f.span);
	if (f.times > 1) {
		f.span = (struct span){ 0 };
		return f;
	}
	f.how = MATCH_EXACT;
	f.line = find_line_of(text, f.span.at);
	return f;
}

struct found find_lines(struct str text, size_t at, struct str expect)
{
	struct found f = { 0 };
	struct lookup l SCOPED(lookup_release) = { 0 };
	size_t n;
	bool ends;
	struct str *v SCOPED(mem_release) = lines_of(without_mark(expect), &n, &ends);

	if (!n) { /* one empty line was meant */
		v = mem_new(sizeof(*v));
		v[n++] = STR("");
	}
	lookup_init(&l, text, LINES_VIM);
	f.line = at;
	for (enum match how = MATCH_EXACT; !f.how && how <= MATCH_PUNCTUATION; how++)
		if (lookup_fits(&l, at, v, n, how))
			f.how = how;
	if (!f.how && count_fits(&l, v, n, MATCH_EXACT, &f.line) == 1)
		f.how = MATCH_RELOCATED;
	if (f.how)
		f.span = bytes_of(&l, f.line, n, true);
	return f;
}
