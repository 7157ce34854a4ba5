#include "language.h"

/* Behind the group at l->at; 0: it does not end. */
static size_t whole_group(struct lexer *l, const struct lexer *from)
{
	size_t end = l->vain < LEX_VAIN_MOST ? lex_group_end(from) : 0;

	l->vain += !end && l->vain < LEX_VAIN_MOST;
	return end;
}

/* Behind the group that follows, maybe after blanks; 0: none does. */
static size_t group_behind(struct lexer *l, size_t at, char open)
{
	struct lexer g = *l;

	g.at = at;
	g.at = lex_space_end(&g);
	return g.at < g.text.n && g.text.p[g.at] == open ? whole_group(l, &g) : 0;
}

static size_t template_end(struct lexer *l, size_t at)
{
	enum { TYPES_MOST = 4096 }; /* bytes of parameters; else what has no end is read often */
	struct lexer types = *l, behind;
	size_t end;

	types.at = at;
	types.text = str_sub(l->text, 0, l->text.n - at < TYPES_MOST ? l->text.n : at + TYPES_MOST);
	types.plain = true;
	behind = types;
	if (l->vain >= LEX_VAIN_MOST || !token_is(l->text, lex_next_code(&behind), "<"))
		return 0;
	end = lex_angles_end(&types);
	l->vain += !end;
	return end;
}

static size_t c_attribute_end(struct lexer *l)
{
	static const char *const words[] = { "__attribute__", "__declspec", "alignas", NULL };
	struct str word = str_sub(l->text, l->at, lex_word_end(l));

	if (lex_starts(l, l->at, "[["))
		return lex_behind_value(l) ? 0 : whole_group(l, l);
	if (str_eq(word, STR("template")))
		return template_end(l, l->at + word.n);
	return str_among(word, words) ? group_behind(l, l->at + word.n, '(') : 0;
}

/* @name.of.it(...) */
static size_t at_attribute_end(struct lexer *from)
{
	struct lexer l = *from;
	size_t group;

	for (l.at++; l.at < l.text.n && (str_named(l.text.p[l.at]) || l.text.p[l.at] == '.');)
		l.at++;
	group = l.at < l.text.n && l.text.p[l.at] == '(' ? whole_group(from, &l) : 0;
	return group ? group : l.at;
}

/* @ and what follows, to the end of the line or of the brackets that it opens. */
static size_t at_end_of_line(const struct lexer *from)
{
	struct lexer l = *from;
	size_t deep = 0, end = l.at;

	for (l.plain = true;;) {
		struct token t = lex_next(&l);

		deep += t.kind == TOKEN_OPEN;
		deep -= t.kind == TOKEN_CLOSE && deep;
		if (t.kind == TOKEN_END || (t.kind == TOKEN_LINE_END && !deep))
			return end;
		if (t.kind != TOKEN_SPACE && t.kind != TOKEN_COMMENT)
			end = t.span.end;
	}
}

size_t lex_attribute_end(struct lexer *l)
{
	unsigned flags = l->lang->flags;
	char c = l->text.p[l->at];

	if (l->plain)
		return 0;
	if (flags & LANG_C_ATTRIBUTES)
		return c == '[' || str_named(c) ? c_attribute_end(l) : 0;
	if (flags & LANG_HASH_ATTRIBUTES && c == '#')
		return group_behind(l, l->at + (lex_starts(l, l->at, "#!") ? 2 : 1), '[');
	if (c != '@')
		return 0;
	return flags & LANG_AT_ATTRIBUTES	   ? at_attribute_end(l)
	       : flags & LANG_AT_LINES && l->first ? at_end_of_line(l)
						   : 0;
}
