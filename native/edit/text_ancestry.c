#include "text_ancestry.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"

void text_ancestry_release(struct text_ancestry *l)
{
	free(l->v);
	*l = (struct text_ancestry){ .room = l->room };
}

void text_ancestry_add(struct text_ancestry *l, struct str path, uint64_t from, uint64_t to)
{
	struct text_ancestry_step s = { hash_of(path), from, to };

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].path == s.path && l->v[i].from == from && l->v[i].to == to)
			return;
	if (!l->room)
		return;
	if (l->n < l->room) {
		mem_add(l->v, l->n, l->cap, s);
		return;
	}
	l->v[l->next] = s;
	l->next = (l->next + 1) % l->room;
}

/* A text may come back, so each step is taken once. */
bool text_ancestry_leads(const struct text_ancestry *l, struct str path, uint64_t from, uint64_t to)
{
	uint64_t file = hash_of(path);
	uint64_t *reached SCOPED(mem_release) = mem_new((l->n + 1) * sizeof(*reached));
	bool *taken SCOPED(mem_release) = mem_new(l->n + 1), found = from == to;
	size_t n = 0;

	reached[n++] = from;
	for (size_t at = 0; at < n && !found; at++)
		for (size_t i = 0; i < l->n && !found; i++) {
			const struct text_ancestry_step *s = &l->v[i];

			if (taken[i] || s->path != file || s->from != reached[at])
				continue;
			taken[i] = true;
			reached[n++] = s->to;
			found = s->to == to;
		}
	return found;
}
