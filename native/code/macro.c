#include "macro.h"

#include "../text/line.h"
#include "lex.h"

/* Where the line begins that holds `at`, with those that a backslash ties to it. */
static size_t whole_line_start(struct str text, size_t at)
{
	size_t start = line_start(text, at);

	while (start) {
		size_t end = line_end(text, start - 1);

		if (!end || text.p[end - 1] != '\\')
			break;
		start = line_start(text, end - 1);
	}
	return start;
}

size_t macro_line_end(struct str text, size_t at)
{
	while ((at = line_end(text, at)) < text.n && at && text.p[at - 1] == '\\')
		at = line_next(text, at);
	return at;
}

static bool next_is(struct lexer *l, const char *what)
{
	struct token t = lex_next_code(l);

	return token_is(l->text, t, what);
}

/* Whether the word is a whole token of what is left. */
static bool has_word(struct lexer l, struct str word)
{
	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END;)
		if (str_eq(token_text(l.text, t), word))
			return true;
	return false;
}

/* Goes through the rest of a body up to the name at `at`. */
static bool stands_free(struct lexer l, size_t at)
{
	bool pasted = false;

	for (struct token t; (t = lex_next_code(&l)).kind != TOKEN_END && t.span.at <= at;) {
		if (t.span.at == at && t.kind == TOKEN_WORD)
			return !pasted && !(next_is(&l, "#") && next_is(&l, "#"));
		pasted = token_is(l.text, t, "#");
	}
	return false;
}

/* Up to the macro's name, which is *name. */
static bool reads_head(struct lexer *l, struct token *name)
{
	l->first = false; /* else all of it is one token */
	l->plain = true;
	if (!next_is(l, "#") || !next_is(l, "define"))
		return false;
	*name = lex_next_code(l);
	return name->kind == TOKEN_WORD;
}

bool macro_around(struct str text, size_t at, struct macro *m)
{
	struct str part = str_sub(text, 0, macro_line_end(text, at));
	struct lexer l = lex_from(language_of("c"), part, whole_line_start(text, at));
	struct token name;

	if (!reads_head(&l, &name))
		return false;
	m->name = name.span;
	return true;
}

bool macro_using(struct str text, size_t at, struct macro *m)
{
	size_t start = whole_line_start(text, at), end = macro_line_end(text, at);
	struct lexer l = lex_from(language_of("c"), str_sub(text, 0, end), start);
	size_t word_end = at;
	struct token name;

	if (!reads_head(&l, &name) || at < l.at)
		return false;
	while (word_end < end && str_named(text.p[word_end]))
		word_end++;
	if (l.at < end && text.p[l.at] == '(') {
		size_t past = lex_group_end(&l);
		struct lexer params = l;

		params.text.n = past;
		if (!past || at < past || has_word(params, str_sub(text, at, word_end)))
			return false;
		l.at = past;
	}
	*m = (struct macro){ name.span, { l.at, end } };
	return stands_free(l, at);
}

bool macro_next_use(struct str text, struct str name, size_t *at, struct macro *m)
{
	for (; str_find_name(text, name, at); *at += name.n)
		if (macro_using(text, *at, m))
			return true;
	return false;
}
