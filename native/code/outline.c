#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "outline_impl.h"

struct outline_item *outline_add(struct outline *o, enum outline_kind kind, struct span name,
				 struct span all, size_t parent)
{
	o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
	o->v[o->n] = (struct outline_item){ kind, name, all, parent, false };
	return &o->v[o->n++];
}

struct lexer outline_near(struct lexer l, size_t most)
{
	l.text = str_sub(l.text, 0, l.text.n - l.at < most ? l.text.n : l.at + most);
	return l;
}

struct lexer outline_ahead(struct lexer l)
{
	return outline_near(l, OUTLINE_HEAD_MOST);
}

bool outline_fail(struct str text, size_t at, const char *why, struct err *e)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text.p[i] == '\n';
	return err_set(e, ERR_UNSUPPORTED, "%s at line %zu", why, line);
}

void outline_release(struct outline *o)
{
	free(o->v);
	*o = (struct outline){ 0 };
}

/* Python: a declaration ends before the first line of code that is no deeper than itself. */
struct indented {
	struct outline *out;
	struct str text;
	size_t open; /* the innermost that has not ended, from 1 */
	size_t end;  /* of the last code */
	char blank;  /* what indents: blanks or tabs, never both; 0: not seen yet */
	size_t deep; /* in brackets */
};

void outline_end_deeper(struct outline *o, struct str text, size_t *open, size_t depth, size_t end)
{
	while (*open && line_indent(text, o->v[*open - 1].all.at).n >= depth) {
		o->v[*open - 1].all.end = end;
		*open = o->v[*open - 1].parent;
	}
}

/* A line of code begins. */
static bool begin_line(struct indented *w, size_t at, struct err *e)
{
	struct str indent = line_indent(w->text, at);

	for (size_t i = 0; i < indent.n; i++) {
		if (w->blank && indent.p[i] != w->blank)
			return outline_fail(w->text, at, "mixed tabs and spaces in the indentation",
					    e);
		w->blank = indent.p[i];
	}
	outline_end_deeper(w->out, w->text, &w->open, indent.n, w->end);
	return true;
}

static void declare_indented(struct indented *w, size_t at, struct lexer l, bool type)
{
	struct token name = lex_next(&l);

	if (name.kind == TOKEN_SPACE)
		name = lex_next(&l);
	if (name.kind != TOKEN_WORD)
		return;
	outline_add(w->out, type ? OUTLINE_TYPE : OUTLINE_FUNCTION, name.span,
		    (struct span){ at, name.span.end }, w->open);
	w->open = w->out->n;
}

static bool outline_indented(const struct language *lang, struct str text, struct outline *out,
			     struct err *e)
{
	struct indented w = { .out = out, .text = text };
	struct lexer l = lex_from(lang, text, 0);
	struct token t = lex_next_code(&l);

	for (; t.kind != TOKEN_END; t = lex_next_code(&l)) {
		struct token word = t;

		if (t.kind == TOKEN_CLOSE && !w.deep--)
			return outline_fail(text, t.span.at, "unbalanced brackets", e);
		if (t.first && !w.deep && t.kind != TOKEN_CLOSE) {
			struct lexer ahead = l;

			if (!begin_line(&w, t.span.at, e))
				return false;
			if (token_is(text, word, "async"))
				word = lex_next_code(&ahead);
			if (token_is(text, word, "def") || token_is(text, word, "class"))
				declare_indented(&w, t.span.at, ahead,
						 token_is(text, word, "class"));
		}
		w.deep += t.kind == TOKEN_OPEN;
		w.end = t.span.end;
	}
	if (w.deep)
		return outline_fail(text, text.n, "unbalanced brackets", e);
	outline_end_deeper(out, text, &w.open, 0, w.end);
	return true;
}

bool outline_of(const struct language *lang, struct str text, struct outline *out, struct err *e)
{
	if (lang->body == BODY_INDENTED)
		return outline_indented(lang, text, out, e);
	if (lang->body == BODY_WORDS)
		return outline_words(lang, text, out, e);
	if (*lang->declares)
		return outline_braces(lang, text, out, e);
	if (strstr(lang->filetypes, " markdown "))
		return outline_headings(text, out);
	if (strstr(lang->filetypes, " make "))
		return outline_targets(text, out);
	if (outline_lines(lang, text, out))
		return true;
	return err_set(e, ERR_UNSUPPORTED, "declarations of this language cannot be parsed");
}
