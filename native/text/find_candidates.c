#include <stdlib.h>

#include "../base/mem.h"
#include "find.h"

#define SHOWN 160 /* bytes of a candidate's line */

void candidates_release(struct candidates *n)
{
	arena_release(&n->texts);
	*n = (struct candidates){ 0 };
}

void candidates_add(struct candidates *n, struct near one)
{
	size_t at = n->n;

	while (at && n->v[at - 1].why > one.why)
		at--;
	if (at == FIND_CANDIDATES)
		return;
	if (n->n < FIND_CANDIDATES)
		n->n++;
	memmove(&n->v[at + 1], &n->v[at], (n->n - at - 1) * sizeof(*n->v));
	one.text = arena_str(&n->texts, str_cut(one.text, SHOWN));
	one.is = arena_str(&n->texts, str_cut(one.is, SHOWN));
	one.wanted = arena_str(&n->texts, str_cut(one.wanted, SHOWN));
	n->v[at] = one;
}

static void quote(struct buf *out, struct str line)
{
	if (line.n)
		buf_addf(out, "`%.*s`", STR_ARG(line));
	else
		buf_adds(out, "an empty line");
}

static void say_line(struct buf *out, bool ends, struct str line)
{
	if (ends) {
		buf_adds(out, "is past the end");
		return;
	}
	buf_adds(out, "is ");
	quote(out, line);
}

void candidate_describe(const struct near *n, struct buf *out)
{
	static const char *const why[] = { "is the same",
					   "differs in whitespace",
					   "differs in indentation",
					   "differs in quotes or dashes",
					   "is the same",
					   "is similar" };

	buf_addf(out, "line %zu: ", n->line);
	if (n->why == NEAR_MOVED)
		buf_addf(out, "moved %s by %ld line%s", n->moved < 0 ? "up" : "down",
			 labs(n->moved), labs(n->moved) == 1 ? "" : "s");
	else if (n->differs)
		buf_adds(out, "begins the same");
	else
		buf_adds(out, why[n->why]);
	if (n->differs) {
		buf_addf(out, ", but line %zu ", n->differs);
		say_line(out, n->ends, n->is);
		buf_adds(out, ", and should be ");
		quote(out, n->wanted);
	} else {
		buf_adds(out, ": ");
		quote(out, n->text);
	}
}

/* A line without any white space, maybe with punctuation folded: what is left are its words. */
static struct str squeeze(struct buf *to, struct str line, bool fold)
{
	struct buf folded SCOPED(buf_release) = BUF_INIT;
	char *p;

	if (fold) {
		match_fold(&folded, line);
		line = buf_str(&folded);
	}
	buf_clear(to);
	p = buf_room(to, line.n);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && (line.p[i] < '\t' || line.p[i] > '\r'))
			*p++ = line.p[i];
	to->n = (size_t)(p - to->p);
	buf_end(to);
	return buf_str(to);
}

/* What is sought, its lines, and room for comparing. */
struct search {
	struct lookup text;
	struct str *v;
	size_t n;
	size_t key; /* the first line that is not blank */
	struct buf squeezed, a, b;
	struct candidates *out;
	size_t patience; /* how many lines more are compared: it is for a hint */
};

#define PATIENCE 200000

static bool same_words(struct search *s, struct str a, struct str b, bool fold)
{
	return str_eq(squeeze(&s->a, a, fold), squeeze(&s->b, b, fold));
}

/* How two lines differ, the more the higher. */
enum gap { SAME, BLANKS_BEHIND, INDENT, BLANKS_INSIDE, QUOTES, WORDS };

static enum gap gap_between(struct search *s, struct str a, struct str b)
{
	if (str_eq(a, b))
		return SAME;
	if (str_eq(match_trim_end(a), match_trim_end(b)))
		return BLANKS_BEHIND;
	if (str_eq(str_trim(a), str_trim(b)))
		return INDENT;
	if (same_words(s, a, b, false))
		return BLANKS_INSIDE;
	return same_words(s, a, b, true) ? QUOTES : WORDS;
}

/* How the lines differ that begin at line `at`; the first that is another line altogether. */
static enum near_why find_candidates_compare(struct search *s, size_t at, struct near *one)
{
	enum gap most = SAME;

	one->differs = 0;
	for (size_t i = 0; i < s->n && s->patience; i++, s->patience--) {
		enum gap gap = at + i < s->text.n
				       ? gap_between(s, s->v[i], lookup_line(&s->text, at + i))
				       : WORDS;

		if (gap == WORDS) {
			one->differs = at + i + 1;
			one->ends = at + i >= s->text.n;
			one->is = one->ends ? STR("") : lookup_line(&s->text, at + i);
			one->wanted = s->v[i];
			return NEAR_SIMILAR;
		}
		if (gap > most)
			most = gap;
	}
	if (!s->patience)
		return NEAR_SIMILAR;
	return most == INDENT ? NEAR_INDENT : most == QUOTES ? NEAR_QUOTES : NEAR_SPACE;
}

/* A part of a line is sought: it counts when the words are there, whatever is around them. */
static bool holds_words(struct search *s, struct str line)
{
	struct str words = squeeze(&s->a, line, true);

	return s->squeezed.n && str_find(words, buf_str(&s->squeezed)) >= 0;
}

static void add_same_words(struct search *s)
{
	for (size_t i = s->key; i < s->text.n && s->patience; i++) {
		struct str line = lookup_line(&s->text, i);
		struct near one = { .line = i - s->key + 1 };

		if (line.n < s->squeezed.n || !holds_words(s, line))
			continue;
		one.text = lookup_line(&s->text, i - s->key);
		one.why = find_candidates_compare(s, i - s->key, &one);
		if (one.why == NEAR_SIMILAR && s->n == 1) {
			bool space = str_find(squeeze(&s->a, line, false),
					      squeeze(&s->b, s->v[0], false)) >= 0;

			one.why = space ? NEAR_SPACE : NEAR_QUOTES;
			one.differs = 0;
		} else if (one.differs == i + 1) {
			one.differs = 0; /* only a part of the line is the same */
		}
		candidates_add(s->out, one);
	}
}

/* Of a hundred, by what the lines share at both ends: cheap, and models change the middle. */
static size_t likeness(struct str a, struct str b)
{
	size_t most = a.n > b.n ? a.n : b.n, n = str_common(a, b);

	n += str_common_end(str_sub(a, n, a.n), str_sub(b, n, b.n));
	return most ? n * 100 / most : 0;
}

#define ALIKE 60

/* Nothing has the same words: the lines most like the longest one. */
static void add_alike(struct search *s)
{
	size_t best[FIND_CANDIDATES] = { 0 }, line[FIND_CANDIDATES], n = 0;
	struct str key = { 0 };

	for (size_t k = 0; k < s->n; k++)
		if (str_trim(s->v[k]).n > key.n)
			key = str_trim(s->v[k]);
	for (size_t i = 0; i < s->text.n; i++) {
		size_t like = likeness(str_trim(lookup_line(&s->text, i)), key), at = n;

		if (like < ALIKE)
			continue;
		while (at && best[at - 1] < like)
			at--;
		if (at == FIND_CANDIDATES)
			continue;
		n += n < FIND_CANDIDATES;
		memmove(best + at + 1, best + at, (n - at - 1) * sizeof(*best));
		memmove(line + at + 1, line + at, (n - at - 1) * sizeof(*line));
		best[at] = like;
		line[at] = i;
	}
	for (size_t i = 0; i < n; i++)
		candidates_add(s->out, (struct near){ .line = line[i] + 1,
						      .text = lookup_line(&s->text, line[i]),
						      .why = NEAR_SIMILAR });
}

static void search_start(struct search *s, struct str text, struct str needle,
			 struct candidates *out)
{
	size_t cap = 0;
	struct str line;

	*s = (struct search){ .out = out, .patience = PATIENCE };
	lookup_init(&s->text, text, LINES_VIM);
	str_skip(&needle, STR("\xef\xbb\xbf"));
	while (str_line(&needle, &line)) {
		mem_add(s->v, s->n, cap, line);
	}
	while (s->key < s->n && !str_trim(s->v[s->key]).n)
		s->key++;
	if (s->key < s->n)
		squeeze(&s->squeezed, s->v[s->key], true);
}

static void search_end(struct search *s)
{
	lookup_release(&s->text);
	free(s->v);
	buf_release(&s->squeezed);
	buf_release(&s->a);
	buf_release(&s->b);
}

static void add_seen(struct search *s, struct str needle)
{
	struct span *spans;
	size_t n = find_all(s->text.text, needle, &spans);

	for (size_t i = 0; i < n && i < FIND_CANDIDATES; i++) {
		size_t line = lines_find(&s->text.table, spans[i].at);

		candidates_add(s->out, (struct near){ .line = line + 1,
						      .text = lookup_line(&s->text, line),
						      .why = NEAR_SEEN });
	}
	free(spans);
}

static void search_all(struct search *s, struct str needle)
{
	add_seen(s, needle);
	if (s->out->n || s->key == s->n)
		return;
	add_same_words(s);
	if (!s->out->n)
		add_alike(s);
}

void find_candidates(struct str text, struct str needle, struct candidates *out)
{
	struct search s;

	candidates_release(out);
	search_start(&s, text, needle, out);
	search_all(&s, needle);
	search_end(&s);
}

void find_lines_candidates(struct str text, size_t at, struct str expect, struct candidates *out)
{
	struct search s;
	size_t tries;

	candidates_release(out);
	search_start(&s, text, expect, out);
	tries = PATIENCE / (s.n + 1) + 1;
	for (size_t i = s.n ? lookup_first(&s.text, s.v[0]) : LOOKUP_END; i != LOOKUP_END && tries;
	     i = lookup_next(&s.text, i), tries--)
		if (lookup_fits(&s.text, i, s.v, s.n, MATCH_EXACT))
			candidates_add(out, (struct near){ .line = i + 1,
							   .text = lookup_line(&s.text, i),
							   .why = NEAR_MOVED,
							   .moved = (long)i - (long)at });
	if (!out->n)
		search_all(&s, expect);
	search_end(&s);
}
