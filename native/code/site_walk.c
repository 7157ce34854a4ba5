#include "site_impl.h"

#include "../base/mem.h"

static void begin_statement(struct walk *w)
{
	struct level *l = level(w);

	l->words = l->angles = 0;
	l->expression = l->called = l->type = false;
}

/* `import x from`, `use`, `using`; but import(...) is an expression. */
bool site_is_import(struct walk *w, const struct level *l)
{
	switch (w->dialect) {
	case DIALECT_PYTHON:
		return begins_with(w, l, 0, "from") || begins_with(w, l, 0, "import");
	case DIALECT_JS:
		return begins_with(w, l, 0, "import") && !l->called && !l->expression;
	case DIALECT_RUST:
		return begins_with(w, l, 0, "use") ||
		       (begins_with(w, l, 0, "pub") && begins_with(w, l, 1, "use"));
	case DIALECT_CPP:
		return begins_with(w, l, 0, "using");
	default:
		return false;
	}
}

/* `{` behind `export`, `import`, `exports =`: a list of names. */
static bool opens_names(struct walk *w)
{
	struct level *l = level(w);

	if (l->import || site_is_import(w, l))
		return true;
	if (w->dialect != DIALECT_JS)
		return false;
	return is(w, w->last[0], "export") ||
	       (is(w, w->last[0], "type") && is(w, w->last[1], "export")) ||
	       (is(w, w->last[0], "=") && is(w, w->last[1], "exports"));
}

static bool begins_with_type(struct walk *w)
{
	struct level *l = level(w);

	return begins_with(w, l, 0, "type") || begins_with(w, l, 1, "type");
}

static bool opens_members(struct walk *w)
{
	if (w->dialect == DIALECT_GO)
		return is(w, w->last[0], "interface");
	return w->dialect == DIALECT_JS &&
	       (level(w)->type || (is(w, w->last[0], "=") && begins_with_type(w)));
}

void site_walk_open(struct walk *w, size_t at, char bracket)
{
	struct level l = { .open = at, .bracket = bracket, .before = w->last[0] };

	if (w->n && bracket != '(')
		l.import = opens_names(w);
	if (w->n && bracket == '(' && w->dialect == DIALECT_PYTHON)
		l.import = site_is_import(w, level(w));
	if (w->n && bracket == '{')
		l.members = !l.import && opens_members(w);
	mem_add(w->v, w->n, w->cap, l);
}

static void pop(struct walk *w)
{
	struct level was;

	if (w->n < 2)
		return;
	was = w->v[--w->n];
	w->closed = was.before;
	if (was.bracket == '{' && !was.import)
		begin_statement(w);
	else if (was.bracket == '(')
		level(w)->called |= level(w)->words == 1 && !level(w)->expression;
}

/* Of C: what follows on is no declaration, whatever is before it, as `if (a)`. */
static bool begins_no_declaration(const struct walk *w, struct token t)
{
	static const char *const words[] = { "return", "else", "do", "case", "goto", NULL };
	static const char *const more[] = { "throw",	 "co_await", "co_yield",
					    "co_return", "not",	     NULL };

	return ((w->dialect == DIALECT_C || w->dialect == DIALECT_CPP) && one_of(w, t, words)) ||
	       (w->dialect == DIALECT_CPP && one_of(w, t, more));
}

static void site_walk_take_word(struct walk *w, struct token t)
{
	struct level *l = level(w);

	l->expression |= begins_no_declaration(w, t);
	l->type |= is(w, t, "class") || is(w, t, "interface");
	if (l->angles || is(w, w->last[0], "::"))
		return;
	if (l->words < 2)
		l->word[l->words] = t.span;
	l->words++;
}

static void take_sign(struct walk *w, struct token t)
{
	static const char *const types[] = { "*", "&",	"&&", "::", "<", ">",
					     ",", "..", "~",  "@",  NULL };
	struct level *l = level(w);

	l->expression |= !one_of(w, t, types) || (w->dialect == DIALECT_C && is(w, t, "&&"));
	l->angles += is(w, t, "<");
	l->angles -= is(w, t, ">") && l->angles;
}

static bool ends_statement(struct walk *w, struct token t)
{
	bool outside = level(w)->bracket != '(' && level(w)->bracket != '[';

	if (t.kind == TOKEN_LINE_END)
		return language_by_line(w->lang) && outside && !level(w)->import;
	return is(w, t, ";") || (is(w, t, ",") && !level(w)->import && w->n > 1) ||
	       (is(w, t, ":") && w->dialect != DIALECT_JS && w->dialect != DIALECT_RUST);
}

void site_walk_on(struct walk *w, struct token t)
{
	if (t.kind == TOKEN_SPACE || t.kind == TOKEN_COMMENT)
		return;
	if (ends_statement(w, t))
		begin_statement(w);
	if (t.kind == TOKEN_LINE_END)
		return;
	if (t.kind == TOKEN_OPEN)
		site_walk_open(w, t.span.at, w->text.p[t.span.at]);
	else if (t.kind == TOKEN_CLOSE)
		pop(w);
	else if (t.kind == TOKEN_WORD)
		site_walk_take_word(w, t);
	else if (t.kind == TOKEN_SIGN && !ends_statement(w, t))
		take_sign(w, t);
	if (t.kind == TOKEN_DIRECTIVE)
		begin_statement(w);
	memmove(w->last + 1, w->last, (SITE_BEFORE - 1) * sizeof(*w->last));
	w->last[0] = t;
}
