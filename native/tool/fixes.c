#include "fixes.h"

#include "../base/hash.h"
#include "../base/path.h"
#include "../core/workspace.h"

json *fix_row(const struct action *a)
{
	json *row = json_object();

	json_put(row, "title", json_str(a->title));
	json_put(row, "kind", json_str(a->kind));
	json_put(row, "preferred", json_bool(a->preferred));
	return row;
}

static bool same_name(const struct action *a, const struct action *b)
{
	return str_eq(a->title, b->title) && str_eq(a->kind, b->kind);
}

/* Which one of that name it is. */
static unsigned rank(const struct offer *o, size_t i)
{
	unsigned n = 0;

	for (size_t k = 0; k < i; k++)
		n += same_name(&o->fixes.v[k], &o->fixes.v[i]);
	return n;
}

void fix_id(struct oxide *ox, const struct offer *o, size_t i, struct buf *out)
{
	const struct diag *d = &o->diag;
	const struct action *a = &o->fixes.v[i];
	struct doc *doc = workspace_known(ox->workspace, d->path);
	struct buf all = BUF_INIT;

	buf_addf(&all, "%s\n%llx\n%u:%u-%u:%u\n", d->path,
		 doc ? (unsigned long long)doc_hash(doc) : 0, d->range.from.line, d->range.from.col,
		 d->range.to.line, d->range.to.col);
	buf_addf(&all, "%.*s\n%.*s\n%.*s\n%.*s\n%u", STR_ARG(d->code), STR_ARG(d->message),
		 STR_ARG(a->title), STR_ARG(a->kind), rank(o, i));
	buf_addf(out, "fix-%.*s:%u-%012llx", STR_ARG(path_base(str_of(d->path))),
		 d->range.from.line + 1,
		 (unsigned long long)hash_of(buf_str(&all)) & 0xffffffffffff);
	buf_release(&all);
}

json *fixes_rows(struct oxide *ox, const struct offer *o)
{
	json *list = json_array();

	for (size_t i = 0; i < o->fixes.n; i++) {
		json *row = json_push(list, fix_row(&o->fixes.v[i]));
		struct buf id = BUF_INIT;

		fix_id(ox, o, i, &id);
		json_put(row, "action_id", json_take(&id));
	}
	return list;
}

static bool same_edit(const struct action *a, const struct action *b)
{
	return a->edit.n && str_eq(a->edit, b->edit);
}

/* "Remove all unused includes" is offered for each of them: it is no fix of this one alone. */
static bool is_for_several(const struct offers *all, size_t at, const struct action *a)
{
	for (size_t k = 0; k < offers_count(all); k++) {
		const struct actions *others = &offers_at(all, k)->fixes;

		for (size_t i = 0; k != at && i < others->n; i++)
			if (same_edit(a, &others->v[i]) && same_name(a, &others->v[i]))
				return true;
	}
	return false;
}

ptrdiff_t fix_choice(const struct offers *all, size_t at)
{
	const struct actions *fixes = &offers_at(all, at)->fixes;
	ptrdiff_t only = -1;

	for (size_t i = 0; i < fixes->n; i++)
		if (fixes->v[i].preferred)
			return (ptrdiff_t)i;
	if (fixes->n == 1)
		return 0;
	for (size_t i = 0; i < fixes->n; i++) {
		if ((only >= 0 && same_edit(&fixes->v[i], &fixes->v[only])) ||
		    is_for_several(all, at, &fixes->v[i]))
			continue;
		if (only >= 0)
			return -1;
		only = (ptrdiff_t)i;
	}
	return only;
}
