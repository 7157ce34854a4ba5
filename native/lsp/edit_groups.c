#include "edit_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"

static void group_free(struct edit_group *g)
{
	free(g->path);
	lines_release(&g->lines);
	edits_release(&g->edits);
	free(g);
}

static void drop_groups(struct edit_groups *gs)
{
	for (size_t i = 0; i < gs->n; i++)
		group_free(gs->group[i]);
	gs->n = 0;
	map_release(&gs->by_path);
}

void edit_groups_release(struct edit_groups *gs)
{
	drop_groups(gs);
	free(gs->group);
}

/* What is in both of them goes from one. */
static void drop_same(struct edit_group *from, const struct edit_group *other)
{
	size_t kept = 0;

	for (size_t i = 0; i < from->edits.n; i++) {
		const struct edit *a = &from->edits.v[i];
		bool same = false;

		for (size_t k = 0; k < other->edits.n && !same; k++) {
			const struct edit *b = &other->edits.v[k];

			same = a->span.at == b->span.at && a->span.end == b->span.end &&
			       str_eq(a->with, b->with);
		}
		if (!same)
			from->edits.v[kept++] = *a;
	}
	from->edits.n = kept;
}

/* A server may take the names of one file for several files, and change each alike: one counts, and
 * one that is no link if there is such a name. What differs stays, and is refused later. */
static void merge_names(struct edit_groups *gs)
{
	struct map seen SCOPED(map_release) = MAP_INIT;

	for (size_t i = 0; i < gs->n; i++) {
		struct edit_group *g = gs->group[i], *was;
		struct plan_identity id;
		char key[64];
		int n;

		if (!plan_identity(gs->plan, g->path, &id))
			continue;
		n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, id.dev, id.ino);
		was = map_get(&seen, (struct str){ key, (size_t)n });
		g->link = id.link;
		if (was && was->link && !g->link)
			drop_same(was, g);
		else if (was)
			drop_same(g, was);
		if (!was || (was->link && !g->link))
			map_put(&seen, (struct str){ key, (size_t)n }, g);
	}
}

static int by_span(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->span.at != y->span.at)
		return x->span.at < y->span.at ? -1 : 1;
	if (x->span.end != y->span.end)
		return x->span.end < y->span.end ? -1 : 1;
	return x->tag - y->tag; /* insertions at one place keep their order */
}

/* TypeScript's server lists the import of an overloaded function once for each overload. */
static void drop_doubles(struct edits *set)
{
	size_t kept = 0;

	if (set->n)
		qsort(set->v, set->n, sizeof(*set->v), by_span);
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i], *last = kept ? &set->v[kept - 1] : NULL;

		if (!last || e->span.at == e->span.end || last->span.at != e->span.at ||
		    last->span.end != e->span.end || !str_eq(last->with, e->with))
			set->v[kept++] = *e;
	}
	set->n = kept;
}

bool edit_groups_flush(struct edit_groups *gs, struct err *e)
{
	bool ok = true;

	merge_names(gs);
	for (size_t i = 0; ok && i < gs->n; i++) {
		struct op op = { .kind = OP_SPANS,
				 .path = gs->group[i]->path,
				 .spans = &gs->group[i]->edits };

		drop_doubles(&gs->group[i]->edits);
		if (!op.spans->n)
			continue;
		ok = plan_add(gs->plan, &op, e);
	}
	drop_groups(gs);
	return ok;
}

struct edit_group *edit_group_of(struct edit_groups *gs, const char *path, struct err *e)
{
	struct edit_group *g = map_get(&gs->by_path, str_of(path));
	struct str text;

	if (g)
		return g;
	if (!plan_text(gs->plan, path, &text, e))
		return NULL;
	g = mem_new(sizeof(*g));
	g->path = mem_dup(path, strlen(path));
	g->text = text;
	lines_init(&g->lines, text, LINES_LSP);
	mem_add(gs->group, gs->n, gs->cap, g);
	map_put(&gs->by_path, str_of(path), g);
	return g;
}
