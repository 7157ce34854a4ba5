#include "decl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../text/line.h"
#include "language.h"

#define NONE	    ((size_t)-1)
#define MARKS_APART 512 /* bytes, at least */

/* Where a line begins, in plain code, that nothing before it has to do with: a walk that begins
 * there is the one from the start of the text, where that is before the declaration. */
struct decl_marks {
	const struct language *lang;
	struct lexer *v; /* in order; their texts are not used */
	size_t n, cap;
};

/* The walk down to the declaration: what may turn out to be its lead, and its first words. */
struct walk {
	struct decl *d;
	size_t words;	    /* where the words on this line begin that may be its own; or NONE */
	bool words_first;   /* ... and nothing is before them */
	bool code;	    /* what is surely not its own is on this line */
	bool blank;	    /* the line, so far */
	bool comment_above; /* the lead ends with a comment */
};

static void drop_lead(struct decl *d)
{
	d->lead = d->lead_comment = d->lead_attribute = NONE;
}

/* What is at another depth belongs to something else. */
static void part_by_indent(struct decl *d, size_t at, bool first)
{
	if (d->lead != NONE && first &&
	    !str_eq(line_indent(d->text, d->lead), line_indent(d->text, at)))
		drop_lead(d);
}

static void walk_lead(struct walk *w, struct token t)
{
	struct decl *d = w->d;
	size_t *kind = t.kind == TOKEN_COMMENT ? &d->lead_comment : &d->lead_attribute;

	w->blank = false;
	if (w->code || w->words != NONE)
		return;
	part_by_indent(d, t.span.at, t.first);
	if (d->lead == NONE)
		d->lead = t.span.at;
	if (*kind == NONE)
		*kind = t.span.at;
	w->comment_above = t.kind == TOKEN_COMMENT;
}

static void walk_line_end(struct walk *w)
{
	/* an empty line parts a comment from what follows, but no attribute */
	if (w->words != NONE || (w->blank && w->comment_above))
		drop_lead(w->d);
	w->words = NONE;
	w->code = false;
	w->blank = true;
}

static void walk_code(struct walk *w, struct token t)
{
	w->blank = false;
	if (t.kind == TOKEN_WORD && !w->code) {
		if (w->words == NONE)
			w->words_first = t.first;
		if (w->words == NONE)
			w->words = t.span.at;
		return;
	}
	drop_lead(w->d);
	w->code = true;
	w->words = NONE;
}

/* The text cannot be read as the server reads it: its word alone is taken. */
static void believe(struct decl *d, size_t at)
{
	drop_lead(d);
	d->whole.at = at;
	d->alone_before = at == line_start(d->text, at) + line_indent(d->text, at).n;
}

static void arrive(struct walk *w, struct token t, struct span range)
{
	struct decl *d = w->d;
	bool words = w->words != NONE;

	d->whole.at = words ? w->words : t.span.at;
	d->alone_before = !w->code;
	part_by_indent(d, d->whole.at, words ? w->words_first : t.first);
	if (t.span.at < range.at || t.span.at >= range.end)
		believe(d, range.at);
	if (d->lead == NONE)
		d->lead = d->whole.at;
	if (d->lead_comment == NONE)
		d->lead_comment = d->whole.at;
	if (d->lead_attribute == NONE)
		d->lead_attribute = d->whole.at;
}

/* From the last mark before the byte. */
static struct lexer walk_from(const struct decl *d, const struct decl_marks *m, size_t at)
{
	struct lexer l = lex_from(d->lang, d->text, 0);
	size_t lo = 0, hi = m ? m->n : 0;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo) {
		l = m->v[lo - 1];
		l.text = d->text;
	}
	return l;
}

/* What comes before the lexer is behind the walk. */
static void decl_mark(struct decl_marks *m, const struct walk *w, const struct lexer *l)
{
	if (m && w->d->lead == NONE && l->at >= (m->n ? m->v[m->n - 1].at : 0) + MARKS_APART)
		mem_add(m->v, m->n, m->cap, *l);
}

/* The range begins in the lead, or behind the first words. The text is read from its start, or a
 * mark, since only there nothing can be inside of a string. */
static void find_start(struct decl *d, struct decl_marks *m, struct span range)
{
	struct lexer l = walk_from(d, m, range.at);
	struct walk w = { .d = d, .words = NONE, .blank = true };

	drop_lead(d);
	for (;;) {
		struct token t = lex_next(&l);

		if (t.kind == TOKEN_COMMENT || t.kind == TOKEN_ATTRIBUTE) {
			walk_lead(&w, t);
		} else if (t.kind == TOKEN_LINE_END) {
			walk_line_end(&w);
			decl_mark(m, &w, &l);
		} else if (t.kind == TOKEN_END ||
			   (t.kind != TOKEN_SPACE && t.span.end > range.at)) {
			arrive(&w, t, range);
			return;
		} else if (t.kind != TOKEN_SPACE) {
			walk_code(&w, t);
		}
	}
}

static bool ends_statement(struct str text, struct token t)
{
	return token_is(text, t, ";") || token_is(text, t, ",");
}

/* Whether the brace that closes before `l` is the last of a declaration. That of a function is, but
 * where one follows, as behind what a constructor begins with; the declaration of a type goes on
 * with what is on the line of the brace. */
static bool ends_body(struct lexer l, bool function)
{
	static const char *const more[] = { "{", ",", "catch", NULL };
	struct token t;

	if (function) {
		t = lex_next_code(&l);
		return !str_among(token_text(l.text, t), more);
	}
	do
		t = lex_next(&l);
	while (t.kind == TOKEN_SPACE || t.kind == TOKEN_COMMENT);
	return t.kind == TOKEN_LINE_END || t.kind == TOKEN_END;
}

/* Behind the statement that goes on at `at`, behind a name. */
static size_t statement_end(const struct decl *d, size_t at)
{
	struct lexer l = lex_from(d->lang, d->text, at), ahead = l;
	bool function = token_is(d->text, lex_next_code(&ahead), "(");
	size_t deep = 0, end = at;

	for (;;) {
		struct token t = lex_next(&l);

		if (t.kind == TOKEN_END || (t.kind == TOKEN_CLOSE && !deep) ||
		    (!deep && (ends_statement(d->text, t) ||
			       (t.kind == TOKEN_LINE_END && language_by_line(d->lang)))))
			return end;
		deep += t.kind == TOKEN_OPEN;
		deep -= t.kind == TOKEN_CLOSE;
		if (t.kind != TOKEN_SPACE && t.kind != TOKEN_LINE_END && t.kind != TOKEN_COMMENT)
			end = t.span.end;
		if (!deep && token_is(d->text, t, "}") && ends_body(l, function))
			return end;
	}
}

static bool one_word(const struct decl *d, struct span s)
{
	struct lexer l = lex_from(d->lang, d->text, s.at);
	struct token t = lex_next(&l);

	return t.kind == TOKEN_WORD && t.span.end == s.end;
}

/* Comments below, as deep as the body, are of it, though the server ends before them. */
static size_t with_comments_below(const struct decl *d, size_t end)
{
	struct str indent = line_indent(d->text, d->whole.at);

	for (;;) {
		size_t next = line_next(d->text, end);
		struct str below = line_indent(d->text, next);

		next += below.n;
		if (below.n <= indent.n || next >= d->text.n || d->text.p[next] != '#')
			return end;
		end = line_end(d->text, next);
	}
}

static void find_end(struct decl *d, struct span range)
{
	size_t end = one_word(d, range) ? statement_end(d, range.end) : range.end;
	struct lexer l;
	struct token t;

	end = end > d->whole.at ? end : d->whole.at;
	end = d->whole.at + str_trim(str_sub(d->text, d->whole.at, end)).n;
	if (end > d->whole.at && (d->text.p[end - 1] == ';' || d->text.p[end - 1] == ','))
		end--;
	if (language_body(d->lang) == BODY_INDENTED)
		end = with_comments_below(d, end);
	d->whole.end = d->end = end;
	l = lex_from(d->lang, d->text, end);
	do {
		t = lex_next(&l);
		if (d->end == end && ends_statement(d->text, t))
			d->end = t.span.end;
		else if (t.kind != TOKEN_SPACE &&
			 (t.kind != TOKEN_COMMENT || line_end(d->text, t.span.at) < t.span.end))
			break;
	} while (t.kind != TOKEN_END);
	d->alone_behind = t.kind == TOKEN_END || t.kind == TOKEN_LINE_END;
}

static void set_body(struct decl *d, size_t at, size_t end, bool closed)
{
	d->has_body = d->opens = true;
	d->closed = closed;
	d->body = (struct span){ at, end };
	d->head_end = at;
}

/* The last braces that are in no others. They end it, but for `typedef struct { ... } name`. */
static void find_braces(struct decl *d)
{
	struct lexer l = lex_from(d->lang, d->text, d->whole.at);
	struct token t = lex_next_code(&l);
	bool named_behind = token_is(d->text, t, "typedef");
	struct span last = { 0, 0 };
	size_t deep = 0, open = 0;

	for (; t.kind != TOKEN_END && t.span.at < d->whole.end; t = lex_next_code(&l)) {
		if (t.kind == TOKEN_OPEN && !deep++)
			open = t.span.at;
		if (t.kind == TOKEN_CLOSE && deep && !--deep && d->text.p[open] == '{')
			last = (struct span){ open, t.span.end };
	}
	if (!deep && last.end && (last.end == d->whole.end || named_behind))
		set_body(d, last.at + 1, last.end - 1, true);
}

/* Behind the colon that ends the head of a function or a class; its comment stays with it. */
static void find_indented(struct decl *d)
{
	struct lexer l = lex_from(d->lang, d->text, d->whole.at);
	struct token t = lex_next_code(&l);
	size_t deep = 0, colon;

	if (!token_is(d->text, t, "def") && !token_is(d->text, t, "class") &&
	    !token_is(d->text, t, "async"))
		return;
	for (; deep || !token_is(d->text, t, ":"); t = lex_next_code(&l)) {
		deep += t.kind == TOKEN_OPEN;
		deep -= t.kind == TOKEN_CLOSE && deep;
		if (t.kind == TOKEN_END)
			return;
	}
	if (t.span.at >= d->whole.end)
		return;
	colon = t.span.end;
	do
		t = lex_next(&l);
	while (t.kind == TOKEN_SPACE || t.kind == TOKEN_COMMENT);
	if (t.kind != TOKEN_LINE_END || t.span.at > d->whole.end)
		t.span.at = colon;
	set_body(d, t.span.at, d->whole.end, false);
	d->head_end = colon;
}

/* From behind the parameters of the first `function` to the `end` that ends it. */
static void find_words(struct decl *d)
{
	struct lexer l = lex_from(d->lang, d->text, d->whole.at);
	struct token t = lex_next_code(&l), last = t;
	size_t params = 0;

	for (; t.kind != TOKEN_END && t.span.at < d->whole.end; t = lex_next_code(&l)) {
		last = t;
		if (params || !token_is(d->text, t, "function"))
			continue;
		while (t.kind != TOKEN_END && !token_is(d->text, t, "("))
			t = lex_next_code(&l);
		l.at = t.span.at;
		params = lex_group_end(&l);
		l.at = params ? params : d->text.n;
	}
	if (params && token_is(d->text, last, "end") && last.span.end == d->whole.end)
		set_body(d, params, last.span.at, true);
	else
		find_braces(d);
}

/* Without a body: up to the value, which may be a function that is an expression. */
static void find_value(struct decl *d)
{
	struct lexer l = lex_from(d->lang, d->text, d->whole.at);
	struct token t = lex_next_code(&l);
	size_t deep = 0;

	d->head_end = d->whole.end;
	for (; t.kind != TOKEN_END && t.span.at < d->whole.end; t = lex_next_code(&l)) {
		deep += t.kind == TOKEN_OPEN;
		deep -= t.kind == TOKEN_CLOSE && deep;
		if (deep || !token_is(d->text, t, d->opens ? "=>" : "="))
			continue;
		d->head_end = t.span.end;
		if (d->opens)
			return;
		d->opens = true;
	}
}

static bool is_block(const struct decl *d, struct span block)
{
	return block.at > d->whole.at && block.end == d->whole.end && block.end > block.at + 1 &&
	       d->text.p[block.at] == '{' && d->text.p[block.end - 1] == '}';
}

static struct decl decl_find(const struct language *lang, struct str text, struct decl_marks *m,
			     struct span range, struct span block)
{
	struct decl d = { .lang = lang, .text = text };

	find_start(&d, m, range);
	find_end(&d, range);
	d.told = is_block(&d, block);
	if (d.told)
		set_body(&d, block.at + 1, block.end - 1, true);
	else if (language_body(lang) == BODY_INDENTED)
		find_indented(&d);
	else if (language_body(lang) == BODY_WORDS)
		find_words(&d);
	else
		find_braces(&d);
	if (!d.has_body)
		find_value(&d);
	return d;
}

struct decl decl_at(const struct language *lang, struct str text, struct span range,
		    struct span block)
{
	return decl_find(lang, text, NULL, range, block);
}

static void decl_marks_free(void *marks)
{
	struct decl_marks *m = marks;

	free(m->v);
	free(m);
}

struct decl decl_in(struct doc *d, const struct language *lang, struct span range,
		    struct span block)
{
	struct decl_marks *m = doc_kept(d, decl_marks_free);

	if (!m || m->lang != lang) {
		m = mem_new(sizeof(*m));
		m->lang = lang;
		doc_keep(d, m, decl_marks_free);
	}
	return decl_find(lang, doc_text(d), m, range, block);
}

struct decl decl_of_text(const struct language *lang, struct str text)
{
	struct decl d = { .lang = lang, .text = text };

	find_start(&d, NULL, (struct span){ 0, text.n });
	d.whole.end = text.n;
	return d;
}

/* Attributes too are compared token by token. */
static struct lexer plain_from(const struct language *lang, struct str text, size_t at)
{
	struct lexer l = lex_from(lang, text, at);

	l.plain = true;
	return l;
}

/* Whether *b goes on with the code of *a up to `end`. */
static bool same_code(struct lexer *a, size_t end, struct lexer *b)
{
	for (;;) {
		struct token t = lex_next_code(a), u;

		if (t.kind == TOKEN_END || t.span.at >= end)
			return true;
		u = lex_next_code(b);
		if (!str_eq(token_text(a->text, t), token_text(b->text, u)))
			return false;
	}
}

bool decl_begins(const struct decl *d, struct str text, size_t at)
{
	struct lexer own = plain_from(d->lang, d->text, d->whole.at),
		     other = plain_from(d->lang, text, at);
	struct token t;

	if (!same_code(&own, d->head_end, &other))
		return false;
	if (d->opens)
		return true;
	t = lex_next_code(&other);
	if (ends_statement(text, t))
		t = lex_next_code(&other);
	return t.kind == TOKEN_END;
}

bool decl_same_attributes(const struct decl *d, size_t from, const struct decl *other)
{
	struct lexer a = plain_from(d->lang, str_sub(d->text, 0, d->whole.at), from),
		     b = plain_from(d->lang, str_sub(other->text, 0, other->whole.at), other->lead);

	return same_code(&a, d->whole.at, &b) && lex_next_code(&b).kind == TOKEN_END;
}
