#include "disabled.h"

static bool next_word_is(struct lexer *l, const char *what)
{
	return token_is(l->text, lex_next_code(l), what);
}

/* Its name, and in *l what follows that. */
static struct str directive_of(const struct language *lang, struct str text, struct token t,
			       struct lexer *l)
{
	struct token word;

	*l = lex_from(lang, str_sub(text, 0, t.span.end), t.span.at);
	l->first = false;
	l->plain = true;
	if (!next_word_is(l, "#"))
		return STR("");
	word = lex_next_code(l);
	return token_text(text, word);
}

static bool opens(struct str directive)
{
	return str_eq(directive, STR("if")) || str_eq(directive, STR("ifdef")) ||
	       str_eq(directive, STR("ifndef"));
}

static bool turns(struct str directive)
{
	return str_eq(directive, STR("else")) || str_eq(directive, STR("elif"));
}

void disabled_step(struct disabled *o, struct token t)
{
	struct lexer l;
	struct str word;

	if (t.kind != TOKEN_DIRECTIVE)
		return;
	word = directive_of(o->l.lang, o->l.text, t, &l);
	if (opens(word)) {
		o->depth++;
		if (!o->since && str_eq(word, STR("if")) && next_word_is(&l, "0") &&
		    lex_next_code(&l).kind == TOKEN_END)
			o->since = o->depth;
	} else if (str_eq(word, STR("endif"))) {
		if (o->since == o->depth)
			o->since = 0;
		o->depth -= o->depth > 0;
	} else if (o->since == o->depth && turns(word)) {
		o->since = 0;
	}
}

struct disabled disabled_from(const struct language *lang, struct str text)
{
	return (struct disabled){ .l = lex_from(lang, text, 0) };
}

bool disabled_at(struct disabled *o, size_t at)
{
	if (!language_has_macros(o->l.lang))
		return false;
	while (o->at <= at) {
		struct token t = lex_next(&o->l);

		if (t.kind == TOKEN_END)
			break;
		o->at = t.span.end;
		disabled_step(o, t);
	}
	return o->since;
}

#define NESTED_MOST 32

/* `#ifndef A`, and `#define A` behind it. */
static bool is_guard(struct lexer behind, struct token t)
{
	struct lexer l;
	struct str name = STR("");
	struct token word;

	if (!str_eq(directive_of(behind.lang, behind.text, t, &l), STR("ifndef")))
		return false;
	word = lex_next_code(&l);
	name = token_text(behind.text, word);
	t = lex_next_code(&behind);
	if (t.kind != TOKEN_DIRECTIVE ||
	    !str_eq(directive_of(behind.lang, behind.text, t, &l), STR("define")))
		return false;
	word = lex_next_code(&l);
	return str_eq(token_text(behind.text, word), name);
}

static void disabled_describe(struct str text, struct span condition, bool turned, struct buf *out)
{
	struct str rest = str_sub(text, condition.at, condition.end), line = STR("");

	str_line(&rest, &line);
	buf_addf(out, "%s`%.*s` of line %zu", turned ? "the #else of " : "",
		 STR_ARG(str_trim(line)), 1 + str_count(str_sub(text, 0, condition.at), '\n'));
}

bool disabled_perhaps(const struct language *lang, struct str text, size_t at, struct buf *out)
{
	struct lexer l = lex_from(lang, text, 0), inner;
	struct {
		struct span span; /* empty: it is no such condition */
		bool turned;
	} open[NESTED_MOST];
	size_t depth = 0;

	if (!language_has_macros(lang))
		return false;
	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END && t.span.at < at;) {
		struct str word =
			t.kind == TOKEN_DIRECTIVE ? directive_of(lang, text, t, &inner) : STR("");

		if (opens(word)) {
			if (depth < NESTED_MOST) {
				open[depth].span = is_guard(l, t) ? (struct span){ 0, 0 } : t.span;
				open[depth].turned = false;
			}
			depth++;
		} else if (str_eq(word, STR("endif"))) {
			depth -= depth > 0;
		} else if (turns(word) && depth && depth <= NESTED_MOST) {
			open[depth - 1].turned = str_eq(word, STR("else"));
			if (!open[depth - 1].turned)
				open[depth - 1].span = t.span;
		}
	}
	depth = depth < NESTED_MOST ? depth : NESTED_MOST;
	while (depth && open[depth - 1].span.end == 0)
		depth--;
	if (depth)
		disabled_describe(text, open[depth - 1].span, open[depth - 1].turned, out);
	return depth;
}
