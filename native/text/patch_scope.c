#include "patch_scope.h"

#include <stdlib.h>

#include "../base/mem.h"

/* The lines of one anchor. */
struct anchor_lines {
	struct scopes same, any; /* with its indentation; with whichever, if there are more */
};

void scopes_release(struct scopes *s)
{
	free(s->own);
	*s = (struct scopes){ 0 };
}

void scope_index_release(struct scope_index *x)
{
	map_each(it, &x->anchors) {
		struct anchor_lines *a = it.value;

		scopes_release(&a->same);
		scopes_release(&a->any);
	}
	map_release_values(&x->anchors);
	map_release(&x->anchors);
}

static size_t scope_end(struct scope_index *x, size_t at)
{
	size_t indent = match_indent(lookup_line(x->text, at)), i;

	for (i = at + 1; i < x->text->n; i++) {
		struct str line = lookup_line(x->text, i);

		if (str_trim(line).n && match_indent(line) <= indent)
			break;
	}
	x->looked += i - at;
	return i;
}

/* Behind those that are there. What indentation makes is either in another or apart from it. */
static void scopes_add(struct scopes *s, size_t *cap, size_t at, size_t end)
{
	size_t out = s->n; /* the one around it, plus 1 */
	struct scope one = { .at = at, .end = end };

	while (out && s->own[out - 1].end <= at)
		out = s->own[out - 1].back ? out - s->own[out - 1].back : 0;
	one.back = out ? s->n + 1 - out : 0;
	mem_add(s->own, s->n, *cap, one);
	s->v = s->own;
	s->deep |= end > at + 1;
}

static const struct anchor_lines *lines_of(struct scope_index *x, struct str anchor)
{
	struct anchor_lines *a = map_get(&x->anchors, anchor);
	struct str trimmed = str_trim(anchor);
	size_t same_cap = 0, any_cap = 0;

	if (a)
		return a;
	a = mem_new(sizeof(*a));
	map_put(&x->anchors, anchor, a);
	for (size_t i = lookup_first(x->text, anchor); i != LOOKUP_END;
	     i = lookup_next(x->text, i)) {
		struct str line = lookup_line(x->text, i);
		bool same = match_line(line, anchor, MATCH_TRAILING_SPACE);
		size_t end;

		x->looked++;
		if (!same && !str_eq(str_trim(line), trimmed))
			continue;
		end = scope_end(x, i);
		scopes_add(&a->any, &any_cap, i, end);
		if (same)
			scopes_add(&a->same, &same_cap, i, end);
	}
	if (a->any.n == a->same.n)
		scopes_release(&a->any);
	return a;
}

/* Those of the list that begin in one of the others. */
static struct scopes inside(struct scope_index *x, const struct scopes *list,
			    const struct scopes *outer)
{
	struct scopes s = { 0 };
	size_t cap = 0, next = 0, end = 0;

	if (!outer->deep)
		return s;
	for (size_t i = 0; i < list->n; i++) {
		for (; next < outer->n && outer->v[next].at < list->v[i].at; next++)
			if (outer->v[next].end > end)
				end = outer->v[next].end;
		if (list->v[i].at < end)
			scopes_add(&s, &cap, list->v[i].at, list->v[i].end);
	}
	x->looked += list->n + next;
	return s;
}

/* How many of them begin before the line. */
static size_t before(struct scope_index *x, const struct scopes *s, size_t line)
{
	size_t lo = 0, hi = s->n;

	for (; lo < hi; x->looked++) {
		size_t mid = (lo + hi) / 2;

		if (s->v[mid].at < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct scopes from(const struct scopes *list, size_t first)
{
	return (struct scopes){ list->v + first, list->n - first, list->deep, NULL };
}

static struct scopes below(struct scope_index *x, const struct anchor_lines *a,
			   const struct scopes *outer)
{
	struct scopes s = inside(x, &a->same, outer);
	size_t behind = outer->v[0].at + 1;

	if (!s.n)
		s = inside(x, &a->any, outer);
	if (!s.n)
		s = from(&a->same, before(x, &a->same, behind));
	if (!s.n)
		s = from(&a->any, before(x, &a->any, behind));
	return s;
}

bool scopes_find(struct scope_index *x, const struct str *anchors, size_t n, struct scopes *s,
		 size_t *missing)
{
	*s = (struct scopes){ 0 };
	for (size_t i = 0; i < n; i++) {
		const struct anchor_lines *a = lines_of(x, anchors[i]);
		struct scopes next = i		 ? below(x, a, s)
				     : a->same.n ? from(&a->same, 0)
						 : from(&a->any, 0);

		scopes_release(s);
		*s = next;
		if (!next.n) {
			*missing = i;
			return false;
		}
	}
	return true;
}

/* Whether one of the places is right at the scope's line. */
static bool has_near(struct scope_index *x, const struct scope *s, const size_t *place, size_t n)
{
	size_t lo = 0, hi = n;

	for (; lo < hi; x->looked++) {
		size_t mid = (lo + hi) / 2;

		if (place[mid] < s->at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && place[lo] <= s->at + 1;
}

/* Whether place number k is right at the line of a scope, or in one that has no place there. */
static bool belongs(struct scope_index *x, const struct scopes *s, const size_t *place, size_t n,
		    size_t k)
{
	size_t i = before(x, s, place[k]);

	if ((i < s->n && s->v[i].at == place[k]) || (i && s->v[i - 1].at + 1 == place[k]))
		return true;
	while (i) {
		const struct scope *one = &s->v[i - 1];

		if (one->end > place[k] && !has_near(x, one, place, n))
			return true;
		i = one->back && one->back < i ? i - one->back : 0;
	}
	return false;
}

size_t scopes_keep(struct scope_index *x, const struct scopes *s, size_t *place, size_t n)
{
	bool *keep SCOPED(mem_release) = mem_new(n + 1);
	size_t belong = 0, kept = 0;

	for (size_t k = 0; k < n; k++)
		belong += keep[k] = belongs(x, s, place, n, k);
	for (size_t k = 0; k < n; k++)
		if (belong ? keep[k] : place[k] > s->v[0].at)
			place[kept++] = place[k];
	return kept;
}
