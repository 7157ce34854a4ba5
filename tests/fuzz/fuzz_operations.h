#ifndef OX_FUZZ_OPERATIONS_H
#define OX_FUZZ_OPERATIONS_H

#include "base/path.h"
#include "edit/batch.h"
#include "fuzz.h"

#include "../unit/memfs.c" /* a target is built from one file */

/*
 * Operations, however they were written: what holds for them, and carrying them out on a text. The
 * input: the operations, %%, the text of file a.
 */

static inline bool fuzz_inside(struct str path)
{
	return str_starts(path, STR("/r/"));
}

/* A resolver that refuses paths that lead out of the root. */
static inline const char *fuzz_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct buf full = BUF_INIT;
	const char *kept;

	(void)arg;
	path_normal(&full, "/r", path);
	kept = arena_str(a, buf_str(&full)).p;
	if (!fuzz_inside(buf_str(&full))) {
		err_set(e, ERR_DENIED, "outside");
		kept = NULL;
	}
	buf_release(&full);
	return kept;
}

static inline void fuzz_check_operation(const struct operation *op)
{
	must(op->path && op->path[0] == '/');
	switch (op->kind) {
	case OPERATION_REPLACE:
		must(op->find.n && op->with.p);
		break;
	case OPERATION_INSERT:
		must(op->line && !op->count && op->with.p);
		break;
	case OPERATION_DELETE:
	case OPERATION_LINES:
		must(op->line && op->count);
		break;
	case OPERATION_HUNKS:
		must(op->patch && op->hunks);
		break;
	case OPERATION_RENAME:
	case OPERATION_COPY:
		must(op->new_path && op->new_path[0] == '/');
		break;
	case OPERATION_MODE:
		must(op->mode);
		break;
	case OPERATION_LINK:
	case OPERATION_WRITE:
	case OPERATION_REMOVE:
		break;
	}
}

static inline void fuzz_check_operations(const struct operations *ops)
{
	for (size_t i = 0; i < ops->n; i++) {
		fuzz_check_operation(&ops->v[i]);
		must(ops->v[i].of >= (i ? ops->v[i - 1].of : 0));
	}
}

static inline void fuzz_same_path(const char *a, const char *b)
{
	must_be(str_of(a), str_of(b));
}

/* All but the entry's number; of hunks their lines. */
static inline void fuzz_same_operation(const struct operation *a, const struct operation *b)
{
	must(a->kind == b->kind && a->all == b->all && a->overwrite == b->overwrite);
	must(a->line == b->line && a->count == b->count && a->may_create == b->may_create);
	must(a->mode == b->mode && a->straight == b->straight);
	must(!a->expect.p == !b->expect.p && !a->hash.p == !b->hash.p);
	must(!a->hunks == !b->hunks && (!a->hunks || a->hunks->hunks == b->hunks->hunks));
	fuzz_same_path(a->path, b->path);
	fuzz_same_path(a->new_path, b->new_path);
	must_be(a->find, b->find);
	must_be(a->with, b->with);
	must_be(a->before, b->before);
	must_be(a->after, b->after);
	must_be(a->expect, b->expect);
	must_be(a->hash, b->hash);
}

static inline bool fuzz_allowed(void *self, const char *path, bool itself,
				struct exemptions *exempt, struct buf *by, struct err *e)
{
	(void)self, (void)itself, (void)exempt, (void)by;
	return (fuzz_inside(str_of(path)) && strcmp(path, "/r/denied") != 0) ||
	       err_set(e, ERR_DENIED, "no");
}

/* The folder /r with the file a, which holds the text (up to a NUL), and two others. */
static inline struct plan_source fuzz_tree(struct memfs *m, struct str text)
{
	char *a = mem_dup(text.p, text.n);

	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put(m, "/r/a", a, 0644);
	memfs_put(m, "/r/b", "one\ntwo\nthree\n", 0644);
	memfs_put(m, "/r/denied", "one\n", 0644);
	free(a);
	return (struct plan_source){ .self = m,
				     .root = "/r",
				     .stat = m->fs.stat,
				     .read = m->fs.read,
				     .list = m->fs.list,
				     .allowed = fuzz_allowed,
				     .readlink = m->fs.readlink,
				     .resolve = m->fs.resolve };
}

/* Of a plan that gives texts up. */
static inline void fuzz_want_all(struct plan *p)
{
	struct err e;

	for (size_t i = 0; i < plan_files(p); i++)
		must(plan_want(p, i, &e));
}

static inline void fuzz_same_states(struct plan *a, struct plan *b)
{
	const struct txn_file *x, *y;
	size_t n, m;

	fuzz_want_all(a);
	fuzz_want_all(b);
	x = plan_states(a, &n);
	y = plan_states(b, &m);
	must(n == m);
	for (size_t i = 0; i < n; i++) {
		must_be(str_of(x[i].path), str_of(y[i].path));
		must(x[i].existed == y[i].existed && x[i].exists == y[i].exists);
		must_be(x[i].now, y[i].now);
	}
}

static inline bool fuzz_renames(const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++)
		if (plan_file(p, i)->new_path)
			return true;
	return false;
}

/* What is shown of a plan is a patch that does the same. With renames, which it shows in the order
 * of paths, it may be refused: one may find the other in its way. */
static inline void fuzz_check_preview(struct plan *p, struct str text)
{
	struct operations ops = { 0 };
	struct buf patch = BUF_INIT;
	struct err e = ERR_INIT;
	struct plan_source src;
	struct plan *again;
	struct batch *b;
	struct memfs m;

	plan_preview(p, &patch);
	if (!operations_from_patch(&ops, buf_str(&patch), 0, NULL, fuzz_path, NULL, &e))
		fuzz_fail(__FILE__, __LINE__, e.msg);
	src = fuzz_tree(&m, text);
	b = batch_new(&ops, 0);
	again = batch_run(b, &src, &e);
	if (again)
		fuzz_same_states(again, p);
	else if (!fuzz_renames(p))
		fuzz_fail(__FILE__, __LINE__, e.msg);
	plan_free(again);
	batch_free(b);
	memfs_release(&m);
	operations_release(&ops);
	buf_release(&patch);
}

/* A plan does what it says: its edits make the new text of the old one. */
static inline void fuzz_check_plan(struct plan *p, struct str text)
{
	struct buf got = BUF_INIT;

	fuzz_want_all(p);
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		must(f->existed || f->exists);
		if (!f->existed || !f->exists)
			continue;
		must(f->new_path || f->was_mode != f->now_mode || !str_eq(f->was, f->now));
		if (plan_file_links(f))
			continue;
		buf_clear(&got);
		edits_apply(&f->edits, f->was, &got);
		must_be(buf_str(&got), f->now);
	}
	buf_release(&got);
	if (plan_files(p))
		fuzz_check_preview(p, text);
}

static inline void fuzz_carry_out(const struct operations *ops, struct str text, unsigned flags)
{
	struct batch *b = batch_new(ops, flags);
	struct err e = ERR_INIT;
	struct plan_source src;
	struct memfs m;
	struct plan *p;

	src = fuzz_tree(&m, text);
	p = batch_run(b, &src, &e);
	if (p)
		fuzz_check_plan(p, text);
	else
		must_say(&e);
	must(!p || (flags & BATCH_KEEP_GOOD) || !batch_failures(b));
	for (size_t i = 0; i < ops->n; i++) {
		const struct err *why = batch_outcome(b, i)->why;

		if (why)
			must_say(why);
	}
	plan_free(p);
	batch_free(b);
	memfs_release(&m);
}

/* All of that with operations that were read, or not: *e says why. Releases them. */
static inline void fuzz_operations(struct operations *ops, bool ok, struct str text,
				   const struct err *e)
{
	if (ok) {
		fuzz_check_operations(ops);
		fuzz_carry_out(ops, text, BATCH_CONFLICTS);
		fuzz_carry_out(ops, text, BATCH_KEEP_GOOD);
	} else {
		must_say(e);
	}
	operations_release(ops);
}

#endif
