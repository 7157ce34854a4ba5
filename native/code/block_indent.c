#include "block_indent.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../text/line.h"

struct block_line {
	struct str text;   /* without its end */
	struct str indent; /* what it begins with */
	bool blank, label;
	bool fixed; /* begins in a string, or is the preprocessor's */
};

struct block {
	struct str text;
	struct block_line *v;
	size_t n, cap;
};

struct str block_trim(struct str text)
{
	size_t start = 0, end = text.n;

	while (start < end && line_blank(text, start))
		start = line_next(text, start);
	while (end > start && str_any(" \t\r\n", text.p[end - 1]))
		end--;
	return start < end ? str_sub(text, start, end) : STR("");
}

static size_t block_indent_line_of(const struct block *b, size_t byte)
{
	size_t lo = 0, hi = b->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->v[mid].text.p <= b->text.p + byte)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* A string that begins a line of Python documents something: it moves as comments do. */
static void fix_lines(struct block *b, const struct language *lang)
{
	struct lexer l = lex_from(lang, b->text, 0);
	struct token t;

	while ((t = lex_next(&l)).kind != TOKEN_END) {
		bool line = t.kind == TOKEN_DIRECTIVE;

		if (!line &&
		    (t.kind != TOKEN_STRING || (t.first && language_body(lang) == BODY_INDENTED)))
			continue;
		for (size_t i = block_indent_line_of(b, t.span.at) + !line,
			    to = block_indent_line_of(b, t.span.end - 1);
		     i <= to; i++)
			b->v[i].fixed = true;
	}
}

/* A word and a colon, alone on the line, at the margin. */
static bool is_label(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] != ':' && !str_any(" \t", line.p[n]))
		n++;
	return n && n + 1 == line.n;
}

static void block_indent_read_lines(struct block *b, const struct language *lang, struct str text)
{
	struct str rest = text, line;

	b->text = text;
	while (str_line(&rest, &line)) {
		struct block_line *at;

		b->v = mem_grow(b->v, &b->cap, b->n + 1, sizeof(*b->v));
		at = &b->v[b->n++];
		*at = (struct block_line){ .text = line, .indent = line_indent(line, 0) };
		at->blank = at->indent.n == line.n;
		at->label = language_body(lang) == BODY_BRACES && is_label(line);
	}
	if (b->n)
		fix_lines(b, lang);
}

static bool tells(const struct block_line *l)
{
	return !l->blank && !l->label && !l->fixed;
}

/* What all lines from `first` on begin with; false where none tells. */
static bool common_indent(const struct block *b, size_t first, struct str *common)
{
	bool any = false;

	for (size_t i = first; i < b->n; i++) {
		if (!tells(&b->v[i]))
			continue;
		if (any)
			common->n = str_common(*common, b->v[i].indent);
		else
			*common = b->v[i].indent;
		any = true;
	}
	return any;
}

static bool closes(const struct block_line *l)
{
	struct str s = str_trim(l->text);

	return s.n && (str_any(")]}", s.p[0]) || str_eq(s, STR("end")));
}

/* Whether the line needs what follows, deeper: a head, an open bracket, an operator. */
static bool block_indent_goes_on(struct str line)
{
	line = str_trim(line);
	return line.n && str_any(":{([=,>+-*/&|?\\.", line.p[line.n - 1]);
}

/* The first line has lost its indentation, and the others still have that of the place: they are
 * all deeper, or one of them closes what the first has opened, or has no business to be deeper. */
static bool first_was_cut(const struct block *b, struct str to)
{
	struct str rest;

	if (!to.n || !tells(&b->v[0]) || b->v[0].indent.n || !common_indent(b, 1, &rest) ||
	    !str_starts(rest, to))
		return false;
	if (rest.n > to.n || !block_indent_goes_on(b->v[0].text))
		return true;
	for (size_t i = 1; i < b->n; i++)
		if (tells(&b->v[i]) && str_eq(b->v[i].indent, to) && closes(&b->v[i]))
			return true;
	return false;
}

static void block_indent_put_line(const struct block_line *l, struct str from, struct str to,
				  struct buf *out)
{
	if (l->fixed) {
		buf_add(out, l->text);
	} else if (!l->blank && !str_starts(l->indent, from)) {
		buf_add(out, l->text); /* a label at the margin, or the first line that was cut */
	} else if (!l->blank) {
		buf_add(out, to);
		buf_add(out, str_sub(l->text, from.n, l->text.n));
	}
}

void block_shift(const struct language *lang, struct str text, struct str to, struct buf *out,
		 struct str *from)
{
	struct block b = { 0 };

	*from = STR("");
	block_indent_read_lines(&b, lang, text);
	common_indent(&b, 0, from);
	if (b.n && first_was_cut(&b, to)) {
		*from = to;
		buf_add(out, to);
	}
	for (size_t i = 0; i < b.n; i++) {
		if (i)
			buf_addc(out, '\n');
		block_indent_put_line(&b.v[i], *from, to, out);
	}
	free(b.v);
}

struct str block_indent(const struct language *lang, struct str text)
{
	struct block b = { 0 };
	struct str indent = STR("");

	block_indent_read_lines(&b, lang, text);
	for (size_t i = 0; i < b.n; i++)
		if (tells(&b.v[i])) {
			indent = b.v[i].indent;
			break;
		}
	free(b.v);
	return indent;
}
