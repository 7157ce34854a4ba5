#include <stdlib.h>

#include "../base/mem.h"
#include "batch_impl.h"

/* Lines of the original that an operation changes: [from, to), or a point between lines. */
struct claim {
	size_t from, to;
	size_t op;
	bool string; /* found by its text: follows what earlier ones did, so that two of them agree
		      */
};

static int batch_claims_in_order(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->op < y->op ? -1 : 1;
}

/* Of what was found by its text. Where it takes a line end away and puts none there, it reaches
 * into the line that joins then. */
static struct claim claim_of(const struct target *t, const struct edit *ed, size_t op, bool string)
{
	size_t from = lines_find(&t->lines, ed->span.at), to = lines_find(&t->lines, ed->span.end);
	bool whole = t->lines.at[from] == ed->span.at;

	if (ed->span.at == ed->span.end && whole)
		return (struct claim){ from, from, op, string };
	/* an end at the start of a line does not touch that line */
	if (ed->span.end > t->lines.at[to] || from == to || (to < t->n_lines && batch_joins(t, ed)))
		to++;
	return (struct claim){ from, to, op, string };
}

static struct claim claim_by(const struct batch *b, const struct target *t, const struct edit *ed)
{
	size_t i = t->op[ed->tag];
	const struct operation *op = &b->ops->v[i];
	size_t line = b->place[i].line;

	if (operation_by_line(op))
		return (struct claim){ line, line + op->count, i, false };
	return claim_of(t, ed, i, op->kind == OPERATION_REPLACE);
}

static bool clash(const struct claim *a, const struct claim *b)
{
	if (a->string && b->string)
		return false;
	if (a->from == a->to || b->from == b->to) /* a point: inside, not at an edge */
		return a->from == a->to ? b->from < a->from && a->from < b->to
					: a->from < b->from && b->from < a->to;
	return a->from < b->to && b->from < a->to;
}

static void report(struct batch *b, const struct claim *x, const struct claim *y)
{
	const struct claim *first = x->op < y->op ? x : y, *second = first == x ? y : x;
	int one = b->ops->v[first->op].of, two = b->ops->v[second->op].of;
	struct outcome *o = &b->outcome[second->op];
	struct err e = ERR_INIT;

	if (o->why)
		return;
	err_set(&e, ERR_CONFLICT, "operations %d and %d both change line %zu", one, two,
		(x->from > y->from ? x->from : y->from) + 1);
	o->why = batch_keep_err(b, &e);
	o->clash = one;
}

bool batch_claims(struct batch *b, struct target *t)
{
	struct claim *v SCOPED(mem_release) = NULL;
	size_t n = 0, widest = 0;
	bool ok = true;

	if (t->n < 2 || t->strings)
		return true;
	v = mem_new((t->found.n + 1) * sizeof(*v));
	for (; n < t->found.n; n++)
		v[n] = claim_by(b, t, &t->found.v[n]);
	if (n)
		qsort(v, n, sizeof(*v), batch_claims_in_order);
	/* Against the one that reaches furthest so far: any clash with an earlier one is found. */
	for (size_t i = 1; i < n; i++) {
		if (v[i].op != v[widest].op && clash(&v[widest], &v[i])) {
			report(b, &v[widest], &v[i]);
			ok = false;
		}
		if (v[i].to >= v[widest].to)
			widest = i;
	}
	return ok;
}
