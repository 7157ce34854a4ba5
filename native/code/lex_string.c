#include <string.h>

#include "language.h"

#define DEPTH_MOST 40 /* of code in strings in code; deeper, a string is taken to have none */

/* Behind the quote that ends it; of one that may not go on over lines, the line's end. */
static size_t quoted_end(struct str t, size_t at, struct str quote, bool escapes, bool lines)
{
	while (at < t.n) {
		if (escapes && t.p[at] == '\\' && at + 1 < t.n)
			at += 2;
		else if (t.p[at] == *quote.p && str_starts(str_sub(t, at, t.n), quote))
			return at + quote.n;
		else if (!lines && t.p[at] == '\n')
			return at - (t.p[at - 1] == '\r');
		else
			at++;
	}
	return at < t.n ? at : t.n;
}

/* R"x( at `at`: the quote. */
static size_t cpp_raw_end(struct str t, size_t at)
{
	size_t open = at + 1;
	char close[20] = ")";

	while (open < t.n && t.p[open] != '(' && open - at < sizeof(close) - 2)
		open++;
	if (open == t.n || t.p[open] != '(')
		return at;
	memcpy(close + 1, t.p + at + 1, open - at - 1);
	close[open - at] = '"';
	return quoted_end(t, open + 1, (struct str){ close, open - at + 1 }, false, true);
}

/* "..." or #"..."# behind r. */
static size_t rust_raw_end(struct str t, size_t at)
{
	static const char close[] = "\"################";
	size_t hashes = 0;

	while (at + hashes < t.n && t.p[at + hashes] == '#' && hashes < sizeof(close) - 2)
		hashes++;
	if (at + hashes == t.n || t.p[at + hashes] != '"')
		return at;
	return quoted_end(t, at + hashes + 1, (struct str){ close, hashes + 1 }, false, true);
}

/* 'x' and '\n' are characters, 'a is a lifetime. */
static size_t rust_char_end(struct str t, size_t at)
{
	size_t one = at + 2;

	if (at + 1 < t.n && t.p[at + 1] == '\\')
		return quoted_end(t, at + 1, STR("'"), true, false);
	while (one < t.n && str_inside(t.p[one]))
		one++;
	return one < t.n && t.p[one] == '\'' ? one + 1 : at;
}

/* A raw string begins with a word that touches its quote. */
static size_t raw_end(const struct lexer *l)
{
	static const char *const cpp[] = { "R", "LR", "uR", "UR", "u8R" }, *const rust[] = { "r",
											     "br",
											     "cr" };
	struct str rest = str_sub(l->text, l->at, l->text.n);
	bool is_cpp = l->lang->flags & LANG_CPP_RAW;
	size_t n = is_cpp ? sizeof(cpp) / sizeof(*cpp) : sizeof(rust) / sizeof(*rust);

	if (!rest.n || !str_any(is_cpp ? "RLuU" : "rbc", *rest.p))
		return l->at;
	for (size_t i = 0; i < n; i++) {
		struct str word = str_of(is_cpp ? cpp[i] : rust[i]);
		size_t at = l->at + word.n, end = at;

		if (!str_starts(rest, word) || at >= l->text.n)
			continue;
		if (is_cpp && l->text.p[at] == '"')
			end = cpp_raw_end(l->text, at);
		else if (!is_cpp)
			end = rust_raw_end(l->text, at);
		if (end > at)
			return end;
	}
	return l->at;
}

/* [==[ ... ]==] */
static size_t long_bracket_end(struct str t, size_t at)
{
	size_t level = 0;
	struct str close = { 0 };

	while (at + 1 + level < t.n && t.p[at + 1 + level] == '=')
		level++;
	if (at + 1 + level >= t.n || t.p[at + 1 + level] != '[')
		return at;
	for (size_t i = at + 2 + level; i < t.n; i++) {
		close = str_sub(t, i, t.n);
		if (close.n >= level + 2 && close.p[0] == ']' && close.p[level + 1] == ']' &&
		    !memcmp(close.p + 1, t.p + at + 1, level))
			return i + level + 2;
	}
	return t.n;
}

/* Behind the bracket that closes the one at `at`, in code that is in a string. */
static size_t code_end(struct lexer *from, size_t at, char open, char close)
{
	struct lexer l = lex_from(from->lang, from->text, at);
	size_t deep = 0;

	l.depth = from->depth + 1;
	l.sought = from->sought;
	l.plain = true;
	for (l.first = false;;) {
		struct token t = lex_next(&l);
		char c = t.span.end == t.span.at + 1 ? l.text.p[t.span.at] : '\0';

		deep += c == open;
		if (t.kind != TOKEN_END && (c != close || --deep))
			continue;
		from->sought = l.sought;
		return t.span.end;
	}
}

/* A string with code in it, from behind its first quote: `...${code}...`, "...$(code)...". */
static size_t mixed_end(struct lexer *l, size_t at, char quote, const char *opens)
{
	struct str t = l->text;

	while (at < t.n && t.p[at] != quote) {
		bool code = t.p[at] == '$' && at + 1 < t.n && str_any(opens, t.p[at + 1]) &&
			    l->depth < DEPTH_MOST;

		if (t.p[at] == '\\')
			at += 2;
		else if (code)
			at = code_end(l, at + 1, t.p[at + 1], t.p[at + 1] == '(' ? ')' : '}');
		else
			at++;
	}
	return at < t.n ? at + 1 : t.n;
}

/* /.../flags, with [/] in it; a line that does not end it has none, nor do so many bytes of one. */
static size_t regex_end(struct str t, size_t at)
{
	enum { REGEX_MOST = 4096 };
	bool set = false;

	for (size_t i = at + 1; i < t.n && i - at < REGEX_MOST && t.p[i] != '\n'; i++) {
		if (t.p[i] == '\\')
			i++;
		else if (t.p[i] == '[' || t.p[i] == ']')
			set = t.p[i] == '[';
		else if (t.p[i] == '/' && !set)
			return i + 1;
	}
	return at;
}

/* ${...} as a whole: what is in it opens no string and no brace. */
static size_t shell_end(struct lexer *l, char c)
{
	struct str t = l->text;

	if (c == '"')
		return mixed_end(l, l->at + 1, '"', "(");
	if (c == '$' && l->at + 1 < t.n && t.p[l->at + 1] == '\'')
		return quoted_end(t, l->at + 2, STR("'"), true, true);
	if (c == '$' && l->at + 1 < t.n && t.p[l->at + 1] == '{')
		return quoted_end(t, l->at + 2, STR("}"), true, false);
	if (c == '\\' && l->at + 1 < t.n)
		return l->at + 2;
	return l->at;
}

/* @"..." goes on over lines, and has a quote in it as two. */
static size_t verbatim_end(struct str t, size_t at)
{
	size_t end = at;

	if (at + 1 >= t.n || t.p[at] != '@' || t.p[at + 1] != '"')
		return at;
	for (end++; end < t.n && t.p[end] == '"';)
		end = quoted_end(t, end + 1, STR("\""), false, true);
	return end;
}

size_t lex_string_end(struct lexer *l)
{
	unsigned flags = l->lang->flags;
	struct str t = l->text, three = str_sub(t, l->at, l->at + 3 < t.n ? l->at + 3 : t.n);
	size_t at = l->at, end = at;
	char c = at < t.n ? t.p[at] : '\0';

	if (flags & (LANG_CPP_RAW | LANG_RUST_RAW))
		end = raw_end(l);
	if (flags & LANG_RUST_RAW && c == '\'')
		end = rust_char_end(t, at);
	if (flags & LANG_RUST_RAW && c == '"')
		end = quoted_end(t, at + 1, STR("\""), true, true);
	if (flags & LANG_TEMPLATES && c == '`')
		end = mixed_end(l, at + 1, '`', "{");
	if (flags & LANG_REGEX && c == '/' && !lex_behind_value(l))
		end = regex_end(t, at);
	if (flags & LANG_LONG_BRACKETS && c == '[')
		end = long_bracket_end(t, at);
	if (flags & LANG_VERBATIM)
		end = verbatim_end(t, at);
	if (flags & LANG_SHELL)
		end = shell_end(l, c);
	if (end > at || str_named(c))
		return end;
	if (flags & LANG_TRIPLE && (str_eq(three, STR("\"\"\"")) || str_eq(three, STR("'''"))))
		return quoted_end(t, at + 3, three, true, true);
	if (str_any(l->lang->quotes, c))
		return quoted_end(t, at + 1, str_sub(t, at, at + 1), true, false);
	if (str_any(l->lang->long_quotes, c))
		return quoted_end(t, at + 1, str_sub(t, at, at + 1), false, true);
	return at;
}
