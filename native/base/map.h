#ifndef OX_MAP_H
#define OX_MAP_H

#include "str.h"

/*
 * From byte strings to pointers. Keys are copied, values are the caller's. Zero it or use MAP_INIT
 * to start. Walking goes in order of insertion; nothing may be put or taken out meanwhile.
 *
 *     map_each(it, &m)
 *             show(it.key, it.value);
 */
struct map {
	struct map_entry *v; /* in order of insertion; a removed one has no key */
	size_t n, cap, live;
	size_t *slot; /* open addressing; index into v plus 1, 0 is free */
	size_t slots;
};

#define MAP_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

struct map_walk {
	size_t i;
	struct str key;
	void *value;
};
#define map_each(it, m)                                                                            \
	for (struct map_walk it = { 0 }; map_at(m, &it.i, &it.key, &it.value); it.i++)

void map_release(struct map *m);
void map_release_values(struct map *m); /* with values that are memory: they are freed, too */
void *map_get(const struct map *m, struct str key);	   /* NULL when absent */
void *map_put(struct map *m, struct str key, void *value); /* returns the value it replaces */
void *map_take(struct map *m, struct str key);		   /* removes; returns the value or NULL */
/* The first one from *i on, which is set to its place. */
bool map_at(const struct map *m, size_t *i, struct str *key, void **value);
size_t map_count(const struct map *m);

#endif
