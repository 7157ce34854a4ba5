#include "member.h"

#include <string.h>

bool member_by_shape(const struct language *lang)
{
	enum dialect d = language_dialect(lang);

	return d == DIALECT_JS || d == DIALECT_PYTHON || d == DIALECT_GO;
}

void member_text_init(struct member_text *t, const struct language *lang, struct str text)
{
	*t = (struct member_text){ .lang = lang, .text = text };
	outline_of(lang, text, &t->outline, ERR_IGNORED);
}

void member_text_release(struct member_text *t)
{
	outline_release(&t->outline);
}

/* `x.name`, but not what is spread, as `...name`. */
bool member_is_accessed(const struct member_text *t, size_t at)
{
	struct str text = t->text;

	return at && text.p[at - 1] == '.' && !(at > 1 && text.p[at - 2] == '.');
}

static struct str line_before(struct str text, size_t at)
{
	size_t from = at;

	while (from && text.p[from - 1] != '\n')
		from--;
	return str_sub(text, from, at);
}

/* The last word of `s`, without what is in brackets behind it: of `*Tree[K, V]`, `Tree`. */
static struct str last_word(struct str s)
{
	const char *bracket = s.n ? memchr(s.p, '[', s.n) : NULL;
	size_t end = bracket ? (size_t)(bracket - s.p) : s.n, from;

	while (end && !str_named(s.p[end - 1]))
		end--;
	for (from = end; from && str_named(s.p[from - 1]); from--)
		;
	return str_sub(s, from, end);
}

/* The type in `func (r *Type) `; empty: it is no method. */
static struct str receiver_type(struct str before)
{
	const char *end;

	if (!str_skip(&before, STR("func (")) || !(end = memchr(before.p, ')', before.n)) ||
	    str_trim(str_sub(before, (size_t)(end - before.p) + 1, before.n)).n)
		return STR("");
	return last_word(str_sub(before, 0, (size_t)(end - before.p)));
}

static const struct outline_item *innermost(const struct outline *o, size_t at)
{
	const struct outline_item *in = NULL;

	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].all.at <= at && at < o->v[i].all.end)
			in = &o->v[i];
	return in;
}

/* Of `{ name: value }` and `{ name(a) { } }`, which nothing is the type of. */
static bool is_of_object(const struct member_text *t, size_t at, size_t end)
{
	struct str before = str_trim(line_before(t->text, at));

	if (language_dialect(t->lang) != DIALECT_JS)
		return false;
	return (!before.n || str_any("{,", before.p[before.n - 1]) ||
		str_eq(before, STR("async"))) &&
	       end < t->text.n && str_any(":(", t->text.p[end]);
}

bool member_is_declared(const struct member_text *t, size_t at, size_t end, struct str *type)
{
	const struct outline_item *in = innermost(&t->outline, at), *of;

	*type = language_dialect(t->lang) == DIALECT_GO ? receiver_type(line_before(t->text, at))
							: STR("");
	if (type->n)
		return true;
	of = in && in->kind == OUTLINE_FUNCTION && in->name.at == at && in->parent
		     ? &t->outline.v[in->parent - 1]
		     : in;
	if (of && of->kind == OUTLINE_TYPE && of->name.at != at) {
		*type = last_word(str_sub(t->text, of->name.at, of->name.end));
		return true;
	}
	return is_of_object(t, at, end);
}
