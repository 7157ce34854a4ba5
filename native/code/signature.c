#include "signature.h"

#include <stdlib.h>

#include "../base/mem.h"

static const struct parameter *old_param(const struct signature *s, size_t i)
{
	return &s->old->v[s->old->first + i];
}

static enum dialect dialect(const struct signature *s)
{
	return language_dialect(s->old->list.lang);
}

void signature_init(struct signature *s, const struct parameters *old)
{
	size_t n = params_count(old);

	*s = (struct signature){ .old = old };
	s->value = mem_new((n + 1) * sizeof(*s->value));
	s->optional = mem_new(n + 1);
	signature_learn(s, old, ERR_IGNORED);
}

void signature_release(struct signature *s)
{
	free(s->value);
	free(s->optional);
	free(s->v);
	arena_release(&s->texts);
}

struct signature_item *signature_item(struct signature *s)
{
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n] = (struct signature_item){ .from = COMMA_LIST_NEW };
	return &s->v[s->n++];
}

struct str signature_old_name(const struct signature *s, size_t i)
{
	struct span name = old_param(s, i)->name;

	return str_sub(s->old->list.text, name.at, name.end);
}

struct str signature_new_name(const struct signature *s, size_t i)
{
	for (size_t k = 0; k < s->n; k++)
		if (s->v[k].from == i && !str_eq(s->v[k].name, signature_old_name(s, i)))
			return s->v[k].name;
	return STR("");
}

static bool takes_as_many(const struct signature *s, const struct parameters *other, struct err *e)
{
	size_t here = params_count(other), n = params_count(s->old);

	return here == n || err_set(e, ERR_UNSUPPORTED, "it has %zu parameter%s here, not %zu",
				    here, here == 1 ? "" : "s", n);
}

bool signature_learn(struct signature *s, const struct parameters *other, struct err *e)
{
	size_t n = params_count(s->old);

	if (!takes_as_many(s, other, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct parameter *p = &other->v[other->first + i];

		s->optional[i] |= p->optional;
		if (p->value.end && !s->value[i].n)
			s->value[i] = arena_str(&s->texts, str_sub(other->list.text, p->value.at,
								   p->value.end));
	}
	return true;
}

bool signature_same(const struct signature *s)
{
	if (s->n != params_count(s->old))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].from != i || signature_new_name(s, i).n)
			return false;
	return true;
}

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!str_named(name.p[i]))
			return false;
	return name.n && !(name.p[0] >= '0' && name.p[0] <= '9');
}

static bool check_kept(const struct signature *s, size_t k, struct err *e)
{
	const struct signature_item *it = &s->v[k];

	if (it->from >= params_count(s->old))
		return err_set(e, ERR_INVALID,
			       "parameter %zu does not exist: there are %zu, counted from 0",
			       it->from, params_count(s->old));
	for (size_t i = 0; i < k; i++)
		if (s->v[i].from == it->from)
			return err_set(e, ERR_INVALID, "parameter %zu is used twice", it->from);
	if (it->name.n && !old_param(s, it->from)->name.end)
		return err_set(e, ERR_INVALID, "parameter %zu has no name, and cannot be renamed",
			       it->from);
	if (it->name.n && !is_name(it->name))
		return err_set(e, ERR_INVALID, "%.*s is not a valid name", STR_ARG(it->name));
	return true;
}

/* A new one is one parameter, and callers have something to pass for it. */
static bool check_new(struct signature *s, struct signature_item *it, struct err *e)
{
	struct parameter p;
	struct parameters one;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	size_t n = 0;

	it->text = str_trim(it->text);
	it->argument = str_trim(it->argument);
	buf_addf(&text, "(%.*s)", STR_ARG(it->text));
	if (params_read(s->old->list.lang, buf_str(&text), 0, &one, e)) {
		n = one.n;
		params_release(&one);
	}
	if (n != 1 || !param_read(s->old->list.lang, it->text, &p, e))
		return err_set(e, ERR_INVALID, "`%.*s` is not a single parameter",
			       STR_ARG(it->text));
	it->name = str_sub(it->text, p.name.at, p.name.end);
	it->kind = p.kind;
	if (it->given && !it->argument.n)
		return err_set(e, ERR_INVALID, "the argument for `%.*s` is empty",
			       STR_ARG(it->text));
	if (!it->given && !p.optional && p.kind == PARAM_PLAIN)
		return err_set(e, ERR_INVALID,
			       "`%.*s` needs an `argument` for its callers, or a default",
			       STR_ARG(it->text));
	return true;
}

bool signature_check(struct signature *s, struct err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		struct signature_item *it = &s->v[i];

		if (it->from == COMMA_LIST_NEW ? !check_new(s, it, e) : !check_kept(s, i, e))
			return false;
		if (it->from != COMMA_LIST_NEW)
			it->kind = old_param(s, it->from)->kind;
		if (it->kind == PARAM_REST && i + 1 < s->n && dialect(s) != DIALECT_PYTHON)
			return err_set(e, ERR_INVALID, "the rest parameter must be the last");
	}
	return true;
}

/* One item's text: of `here` with the edits inside of it, and the new name where the server has
 * not put it there. */
static void add_kept(const struct signature *s, const struct parameters *here,
		     const struct nested_edits *nest, const struct signature_item *it,
		     struct buf *out)
{
	size_t i = here->first + it->from;
	struct span whole = here->list.v[i].whole, name = here->v[i].name;
	struct str text = str_sub(here->list.text, name.at, name.end);
	bool rename = name.end && it->name.n && !nested_has(nest, name) &&
		      str_eq(text, signature_old_name(s, it->from));

	if (!rename) {
		nested_text(nest, whole, out);
		return;
	}
	nested_text(nest, (struct span){ whole.at, name.at }, out);
	buf_add(out, it->name);
	nested_text(nest, (struct span){ name.end, whole.end }, out);
}

/* Go: `a` of `a, b int` needs its type where b no longer follows. */
static void add_type(const struct signature *s, const struct parameters *here, size_t k,
		     struct buf *out)
{
	size_t from = s->v[k].from;
	struct span type = here->v[here->first + from].type;
	bool follows = k + 1 < s->n && s->v[k + 1].from == from + 1;

	if (type.end && !follows)
		buf_addf(out, " %.*s", STR_ARG(str_sub(here->list.text, type.at, type.end)));
}

static void add_new(const struct signature *s, const struct signature_item *it, bool defaults,
		    struct buf *out)
{
	struct parameter p;

	if (defaults || !param_read(s->old->list.lang, it->text, &p, ERR_IGNORED) || !p.value.end) {
		buf_add(out, it->text);
		return;
	}
	while (p.value.at && it->text.p[p.value.at] != '=')
		p.value.at--;
	buf_add(out, str_trim(str_sub(it->text, 0, p.value.at)));
}

static void write_list(const struct signature *s, const struct parameters *here,
		       const struct comma_list_piece *v, size_t n, struct buf *out)
{
	struct comma_list bare = here->list;

	if (here->none) {
		bare.n = 0;
		bare.inner.at = bare.inner.end;
	}
	if (!n && dialect(s) == DIALECT_C)
		buf_adds(out, "void");
	else
		comma_list_write(&bare, v, n, out);
}

bool signature_declare(const struct signature *s, const struct parameters *here,
		       const struct nested_edits *nest, bool defaults, struct buf *out,
		       struct err *e)
{
	size_t n = here->first + s->n;
	struct comma_list_piece *v SCOPED(mem_release) = NULL;
	struct buf *text SCOPED(mem_release) = NULL;

	if (!takes_as_many(s, here, e))
		return false;
	v = mem_new((n + 1) * sizeof(*v));
	text = mem_new((n + 1) * sizeof(*text));
	for (size_t k = 0; k < n; k++) {
		const struct signature_item *it = k < here->first ? NULL : &s->v[k - here->first];

		v[k].from = !it				 ? 0
			    : it->from == COMMA_LIST_NEW ? COMMA_LIST_NEW
							 : here->first + it->from;
		if (!it) {
			nested_text(nest, here->list.v[0].whole, &text[k]);
		} else if (it->from == COMMA_LIST_NEW) {
			add_new(s, it, defaults, &text[k]);
		} else {
			add_kept(s, here, nest, it, &text[k]);
			add_type(s, here, k - here->first, &text[k]);
		}
		v[k].text = buf_str(&text[k]);
	}
	write_list(s, here, v, n, out);
	for (size_t k = 0; k < n; k++)
		buf_release(&text[k]);
	return true;
}
