#include "../base/hash.h"
#include "../edit/plan_merge.h"
#include "rename_impl.h"

/*
 * Comments and strings that have the old name, with the new one in its place: a plan of its own,
 * from the same texts as the rename. A file that cannot be changed stays out of it: no rename is
 * refused for what nobody has asked for.
 */
static bool changes_files(const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++)
		if (plan_file_kind(plan_file(p, i)))
			return true;
	return false;
}

/* Of one file; NULL: it is another text by now, or may not be written. */
static struct plan *offer_file(const struct rename *r, const struct word_use *v, size_t n)
{
	struct plan *p = plan_new(call_source(r->call));
	struct edits spans SCOPED(edits_release) = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = v->path, .spans = &spans };
	struct err e = ERR_INIT;
	struct str text;
	bool ok = plan_text(p, v->path, &text, &e) && hash_of(text) == v->text;

	for (size_t i = 0; ok && i < n; i++)
		edits_add(&spans, (struct span){ v[i].at, v[i].at + v[i].n }, r->new_name, 0);
	ok = ok && plan_add(p, &op, &e) && plan_finish(p, &e);
	if (ok)
		return p;
	plan_free(p);
	return NULL;
}

struct plan *rename_offer(void *rename, const struct plan *p)
{
	struct rename *r = rename;
	size_t n = 0;
	struct word_use *v SCOPED(mem_release) =
		changes_files(p) ? NULL : word_search_texts_left(r->mentions, p, &n);
	struct plan_merge *all = plan_merge_new();
	struct plan *offered = NULL, *one;
	struct err e = ERR_INIT;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && !strcmp(v[to].path, v[from].path); to++)
			;
		one = offer_file(r, &v[from], to - from);
		if (one)
			plan_merge_add(all, one);
	}
	if (n)
		offered = plan_merge_finish(all, call_source(r->call), &e);
	if (offered && !plan_files(offered)) {
		plan_free(offered);
		offered = NULL;
	}
	plan_merge_free(all);
	return offered;
}
