#include <stdlib.h>

#include "../base/mem.h"
#include "outline_impl.h"

/*
 * The outline of a language whose blocks begin and end with words: Lua. Its functions are
 * `function a.b:c`, local or not, and a statement that assigns one function to one name,
 * `a.b = function`. A function in a table, or one of several that are assigned, has no name here.
 */

struct opened { /* a bracket or block that has not ended */
	size_t at;
	size_t item;   /* a function that has a name, from 1; 0: none */
	bool assigned; /* that is assigned to it */
};

struct outline_words {
	const struct language *lang;
	struct str text;
	struct outline *out;
	struct opened *open;
	size_t n, cap;
	size_t parent; /* the innermost function that has a name, from 1 */
	struct token last;
	struct span target; /* what a statement that begins here may assign to; empty: nothing */
	size_t statement;   /* where that statement begins */
	bool assigned;	    /* `=` is behind it, and nothing else */
};

static bool in_brackets(const struct outline_words *w)
{
	return w->n && str_any("({[", w->text.p[w->open[w->n - 1].at]);
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

static void add_function(struct outline_words *w, struct opened *o, struct span name, size_t from)
{
	outline_add(w->out, OUTLINE_FUNCTION, name, (struct span){ from, name.end }, w->parent);
	w->parent = o->item = w->out->n;
}

/* Behind the word `function`. */
static void name_function(struct outline_words *w, struct opened *o, struct lexer l)
{
	struct token name = lex_next_code(&l), part = name;

	if (name.kind != TOKEN_WORD) {
		o->assigned = w->assigned;
		if (w->assigned)
			add_function(w, o, w->target, w->statement);
		return;
	}
	while (part.kind == TOKEN_WORD && l.at < w->text.n && str_any(".:", w->text.p[l.at])) {
		lex_next_code(&l);
		part = lex_next_code(&l);
		name.span.end = part.span.end;
	}
	add_function(w, o, name.span,
		     token_is(w->text, w->last, "local") ? w->last.span.at : o->at);
}

static void words_open(struct outline_words *w, struct token t, const struct lexer *l)
{
	mem_add(w->open, w->n, w->cap, (struct opened){ .at = t.span.at });
	if (token_is(w->text, t, "function"))
		name_function(w, &w->open[w->n - 1], *l);
}

/* What is assigned is no function where the expression goes on behind it. */
static bool words_close(struct outline_words *w, struct token t, struct err *e)
{
	const struct opened *o;
	struct outline_item *item;

	if (!w->n)
		return outline_fail(w->text, t.span.at, "unbalanced blocks", e);
	o = &w->open[--w->n];
	if (!o->item)
		return true;
	item = &w->out->v[o->item - 1];
	w->parent = item->parent;
	item->doubtful = o->assigned && goes_on(w, t.span.end);
	if (item->doubtful)
		item->all = item->name;
	else
		item->all.end = t.span.end;
	return true;
}

/* Nothing is in what is doubtful. */
static void lift(struct outline *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct outline_item *item = &out->v[i];

		if (item->parent && out->v[item->parent - 1].doubtful)
			item->parent = out->v[item->parent - 1].parent;
	}
}

static bool words_end(struct outline_words *w, struct err *e)
{
	for (size_t i = 0; i < w->n; i++)
		if (str_starts(str_sub(w->text, w->open[i].at, w->text.n), STR("function")))
			return outline_fail(w->text, w->open[i].at, "unterminated block", e);
	return !w->n || outline_fail(w->text, w->text.n, "unbalanced blocks", e);
}

bool outline_words(const struct language *lang, struct str text, struct outline *out, struct err *e)
{
	struct outline_words w = { .lang = lang, .text = text, .out = out };
	struct lexer l = lex_from(lang, text, 0);
	bool ok = true;

	for (struct token t = lex_next_code(&l); ok && t.kind != TOKEN_END; t = lex_next_code(&l)) {
		if (t.kind == TOKEN_CLOSE)
			ok = words_close(&w, t, e);
		else if (t.kind == TOKEN_OPEN)
			words_open(&w, t, &l);
		follow_target(&w, t);
		w.last = t;
	}
	ok = ok && words_end(&w, e);
	lift(out);
	free(w.open);
	return ok;
}
