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

static void target_free(struct target *t)
{
	lines_release(&t->lines);
	linemap_free(t->map);
	edits_release(&t->pending);
	edits_release(&t->found);
	free(t->op);
	free(t);
}

static void drop_targets(struct batch *b)
{
	struct str key;
	void *v;

	for (size_t i = 0; map_at(&b->targets, &i, &key, &v); i++)
		target_free(v);
	map_release(&b->targets);
}

void batch_free(struct batch *b)
{
	if (!b)
		return;
	drop_targets(b);
	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].near)
			nears_release(b->outcome[i].near);
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

static bool in_text(const struct operation *op)
{
	return op->kind <= OPERATION_HUNKS;
}

static bool uses_crlf(struct str text)
{
	const char *lf = text.n ? memchr(text.p, '\n', text.n) : NULL;

	return lf && lf > text.p && lf[-1] == '\r';
}

/* A new round. */
static void look(struct target *t, struct str base)
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
	look(t, text);
	t->map = linemap_new(t->n_lines);
	t->first_lines = t->n_lines;
	batch_locate(b, t, 0);
	if (b->flags & BATCH_CONFLICTS && !batch_claims(b, t))
		t->failed = true;
}

static struct target *target_of(struct batch *b, const char *path)
{
	return map_get(&b->targets, str_of(path));
}

/* `last`: that of the operation before, which is often the same. */
static struct target *target_for(struct batch *b, const char *path, struct target *last)
{
	struct target *t = last && last->path == path ? last : target_of(b, path);

	if (t)
		return t;
	t = mem_new(sizeof(*t));
	t->path = path;
	t->strings = true;
	map_put(&b->targets, str_of(path), t);
	return t;
}

static bool any_above(const struct map *made, const char *path)
{
	struct str dir = path_dir(str_of(path));

	while (dir.n > 1 && !map_get(made, dir))
		dir = path_dir(dir);
	return dir.n > 1;
}

static void add_to_target(struct batch *b, struct target *t, size_t i)
{
	const struct operation *op = &b->ops->v[i];

	b->place[i] = (struct place){ .target = t, .nth = t->n };
	t->strings = t->strings && op->kind == OPERATION_REPLACE;
	t->counted = t->counted || !t->strings || op->before.n || op->after.n;
	t->op = mem_grow(t->op, &t->cap, t->n + 1, sizeof(*t->op));
	t->op[t->n++] = i;
}

static void collect_targets(struct batch *b, const bool *left_out)
{
	struct map made = MAP_INIT; /* names that file operations have touched so far */
	struct target *t = NULL;

	for (size_t i = 0; i < b->ops->n; i++) {
		const struct operation *op = &b->ops->v[i];

		if (left_out && left_out[i])
			continue;
		if (in_text(op)) {
			t = target_for(b, op->path, t);
			t->late = t->late || (!t->n && map_get(&made, str_of(op->path)));
			t->moved = t->moved || (map_count(&made) && any_above(&made, op->path));
			add_to_target(b, t, i);
			continue;
		}
		map_put(&made, str_of(op->path), b);
		if (op->new_path)
			map_put(&made, str_of(op->new_path), b);
	}
	map_release(&made);
}

/* How the edits of a round move lines. A byte order mark stands before the first. */
static void move_lines(struct target *t)
{
	for (size_t i = t->counted ? t->pending.n : 0; i--;) {
		const struct edit *ed = &t->pending.v[i];
		size_t from = lines_find(&t->lines, ed->span.at);
		size_t to = lines_find(&t->lines, ed->span.end), added = 0;
		bool whole = ed->span.at <= t->lines.at[from] &&
			     (ed->span.end <= t->lines.at[to] || ed->span.end == t->base.n);

		for (size_t k = 0; k < ed->with.n; k++)
			added += ed->with.p[k] == '\n';
		if (to - from || added)
			linemap_splice(t->map, from + !whole, to - from, added);
	}
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
	if (!last && edits_check(&t->pending, t->base.n, &why))
		move_lines(t);
	ok = plan_add(b->plan, &op, e) && (last || plan_text(b->plan, t->path, &now, e));
	edits_release(&t->pending);
	if (ok && !last)
		look(t, now);
	return ok;
}

static int64_t count_lines(struct str s)
{
	return (int64_t)str_count(s, '\n');
}

static void keep(struct batch *b, struct target *t, size_t i)
{
	const struct place *p = &b->place[i];
	struct outcome *o = &b->outcome[i];

	o->places = p->n;
	for (size_t k = p->first; k < p->first + p->n; k++) {
		const struct edit *ed = &t->found.v[k];

		o->line_changes += count_lines(ed->with) -
				   count_lines(str_sub(t->base, ed->span.at, ed->span.end));
		if (t->n > 1)
			edits_add(&t->pending, ed->span, ed->with, b->ops->v[i].of);
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
	keep(b, t, i);
	return true;
}

/* A file with one operation is done with while its text is at hand. */
static void run_alone(struct batch *b, struct target *t)
{
	struct err e = ERR_INIT;

	t->done = true;
	if (run_text(b, t->op[0], &e) && flush(b, t, true, &e))
		plan_rest(b->plan, t->path);
	else
		fail_all(b, t, &e);
	lines_release(&t->lines);
	linemap_free(t->map);
	t->map = NULL;
	t->base = STR("");
}

/* One operation; its failure is told in its outcome. */
static void run_one(struct batch *b, size_t i)
{
	const struct operation *op = &b->ops->v[i];
	struct err e = ERR_INIT;
	struct target *t;
	bool ok;

	if (in_text(op)) {
		ok = b->place[i].target->done || run_text(b, i, &e);
	} else {
		t = target_of(b, op->path);
		ok = (!t || flush(b, t, false, &e)) && batch_run_file(b, op, &e);
	}
	if (!ok)
		b->outcome[i].why = batch_keep_err(b, &e);
}

static void run_all(struct batch *b, const bool *left_out)
{
	struct err e = ERR_INIT;
	struct str key;
	void *v;

	for (size_t i = 0; map_at(&b->targets, &i, &key, &v); i++) {
		struct target *t = v;

		if (t->late)
			continue;
		open_target(b, t);
		if (t->n == 1 && !t->moved)
			run_alone(b, t);
	}
	for (size_t i = 0; i < b->ops->n; i++)
		if (!left_out || !left_out[i])
			run_one(b, i);
	for (size_t i = 0; map_at(&b->targets, &i, &key, &v); i++)
		if (!flush(b, v, true, &e))
			fail_all(b, v, &e);
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
	drop_targets(b);
	collect_targets(b, left_out);
	run_all(b, left_out);
}

/* Which operations are on a file for which one failed; how many are not. */
static size_t leave_out(struct batch *b, bool *left_out)
{
	struct map bad = MAP_INIT;
	size_t good = 0;

	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].why)
			map_put(&bad, str_of(b->ops->v[i].path), b);
	for (size_t i = 0; i < b->ops->n; i++) {
		left_out[i] = map_get(&bad, str_of(b->ops->v[i].path));
		good += !left_out[i];
	}
	map_release(&bad);
	return good;
}

static void tell_left_out(struct batch *b, const bool *left_out)
{
	const struct err *why;
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "left out: another operation on this file failed");
	why = batch_keep_err(b, &e);
	for (size_t i = 0; i < b->ops->n; i++)
		if (left_out[i] && !b->outcome[i].why)
			b->outcome[i].why = why;
}

struct plan *batch_run(struct batch *b, const struct plan_source *src, struct err *e)
{
	const struct err *why;
	struct plan *done;
	size_t at = 0, good = 0;

	attempt(b, src, NULL);
	why = first_failure(b, &at);
	if (why && b->flags & BATCH_KEEP_GOOD) {
		bool *left_out = mem_new(b->ops->n + 1);

		good = leave_out(b, left_out);
		if (good) {
			attempt(b, src, left_out);
			tell_left_out(b, left_out);
		}
		free(left_out);
	}
	done = b->plan;
	b->plan = NULL;
	if ((!why || good) && plan_finish(done, e))
		return done;
	if (why && !good) {
		*e = *why;
		err_in(e, "operation %d (%s)", b->ops->v[at].of,
		       operation_name(b->ops->v[at].kind));
	}
	plan_free(done);
	return NULL;
}
