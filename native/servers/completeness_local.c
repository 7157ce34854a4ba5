#include "../code/lex.h"
#include "../core/workspace.h"
#include "../lsp/symbol.h"
#include "completeness_impl.h"

/*
 * A name that is declared inside of a function is known there alone, whatever else is called so:
 * on_local_definition -> on_local_symbols. Members are not: what a function makes may be seen
 * elsewhere.
 */
static void local_over(struct completeness *r, bool local)
{
	void (*then)(struct completeness * r) = r->then;

	r->asked = 0;
	r->local = local;
	then(r);
}

static bool is_function(int kind)
{
	return kind == 6 || kind == 9 || kind == 12; /* method, constructor, function */
}

static bool is_type(int kind)
{
	return kind == 5 || kind == 10 || kind == 11 || kind == 23; /* class, enum, interface */
}

static bool local_before(struct pos a, struct pos b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

static bool local_holds(const struct range *outer, const struct range *inner)
{
	return !local_before(inner->from, outer->from) && !local_before(outer->to, inner->to);
}

/* The last code before a place. */
static struct str word_before(const struct language *lang, struct str text, size_t at)
{
	struct lexer l = lex_from(lang, text, 0);
	struct span last = { 0, 0 };

	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END && t.span.end <= at;
	     t = lex_next_code(&l))
		if (t.kind != TOKEN_SPACE && t.kind != TOKEN_LINE_END)
			last = t.span;
	return str_sub(text, last.at, last.end);
}

/* Of C, whether `at` is in a statement that declares what is defined elsewhere. */
static bool is_foreign(const struct language *lang, struct str text, struct span f, size_t at)
{
	struct lexer l = lex_from(lang, text, 0);
	struct token t = lex_next_code(&l);
	bool foreign = false;

	for (; t.kind != TOKEN_END && t.span.at < at; t = lex_next_code(&l)) {
		if (token_is(text, t, ";") || token_is(text, t, "{") || token_is(text, t, "}"))
			foreign = false;
		else if (token_is(text, t, "extern") && t.span.at >= f.at)
			foreign = true;
	}
	for (t = lex_next_code(&l); t.kind == TOKEN_SPACE; t = lex_next_code(&l))
		;
	return foreign || token_is(text, t, "(");
}

/* A parameter of Python may be named where the function is called. */
static bool is_parameter(struct str word)
{
	static const char *const before[] = { "(", ",", "*", "**", NULL };

	return str_among(word, before);
}

/* Whether what is declared there, in the function `f`, can be named from nowhere else. */
static bool local_is_plain(struct doc *d, const char *filetype, size_t at, struct span f)
{
	static const char *const binds[] = { "let", "const", "var", NULL };
	const struct language *lang = language_of(filetype);
	struct str body = str_sub(doc_text(d), f.at, f.end);
	struct str word = word_before(lang, doc_text(d), at);
	size_t from = 0, other = 0;

	switch (language_dialect(lang)) {
	case DIALECT_JS:
		return str_among(word, binds);
	case DIALECT_PYTHON:
		return !str_eq(word, STR(".")) && !is_parameter(word) &&
		       !str_find_name(body, STR("global"), &from) &&
		       !str_find_name(body, STR("nonlocal"), &other);
	case DIALECT_NONE:
		return false;
	default:
		return !str_eq(word, STR(".")) && !is_foreign(lang, doc_text(d), f, at);
	}
}

static bool is_local(struct completeness *r, const struct symbols *all)
{
	struct workspace *w = r->ox->workspace;
	struct doc *d = workspace_known(w, r->path);
	enum pos_enc enc = server_encoding(r->server);
	const struct symbol *f = NULL;
	struct span span;

	for (size_t i = 0; i < all->n; i++) {
		const struct symbol *s = &all->v[i];

		if (!local_holds(&s->range, &r->inside) || local_holds(&s->name_range, &r->inside))
			continue;
		if (is_function(s->kind))
			f = s;
		else if (is_type(s->kind))
			f = NULL; /* its own, wherever it is; in one that comes later */
	}
	if (!f || !d)
		return false;
	span = (struct span){ doc_byte(d, f->range.from, enc), doc_byte(d, f->range.to, enc) };
	return local_is_plain(d, workspace_filetype(w, r->path), doc_byte(d, r->inside.from, enc),
			      span);
}

static void on_local_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct completeness *r = arg;
	struct symbols all SCOPED(symbols_release) = { 0 };
	struct err e = *why;
	bool local = !e.code && symbols_of_document(m->raw, r->path, &all, &e) && is_local(r, &all);

	local_over(r, local);
}

static void on_local_definition(void *arg, struct msg *m, const struct err *why)
{
	struct completeness *r = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;
	bool here = !e.code && proto_locations(m->raw, &l, &foreign, &e) && l.n == 1 && !foreign &&
		    str_eq(l.v[0].path, str_of(r->path));

	if (here)
		r->inside = l.v[0].range;
	if (here && !completeness_stops(r))
		r->asked = server_ask(r->server, LSP_DOCUMENT_SYMBOLS, proto_doc(r->path),
				      completeness_left(r), on_local_symbols, r);
	else
		local_over(r, false);
}

void completeness_look_local(struct completeness *r, void (*then)(struct completeness *r))
{
	struct doc *d = workspace_known(r->ox->workspace, r->path);

	r->then = then;
	if (r->looks > 1 || !d || !server_can(r->server, LSP_DEFINITION) ||
	    !server_can(r->server, LSP_DOCUMENT_SYMBOLS)) {
		local_over(r, false);
		return;
	}
	r->asked = server_ask(r->server, LSP_DEFINITION,
			      proto_at(d, r->byte, server_encoding(r->server)),
			      completeness_left(r), on_local_definition, r);
}
