#include "signature_call.h"

#include <stdlib.h>

#include "../base/mem.h"

/* The new list as it grows. */
struct written {
	struct comma_list_piece *v; /* room for all that there can be */
	struct buf *text;	    /* of each piece */
	size_t n;
	size_t holes;	 /* parameters left out behind the last piece */
	struct buf fill; /* what would stand for them, one a line */
	bool unfilled;	 /* ... but for one, that nothing can stand for */
	bool keywords;	 /* from here on arguments have names */
	bool rested;	 /* further arguments have been written */
	bool *done;	 /* of each new parameter: nothing is left to write */
};

static struct buf *piece(struct written *w, size_t from)
{
	w->v[w->n] = (struct comma_list_piece){ from, STR("") };
	return &w->text[w->n++];
}

static struct span whole(const struct passed *p, size_t i)
{
	return p->list.v[i].whole;
}

/* A constant, which means the same wherever it is. */
static bool is_constant(const struct passed *p, struct str text)
{
	static const char *const words[] = { "true", "false", "nullptr", "NULL", NULL };
	struct lexer l = lex_from(p->list.lang, text, 0);
	struct token t = lex_next_code(&l);

	if (token_is(text, t, "-"))
		t = lex_next_code(&l);
	if (t.kind == TOKEN_WORD && !(text.p[t.span.at] >= '0' && text.p[t.span.at] <= '9')) {
		size_t i = 0;

		while (words[i] && !token_is(text, t, words[i]))
			i++;
		if (!words[i])
			return false;
	}
	while (t.kind == TOKEN_WORD || token_is(text, t, "."))
		t = lex_next_code(&l); /* 1.5 */
	if (t.kind == TOKEN_STRING)
		t = lex_next_code(&l);
	return t.kind == TOKEN_END;
}

/* A parameter that the caller leaves to its default. */
static void signature_call_leave_out(const struct passed *p, struct written *w, struct str value)
{
	w->holes++;
	if (p->dialect == DIALECT_JS)
		buf_adds(&w->fill, "undefined\n");
	else if (p->dialect == DIALECT_CPP && value.n && is_constant(p, value))
		buf_addf(&w->fill, "%.*s\n", STR_ARG(value));
	else
		w->unfilled = true;
	w->keywords |= p->dialect == DIALECT_PYTHON;
}

/* Something comes behind what was left out. */
static bool fill(const struct passed *p, struct written *w, struct err *e)
{
	struct str rest = buf_str(&w->fill), line;

	if (!w->holes || p->dialect == DIALECT_PYTHON)
		return true;
	if (w->unfilled)
		return err_set(e, ERR_UNSUPPORTED,
			       "it relies on a default that would have to be written out now");
	while (str_line(&rest, &line))
		buf_add(piece(w, COMMA_LIST_NEW), line);
	w->holes = 0;
	buf_clear(&w->fill);
	return true;
}

/* Further arguments, and those that are spread, in the place of the first parameter they go to. */
static bool write_rest(const struct passed *p, struct written *w, struct err *e)
{
	bool keywords = w->keywords;

	w->keywords |= p->dialect == DIALECT_PYTHON;
	if (w->rested)
		return true;
	w->rested = true;
	for (size_t i = p->rest; i < p->list.n; i++) {
		if (p->keyword[i].end ||
		    (p->dialect == DIALECT_PYTHON && passed_starts(p, i, "**")))
			continue;
		if (keywords)
			return err_set(e, ERR_UNSUPPORTED,
				       "positional arguments would follow a keyword argument");
		if (!fill(p, w, e))
			return false;
		nested_text(p->nest, whole(p, i), piece(w, i));
	}
	return true;
}

/* Python's `*`, behind which arguments have names, or `/`, before which they have none. */
static bool is_mark(const struct signature_item *it, const struct passed *p, const char *mark)
{
	const struct comma_list *old = &p->s->old->list;

	return str_starts(it->from == COMMA_LIST_NEW
				  ? it->text
				  : str_sub(old->text, old->v[p->s->old->first + it->from].code.at,
					    old->text.n),
			  str_of(mark));
}

static bool goes_by_place(const struct passed *p, size_t k)
{
	const struct signature *s = p->s;

	while (++k < s->n)
		if (s->v[k].kind == PARAM_MARK && is_mark(&s->v[k], p, "/"))
			return true;
	return false;
}

/* A parameter that no argument is written for. */
static bool write_none(const struct passed *p, struct written *w, const struct signature_item *it,
		       struct err *e)
{
	struct parameter read = { 0 };

	if (it->kind == PARAM_MARK || it->kind == PARAM_KEYWORDS) {
		w->keywords |= p->dialect == DIALECT_PYTHON && is_mark(it, p, "*");
		return true;
	}
	if (it->from != COMMA_LIST_NEW)
		signature_call_leave_out(p, w, p->s->value[it->from]);
	else if (param_read(p->list.lang, it->text, &read, e))
		signature_call_leave_out(p, w, str_sub(it->text, read.value.at, read.value.end));
	return true;
}

/* Those without a name, in their new order; what cannot be there any more waits. */
static bool write_one(const struct passed *p, struct written *w, size_t k, struct err *e)
{
	const struct signature_item *it = &p->s->v[k];
	size_t from = it->from == COMMA_LIST_NEW ? COMMA_LIST_NEW : p->of[it->from];

	bool spread = p->spread && it->from != COMMA_LIST_NEW && from == COMMA_LIST_NEW &&
		      it->from >= p->rest_of;

	w->done[k] = true;
	if (spread || (it->kind == PARAM_REST && it->from != COMMA_LIST_NEW))
		return write_rest(p, w, e);
	if (it->kind != PARAM_PLAIN || (from == COMMA_LIST_NEW && !it->given))
		return write_none(p, w, it, e);
	w->keywords |= from != COMMA_LIST_NEW && p->keyword[from].end;
	w->done[k] = !w->keywords;
	if (w->keywords && goes_by_place(p, k))
		return err_set(e, ERR_UNSUPPORTED,
			       "an argument after an omitted one must be passed by keyword, but "
			       "its parameter is positional-only");
	if (w->keywords)
		return true;
	if (!fill(p, w, e))
		return false;
	if (from == COMMA_LIST_NEW)
		buf_add(piece(w, from), it->argument);
	else
		nested_text(p->nest, whole(p, from), piece(w, from));
	return true;
}

static struct str name_after(const struct passed *p, const struct signature_item *it)
{
	if (it->from == COMMA_LIST_NEW || it->name.n)
		return it->name;
	return signature_old_name(p->s, it->from);
}

/* An argument that has a name, or gets one. */
static void write_named(const struct passed *p, struct written *w, size_t k)
{
	const struct signature_item *it = &p->s->v[k];
	size_t i = it->from == COMMA_LIST_NEW ? COMMA_LIST_NEW : p->of[it->from];
	struct span key = i == COMMA_LIST_NEW ? (struct span){ 0, 0 } : p->keyword[i];
	struct buf *out = piece(w, i);

	w->done[k] = true;
	if (key.end)
		nested_text(p->nest, (struct span){ whole(p, i).at, key.at }, out);
	buf_add(out, name_after(p, it));
	if (!key.end)
		buf_addc(out, '=');
	if (key.end)
		nested_text(p->nest, (struct span){ key.end, whole(p, i).end }, out);
	else if (i == COMMA_LIST_NEW)
		buf_add(out, it->argument);
	else
		nested_text(p->nest, whole(p, i), out);
}

/* Python: those with names as they were, then those that need one now, then **names. */
static void write_keywords(const struct passed *p, struct written *w)
{
	const struct signature *s = p->s;

	for (size_t i = p->first; i < p->list.n; i++) {
		for (size_t k = 0; p->taken[i] && k < s->n; k++)
			if (!w->done[k] && s->v[k].from != COMMA_LIST_NEW && p->keyword[i].end &&
			    p->of[s->v[k].from] == i)
				write_named(p, w, k);
		if (p->keyword[i].end && !p->taken[i])
			nested_text(p->nest, whole(p, i), piece(w, i));
	}
	for (size_t k = 0; k < s->n; k++)
		if (!w->done[k])
			write_named(p, w, k);
	for (size_t i = p->first; p->any_keywords && i < p->list.n; i++)
		if (passed_starts(p, i, "**"))
			nested_text(p->nest, whole(p, i), piece(w, i));
}

/* It calls something, or assigns. */
static bool does_more(struct str text, const struct language *lang)
{
	static const char *const signs[] = { "++", "--", "+=",	"-=",	 "*=",	  "/=", "=",
					     ":=", "<-", "new", "await", "yield", NULL };
	struct lexer l = lex_from(lang, text, 0);
	struct token t, last = { 0 };

	l.plain = true;
	for (; (t = lex_next_code(&l)).kind != TOKEN_END; last = t) {
		bool value = last.kind == TOKEN_WORD || last.kind == TOKEN_CLOSE ||
			     (last.span.end && str_any(">!", text.p[last.span.at]));

		if (token_is(text, t, "(") && value)
			return true;
		for (size_t i = 0; signs[i]; i++)
			if (token_is(text, t, signs[i]))
				return true;
	}
	return false;
}

static void tell_dropped(const struct passed *p, const struct written *w,
			 const struct signature_call *c)
{
	for (size_t i = p->first; i < p->list.n; i++) {
		struct span code = p->list.v[i].code;
		size_t at = p->keyword[i].end ? p->keyword[i].end + 1 : code.at;
		struct str text = str_sub(p->list.text, at, code.end);
		bool kept = false;

		for (size_t k = 0; k < w->n; k++)
			kept |= w->v[k].from == i;
		if (!kept && does_more(text, p->list.lang))
			c->dropped(c->arg, str_trim(text));
	}
}

static bool write_all(const struct passed *p, struct written *w, struct err *e)
{
	if (p->first)
		nested_text(p->nest, whole(p, 0), piece(w, 0));
	for (size_t k = 0; k < p->s->n; k++)
		if (!write_one(p, w, k, e))
			return false;
	if (p->spread && !write_rest(p, w, e))
		return false;
	write_keywords(p, w);
	for (size_t i = 0; i < w->n; i++)
		w->v[i].text = buf_str(&w->text[i]);
	return true;
}

static void written_release(struct written *w)
{
	for (size_t i = 0; i < w->n; i++)
		buf_release(&w->text[i]);
	buf_release(&w->fill);
	free(w->text);
	free(w->done);
	free(w->v);
}

static bool call_of(struct passed *p, const struct signature_call *c, struct buf *out,
		    struct err *e)
{
	struct written w SCOPED(written_release) = { 0 };
	size_t most = p->list.n + 2 * p->s->n + 1;
	bool ok;

	if (c->receiver && (!p->list.n || passed_spread(p, 0)))
		return err_set(e, ERR_UNSUPPORTED, "it does not pass the receiver as an argument");
	w.done = mem_new(p->s->n + 1);
	w.v = mem_new(most * sizeof(*w.v));
	w.text = mem_new(most * sizeof(*w.text));
	ok = passed_read(p, e) && write_all(p, &w, e);
	if (ok) {
		tell_dropped(p, &w, c);
		comma_list_write(&p->list, w.v, w.n, out);
	}
	return ok;
}

bool signature_call(const struct signature *s, const struct signature_call *c,
		    const struct nested_edits *nest, struct buf *out, struct err *e)
{
	struct passed p = { .s = s, .nest = nest, .first = c->receiver };
	bool ok;

	if (!passed_list(s, nest, c, &p.list, e))
		return false;
	p.dialect = language_dialect(p.list.lang);
	p.of = mem_new((params_count(s->old) + 1) * sizeof(*p.of));
	p.taken = mem_new(p.list.n + 1);
	p.keyword = mem_new((p.list.n + 1) * sizeof(*p.keyword));
	ok = call_of(&p, c, out, e);
	free(p.of);
	free(p.taken);
	free(p.keyword);
	comma_list_release(&p.list);
	return ok;
}
