#ifndef OX_MAP_H
#define OX_MAP_H

#include "str.h"

/*
 * From byte strings to pointers. Keys are copied, values are the caller's. Zero it or use MAP_INIT
 * to start. Walking goes in order of insertion; nothing may be put or taken out meanwhile.
 *
 *     for (size_t i = 0; map_at(&m, &i, &key, &value); i++)
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

void map_release(struct map *m);
void *map_get(const struct map *m, struct str key);	   /* NULL when absent */
void *map_put(struct map *m, struct str key, void *value); /* returns the value it replaces */
void *map_take(struct map *m, struct str key);		   /* removes; returns the value or NULL */
bool map_at(const struct map *m, size_t *i, struct str *key, void **value);
size_t map_count(const struct map *m);

#endif
