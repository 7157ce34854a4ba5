#include "nested_edits.h"

#include <stdlib.h>

#include "../base/mem.h"

static bool nested_edits_inside(struct span a, struct span b)
{
	return a.at >= b.at && a.end <= b.end;
}

/* The first that begins at the span's start or behind it; *end: behind the last inside of it. */
static size_t run_in(const struct nested_edits *n, struct span s, size_t *end)
{
	size_t at = 0;

	while (at < n->n && n->v[at].span.at < s.at)
		at++;
	for (*end = at; *end < n->n && nested_edits_inside(n->v[*end].span, s);)
		++*end;
	return at;
}

void nested_put(struct nested_edits *n, struct span s, struct str with)
{
	size_t end, at = run_in(n, s, &end);

	n->v = mem_grow(n->v, &n->cap, n->n + 1, sizeof(*n->v));
	memmove(n->v + at + 1, n->v + end, (n->n - end) * sizeof(*n->v));
	n->v[at] = (struct nested_edit){ s, arena_str(&n->texts, with) };
	n->n -= end - at;
	n->n++;
}

void nested_text(const struct nested_edits *n, struct span s, struct buf *out)
{
	size_t end, i = run_in(n, s, &end), from = s.at;

	for (; i < end; i++) {
		buf_add(out, str_sub(n->text, from, n->v[i].span.at));
		buf_add(out, n->v[i].with);
		from = n->v[i].span.end;
	}
	buf_add(out, str_sub(n->text, from, s.end));
}

bool nested_has(const struct nested_edits *n, struct span s)
{
	size_t end;

	return run_in(n, s, &end) < end;
}

void nested_edits(const struct nested_edits *n, struct edits *out)
{
	for (size_t i = 0; i < n->n; i++)
		edits_lend(out, n->v[i].span, n->v[i].with, 0);
}

void nested_release(struct nested_edits *n)
{
	free(n->v);
	arena_release(&n->texts);
}
