#include "fixes.h"

#include <stdlib.h>

#include "../servers/diag_cache.h"
#include "offered_action.h"

json *fix_row(const struct action *a)
{
	return json_of({ "title", json_str(a->title) }, { "kind", json_str(a->kind) },
		       { "preferred", json_bool(a->preferred) });
}

static json *put_all(struct oxide *ox, const struct offer *o)
{
	json *list = json_array();

	for (size_t i = 0; i < o->actions.n; i++) {
		json *row = json_push(list, fix_row(&o->actions.v[i]));
		struct registered *a = offered_action_new(ox, o, i);

		a->diag = registry_diag(o->about[0]);
		json_put(row, "action_id", json_strz(a->id));
		registry_put(ox->registry, a);
	}
	return list;
}

void fixes_put(struct oxide *ox, const struct code_actions *all, json *rows)
{
	json *row = (json *)(uintptr_t)json_first(rows);

	for (size_t i = 0; i < code_actions_count(all); i++) {
		json *list = put_all(ox, code_actions_offer(all, i));

		if (row)
			json_put(row, "fixes", list);
		else
			json_free(list);
		row = row ? (json *)(uintptr_t)json_next(row) : NULL;
	}
}

void fixes_settle(struct oxide *ox)
{
	const struct diag **wrong;
	size_t n = diag_cache_list(ox->findings, ox, DIAG_HINT, &wrong);

	registry_sweep(ox->registry);
	registry_keep_fixes(ox->registry, wrong, n);
	free(wrong);
}

static bool same_edit(const struct action *a, const struct action *b)
{
	return a->edit.n && str_eq(a->edit, b->edit);
}

/* "Remove all unused includes" is offered for each of them: it is not a fix of this one alone. */
static bool is_for_several(const struct code_actions *all, size_t at, const struct action *a)
{
	for (size_t k = 0; k < code_actions_count(all); k++) {
		const struct actions *others = &code_actions_offer(all, k)->actions;

		for (size_t i = 0; k != at && i < others->n; i++)
			if (same_edit(a, &others->v[i]) && action_alike(a, &others->v[i]))
				return true;
	}
	return false;
}

ptrdiff_t fix_choice(const struct code_actions *all, size_t at)
{
	const struct actions *fixes = &code_actions_offer(all, at)->actions;
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
