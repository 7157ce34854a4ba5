#include "batch.h"

#include <stdlib.h>

#include "../base/mem.h"
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
	free(t->taken);
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
	for (size_t i = 0; i < b->ops->n; i++) {
		edits_release(&b->place[i].set);
		nears_release(&b->outcome[i].near);
	}
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
		n += b->outcome[i].why.code != ERR_OK;
	return n;
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
	t->n_taken = 0;
	if (!t->counted)
		return;
	lines_release(&t->lines);
	lines_init(&t->lines, base, LINES_VIM);
	t->n_lines = t->lines.n - (t->lines.at[t->lines.n - 1] == base.n ? 1 : 0);
}

static void fail_all(struct batch *b, struct target *t, const struct err *e)
{
	for (size_t i = 0; i < t->n; i++)
		b->outcome[t->op[i]].why = *e;
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
	t->counted = t->n > 1 || first->kind != OPERATION_HUNKS;
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

static void add_to_target(struct batch *b, const char *path, size_t op, bool late)
{
	struct target *t = target_of(b, path);

	if (!t) {
		t = mem_new(sizeof(*t));
		t->path = path;
		t->late = late;
		map_put(&b->targets, str_of(path), t);
	}
	t->op = mem_grow(t->op, &t->cap, t->n + 1, sizeof(*t->op));
	t->op[t->n++] = op;
}

static void collect_targets(struct batch *b, const bool *left_out)
{
	struct map made = MAP_INIT; /* names that file operations have touched so far */

	for (size_t i = 0; i < b->ops->n; i++) {
		const struct operation *op = &b->ops->v[i];

		if (left_out && left_out[i])
			continue;
		if (in_text(op)) {
			add_to_target(b, op->path, i, map_get(&made, str_of(op->path)));
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
	if (!edits_check(&t->pending, t->base.n, &why))
		return err_set(e, ERR_CONFLICT, "operations %d and %d overlap", why.a, why.b);
	if (!t->one_by_one && batch_surprised(b, t)) {
		t->one_by_one = b->again = true;
		return false;
	}
	if (!last)
		move_lines(t);
	ok = plan_add(b->plan, &op, e) && (last || plan_text(b->plan, t->path, &now, e));
	edits_release(&t->pending);
	if (ok && !last)
		look(t, now);
	return ok;
}

/* Whether no edit of this round has touched the place. */
static bool is_free(const struct target *t, const struct edits *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct span s = set->v[i].span;
		size_t lo = 0, hi = t->n_taken;

		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (t->taken[mid].end <= s.at)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < t->n_taken && t->taken[lo].at < s.end)
			return false;
	}
	return true;
}

static void take(struct target *t, struct span s)
{
	size_t at = t->n_taken;

	if (s.at == s.end)
		return;
	while (at && t->taken[at - 1].at > s.at)
		at--;
	t->taken = mem_grow(t->taken, &t->cap_taken, t->n_taken + 1, sizeof(*t->taken));
	memmove(&t->taken[at + 1], &t->taken[at], (t->n_taken - at) * sizeof(*t->taken));
	t->taken[at] = s;
	t->n_taken++;
}

static void keep(struct batch *b, struct target *t, size_t i)
{
	struct place *p = &b->place[i];
	struct outcome *o = &b->outcome[i];

	o->places = p->set.n;
	for (size_t k = 0; k < p->set.n; k++) {
		const struct edit *ed = &p->set.v[k];

		for (size_t c = 0; c < ed->with.n; c++)
			o->line_changes += ed->with.p[c] == '\n';
		for (size_t c = ed->span.at; c < ed->span.end; c++)
			o->line_changes -= t->base.p[c] == '\n';
		edits_add(&t->pending, ed->span, ed->with, b->ops->v[i].of);
		take(t, ed->span);
	}
}

static size_t index_in(const struct target *t, size_t op)
{
	size_t lo = 0, hi = t->n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (t->op[mid] <= op)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static bool run_text(struct batch *b, struct target *t, size_t i, struct err *e)
{
	const struct operation *op = &b->ops->v[i];
	bool exact = op->kind == OPERATION_HUNKS && op->patch->form == PATCH_UNIFIED;
	struct place *p = &b->place[i];

	if (!t->opened)
		open_target(b, t);
	if (t->failed)
		return true; /* already told */
	if (t->pending.n && (t->one_by_one || t->exact != exact || p->depends || !p->known ||
			     !is_free(t, &p->set))) {
		if (!flush(b, t, false, e))
			return false;
		batch_locate(b, t, index_in(t, i));
	}
	if (!p->known) {
		b->outcome[i].why = *p->why;
		return true;
	}
	t->exact = exact;
	keep(b, t, i);
	return true;
}

/* The text of a file that has just been made. */
static bool fill_file(struct batch *b, const char *path, struct str text, int of, struct err *e)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &set, .exact = true };
	struct str was;
	bool ok = !text.n || plan_text(b->plan, path, &was, e);

	if (ok && text.n) {
		edits_add(&set, (struct span){ 0, was.n }, text, of);
		ok = plan_add(b->plan, &op, e);
	}
	edits_release(&set);
	return ok;
}

static bool set_mode(struct batch *b, const char *path, unsigned mode, struct err *e)
{
	struct op op = { .kind = OP_MODE, .path = path, .mode = mode };

	return !mode || plan_add(b->plan, &op, e);
}

/* A link is copied as one where names are meant. */
static bool copy_file(struct batch *b, const struct operation *op, struct err *e)
{
	struct op create = { .kind = OP_CREATE, .path = op->new_path, .straight = op->straight };
	struct str text;
	unsigned mode;

	if (op->straight && !plan_link(b->plan, op->path, &create.leads_to, e))
		return false;
	if (create.leads_to.p) {
		create.kind = OP_LINK;
		return plan_add(b->plan, &create, e);
	}
	if (!plan_text(b->plan, op->path, &text, e) || !plan_mode(b->plan, op->path, &mode, e))
		return false;
	text = arena_str(&b->texts, text);
	return plan_add(b->plan, &create, e) && fill_file(b, op->new_path, text, op->of, e) &&
	       set_mode(b, op->new_path, mode_git(mode), e);
}

/* A patch of a file is not for a link, and one of a link for that link alone. */
static bool is_meant(struct batch *b, const struct operation *op, struct err *e)
{
	struct str to;

	if (!op->straight || (op->kind == OPERATION_LINK && !op->expect.p))
		return true;
	if (!plan_link(b->plan, op->path, &to, e))
		return false;
	if (!op->expect.p)
		return !to.p ||
		       err_set(e, ERR_CONFLICT,
			       "%s is a symbolic link, and the patch is for a file", op->path);
	if (!to.p)
		return err_set(e, ERR_CONFLICT, "%s is no symbolic link, and the patch is for one",
			       op->path);
	return str_eq(to, op->expect) ||
	       err_set(e, ERR_NOT_FOUND, "%s leads to %.*s, and the patch says to %.*s", op->path,
		       STR_ARG(to), STR_ARG(op->expect));
}

static bool write_file(struct batch *b, const struct operation *op, struct op *file, struct err *e)
{
	file->kind = OP_CREATE;
	return plan_add(b->plan, file, e) && fill_file(b, op->path, op->with, op->of, e) &&
	       set_mode(b, op->path, op->mode, e);
}

static bool run_file(struct batch *b, const struct operation *op, struct err *e)
{
	struct op file = { .path = op->path,
			   .new_path = op->new_path,
			   .leads_to = op->with,
			   .mode = op->mode,
			   .overwrite = op->overwrite,
			   .straight = op->straight };

	switch (op->kind) {
	case OPERATION_COPY:
		return copy_file(b, op, e);
	case OPERATION_WRITE:
		return write_file(b, op, &file, e);
	case OPERATION_REMOVE:
		file.kind = OP_REMOVE;
		return is_meant(b, op, e) && plan_add(b->plan, &file, e);
	case OPERATION_LINK:
		file.kind = OP_LINK;
		file.overwrite = op->expect.p;
		return is_meant(b, op, e) && plan_add(b->plan, &file, e);
	case OPERATION_MODE:
		file.kind = OP_MODE;
		return plan_add(b->plan, &file, e);
	default:
		file.kind = OP_RENAME;
		return plan_add(b->plan, &file, e);
	}
}

/* One operation; its failure is told in its outcome, and only a surprise stops the run. */
static void run_one(struct batch *b, size_t i)
{
	const struct operation *op = &b->ops->v[i];
	struct target *t = target_of(b, op->path);
	struct err e = ERR_INIT;
	bool ok;

	if (in_text(op))
		ok = run_text(b, t, i, &e);
	else
		ok = (!t || flush(b, t, false, &e)) && run_file(b, op, &e);
	if (!ok && !b->again)
		b->outcome[i].why = e;
}

static void run_all(struct batch *b, const bool *left_out)
{
	struct err e = ERR_INIT;
	struct str key;
	void *v;

	for (size_t i = 0; map_at(&b->targets, &i, &key, &v); i++)
		if (!((struct target *)v)->late)
			open_target(b, v);
	for (size_t i = 0; i < b->ops->n && !b->again; i++)
		if (!left_out || !left_out[i])
			run_one(b, i);
	for (size_t i = 0; !b->again && map_at(&b->targets, &i, &key, &v); i++) {
		struct target *t = v;

		if (!flush(b, t, true, &e) && !b->again)
			fail_all(b, t, &e);
	}
}

static bool anything_failed(const struct batch *b, const char *path)
{
	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].why.code && !strcmp(b->ops->v[i].path, path))
			return true;
	return false;
}

static const struct err *first_failure(const struct batch *b, size_t *at)
{
	for (size_t i = 0; i < b->ops->n; i++)
		if (b->outcome[i].why.code) {
			*at = i;
			return &b->outcome[i].why;
		}
	return NULL;
}

/* A run on a plan of its own; again where a file turned out to need it one by one. */
static void attempt(struct batch *b, const struct plan_source *src, const bool *left_out)
{
	do {
		struct map before = b->targets;
		struct str key;
		void *v;

		b->again = false;
		plan_free(b->plan);
		b->plan = plan_new(src);
		b->targets = (struct map)MAP_INIT;
		collect_targets(b, left_out);
		for (size_t i = 0; map_at(&before, &i, &key, &v); i++) {
			struct target *was = v, *now = target_of(b, was->path);

			if (now)
				now->one_by_one = was->one_by_one;
			target_free(was);
		}
		map_release(&before);
		for (size_t i = 0; i < b->ops->n; i++)
			if (!left_out || !left_out[i])
				b->outcome[i].why.code = ERR_OK;
		run_all(b, left_out);
	} while (b->again);
}

struct plan *batch_run(struct batch *b, const struct plan_source *src, struct err *e)
{
	bool *left_out = mem_new(b->ops->n + 1);
	const struct err *why;
	struct plan *done;
	size_t at = 0, good = 0;

	attempt(b, src, NULL);
	why = first_failure(b, &at);
	if (why && b->flags & BATCH_KEEP_GOOD) {
		for (size_t i = 0; i < b->ops->n; i++) {
			left_out[i] = anything_failed(b, b->ops->v[i].path);
			good += !left_out[i];
		}
		if (good)
			attempt(b, src, left_out);
	}
	free(left_out);
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
