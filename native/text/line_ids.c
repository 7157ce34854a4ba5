#include "line_ids.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"

void line_ids_init(struct line_ids *ids, size_t lines)
{
	size_t slots = 16;

	while (slots < 2 * lines)
		slots *= 2;
	*ids = (struct line_ids){ .mask = slots - 1 };
	ids->slot = mem_new(slots * sizeof(*ids->slot));
}

uint32_t line_id(struct line_ids *ids, struct str line, int which)
{
	uint64_t hash = hash_of(line);
	size_t i = (size_t)hash & ids->mask;

	for (; ids->slot[i]; i = (i + 1) & ids->mask) {
		struct line_word *have = &ids->v[ids->slot[i] - 1];

		if (have->hash == hash && str_eq(have->text, line)) {
			have->times[which]++;
			return ids->slot[i] - 1;
		}
	}
	ids->v = mem_grow(ids->v, &ids->cap, ids->n + 1, sizeof(*ids->v));
	ids->v[ids->n] = (struct line_word){ hash, line, { which == 0, which == 1 } };
	ids->slot[i] = (uint32_t)++ids->n;
	return ids->slot[i] - 1;
}

void line_ids_release(struct line_ids *ids)
{
	free(ids->v);
	free(ids->slot);
	*ids = (struct line_ids){ 0 };
}
