#include <stdlib.h>

#include "site_impl.h"

/* Behind types in <> or [] that belong to the name, and `?.`, `!`; or `at` itself. */
static size_t skip_types(const struct walk *w, size_t at)
{
	struct lexer l = lex_from(w->lang, w->text, at);
	struct token t;
	size_t end;

	l.plain = true;
	t = lex_next_code(&l);
	if (w->dialect == DIALECT_JS && is(w, t, "?") &&
	    str_starts(str_sub(w->text, l.at, w->text.n), STR(".")))
		return skip_types(w, l.at + 1);
	if (w->dialect == DIALECT_JS && is(w, t, "!"))
		return skip_types(w, l.at);
	if (w->dialect == DIALECT_RUST && is(w, t, "::"))
		t = lex_next_code(&l);
	if ((w->dialect == DIALECT_GO || w->dialect == DIALECT_PYTHON) && is(w, t, "[")) {
		l.at = t.span.at;
		end = lex_group_end(&l);
		return end ? end : at;
	}
	if (!is(w, t, "<") || w->dialect == DIALECT_C || w->dialect == DIALECT_PYTHON)
		return at;
	l.at = t.span.at;
	end = lex_angles_end(&l);
	return end ? end : at;
}

/* Where the list opens behind the name; 0: it does not. */
static size_t list_open(const struct walk *w, size_t at)
{
	struct lexer l = lex_from(w->lang, w->text, skip_types(w, at));
	struct token t;

	l.first = false;
	t = lex_next_code(&l);
	return is(w, t, "(") ? t.span.at : 0;
}

static size_t group_end(const struct walk *w, size_t open)
{
	struct lexer l = lex_from(w->lang, w->text, open);

	l.first = false;
	return lex_group_end(&l);
}

/* The next code behind a place, on the same line where lines end statements. */
static struct token code_behind(const struct walk *w, size_t at, struct lexer *l)
{
	struct token t;

	*l = lex_from(w->lang, w->text, at);
	l->first = false;
	do
		t = lex_next(l);
	while (t.kind == TOKEN_SPACE || t.kind == TOKEN_COMMENT ||
	       (t.kind == TOKEN_LINE_END && !language_by_line(w->lang)));
	return t;
}

/* Whether the declaration whose list ends at `at` has a body. */
static bool has_body(const struct walk *w, size_t at)
{
	struct lexer l;
	struct token t = code_behind(w, at, &l);

	if (w->dialect == DIALECT_PYTHON)
		return true;
	for (;; t = lex_next(&l)) {
		if (is(w, t, "{") || is(w, t, "=>"))
			return true;
		if (t.kind == TOKEN_END || t.kind == TOKEN_CLOSE || is(w, t, ";") ||
		    (is(w, t, ",") && w->dialect != DIALECT_RUST) ||
		    (t.kind == TOKEN_LINE_END && language_by_line(w->lang)))
			return false;
		if (t.kind == TOKEN_OPEN) {
			l.at = t.span.at;
			l.at = lex_group_end(&l);
			if (!l.at)
				return false;
		}
	}
}

/* Something that only a type can be is before the name, and before what qualifies it. */
static bool declared_in_c(struct walk *w)
{
	static const char *const words[] = { "return",	 "else",     "do",	  "case",
					     "goto",	 "throw",    "new",	  "delete",
					     "sizeof",	 "typeof",   "alignof",	  "decltype",
					     "co_await", "co_yield", "co_return", "not",
					     NULL };
	struct level *l = level(w);
	struct token first = { .span = l->word[0] };

	/* EXPORT(int) area(...); in a function it is if (...) area(...), behind a sign a cast */
	if (is(w, w->last[0], ")"))
		return w->n == 1 && !l->expression;
	if ((w->n > 1 && l->bracket != '{') || l->expression || !l->words ||
	    one_of(w, first, words))
		return false;
	return l->words > (size_t)is(w, w->last[0], "::");
}

/* `n * area(1)`: no parameter is a number or a string. */
static bool begins_with_value(const struct walk *w, size_t open)
{
	struct lexer l;
	struct token t = code_behind(w, open + 1, &l);
	char c = w->text.p[t.span.at];

	return t.kind == TOKEN_STRING || (t.kind == TOKEN_WORD && c >= '0' && c <= '9');
}

static bool declared_in_js(struct walk *w, size_t end)
{
	static const char *const words[] = { "public",	"private",  "protected", "static",
					     "async",	"abstract", "override",	 "readonly",
					     "declare", "get",	    "set",	 "{",
					     "}",	";",	    ",",	 "*",
					     NULL };
	struct token before = w->last[0], behind;
	struct level *l = level(w);
	bool begins = !l->words || one_of(w, before, words);
	struct lexer x;

	if (is(w, before, "function") || (is(w, before, "*") && is(w, w->last[1], "function")))
		return true;
	if (l->bracket != '{' || l->expression || !begins || is(w, before, "."))
		return false;
	behind = code_behind(w, end, &x);
	return l->members || is(w, behind, "{") || (is(w, behind, ":") && !is(w, before, "?"));
}

static bool declared(struct walk *w, size_t open, size_t end)
{
	struct token before = w->last[0];

	switch (w->dialect) {
	case DIALECT_PYTHON:
		return is(w, before, "def");
	case DIALECT_RUST:
		return is(w, before, "fn");
	case DIALECT_GO:
		return is(w, before, "func") ||
		       (is(w, before, ")") && begins_with(w, level(w), 0, "func") &&
			level(w)->words == 1) ||
		       (level(w)->members && !level(w)->words);
	case DIALECT_JS:
		return declared_in_js(w, end);
	default:
		return declared_in_c(w) && !begins_with_value(w, open);
	}
}

/* `area = (w, h) => ...`, `area: function (w, h) {...}`: the list of the function; 0: none. */
static size_t function_value(const struct walk *w, struct span name)
{
	struct lexer l;
	struct token t = code_behind(w, name.end, &l);
	size_t open;

	if (w->dialect != DIALECT_JS || (!is(w, t, "=") && !is(w, t, ":")))
		return 0;
	t = code_behind(w, t.span.end, &l);
	if (is(w, t, "async"))
		t = code_behind(w, t.span.end, &l);
	if (is(w, t, "function")) {
		t = code_behind(w, t.span.end, &l);
		if (is(w, t, "*"))
			t = code_behind(w, t.span.end, &l);
		open = list_open(w, t.kind == TOKEN_WORD ? t.span.end : t.span.at);
		return open && group_end(w, open) ? open : 0;
	}
	open = list_open(w, t.span.at);
	if (!open || !group_end(w, open))
		return 0;
	t = code_behind(w, group_end(w, open), &l);
	return is(w, t, "=>") || (is(w, t, ":") && has_body(w, t.span.end)) ? open : 0;
}

/* const { area } = require('./shape') */
static bool site_is_required(struct walk *w)
{
	struct lexer l;
	struct token t;
	size_t end = w->n > 1 && level(w)->bracket == '{' ? group_end(w, level(w)->open) : 0;

	if (w->dialect != DIALECT_JS || !end)
		return false;
	t = code_behind(w, end, &l);
	t = is(w, t, "=") ? code_behind(w, t.span.end, &l) : t;
	return is(w, t, "require");
}

/* exports.area = area, export default area */
static bool is_exported(struct walk *w, struct span name)
{
	struct lexer l;
	struct token behind = code_behind(w, name.end, &l);
	bool named = is(w, w->last[0], ".") && is(w, w->last[1], "exports");

	if (w->dialect != DIALECT_JS)
		return false;
	return (is(w, w->last[0], "default") && is(w, w->last[1], "export")) ||
	       (named && is(w, behind, "=")) ||
	       (is(w, w->last[0], "=") &&
		(is(w, w->last[1], "exports") ||
		 (is(w, w->last[2], ".") && is(w, w->last[3], "exports"))));
}

/* The token `as` behind a name, not that of `import f as f`, by which Python exports it again. */
static bool is_imported_as_other(const struct walk *w, struct token as, struct span name)
{
	struct lexer l;
	struct token alias;

	if (!is(w, as, "as") || w->dialect == DIALECT_JS)
		return false;
	alias = code_behind(w, as.span.end, &l);
	return !str_eq(token_text(w->text, alias), str_sub(w->text, name.at, name.end));
}

static void import_or_other(struct walk *w, struct site *s)
{
	struct lexer l;
	struct token behind = code_behind(w, s->name.end, &l);
	bool import = level(w)->import || site_is_import(w, level(w)) || site_is_required(w) ||
		      is_exported(w, s->name);

	s->kind = import ? SITE_IMPORT : SITE_OTHER;
	s->why = "it is not a plain call";
	if (is(w, w->last[0], "@"))
		s->why = "it is a decorator";
	else if (import && is_imported_as_other(w, behind, s->name)) {
		s->kind = SITE_OTHER;
		s->why = "it is imported under another name";
	}
}

/* x.name, and Go's (*T).name */
static struct str receiver_of(const struct walk *w)
{
	if (w->dialect == DIALECT_GO && is(w, w->last[0], ".") && is(w, w->last[1], ")") &&
	    is(w, w->last[3], "*"))
		return token_text(w->text, w->last[2]);
	if (!is(w, w->last[0], ".") || w->last[1].kind != TOKEN_WORD)
		return STR("");
	return token_text(w->text, w->last[1]);
}

/* `end` is behind the name and the brackets around it, which `w` is before. */
static void look_around(struct walk *w, struct site *s, size_t end)
{
	size_t open = list_open(w, end), value = 0;

	s->end = open ? group_end(w, open) : 0;
	s->receiver = receiver_of(w);
	s->qualified = is(w, w->last[0], "::");
	if (!open && (value = function_value(w, s->name))) {
		s->kind = SITE_DECLARATION;
		s->open = value;
		s->end = group_end(w, value);
		s->body = true;
	} else if (!open) {
		import_or_other(w, s);
	} else if (!s->end) {
		s->why = "its brackets are not balanced";
	} else {
		s->open = open;
		s->kind = declared(w, open, s->end) ? SITE_DECLARATION : SITE_CALL;
		s->body = s->kind == SITE_DECLARATION && has_body(w, s->end);
	}
}

/* Behind the `)` of `(name) (`; 0: it is no such name. */
static size_t bracketed_end(const struct walk *w, struct span name)
{
	struct lexer l;
	struct token close = code_behind(w, name.end, &l);
	bool c = w->dialect == DIALECT_C || w->dialect == DIALECT_CPP;

	if (!c || w->n < 2 || !is(w, w->last[0], "(") || !is(w, close, ")") ||
	    !is(w, code_behind(w, close.span.end, &l), "("))
		return 0;
	return close.span.end;
}

/* The walk as it was before the bracket that was opened last. */
static struct walk before_bracket(const struct walk *w)
{
	struct walk out = *w;

	out.n--;
	memmove(out.last, w->last + 1, (SITE_BEFORE - 1) * sizeof(*out.last));
	out.last[SITE_BEFORE - 1] = (struct token){ .kind = TOKEN_END };
	return out;
}

/* `int (area)(int w)` declares it; `make(area)(1)` and `typeof(area) (*p)` do not: in braces one
 * word tells nothing, unless it is a type. */
static bool declared_in_brackets(struct walk *w)
{
	static const char *const words[] = { "typeof",	 "__typeof",  "__typeof__", "typeof_unqual",
					     "decltype", "constexpr", NULL };
	struct token before = w->last[0];
	bool named = before.kind == TOKEN_WORD || is(w, before, ">");

	return !one_of(w, before, words) &&
	       (w->n == 1 || level(w)->words > 1 || !named || token_is_c_type(w->text, before));
}

/* No function that would be called with it is before `(area)(1)`: an operator, an opening
 * bracket, `if (...)`, a cast. */
static bool called_in_brackets(const struct walk *w)
{
	static const char *const words[] = { "return", "else",	   "do",       "case",	    "throw",
					     "sizeof", "co_await", "co_yield", "co_return", "not",
					     "and",    "or",	   NULL };
	static const char *const heads[] = { "if", "while", "for", "switch", NULL };
	struct token before = w->last[0];
	bool cpp = w->dialect == DIALECT_CPP;

	if (before.kind == TOKEN_WORD)
		return one_of(w, before, words);
	if (is(w, before, ")"))
		return one_of(w, w->closed, heads) || is(w, w->last[1], "*") ||
		       token_is_c_type(w->text, w->last[1]);
	if (before.kind == TOKEN_CLOSE) /* a block's; or a lambda's, or an element is called */
		return is(w, before, "}") && !cpp;
	if (before.kind == TOKEN_SIGN) /* `make<int>(area)(1)` */
		return !cpp || w->text.p[before.span.end - 1] != '>';
	return before.kind == TOKEN_OPEN || before.kind == TOKEN_DIRECTIVE;
}

/* C's `(area)(1, 2)` calls the function and never a macro; else it is what `area(1, 2)` is. */
static void site_look(struct walk *w, struct site *s)
{
	size_t end = bracketed_end(w, s->name);
	struct walk outside;

	if (end) {
		outside = before_bracket(w);
		if (declared_in_c(&outside) ? declared_in_brackets(&outside)
					    : called_in_brackets(&outside)) {
			look_around(&outside, s, end);
			return;
		}
	}
	look_around(w, s, s->name.end);
}

/* In a string with code in it, or in a name as a string. */
static void look_in_string(struct walk *w, struct site *s, struct span string)
{
	size_t open = list_open(w, s->name.end);

	s->quoted = true;
	s->end = open && open < string.end ? group_end(w, open) : 0;
	s->open = open;
	s->kind = s->end && s->end <= string.end ? SITE_CALL : SITE_OTHER;
	s->why = "it is in a string";
	if (s->name.at == string.at + 1 && s->name.end + 1 == string.end)
		s->kind = SITE_IMPORT;
}

static void look_in_directive(struct site *s)
{
	s->directive = true;
	s->why = "it is in a macro";
}

static void look_in(struct walk *w, struct site *s, struct token t)
{
	s->kind = SITE_OTHER;
	s->why = "it is not an identifier here: it comes from a macro, or the index is out of date";
	if (t.kind == TOKEN_STRING)
		look_in_string(w, s, t.span);
	else if (t.kind == TOKEN_COMMENT)
		s->kind = SITE_IMPORT;
	else if (t.kind == TOKEN_DIRECTIVE)
		look_in_directive(s);
	else if (t.kind == TOKEN_WORD && t.span.at == s->name.at && t.span.end == s->name.end)
		site_look(w, s);
}

void sites_read(const struct language *lang, struct str text, struct site *v, size_t n)
{
	struct walk w = { .lang = lang, .dialect = language_dialect(lang), .text = text };

	w.l = lex_from(lang, text, 0);
	w.l.plain = true;
	site_walk_open(&w, 0, '\0');
	for (size_t i = 0; i < n;) {
		struct token t = lex_next(&w.l);

		if (t.kind == TOKEN_END)
			break;
		for (; i < n && v[i].name.at < t.span.end; i++)
			look_in(&w, &v[i], t);
		site_walk_on(&w, t);
	}
	free(w.v);
}
