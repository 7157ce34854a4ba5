#include "names.h"

#include "../base/mem.h"
#include "language.h"

struct search {
	struct str name;
	struct names *out;
	bool strings, directive;
	size_t open; /* brackets */
};

static void names_add(const struct search *s, size_t at)
{
	struct names *out = s->out;

	mem_add(out->v, out->n, out->cap, (struct name_place){ at, s->directive, !s->open });
}

/* A string with code in it: whoever asks a server about such a place hears whether it is some. */
static void search_string(const struct search *s, struct str text, struct span in)
{
	struct str part = str_sub(text, 0, in.end);

	for (size_t at = in.at; str_find_name(part, s->name, &at); at += s->name.n)
		names_add(s, at);
}

static void names_take(struct search *s, struct str text, struct token t)
{
	s->open += t.kind == TOKEN_OPEN;
	s->open -= t.kind == TOKEN_CLOSE && s->open;
	if (t.kind == TOKEN_STRING && s->strings)
		search_string(s, text, t.span);
	else if ((t.kind == TOKEN_WORD || t.kind == TOKEN_OPEN) &&
		 str_eq(token_text(text, t), s->name))
		names_add(s, t.span.at);
}

static bool is_prose(struct lexer l)
{
	static const char *const words[] = { "include", "include_next", "import", "error",
					     "warning", "line",		NULL };
	struct token hash = lex_next_code(&l), word = lex_next_code(&l);

	(void)hash;
	return str_among(token_text(l.text, word), words);
}

static struct lexer inside_directive(const struct language *lang, struct str text, struct span line)
{
	struct lexer l = lex_from(lang, str_sub(text, 0, line.end), line.at);

	l.first = false; /* else all of it is one token */
	l.plain = true;
	return l;
}

static void search_directive(struct search *s, const struct lexer *of, struct span line)
{
	struct lexer l = inside_directive(of->lang, of->text, line);
	size_t open = s->open;

	if (is_prose(l))
		return;
	s->directive = true;
	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END;)
		names_take(s, l.text, t);
	s->directive = false;
	s->open = open;
}

void names_in_code(const struct language *lang, struct str text, struct str name, struct names *out)
{
	enum dialect d = language_dialect(lang);
	struct search s = { name, out, d == DIALECT_PYTHON || d == DIALECT_JS || d == DIALECT_RUST,
			    false, 0 };
	struct lexer l = lex_from(lang, text, 0);
	size_t any = 0;

	if (!name.n || !str_find_name(text, name, &any))
		return;
	l.plain = true;
	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END;)
		if (t.kind == TOKEN_DIRECTIVE)
			search_directive(&s, &l, t.span);
		else
			names_take(&s, text, t);
}
