#include "params.h"

#include <stdlib.h>

#include "../base/mem.h"

/* The code of one parameter in its outermost tokens: what is in brackets, or in the `<>` of a
 * type, is one of them. */
struct tokens {
	struct str text;
	struct token *v;
	size_t n, cap;
	size_t end; /* of the code */
};

static bool params_is(const struct tokens *ts, size_t i, const char *what)
{
	return i < ts->n && token_is(ts->text, ts->v[i], what);
}

static bool params_is_word(const struct tokens *ts, size_t i)
{
	return i < ts->n && ts->v[i].kind == TOKEN_WORD;
}

static bool params_is_one_of(const struct tokens *ts, size_t i, const char *const *words)
{
	return i < ts->n && str_among(token_text(ts->text, ts->v[i]), words);
}

static void read_tokens(const struct language *lang, struct str text, struct span code,
			struct tokens *out)
{
	struct lexer l = lex_from(lang, str_sub(text, 0, code.end), code.at);
	bool value = false;

	*out = (struct tokens){ .text = text, .end = code.end };
	l.plain = true;
	l.first = false;
	while (l.at < code.end) {
		struct lexer before = l;
		struct token t = lex_next_code(&l);

		before.at = t.span.at;
		if (t.kind == TOKEN_END)
			return;
		if (t.kind == TOKEN_OPEN)
			l.at = lex_group_end(&before);
		else if (token_is(text, t, "<") && !value)
			l.at = lex_angles_end(&before);
		if (!l.at)
			l.at = code.end;
		t.span.end = l.at;
		value |= token_is(text, t, "=");
		mem_add(out->v, out->n, out->cap, t);
	}
}

/* The tokens before the first of these, of which none may be there. */
static size_t params_before(const struct tokens *ts, const char *sign)
{
	size_t i = 0;

	while (i < ts->n && !params_is(ts, i, sign))
		i++;
	return i;
}

/* Drops the default from the tokens. */
static void take_value(struct tokens *ts, struct parameter *p)
{
	size_t n = params_before(ts, "=");

	if (n + 1 < ts->n)
		p->value = (struct span){ ts->v[n + 1].span.at, ts->end };
	p->optional = n < ts->n;
	ts->n = n;
}

/* `(*name)(int)`: the name in the first brackets. */
static struct span name_in_brackets(const struct language *lang, const struct tokens *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		struct lexer l = lex_from(lang, ts->text, ts->v[i].span.at + 1);
		struct token t = lex_next_code(&l);

		if (ts->v[i].kind != TOKEN_OPEN || !str_any("*&^", ts->text.p[t.span.at]))
			continue;
		while (t.kind == TOKEN_SIGN)
			t = lex_next_code(&l);
		return t.kind == TOKEN_WORD ? t.span : (struct span){ 0, 0 };
	}
	return (struct span){ 0, 0 };
}

/* The last word, where it is none of the type: `T`, `unsigned int`, `struct s`, `std::string`. */
static void read_c(const struct language *lang, struct tokens *ts, struct parameter *p)
{
	static const char *const qualifiers[] = { "const",   "volatile",   "restrict", "register",
						  "_Atomic", "__restrict", NULL },
				 *const tags[] = { "struct", "union",	 "enum",
						   "class",  "typename", NULL };
	size_t last = ts->n, words = 0;

	if (params_before(ts, "..") < ts->n)
		p->kind = PARAM_REST;
	p->name = name_in_brackets(lang, ts);
	for (size_t i = 0; i < ts->n; i++) {
		if (!params_is_word(ts, i) || params_is_one_of(ts, i, qualifiers) ||
		    params_is_one_of(ts, i, tags))
			continue;
		words += !(i && params_is(ts, i - 1, "::"));
		last = i;
	}
	if (p->name.end || last == ts->n || words < 2 || token_is_c_type(ts->text, ts->v[last]) ||
	    (last && (params_is(ts, last - 1, "::") || params_is_one_of(ts, last - 1, tags))))
		return;
	p->name = ts->v[last].span;
}

static void read_python(struct tokens *ts, struct parameter *p)
{
	size_t stars = params_is(ts, 0, "*") + (params_is(ts, 0, "*") && params_is(ts, 1, "*"));

	if (params_is(ts, 0, "/") || (stars == 1 && ts->n == 1))
		p->kind = PARAM_MARK;
	else if (stars)
		p->kind = stars == 1 ? PARAM_REST : PARAM_KEYWORDS;
	if (params_is_word(ts, stars))
		p->name = ts->v[stars].span;
}

/* The word before the colon, unless a pattern is there. */
static void read_colon(struct tokens *ts, struct parameter *p, const char *receiver)
{
	size_t n = params_before(ts, ":"), last = n;

	if (params_is(ts, 0, "..")) /* ... */
		p->kind = PARAM_REST;
	if (n && params_is(ts, n - 1, "?")) {
		p->optional = true;
		last--;
	}
	if (!last || !params_is_word(ts, last - 1))
		return;
	p->name = ts->v[last - 1].span;
	if (params_is(ts, last - 1, receiver))
		p->kind = PARAM_RECEIVER;
}

/* Named where something follows the word that is not part of it. */
static void read_go(struct tokens *ts, struct parameter *p)
{
	static const char *const types[] = { "chan", "func", "map", "struct", "interface", NULL };
	bool touches = ts->n > 1 && ts->v[0].span.end == ts->v[1].span.at;

	if (params_before(ts, "..") < ts->n)
		p->kind = PARAM_REST;
	if (params_is_word(ts, 0) && ts->n > 1 && !params_is_one_of(ts, 0, types) && !touches) {
		p->name = ts->v[0].span;
		p->type = (struct span){ ts->v[1].span.at, ts->end };
	}
}

static bool read_one(const struct language *lang, struct str text, struct span code,
		     struct parameter *p, struct err *e)
{
	struct tokens ts;
	bool ok = true;

	*p = (struct parameter){ 0 };
	read_tokens(lang, text, code, &ts);
	take_value(&ts, p);
	switch (language_dialect(lang)) {
	case DIALECT_C:
	case DIALECT_CPP:
		read_c(lang, &ts, p);
		break;
	case DIALECT_PYTHON:
		read_python(&ts, p);
		break;
	case DIALECT_JS:
		read_colon(&ts, p, "this");
		break;
	case DIALECT_RUST:
		read_colon(&ts, p, "self");
		break;
	case DIALECT_GO:
		read_go(&ts, p);
		break;
	default:
		ok = err_set(e, ERR_UNSUPPORTED,
			     "signatures can be changed in C, C++, Python, TypeScript, "
			     "JavaScript, Rust and Go only");
	}
	free(ts.v);
	return ok;
}

bool param_read(const struct language *lang, struct str text, struct parameter *out, struct err *e)
{
	return read_one(lang, text, (struct span){ 0, text.n }, out, e);
}

/* `a, b int`: where any is named all are, and a lone word has the type of the next. */
static void share_types(struct parameters *p)
{
	struct span type = { 0, 0 };
	bool named = false;

	for (size_t i = 0; i < p->n; i++)
		named |= p->v[i].name.end > 0;
	for (size_t i = p->n; named && i--;) {
		if (p->v[i].type.end) {
			type = p->v[i].type;
			p->v[i].type = (struct span){ 0, 0 };
		} else {
			p->v[i].name = p->list.v[i].code;
			p->v[i].type = type;
		}
	}
}

static bool is_receiver(const struct parameters *p)
{
	static const char *const names[] = { "self", "cls", "mcs" };
	struct span first = p->v[0].name;
	struct str name = str_sub(p->list.text, first.at, first.end);

	if (p->v[0].kind == PARAM_RECEIVER)
		return true;
	for (size_t i = 0; i < 3; i++)
		if (language_dialect(p->list.lang) == DIALECT_PYTHON && !p->v[0].kind &&
		    str_eq(name, str_of(names[i])))
			return true;
	return false;
}

bool params_read(const struct language *lang, struct str text, size_t open, struct parameters *out,
		 struct err *e)
{
	enum dialect d = language_dialect(lang);
	struct span only;

	*out = (struct parameters){ 0 };
	if (!comma_list_read(lang, text, open, COMMA_LIST_PARAMETERS, &out->list, e))
		return false;
	out->n = out->list.n;
	out->v = mem_new((out->n + 1) * sizeof(*out->v));
	for (size_t i = 0; i < out->n; i++)
		if (!read_one(lang, text, out->list.v[i].code, &out->v[i], e)) {
			params_release(out);
			return false;
		}
	if (d == DIALECT_GO)
		share_types(out);
	if (out->n && is_receiver(out)) {
		out->v[0].kind = PARAM_RECEIVER;
		out->first = 1;
	}
	only = out->n ? out->list.v[0].code : (struct span){ 0, 0 };
	out->none = (d == DIALECT_C || d == DIALECT_CPP) && out->n == 1 &&
		    str_eq(str_sub(text, only.at, only.end), STR("void"));
	return true;
}

void params_release(struct parameters *p)
{
	comma_list_release(&p->list);
	free(p->v);
	p->v = NULL;
	p->n = 0;
}

size_t params_count(const struct parameters *p)
{
	return p->none ? 0 : p->n - p->first;
}
