#include "../base/buf.h"
#include "outline_impl.h"

/*
 * Lua: `function a.b:c`, local or not, and a statement that assigns one function to one name,
 * `a.b = function`. A function in a table, or one of several that are assigned, has no name here.
 */
struct outline_words {
	const struct language *lang;
	struct str text;
	struct outline *out;
	struct buf *open; /* what opens each bracket or block that has not ended */
	size_t parent;	  /* the innermost function that has a name, from 1 */
	struct token last;
	struct span target; /* what a statement that begins here may assign to; empty: nothing */
	size_t statement;   /* where that statement begins */
	bool assigned;	    /* `=` is behind it, and nothing else */
};

static bool in_brackets(const struct outline_words *w)
{
	return w->open->n && str_any("({[", w->open->p[w->open->n - 1]);
}

/* The token may begin, go on with or end `a.b =` or `local a =`. */
static void follow_target(struct outline_words *w, struct token t)
{
	bool local = token_is(w->text, w->last, "local") && w->last.first;
	bool dotted = w->target.end && token_is(w->text, w->last, ".");

	if (w->assigned) {
		w->target = (struct span){ 0, 0 };
		w->assigned = false;
	}
	if (t.kind == TOKEN_WORD && (t.first || local) && !in_brackets(w)) {
		w->target = t.span;
		w->statement = local ? w->last.span.at : t.span.at;
	} else if (t.kind == TOKEN_WORD && dotted) {
		w->target.end = t.span.end;
	} else if (w->target.end && token_is(w->text, t, "=")) {
		w->assigned = true;
	} else if (!token_is(w->text, t, ".") || w->target.end != t.span.at) {
		w->target = (struct span){ 0, 0 };
	}
}

/* Whether the expression goes on behind a function that is assigned. */
static bool goes_on(const struct outline_words *w, size_t at)
{
	static const char *const more[] = { "or", "and", ",", ".", NULL };
	struct lexer l = lex_from(w->lang, w->text, at);
	struct token t = lex_next_code(&l);

	if (t.kind == TOKEN_END || t.kind == TOKEN_CLOSE || token_is(w->text, t, ";"))
		return false;
	return !t.first || str_among(token_text(w->text, t), more);
}

static void add_function(struct outline_words *w, struct span name, struct span all)
{
	outline_add(w->out, OUTLINE_FUNCTION, name, all, w->parent);
	w->parent = w->out->n;
}

/* Behind the word `function`, whose block ends at `end`. */
static void name_function(struct outline_words *w, struct token t, struct lexer l, size_t end)
{
	struct token name = lex_next_code(&l);
	bool local = token_is(w->text, w->last, "local");

	if (name.kind == TOKEN_WORD) {
		while (l.at < w->text.n && str_any(".:", w->text.p[l.at])) {
			lex_next_code(&l);
			name.span.end = lex_next_code(&l).span.end;
		}
		add_function(w, name.span,
			     (struct span){ local ? w->last.span.at : t.span.at, end });
	} else if (w->assigned && goes_on(w, end)) {
		outline_add(w->out, OUTLINE_FUNCTION, w->target, w->target, w->parent)->doubtful =
			true;
	} else if (w->assigned) {
		add_function(w, w->target, (struct span){ w->statement, end });
	}
}

static bool words_token(struct outline_words *w, struct token t, const struct lexer *l,
			struct err *e)
{
	struct lexer group = *l;
	size_t end;

	while (w->parent && w->out->v[w->parent - 1].all.end <= t.span.at)
		w->parent = w->out->v[w->parent - 1].parent;
	if (!token_is(w->text, t, "function"))
		return true;
	group.at = t.span.at;
	end = lex_group_end(&group);
	if (!end)
		return outline_fail(w->text, t.span.at, "unterminated block", e);
	name_function(w, t, *l, end);
	return true;
}

bool outline_words(const struct language *lang, struct str text, struct outline *out, struct err *e)
{
	struct buf open SCOPED(buf_release) = BUF_INIT;
	struct outline_words w = { .lang = lang, .text = text, .out = out, .open = &open };
	struct lexer l = lex_from(lang, text, 0);

	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END; t = lex_next_code(&l)) {
		if (t.kind == TOKEN_CLOSE && !open.n)
			return outline_fail(text, t.span.at, "unbalanced blocks", e);
		if (t.kind == TOKEN_CLOSE)
			open.n--;
		if (!words_token(&w, t, &l, e))
			return false;
		follow_target(&w, t);
		if (t.kind == TOKEN_OPEN)
			buf_addc(&open, text.p[t.span.at]);
		w.last = t;
	}
	return !open.n || outline_fail(text, text.n, "unbalanced blocks", e);
}
