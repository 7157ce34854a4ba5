#include "calls.h"

#include <stdlib.h>

#include "../base/mem.h"

static struct str calls_key_of(const int64_t *id)
{
	return (struct str){ (const char *)id, sizeof(*id) };
}

static bool calls_before(const struct call *a, const struct call *b)
{
	return a->due != b->due ? a->due < b->due : a->id < b->id;
}

static void calls_place(struct calls *c, size_t at, struct call *call)
{
	c->heap[at] = call;
	call->at = at;
}

/* Moves a call whose due time changed to where it belongs. */
static void calls_settle(struct calls *c, struct call *call)
{
	size_t at = call->at;

	for (; at && calls_before(call, c->heap[(at - 1) / 2]); at = (at - 1) / 2)
		calls_place(c, at, c->heap[(at - 1) / 2]);
	for (size_t child; (child = 2 * at + 1) < c->n; at = child) {
		if (child + 1 < c->n && calls_before(c->heap[child + 1], c->heap[child]))
			child++;
		if (!calls_before(c->heap[child], call))
			break;
		calls_place(c, at, c->heap[child]);
	}
	calls_place(c, at, call);
}

void calls_add(struct calls *c, const struct call *call, const char *method)
{
	struct call *own = mem_copy(call, sizeof(*call));

	own->method = mem_dup(method, strlen(method));
	map_put(&c->by_id, calls_key_of(&own->id), own);
	c->heap = mem_grow(c->heap, &c->cap, c->n + 1, sizeof(struct call *));
	calls_place(c, c->n++, own);
	calls_settle(c, own);
}

struct call *calls_find(const struct calls *c, int64_t id)
{
	return map_get(&c->by_id, calls_key_of(&id));
}

struct call *calls_first(const struct calls *c)
{
	return c->n ? c->heap[0] : NULL;
}

void calls_set_due(struct calls *c, struct call *call, uint64_t due)
{
	call->due = due;
	calls_settle(c, call);
}

void calls_take(struct calls *c, struct call *call)
{
	struct call *last = c->heap[--c->n];

	map_take(&c->by_id, calls_key_of(&call->id));
	if (last == call)
		return;
	calls_place(c, call->at, last);
	calls_settle(c, last);
}

void call_free(struct call *call)
{
	if (call)
		free(call->method);
	free(call);
}

void calls_give_up(struct calls *c, int64_t id)
{
	int64_t *slot = &c->given_up[c->given_up_n++ % CALLS_REMEMBERED];

	if (*slot > c->forgotten)
		c->forgotten = *slot;
	*slot = id;
}

bool calls_gave_up(const struct calls *c, int64_t id)
{
	if (id <= 0 || id <= c->forgotten)
		return id > 0;
	for (size_t i = 0; i < CALLS_REMEMBERED; i++)
		if (c->given_up[i] == id)
			return true;
	return false;
}

void calls_release(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++)
		call_free(c->heap[i]);
	free(c->heap);
	map_release(&c->by_id);
	*c = (struct calls){ 0 };
}
