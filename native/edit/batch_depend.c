#include <stdlib.h>

#include "../base/mem.h"
#include "batch_impl.h"

/*
 * Which operations of a round depend on earlier ones of it. All were located in the base; where
 * an earlier one changes what a later one would find, the later one is located again when its turn
 * comes. That is so where
 *
 * - the edits of two overlap; both are marked, so that whichever comes second is seen;
 * - they touch, the second is of a line, and the first may leave no line end before it;
 * - the earlier one makes a text that the later one looks for: in what it puts in, or across its
 *   edges. So the text around each edit is looked at as it is when its operation has just been
 *   carried out. Needles too long for that are taken to depend.
 */
#define LONG 4096

struct change {
	struct span span;
	struct str with;
	size_t nth; /* of the target's operations */
	size_t far; /* where the one ends that reaches furthest, of this and those before it */
};

struct round {
	struct batch *b;
	const struct target *t;
	size_t from; /* the first operation of the round; needles count from it */
	struct change *v;
	size_t n;
	const struct finder *needles;
	size_t reach; /* how far around an edit a needle that touches it can reach */
	/* Where one is looked at: */
	size_t nth;
	struct buf around;
	struct span put_in; /* what it has put in, in `around` */
	bool unify;	    /* CRLF counts as LF */
};

static void batch_depend_mark(const struct round *r, size_t nth)
{
	r->b->place[r->t->op[nth]].depends = true;
}

static int batch_depend_by_place(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->span.at != y->span.at)
		return x->span.at < y->span.at ? -1 : 1;
	if (x->span.end != y->span.end)
		return x->span.end < y->span.end ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void batch_depend_collect(struct round *r)
{
	const struct edits *found = &r->t->found;

	r->v = mem_new((found->n + 1) * sizeof(*r->v));
	for (; r->n < found->n; r->n++)
		r->v[r->n] = (struct change){ found->v[r->n].span, found->v[r->n].with,
					      (size_t)found->v[r->n].tag, 0 };
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), batch_depend_by_place);
}

static bool at_open_end(const struct target *t, const struct change *c)
{
	return t->base.n && t->base.p[t->base.n - 1] != '\n' && c->span.end == t->base.n;
}

/* Whether what comes right behind it may not begin a line then. */
static bool leaves_open(const struct target *t, const struct change *c)
{
	struct edit ed = { .span = c->span, .with = c->with };

	return t->counted && (batch_joins(t, &ed) || at_open_end(t, c));
}

static bool is_by_line(const struct round *r, const struct change *c)
{
	return operation_by_line(&r->b->ops->v[r->t->op[c->nth]]);
}

static void mark_both(const struct round *r, const struct change *a, const struct change *b)
{
	if (a->nth == b->nth)
		return;
	batch_depend_mark(r, a->nth);
	batch_depend_mark(r, b->nth);
}

static void mark_overlaps(struct round *r)
{
	const struct change *widest = r->v, *open = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct change *c = &r->v[i];

		if (c->span.at < widest->span.end)
			mark_both(r, c, widest);
		if (open && open->span.end == c->span.at && is_by_line(r, c))
			mark_both(r, c, open);
		/* whether the end before it goes with it depends on what is before it then */
		if (!c->with.n && at_open_end(r->t, c) && is_by_line(r, c))
			batch_depend_mark(r, c->nth);
		if (c->span.end >= widest->span.end)
			widest = c;
		if (leaves_open(r->t, c))
			open = c;
		c->far = widest->span.end;
	}
}

/* Puts the end of `s` before the bytes from `at` on; returns where it begins. */
static size_t put_before(char *room, size_t at, struct str s)
{
	size_t n = s.n < at ? s.n : at;

	if (n)
		memcpy(room + at - n, s.p + s.n - n, n);
	return at - n;
}

static void put_left(struct round *r, size_t i)
{
	char *room = buf_room(&r->around, r->reach);
	size_t at = r->reach, pos = r->v[i].span.at;
	const struct change *c = &r->v[i];

	while (at && c) {
		for (c = NULL; !c && i && r->v[i - 1].far + at > pos; i--)
			if (r->v[i - 1].nth <= r->nth && r->v[i - 1].span.end <= pos)
				c = &r->v[i - 1];
		at = put_before(room, at, str_sub(r->t->base, c ? c->span.end : 0, pos));
		if (c) {
			at = put_before(room, at, c->with);
			pos = c->span.at;
		}
	}
	memmove(room, room + at, r->reach - at);
	r->around.n = r->reach - at;
}

static void put_behind(struct buf *out, size_t most, struct str s)
{
	size_t room = most - out->n;

	buf_add(out, str_sub(s, 0, s.n < room ? s.n : room));
}

static void put_right(struct round *r, size_t i)
{
	size_t most = r->around.n + r->reach, pos = r->v[i].span.end;
	const struct change *c = &r->v[i];

	while (r->around.n < most && c) {
		for (c = NULL, i++; i < r->n && r->v[i].span.at < pos + most - r->around.n; i++)
			if (r->v[i].nth <= r->nth && r->v[i].span.at >= pos) {
				c = &r->v[i];
				break;
			}
		put_behind(&r->around, most,
			   str_sub(r->t->base, pos, c ? c->span.at : r->t->base.n));
		if (c) {
			put_behind(&r->around, most, c->with);
			pos = c->span.end;
		}
	}
}

static void on_hit(void *arg, size_t needle, size_t place)
{
	const struct round *r = arg;
	size_t end = place + r->needles->v[needle].needle.n;

	if (r->from + needle > r->nth && place < r->put_in.end && end > r->put_in.at)
		batch_depend_mark(r, r->from + needle);
}

static bool has_cr(struct str s)
{
	return s.n && memchr(s.p, '\r', s.n);
}

/* A line end is one byte here, as what is sought has it then. */
static void unify_line_ends(struct round *r)
{
	struct buf *text = &r->around;
	struct span in = r->put_in;
	size_t kept = 0;

	for (size_t i = 0; i < text->n; i++) {
		if (i == in.at)
			r->put_in.at = kept;
		if (i == in.end)
			r->put_in.end = kept;
		if (text->p[i] != '\r' || i + 1 == text->n || text->p[i + 1] != '\n')
			text->p[kept++] = text->p[i];
	}
	if (in.at == text->n)
		r->put_in.at = kept;
	if (in.end == text->n)
		r->put_in.end = kept;
	text->n = kept;
}

static void look_around(struct round *r, size_t i)
{
	r->nth = r->v[i].nth;
	buf_clear(&r->around);
	put_left(r, i);
	r->put_in.at = r->around.n;
	buf_add(&r->around, r->v[i].with);
	r->put_in.end = r->around.n;
	put_right(r, i);
	if (r->unify)
		unify_line_ends(r);
	finder_hits(r->needles, buf_str(&r->around), on_hit, r);
}

static void mark_finders(struct round *r)
{
	size_t longest = 1;

	for (size_t i = 0; i < r->needles->n; i++) {
		size_t n = r->needles->v[i].needle.n;

		if (n > LONG)
			batch_depend_mark(r, r->from + i);
		else if (n > longest)
			longest = n;
	}
	r->reach = (longest - 1) * (r->unify ? 2 : 1);
	for (size_t i = 0; i < r->n; i++)
		look_around(r, i);
	buf_release(&r->around);
}

static struct str unified(struct arena *a, struct str s)
{
	char *out = arena_new(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
			out[n++] = s.p[i];
	return (struct str){ out, n };
}

/* The same where line ends differ: one stands for the other. */
static void mark_finders_unified(struct round *r)
{
	const struct finder *given = r->needles;
	struct sought *v SCOPED(mem_release) = mem_new((given->n + 1) * sizeof(*v));
	struct arena texts SCOPED(arena_release) = { 0 };
	struct finder own SCOPED(finder_release) = { 0 };

	for (size_t i = 0; i < given->n; i++)
		v[i].needle = unified(&texts, given->v[i].needle);
	finder_init(&own, v, given->n);
	r->needles = &own;
	r->unify = true;
	mark_finders(r);
}

static bool line_ends_differ(const struct round *r)
{
	bool found = has_cr(r->t->base);

	for (size_t i = 0; i < r->n && !found; i++)
		found = has_cr(r->v[i].with);
	for (size_t i = 0; i < r->needles->n && !found; i++)
		found = has_cr(r->needles->v[i].needle);
	return found;
}

void batch_depend(struct batch *b, struct target *t, size_t from, const struct finder *needles)
{
	struct round r = { .b = b, .t = t, .from = from, .needles = needles };

	if (t->n - from < 2)
		return;
	batch_depend_collect(&r);
	mark_overlaps(&r);
	if (needles && line_ends_differ(&r))
		mark_finders_unified(&r);
	else if (needles)
		mark_finders(&r);
	free(r.v);
}
