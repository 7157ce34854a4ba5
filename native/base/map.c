#include "map.h"

#include <stdlib.h>

#include "err.h"
#include "hash.h"
#include "mem.h"

struct map_entry {
	char *key; /* NULL: removed */
	size_t n;
	void *value;
};

void map_release(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].key);
	free(m->v);
	free(m->slot);
	*m = (struct map)MAP_INIT;
}

void map_release_values(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].key)
			free(m->v[i].value);
	map_release(m);
}

/* The slot that holds the key, or the free one where it would go. */
static size_t *map_seek(const struct map *m, struct str key)
{
	size_t mask = m->slots - 1, i = (size_t)hash_of(key) & mask;

	for (;; i = (i + 1) & mask) {
		const struct map_entry *v = m->slot[i] ? &m->v[m->slot[i] - 1] : NULL;

		if (!v || (v->key && str_eq((struct str){ v->key, v->n }, key)))
			return &m->slot[i];
	}
}

/* Makes the table again, without the removed ones. There is room for half as many again, so that
 * keys that come and go do not make it again each time. */
static void rebuild(struct map *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].key)
			m->v[kept++] = m->v[i];
	m->n = kept;
	m->slots = 16;
	while (m->slots < (kept + 1) * 3)
		m->slots *= 2;
	free(m->slot);
	m->slot = mem_new(m->slots * sizeof(*m->slot));
	for (size_t i = 0; i < kept; i++)
		*map_seek(m, (struct str){ m->v[i].key, m->v[i].n }) = i + 1;
}

void *map_get(const struct map *m, struct str key)
{
	size_t at = m->slots ? *map_seek(m, key) : 0;

	return at ? m->v[at - 1].value : NULL;
}

void *map_put(struct map *m, struct str key, void *value)
{
	size_t *at;

	if (!value)
		BUG("a map cannot hold NULL");
	if (m->n + 1 > m->slots / 2)
		rebuild(m);
	at = map_seek(m, key);
	if (*at) {
		void *was = m->v[*at - 1].value;

		m->v[*at - 1].value = value;
		return was;
	}
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n] = (struct map_entry){ mem_dup(key.p, key.n), key.n, value };
	*at = ++m->n;
	m->live++;
	return NULL;
}

void *map_take(struct map *m, struct str key)
{
	size_t at = m->slots ? *map_seek(m, key) : 0;

	if (!at)
		return NULL;
	/* The entry stays as a mark, so that what collided with it is still found. */
	free(m->v[at - 1].key);
	m->v[at - 1].key = NULL;
	m->live--;
	return m->v[at - 1].value;
}

bool map_at(const struct map *m, size_t *i, struct str *key, void **value)
{
	while (*i < m->n && !m->v[*i].key)
		++*i;
	if (*i >= m->n)
		return false;
	*key = (struct str){ m->v[*i].key, m->v[*i].n };
	*value = m->v[*i].value;
	return true;
}

size_t map_count(const struct map *m)
{
	return m->live;
}
