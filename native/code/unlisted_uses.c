#include "unlisted_uses.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "disabled.h"
#include "language.h"
#include "macro.h"
#include "outline.h"
#include "signature_text.h"

static size_t before_blanks(struct str text, size_t at)
{
	while (at && str_any(" \t\r\n\\", text.p[at - 1]))
		at--;
	return at;
}

static bool ends_with(struct str text, size_t at, const char *what)
{
	return str_ends(str_sub(text, 0, at), str_of(what));
}

/* What is before the dot, or the arrow, before a name: false where there is none. */
static bool object_before(struct str text, size_t at, struct str *object)
{
	size_t end;

	at = before_blanks(text, at);
	if (ends_with(text, at, "->"))
		at -= 2;
	else if (ends_with(text, at, ".") && !ends_with(text, at, ".."))
		at -= ends_with(text, at, "?.") ? 2 : 1;
	else
		return false;
	for (end = at = before_blanks(text, at); at && str_named(text.p[at - 1]);)
		at--;
	*object = str_sub(text, at, end);
	return true;
}

static bool is_dynamic(const struct language *lang)
{
	enum dialect d = language_dialect(lang);

	return d == DIALECT_PYTHON || d == DIALECT_JS;
}

/* A function's name is not assigned to, and has no members or elements. */
static bool is_used_as_value(const struct language *lang, struct str text, const struct site *s)
{
	struct lexer l = lex_from(lang, text, s->name.end);
	struct token t;

	l.first = false;
	t = lex_next_code(&l);
	return (token_is(text, t, "=") && !str_starts(str_sub(text, l.at, text.n), STR("="))) ||
	       token_is(text, t, ".") || token_is(text, t, "->") || token_is(text, t, "[") ||
	       token_is(text, t, "++") || token_is(text, t, "--") || token_is(text, t, "+=") ||
	       token_is(text, t, "-=");
}

/* Whether it is where such a function can be named. */
static bool stands_right(const struct language *lang, struct str text,
			 const struct unlisted_rules *r, const struct site *s)
{
	enum dialect d = language_dialect(lang);
	struct str object = STR("");
	bool behind = object_before(text, s->name.at, &object);

	if (r->member == UNLISTED_EITHER)
		return true;
	if (r->member == UNLISTED_FREE)
		return !behind || d == DIALECT_GO ||
		       (is_dynamic(lang) && r->module.n && str_eq(object, r->module));
	if (s->kind == SITE_DECLARATION || d == DIALECT_CPP)
		return !behind || s->kind != SITE_OTHER;
	return behind ? s->kind == SITE_CALL || !is_dynamic(lang)
		      : s->qualified && d == DIALECT_RUST;
}

static bool may_be_use(const struct language *lang, struct str text, const struct unlisted_rules *r,
		       const struct site *s)
{
	if (s->quoted || s->kind == SITE_IMPORT || !stands_right(lang, text, r, s))
		return false;
	if (is_dynamic(lang) && s->kind != SITE_CALL)
		return false;
	return s->kind != SITE_OTHER || !is_used_as_value(lang, text, s);
}

static bool unlisted_is_known(const struct site *known, size_t n, size_t at)
{
	for (size_t lo = 0, hi = n; lo < hi;) {
		size_t mid = (lo + hi) / 2;

		if (known[mid].name.at == at)
			return true;
		if (known[mid].name.at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static size_t find_words(struct str text, const struct unlisted_rules *r, const struct site *known,
			 size_t n_known, struct site **out)
{
	size_t n = 0, cap = 0;

	*out = NULL;
	for (size_t at = 0; r->name.n && str_find_name(text, r->name, &at); at += r->name.n) {
		if (unlisted_is_known(known, n_known, at))
			continue;
		*out = mem_grow(*out, &cap, n + 1, sizeof(**out));
		(*out)[n++] = (struct site){ .name = { at, at + r->name.n } };
	}
	return n;
}

/* In a directive only the body of a macro can use it. In that a member has brackets behind it, or
 * it may be any. */
static bool in_macro(const struct language *lang, struct macros *in, const struct unlisted_rules *r,
		     struct site *s, struct span *name)
{
	struct str text = in->text, object;
	struct macro m;
	struct lexer l;
	bool behind = object_before(text, s->name.at, &object);

	if (!language_has_macros(lang) || !macros_using(in, s->name.at, &m))
		return false;
	*name = m.name;
	s->why = "it is in a macro";
	l = lex_from(lang, text, s->name.end);
	l.first = false;
	if (behind ? r->member == UNLISTED_FREE : r->member == UNLISTED_MEMBER)
		return false;
	return behind ? token_is(text, lex_next_code(&l), "(") : !is_used_as_value(lang, text, s);
}

void unlisted_uses_add(struct unlisted_uses *out, const struct site *s, struct span macro)
{
	mem_add(out->v, out->n, out->cap, (struct unlisted_use){ *s, macro });
}

void unlisted_uses_find(const struct language *lang, struct str text,
			const struct unlisted_rules *r, const struct site *known, size_t n_known,
			struct unlisted_uses *out)
{
	struct disabled off = disabled_from(lang, text);
	struct macros in = macros_of(text);
	struct span none = { 0, 0 }, macro;
	struct site *v;
	size_t n = find_words(text, r, known, n_known, &v);

	*out = (struct unlisted_uses){ 0 };
	sites_read(lang, text, v, n);
	for (size_t i = 0; i < n; i++) {
		bool directive = language_has_macros(lang) && v[i].directive;

		if (disabled_at(&off, v[i].name.at))
			continue;
		if (directive ? in_macro(lang, &in, r, &v[i], &macro)
			      : may_be_use(lang, text, r, &v[i]))
			unlisted_uses_add(out, &v[i], directive ? macro : none);
	}
	free(v);
}

void unlisted_uses_release(struct unlisted_uses *s)
{
	free(s->v);
	*s = (struct unlisted_uses){ 0 };
}

static bool in_type(const struct outline *o, struct str text, const struct outline_item *it)
{
	while (it->parent) {
		it = &o->v[it->parent - 1];
		if (it->kind == OUTLINE_TYPE ||
		    str_starts(str_sub(text, it->name.at, it->name.end), STR("impl")))
			return true;
	}
	return false;
}

/* By the outline: C++ and JavaScript. */
static enum unlisted_member by_outline(const struct language *lang, struct str text,
				       const struct site *s)
{
	enum unlisted_member found = UNLISTED_EITHER;
	struct outline o SCOPED(outline_release) = { 0 };

	if (outline_of(lang, text, &o, ERR_IGNORED))
		for (size_t i = 0; i < o.n; i++)
			if (o.v[i].name.at <= s->name.at && s->name.end <= o.v[i].name.end)
				found = in_type(&o, text, &o.v[i])    ? UNLISTED_MEMBER
					: o.v[i].name.at < s->name.at ? UNLISTED_EITHER
								      : UNLISTED_FREE;
	return found;
}

enum unlisted_member unlisted_member_of(const struct language *lang, struct str text,
					const struct site *s)
{
	switch (language_dialect(lang)) {
	case DIALECT_C:
		return UNLISTED_FREE;
	case DIALECT_PYTHON:
	case DIALECT_GO:
		return signature_owner(lang, text, s).n ? UNLISTED_MEMBER : UNLISTED_FREE;
	default:
		return by_outline(lang, text, s);
	}
}
