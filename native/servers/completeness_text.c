#include "../code/lex.h"
#include "completeness_impl.h"

/* What the text alone tells of a place: no server has to be asked. */

/* In how many braces a place of C is; *fixed: what it is in is static, or no declaration. */
static size_t depth_at(struct str text, size_t at, bool *fixed)
{
	struct lexer l = lex_from(language_of("c"), text, 0);
	enum token_kind before = TOKEN_END;
	size_t depth = 0;

	*fixed = false;

	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END && t.span.at < at;
	     t = lex_next_code(&l)) {
		if (token_is(text, t, "{"))
			depth += depth || before != TOKEN_STRING;
		else if (token_is(text, t, "}"))
			depth -= depth > 0;
		else if (token_is(text, t, "static") || token_is(text, t, "typedef"))
			*fixed = *fixed || !depth;
		if (!depth &&
		    (token_is(text, t, ";") || token_is(text, t, "}") || t.kind == TOKEN_DIRECTIVE))
			*fixed = false;
		before = t.kind;
	}
	return depth;
}

bool completeness_global(struct str text, size_t at)
{
	bool fixed;

	return !depth_at(text, at, &fixed) && !fixed;
}

bool completeness_called(struct str text, size_t end)
{
	while (end < text.n && (text.p[end] == ' ' || text.p[end] == '\t'))
		end++;
	return end < text.n && text.p[end] == '(';
}

bool completeness_exported(struct str text, size_t at)
{
	struct lexer l = lex_from(language_of("javascript"), text, 0);
	struct str before = STR(""), last = STR("");
	size_t depth = 0, since = 0;

	for (struct token t; (t = lex_next_code(&l)).kind != TOKEN_END && t.span.at < at;) {
		struct str word = token_text(text, t);

		if (str_eq(word, STR("{"))) {
			depth++;
			if (!since && str_eq(last, STR("=")) && str_eq(before, STR("exports")))
				since = depth;
		} else if (str_eq(word, STR("}")) && depth) {
			since = since == depth ? 0 : since;
			depth--;
		}
		before = last;
		last = word;
	}
	return since && since == depth;
}

bool completeness_imported(struct str text, size_t at)
{
	struct lexer l = lex_from(language_of("typescript"), text, 0);
	bool opens = false, names = false, braces = false;

	for (struct token t; (t = lex_next_code(&l)).kind != TOKEN_END && t.span.at < at;) {
		struct str word = token_text(text, t);

		if (braces)
			braces = !str_eq(word, STR("}"));
		else if (str_eq(word, STR("import")))
			opens = names = true;
		else if (str_eq(word, STR("export")))
			opens = !(names = false);
		else if (opens && str_eq(word, STR("{")))
			braces = !(opens = false);
		else if (!str_eq(word, STR("type")))
			opens = opens && names && (str_eq(word, STR(",")) || str_named(*word.p));
	}
	return braces;
}

bool completeness_required(struct str text, size_t at)
{
	struct lexer l = lex_from(language_of("typescript"), text, at);
	static const char *const calls[] = { "}", "=", "require", "(" };
	struct token t = lex_next_code(&l);
	size_t n = 0;

	while (t.kind != TOKEN_END && !token_is(text, t, "}") && !token_is(text, t, "{"))
		t = lex_next_code(&l);
	while (n < sizeof(calls) / sizeof(*calls) && token_is(text, t, calls[n])) {
		t = lex_next_code(&l);
		n++;
	}
	return n == sizeof(calls) / sizeof(*calls);
}

struct str completeness_before(struct str text, size_t at)
{
	size_t end, from;

	while (at && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t' || text.p[at - 1] == '\n'))
		at--;
	end = from = at;
	while (from && str_named(text.p[from - 1]))
		from--;
	return str_sub(text, from == end && from ? from - 1 : from, end);
}

bool completeness_implied(struct str text, size_t at, size_t end)
{
	static const char *const tags[] = { "struct", "union", "enum", "class" };
	struct str word = completeness_before(text, at);
	bool fixed;

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (str_eq(word, str_of(tags[i]))) {
			while (end < text.n &&
			       (text.p[end] == ' ' || text.p[end] == '\t' || text.p[end] == '\n'))
				end++;
			return end == text.n || (text.p[end] != '{' && text.p[end] != ':');
		}
	return completeness_called(text, end) && depth_at(text, at, &fixed);
}
