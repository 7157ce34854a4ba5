#include "batch.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "batch_impl.h"

struct batch *batch_new(const struct operations *ops, unsigned flags)
{
	struct batch *b = mem_new(sizeof(*b));

	b->ops = ops;
	b->flags = flags;
	b->outcome = mem_new((ops->n + 1) * sizeof(*b->outcome));
	b->place = mem_new((ops->n + 1) * sizeof(*b->place));
	for (size_t i = 0; i < ops->n; i++)
		b->outcome[i].clash = -1;
	return b;
}

void batch_free(struct batch *b)
{
	if (!b)
		return;
	batch_drop_targets(b);
	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].near)
			candidates_release(b->outcome[i].near);
	arena_release(&b->texts);
	free(b->outcome);
	free(b->place);
	free(b);
}

const struct outcome *batch_outcome(const struct batch *b, size_t i)
{
	return &b->outcome[i];
}

size_t batch_failures(const struct batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->ops->n; i++)
		n += b->outcome[i].why != NULL;
	return n;
}

const struct err *batch_keep_err(struct batch *b, const struct err *e)
{
	struct err *kept = arena_new(&b->texts, sizeof(*kept)); /* few of many operations fail */

	*kept = *e;
	return kept;
}

bool batch_in_text(const struct operation *op)
{
	return op->kind <= OPERATION_HUNKS;
}

static bool uses_crlf(struct str text)
{
	const char *lf = text.n ? memchr(text.p, '\n', text.n) : NULL;

	return lf && lf > text.p && lf[-1] == '\r';
}

/* A new round. */
static void batch_look(struct target *t, struct str base)
{
	t->base = base;
	t->crlf = uses_crlf(base);
	if (!t->counted)
		return;
	lines_release(&t->lines);
	lines_init(&t->lines, base, LINES_VIM);
	t->n_lines = t->lines.n - (t->lines.at[t->lines.n - 1] == base.n ? 1 : 0);
}

static void fail_all(struct batch *b, struct target *t, const struct err *e)
{
	const struct err *kept = batch_keep_err(b, e);

	for (size_t i = 0; i < t->n; i++)
		b->outcome[t->op[i]].why = kept;
	t->failed = true;
}

/* Before its text is read: it may be that of something else, and far away. */
static bool is_straight(struct batch *b, const char *path, struct err *e)
{
	struct edits none = EDITS_INIT;
	struct op look = {
		.kind = OP_SPANS, .path = path, .spans = &none, .exact = true, .straight = true
	};

	return plan_add(b->plan, &look, e);
}

/* Reads the file, finds the places of all its operations, and their conflicts. */
static void open_target(struct batch *b, struct target *t)
{
	const struct operation *first = &b->ops->v[t->op[0]];
	struct op create = {
		.kind = OP_CREATE, .path = t->path, .ignore = true, .straight = first->straight
	};
	struct err e = ERR_INIT;
	struct str text;

	t->opened = true;
	if ((first->straight && !first->may_create && !is_straight(b, t->path, &e)) ||
	    (first->may_create && !plan_add(b->plan, &create, &e)) ||
	    !plan_text(b->plan, t->path, &text, &e)) {
		fail_all(b, t, &e);
		return;
	}
	if (t->n == 1 && first->kind == OPERATION_HUNKS)
		t->counted = false; /* a patch alone counts itself */
	batch_look(t, text);
	t->map = linemap_new(t->n_lines);
	t->first_lines = t->n_lines;
	batch_locate(b, t, 0);
	if (b->flags & BATCH_CONFLICTS && !batch_claims(b, t))
		t->failed = true;
}

/* Ends a round: the edits so far go into the plan. `last`: the target has no further operation. */
static bool flush(struct batch *b, struct target *t, bool last, struct err *e)
{
	struct op op = {
		.kind = OP_SPANS, .path = t->path, .spans = &t->pending, .exact = t->exact
	};
	struct edit_clash why;
	struct str now;
	bool ok;

	if (!t->pending.n)
		return true;
	if (!last && t->counted && edits_check(&t->pending, t->base.n, &why))
		batch_move_lines(b, t);
	ok = plan_add(b->plan, &op, e) && (last || plan_text(b->plan, t->path, &now, e));
	edits_release(&t->pending);
	if (ok && !last) {
		batch_look(t, now);
		if (t->counted)
			batch_count_lines(t);
	}
	return ok;
}

/* No operation comes any more: the text it was located in may go. */
static bool finish_target(struct batch *b, struct target *t, struct err *e)
{
	bool ok = flush(b, t, true, e);

	t->done = true;
	lines_release(&t->lines);
	linemap_free(t->map);
	t->map = NULL;
	t->base = STR("");
	return ok;
}

static int64_t batch_lines_in(struct str s)
{
	return s.n && memchr(s.p, '\n', s.n) ? (int64_t)str_count(s, '\n') : 0; /* most have none */
}

static void batch_keep(struct batch *b, struct target *t, size_t i)
{
	const struct place *p = &b->place[i];
	struct outcome *o = &b->outcome[i];

	o->places = p->n;
	for (size_t k = p->first; k < p->first + p->n; k++) {
		const struct edit *ed = &t->found.v[k];

		o->line_changes += batch_lines_in(ed->with) -
				   batch_lines_in(str_sub(t->base, ed->span.at, ed->span.end));
		if (t->n > 1)
			edits_add(&t->pending, ed->span, ed->with, (int)i);
	}
	if (t->n == 1) {
		t->pending = t->found;
		t->found = (struct edits)EDITS_INIT;
	}
}

static bool run_text(struct batch *b, size_t i, struct err *e)
{
	const struct operation *op = &b->ops->v[i];
	bool exact = op->kind == OPERATION_HUNKS && op->patch->form == PATCH_UNIFIED;
	struct place *p = &b->place[i];
	struct target *t = p->target;

	if (!t->opened)
		open_target(b, t);
	if (t->failed)
		return true; /* already told */
	if (t->pending.n && (t->exact != exact || p->depends || !p->known)) {
		if (!flush(b, t, false, e))
			return false;
		batch_locate(b, t, p->nth);
	}
	if (!p->known) {
		b->outcome[i].why = p->why;
		return true;
	}
	t->exact = exact;
	batch_keep(b, t, i);
	return true;
}

/* A file with one operation is done with while its text is at hand. */
static void run_alone(struct batch *b, struct target *t)
{
	struct err e = ERR_INIT;

	if (run_text(b, t->op[0], &e) && finish_target(b, t, &e))
		plan_rest(b->plan, t->path);
	else
		fail_all(b, t, &e);
	t->done = true;
}

/* What is to be done before another operation takes their files away. */
static bool end_targets(struct batch *b, struct target *ended, struct err *e)
{
	for (; ended; ended = ended->next_ended)
		if (!finish_target(b, ended, e))
			return false;
	return true;
}

/* One operation; its failure is told in its outcome. */
static void run_one(struct batch *b, size_t i)
{
	const struct operation *op = &b->ops->v[i];
	struct err e = ERR_INIT;
	bool ok;

	if (batch_in_text(op)) {
		ok = b->place[i].target->done || run_text(b, i, &e);
	} else {
		ok = end_targets(b, b->place[i].ended, &e) && batch_run_file(b, op, &e);
	}
	if (!ok)
		b->outcome[i].why = batch_keep_err(b, &e);
}

/* Those that are there from the start. */
static void open_all(struct batch *b, const struct plan_source *src)
{
	const char **path SCOPED(mem_release) = mem_new((b->targets + 1) * sizeof(*path));
	size_t n = 0;

	for (size_t i = 0; i < b->targets; i++)
		if (!b->target[i]->late)
			path[n++] = b->target[i]->path;
	if (src->ahead)
		src->ahead(src->self, path, n);
	for (size_t i = 0; i < b->targets; i++) {
		struct target *t = b->target[i];

		if (t->late)
			continue;
		open_target(b, t);
		if (t->n == 1)
			run_alone(b, t);
	}
	if (src->ahead)
		src->ahead(src->self, NULL, 0);
}

static void run_all(struct batch *b, const struct plan_source *src, const bool *left_out)
{
	struct err e = ERR_INIT;

	open_all(b, src);
	for (size_t i = 0; i < b->ops->n; i++)
		if (!left_out || !left_out[i])
			run_one(b, i);
	for (size_t i = 0; i < b->targets; i++)
		if (finish_target(b, b->target[i], &e))
			plan_rest(b->plan, b->target[i]->path);
		else
			fail_all(b, b->target[i], &e);
}

/* As a person counts them; where there is but one, the file is name enough. */
static void name_operation(const struct batch *b, size_t at, struct err *e)
{
	const struct operation *op = &b->ops->v[at];
	int all = b->ops->v[b->ops->n - 1].of + 1;

	if (all > 1)
		err_in(e, "operation %d of %d (%s)", op->of + 1, all, operation_name(op->kind));
}

static const struct err *first_failure(const struct batch *b, size_t *at)
{
	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].why) {
			*at = i;
			return b->outcome[i].why;
		}
	return NULL;
}

/* A run on a plan of its own. */
static void attempt(struct batch *b, const struct plan_source *src, const bool *left_out)
{
	plan_free(b->plan);
	b->plan = plan_new(src);
	b->root = str_of(src->root);
	batch_drop_targets(b);
	batch_collect(b, left_out);
	run_all(b, src, left_out);
}

static void batch_spread(struct map *bad, const struct operation *op)
{
	map_put(bad, str_of(op->path), bad);
	if (op->new_path)
		map_put(bad, str_of(op->new_path), bad);
}

/* Leaves out what is on a file for which an operation failed, or that one that is left out gives to
 * another name; how many are left. */
static size_t batch_leave_out(struct batch *b, bool *left_out)
{
	struct map bad SCOPED(map_release) = MAP_INIT;
	size_t good = b->ops->n;
	bool more = true;

	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].why)
			batch_spread(&bad, &b->ops->v[i]);
	while (more) {
		good = 0;
		more = false;
		for (size_t i = 0; i < b->ops->n; i++) {
			const struct operation *op = &b->ops->v[i];

			if (!left_out[i] &&
			    (map_get(&bad, str_of(op->path)) ||
			     (op->new_path && map_get(&bad, str_of(op->new_path))))) {
				left_out[i] = more = true;
				batch_spread(&bad, op);
			}
			good += !left_out[i];
		}
	}
	return good;
}

static void tell_left_out(struct batch *b, const bool *left_out)
{
	const struct err *why;
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "skipped: another operation on this file failed");
	why = batch_keep_err(b, &e);
	for (size_t i = 0; i < b->ops->n; i++)
		if (left_out[i] && !b->outcome[i].why)
			b->outcome[i].why = why;
}

/* Without what failed others may fail, too: until none does, or none is left. */
static size_t attempt_rest(struct batch *b, const struct plan_source *src)
{
	bool *left_out SCOPED(mem_release) = mem_new(b->ops->n + 1);
	size_t good = batch_leave_out(b, left_out), at;

	while (good) {
		attempt(b, src, left_out);
		for (at = 0; at < b->ops->n && (left_out[at] || !b->outcome[at].why); at++)
			;
		if (at == b->ops->n)
			break;
		good = batch_leave_out(b, left_out);
	}
	tell_left_out(b, left_out);
	return good;
}

struct plan *batch_run(struct batch *b, const struct plan_source *src, struct err *e)
{
	const struct err *why;
	struct plan *done;
	size_t at = 0, good = 0;

	attempt(b, src, NULL);
	why = first_failure(b, &at);
	if (why && b->flags & BATCH_KEEP_GOOD)
		good = attempt_rest(b, src);
	done = b->plan;
	b->plan = NULL;
	if ((!why || good) && plan_finish(done, e))
		return done;
	if (why && !good) {
		*e = *why;
		name_operation(b, at, e);
	}
	plan_free(done);
	return NULL;
}
