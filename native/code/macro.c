#include "macro.h"

#include "../text/line.h"

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

struct macros macros_of(struct str text)
{
	return (struct macros){ .text = text };
}

static bool next_is(struct lexer *l, const char *what)
{
	struct token t = lex_next_code(l);

	return token_is(l->text, t, what);
}

static bool is_empty(struct span s)
{
	return s.at == s.end;
}

/* Up to the macro's name. */
static void read_name(struct macros *in)
{
	struct token name;

	in->name = (struct span){ 0, 0 };
	in->l = lex_from(language_of("c"), str_sub(in->text, 0, in->lines.end), in->lines.at);
	in->l.first = false; /* else all of it is one token */
	in->l.plain = true;
	if (!next_is(&in->l, "#") || !next_is(&in->l, "define"))
		return;
	name = lex_next_code(&in->l);
	if (name.kind == TOKEN_WORD)
		in->name = name.span;
}

static void enter_body(struct macros *in)
{
	in->l.at = in->body.at;
	in->l.first = false;
	in->ahead = lex_next_code(&in->l);
	in->pasted = false;
}

static void read_params(struct macros *in)
{
	size_t past = in->l.at;

	if (past < in->lines.end && in->text.p[past] == '(')
		past = lex_group_end(&in->l);
	in->params = (struct span){ in->name.end, past };
	in->body = (struct span){ past, past ? in->lines.end : 0 };
	in->word = STR("");
	in->is_param = false;
}

/* Reads the lines around `at`, if these are not the ones that were. */
static void macros_go(struct macros *in, size_t at)
{
	bool back = at < in->last;

	in->last = at;
	if (in->lines.at <= at && at <= in->lines.end && in->lines.end) {
		if (back)
			enter_body(in);
		return;
	}
	in->lines = (struct span){ whole_line_start(in->text, at), macro_line_end(in->text, at) };
	in->read += in->lines.end - in->lines.at;
	read_name(in);
	if (is_empty(in->name))
		return;
	read_params(in);
	enter_body(in);
}

bool macros_around(struct macros *in, size_t at, struct span *name)
{
	macros_go(in, at);
	*name = in->name;
	return !is_empty(in->name);
}

/* Whether the word is a whole token of the parameters. */
static bool is_param(struct macros *in, struct str word)
{
	struct lexer l = in->l;

	if (str_eq(word, in->word))
		return in->is_param;
	in->word = word;
	in->is_param = false;
	in->read += in->params.end - in->params.at;
	l.text.n = in->params.end;
	l.at = in->params.at;
	for (struct token t; !in->is_param && (t = lex_next(&l)).kind != TOKEN_END;)
		in->is_param = str_eq(token_text(l.text, t), word);
	return in->is_param;
}

/* Goes on through the body to the name at `at`. */
static bool stands_free(struct macros *in, size_t at)
{
	size_t from = in->ahead.span.at;
	struct lexer next;

	while (in->ahead.kind != TOKEN_END && in->ahead.span.at < at) {
		in->pasted = token_is(in->text, in->ahead, "#");
		in->ahead = lex_next_code(&in->l);
	}
	in->read += in->ahead.span.at - from;
	next = in->l;
	return in->ahead.kind == TOKEN_WORD && in->ahead.span.at == at && !in->pasted &&
	       !(next_is(&next, "#") && next_is(&next, "#"));
}

bool macros_using(struct macros *in, size_t at, struct macro *m)
{
	size_t end = at;

	macros_go(in, at);
	if (is_empty(in->name) || at < in->body.at || !in->body.end)
		return false;
	while (end < in->lines.end && str_named(in->text.p[end]))
		end++;
	*m = (struct macro){ in->name, in->body };
	return !is_param(in, str_sub(in->text, at, end)) && stands_free(in, at);
}

bool macros_next_use(struct macros *in, struct str name, size_t *at, struct macro *m)
{
	for (; str_find_name(in->text, name, at); *at += name.n)
		if (macros_using(in, *at, m))
			return true;
	return false;
}

bool macros_next_define(struct macros *in, struct str name, size_t *at)
{
	struct span defined;

	for (; str_find_name(in->text, name, at); *at += name.n)
		if (macros_around(in, *at, &defined) && defined.at == *at)
			return true;
	return false;
}
