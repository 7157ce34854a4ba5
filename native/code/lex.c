#include <string.h>

#include "../text/line.h"
#include "language.h"

struct lexer lex_from(const struct language *lang, struct str text, size_t at)
{
	size_t blanks = line_indent(text, at).n;

	return (struct lexer){
		.lang = lang, .text = text, .at = at, .first = at <= line_start(text, at) + blanks
	};
}

bool lex_starts(const struct lexer *l, size_t at, const char *what)
{
	for (; *what; what++, at++)
		if (at >= l->text.n || l->text.p[at] != *what)
			return false;
	return true;
}

/* Blanks; a line end with a backslash before it continues the line. */
size_t lex_space_end(const struct lexer *l)
{
	struct str t = l->text;
	size_t at = l->at;

	for (; at < t.n; at++) {
		bool escaped = t.p[at] == '\\' && (at + 1 == t.n || lex_starts(l, at + 1, "\n") ||
						   lex_starts(l, at + 1, "\r\n"));

		if (escaped)
			at += lex_starts(l, at + 1, "\r") ? 2 : 1;
		else if (t.p[at] != ' ' && t.p[at] != '\t' && t.p[at] != '\f' && t.p[at] != '\r')
			break;
		else if (t.p[at] == '\r' && lex_starts(l, at + 1, "\n"))
			break;
	}
	return at < t.n ? at : t.n;
}

static size_t block_end(const struct lexer *l)
{
	const struct language *g = l->lang;
	size_t at = l->at + strlen(g->block_open), deep = 1;

	while (at < l->text.n) {
		if (lex_starts(l, at, g->block_close)) {
			at += strlen(g->block_close);
			if (!--deep)
				return at;
		} else if ((g->flags & LANG_NESTED) && lex_starts(l, at, g->block_open)) {
			at += strlen(g->block_open);
			deep++;
		} else {
			at++;
		}
	}
	return at;
}

static size_t comment_end(const struct lexer *l)
{
	const struct language *g = l->lang;
	struct lexer behind = *l;

	if (*g->block_open && lex_starts(l, l->at, g->block_open))
		return block_end(l);
	if (!*g->line_comment || !lex_starts(l, l->at, g->line_comment))
		return l->at;
	if ((g->flags & LANG_SHELL) && l->at && !str_any(" \t\r\n;()&|", l->text.p[l->at - 1]))
		return l->at; /* as in $# */
	behind.at += strlen(g->line_comment);
	if (g->flags & LANG_LONG_BRACKETS) {
		size_t end = lex_string_end(&behind);

		if (end > behind.at && l->text.p[behind.at] == '[')
			return end;
	}
	return line_end(l->text, l->at);
}

static size_t directive_end(const struct lexer *l)
{
	size_t at = l->at;

	while ((at = line_end(l->text, at)) < l->text.n && l->text.p[at - 1] == '\\')
		at += l->text.p[at] == '\r' ? 2 : 1;
	return at;
}

size_t lex_word_end(const struct lexer *l)
{
	struct str t = l->text;
	size_t at = l->at;
	bool number = at < t.n && t.p[at] >= '0' && t.p[at] <= '9';

	while (at < t.n &&
	       (str_named(t.p[at]) || (number && (l->lang->flags & LANG_CPP_RAW) &&
				       t.p[at] == '\'' && at + 1 < t.n && str_named(t.p[at + 1]))))
		at++;
	return at;
}

size_t lex_group_end(const struct lexer *from)
{
	struct lexer l = *from;
	size_t deep = 0;

	for (l.plain = true;;) {
		struct token t = lex_next(&l);

		if (t.kind == TOKEN_END)
			return 0;
		deep += t.kind == TOKEN_OPEN;
		if (t.kind == TOKEN_CLOSE && !--deep)
			return t.span.end;
		if (!deep)
			return 0;
	}
}

size_t lex_angles_end(const struct lexer *from)
{
	struct lexer l = *from;
	size_t deep = 0;

	for (l.plain = true;;) {
		struct token t = lex_next_code(&l);

		if (t.kind == TOKEN_OPEN && deep) {
			l.at = t.span.at;
			l.at = lex_group_end(&l);
			if (!l.at)
				return 0;
		} else if (token_is(l.text, t, "<")) {
			deep++;
		} else if (token_is(l.text, t, ">") && deep) {
			if (!--deep)
				return t.span.end;
		} else if (!deep || t.kind == TOKEN_END || t.kind == TOKEN_CLOSE ||
			   token_is(l.text, t, ";")) {
			return 0;
		}
	}
}

/* Braces of the shell are words: `{ ` and ` }`. */
static enum token_kind shell_bracket(const struct lexer *l)
{
	struct str t = l->text;
	size_t at = l->at;

	if (t.p[at] == '{' && (at + 1 == t.n || str_any(" \t\r\n", t.p[at + 1])))
		return TOKEN_OPEN;
	if (t.p[at] == '}' && (!at || str_any(" \t\n;", t.p[at - 1])))
		return TOKEN_CLOSE;
	return TOKEN_SIGN;
}

static enum token_kind bracket(const struct lexer *l)
{
	char c = l->text.p[l->at];

	if (!str_any("([{}])", c))
		return TOKEN_SIGN;
	if (l->lang->flags & LANG_SHELL)
		return shell_bracket(l);
	return str_any("([{", c) ? TOKEN_OPEN : TOKEN_CLOSE;
}

static enum token_kind word_kind(const struct lexer *l, struct str word)
{
	static const char *const open[] = { "function", "do", "if", "repeat", NULL },
				 *const close[] = { "end", "until", NULL };

	if (l->lang->body != BODY_WORDS)
		return TOKEN_WORD;
	return str_among(word, open)	? TOKEN_OPEN
	       : str_among(word, close) ? TOKEN_CLOSE
					: TOKEN_WORD;
}

/* Two bytes that belong together; `>>` may close two templates. */
static size_t sign_length(const struct lexer *l)
{
	struct str t = l->text;
	char a = t.p[l->at], b = l->at + 1 < t.n ? t.p[l->at + 1] : '\0';
	bool pair = b == '='   ? str_any("=<>!:+-*/|&^%~", a)
		    : b == '>' ? a == '=' || a == '-'
			       : a == b && str_any(":&|+-.", a);

	return pair ? 2 : 1;
}

/* The lines up to the one that is the word; 0: there is no such line. */
static size_t here_end(const struct lexer *l, size_t at, struct span word)
{
	struct str rest = str_sub(l->text, at, l->text.n), line;

	while (str_line(&rest, &line))
		if (str_eq(str_trim(line), str_sub(l->text, word.at, word.end)))
			return (size_t)(line.p + line.n - l->text.p);
	return 0;
}

/* Whether the lines from `at` on may be looked at for one that ends a document. Those of two that
 * begin on one line are looked at twice. */
static bool may_seek(struct lexer *l, size_t at)
{
	size_t most = l->text.n * LEX_SOUGHT_TIMES + LEX_SOUGHT_LEAST;

	return l->text.n - at <= most && l->sought <= most - (l->text.n - at);
}

/* Finds the end of the document that the word ends; the lines behind the one with `at` are read. */
static bool seek_here(struct lexer *l, size_t at, struct span word)
{
	size_t end = here_end(l, line_next(l->text, at), word);

	if (!end)
		l->no_here = word;
	if (!end || l->here_word.end) /* else they are read once more, and that is all */
		l->sought += (end ? end : l->text.n) - at;
	return end;
}

/* `<<WORD`, also quoted: the document begins with the next line. What is not ended is a shift; what
 * did not end a document before does not end one below, and no number ends one. */
static void note_here(struct lexer *l)
{
	struct lexer w = *l;
	struct str vain = str_sub(l->text, l->no_here.at, l->no_here.end), word;

	if (!lex_starts(l, l->at, "<<") || lex_starts(l, l->at, "<<<") ||
	    (l->at && l->text.p[l->at - 1] == '<'))
		return;
	w.at += lex_starts(l, l->at, "<<-") ? 3 : 2;
	w.at = lex_space_end(&w);
	if (w.at < w.text.n && str_any("'\"\\", w.text.p[w.at]))
		w.at++;
	w.here_word = (struct span){ w.at, lex_word_end(&w) };
	word = str_sub(w.text, w.here_word.at, w.here_word.end);
	if (!word.n || (*word.p >= '0' && *word.p <= '9') || (vain.n && str_eq(vain, word)) ||
	    !may_seek(l, w.at))
		return;
	if (seek_here(l, w.at, w.here_word))
		l->here_word = w.here_word;
}

static bool here_begins(const struct lexer *l)
{
	return l->here_word.end > l->here_word.at && l->at && l->text.p[l->at - 1] == '\n';
}

/* What begins as a name does: few of these bytes begin a string or an attribute. */
static enum token_kind named_kind(struct lexer *l, size_t *end)
{
	unsigned flags = l->lang->flags;
	char c = l->text.p[l->at];

	if ((flags & (LANG_CPP_RAW | LANG_RUST_RAW)) && str_any("RLuUrbc", c) &&
	    (*end = lex_string_end(l)) > l->at)
		return TOKEN_STRING;
	if ((flags & LANG_C_ATTRIBUTES) && (c == '_' || c == 't' || c == 'a') &&
	    (*end = lex_attribute_end(l)) > l->at)
		return TOKEN_ATTRIBUTE;
	*end = lex_word_end(l);
	return word_kind(l, str_sub(l->text, l->at, *end));
}

/* Most tokens are told by their first byte; false: this one is not. */
static bool is_plain_kind(struct lexer *l, enum token_kind *kind, size_t *end)
{
	char c = l->text.p[l->at];

	*end = l->at + 1;
	if (str_named(c)) {
		*kind = named_kind(l, end);
		return true;
	}
	switch (c) {
	case '\n':
		*kind = TOKEN_LINE_END;
		return true;
	case '(':
	case '{':
		*kind = TOKEN_OPEN;
		return true;
	case ')':
	case '}':
		*kind = TOKEN_CLOSE;
		return true;
	case ',':
	case ';':
		*kind = TOKEN_SIGN;
		return true;
	case '=':
	case '+':
	case '*':
	case '<':
	case '>':
	case '.':
	case ':':
	case '!':
	case '&':
	case '|':
		*end = l->at + sign_length(l);
		*kind = TOKEN_SIGN;
		return true;
	default:
		return false;
	}
}

static enum token_kind kind_at(struct lexer *l, size_t *end)
{
	char c = l->text.p[l->at];
	enum token_kind plain;

	if (!l->at && lex_starts(l, 0, "\xef\xbb\xbf")) { /* a byte order mark */
		*end = 3;
		return TOKEN_SPACE;
	}
	if (!(l->lang->flags & LANG_SHELL) && is_plain_kind(l, &plain, end))
		return plain;

	if (here_begins(l) && (*end = here_end(l, l->at, l->here_word)) > l->at)
		return TOKEN_STRING;
	if ((*end = lex_space_end(l)) > l->at)
		return TOKEN_SPACE;
	*end = l->at + (c == '\r' ? 2 : 1);
	if (c == '\n' || c == '\r')
		return TOKEN_LINE_END;
	if ((*end = comment_end(l)) > l->at)
		return TOKEN_COMMENT;
	if (c == '#' && l->first && (l->lang->flags & LANG_PREPROCESSOR)) {
		*end = directive_end(l);
		return TOKEN_DIRECTIVE;
	}
	if ((*end = lex_string_end(l)) > l->at)
		return TOKEN_STRING;
	if ((*end = lex_attribute_end(l)) > l->at)
		return TOKEN_ATTRIBUTE;
	if ((*end = lex_word_end(l)) > l->at)
		return word_kind(l, str_sub(l->text, l->at, *end));
	*end = l->at + sign_length(l);
	return bracket(l);
}

bool lex_behind_value(const struct lexer *l)
{
	/* Behind these a slash begins a regular expression. */
	static const char *const words[] = { "return", "typeof", "case",  "in",	 "of",
					     "do",     "else",	 "void",  "new", "delete",
					     "throw",  "yield",	 "await", "if",	 "unless",
					     "when",   "and",	 "or",	  "not", NULL };

	if (l->last.kind == TOKEN_WORD)
		return !str_among(token_text(l->text, l->last), words);
	return l->last.kind == TOKEN_STRING || l->last.kind == TOKEN_CLOSE;
}

struct token lex_next(struct lexer *l)
{
	struct token t = { TOKEN_END, { l->at, l->at }, l->first };

	if (l->at >= l->text.n)
		return t;
	t.kind = kind_at(l, &t.span.end);
	if (here_begins(l))
		l->here_word = (struct span){ 0, 0 };
	if (l->lang->flags & LANG_SHELL && l->text.p[l->at] == '<')
		note_here(l);
	if (t.kind != TOKEN_SPACE)
		l->first = t.kind == TOKEN_LINE_END;
	if (t.kind != TOKEN_SPACE && t.kind != TOKEN_LINE_END && t.kind != TOKEN_COMMENT)
		l->last = t;
	l->at = t.span.end;
	return t;
}

struct token lex_next_code(struct lexer *l)
{
	struct token t;

	do
		t = lex_next(l);
	while (t.kind == TOKEN_SPACE || t.kind == TOKEN_LINE_END || t.kind == TOKEN_COMMENT);
	return t;
}

bool token_is(struct str text, struct token t, const char *what)
{
	return str_eq(token_text(text, t), str_of(what));
}

bool token_is_c_type(struct str text, struct token t)
{
	static const char *const words[] = { "int",    "char",	"short",   "long",   "unsigned",
					     "signed", "float", "double",  "void",   "bool",
					     "_Bool",  "auto",	"wchar_t", "size_t", NULL };

	for (size_t i = 0; words[i]; i++)
		if (token_is(text, t, words[i]))
			return true;
	return false;
}
