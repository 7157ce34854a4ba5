#include <stdint.h>
#include <stdlib.h>

#include "../base/fs.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "operation.h"

/* A patch as operations. */
struct adding {
	struct operations *ops;
	operation_path *path;
	void *arg;
	int of;
	const char *only;
};

static const char *resolve(struct adding *a, struct str path, struct err *e)
{
	return a->path(a->arg, &a->ops->parts, path, e);
}

/* The text of a link before or after its part of a patch, which always holds it whole. */
static struct str link_text(struct adding *a, const struct patch_file *f, char without)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	patch_side(f, without, &text);
	return arena_str(&a->ops->parts, buf_str(&text));
}

static void add_created(struct adding *a, const struct patch_file *f, const char *path)
{
	bool link = f->mode == MODE_LINK;
	struct operation *op =
		operations_add(a->ops, link ? OPERATION_LINK : OPERATION_WRITE, path);

	op->with = link_text(a, f, '-');
	op->mode = f->mode;
}

static struct operation *add_hunks(struct adding *a, const struct patch *p,
				   const struct patch_file *f, const char *path)
{
	struct operation *op = operations_add(a->ops, OPERATION_HUNKS, path);

	op->patch = p;
	op->hunks = f;
	op->may_create = f->may_create;
	return op;
}

/* What changes of a file that stays one, or of a link that does. */
static void add_contents(struct adding *a, const struct patch *p, const struct patch_file *f,
			 const char *path)
{
	struct operation *op;

	if (f->old_mode == MODE_LINK && f->hunks && f->kind != PATCH_DELETE) {
		op = operations_add(a->ops, OPERATION_LINK, path);
		op->expect = link_text(a, f, '+');
		op->with = link_text(a, f, '-');
	} else if (f->old_mode != MODE_LINK && (f->hunks || f->old_mode)) {
		add_hunks(a, p, f, path);
	}
	if (f->mode && f->old_mode && f->mode != f->old_mode)
		operations_add(a->ops, OPERATION_MODE, path)->mode = f->mode;
}

/* Its text first, its name and being after; a copy is made first. */
static void add_changes(struct adding *a, const struct patch *p, const struct patch_file *f,
			const char *path, const char *new_path)
{
	if (f->copy)
		operations_add(a->ops, OPERATION_COPY, path)->new_path = new_path;
	add_contents(a, p, f, f->copy ? new_path : path);
	if (f->kind == PATCH_DELETE) {
		struct operation *op = operations_add(a->ops, OPERATION_REMOVE, path);

		if (f->old_mode == MODE_LINK)
			op->expect = link_text(a, f, '+');
	} else if (new_path && !f->copy) {
		operations_add(a->ops, OPERATION_RENAME, path)->new_path = new_path;
	}
}

static bool patch_op_add_file(struct adding *a, const struct patch *p, const struct patch_file *f,
			      struct err *e)
{
	const char *path = f->path.n || !a->only ? resolve(a, f->path, e) : a->only;
	const char *new_path = f->new_path.n ? resolve(a, f->new_path, e) : NULL;

	if (!path || (f->new_path.n && !new_path))
		return false;
	if (a->only && (strcmp(path, a->only) != 0 || new_path))
		return err_set(e, ERR_INVALID, "the patch changes %s, but the operation is for %s",
			       new_path ? new_path : path, a->only);
	if (f->mode && f->old_mode && (f->mode == MODE_LINK) != (f->old_mode == MODE_LINK))
		return err_set(
			e, ERR_INVALID,
			"line %zu of the patch: %s cannot become a symbolic link, or stop being "
			"one, by a mode change alone",
			f->at, path);
	if (f->kind == PATCH_CREATE)
		add_created(a, f, path);
	else
		add_changes(a, p, f, path, new_path);
	return true;
}

/*
 * All parts of a git patch start from the tree as it was. Where they are in each other's way, as
 * when two files change names, or a file comes where a directory goes, they are put in another
 * order: copies first, then what changes in its place, then what goes, then what comes. What is
 * copied or renamed has a third name between.
 */
enum turn { TURN_COPY, TURN_CHANGE, TURN_GO, TURN_COME, TURNS };

static bool patch_op_takes(const struct operation *op)
{
	return op->kind == OPERATION_REMOVE || op->kind == OPERATION_RENAME;
}

static bool moves(const struct operation *op)
{
	return op->kind == OPERATION_RENAME || op->kind == OPERATION_COPY;
}

/* The name that an operation gives to a file; NULL: none. */
static const char *given(const struct operation *op)
{
	if (moves(op))
		return op->new_path;
	return op->kind == OPERATION_WRITE || (op->kind == OPERATION_LINK && !op->expect.p)
		       ? op->path
		       : NULL;
}

struct names {
	struct map taken, made, touched; /* by name, the operation */
};

static void *patch_op_keep(const struct operation *op)
{
	return (void *)(uintptr_t)op;
}

static bool any_above(const struct map *names, const char *path)
{
	struct str dir = path_dir(str_of(path));

	for (; dir.n > 1; dir = path_dir(dir))
		if (map_get(names, dir))
			return true;
	return false;
}

static bool is_in_the_way(const struct names *v, const struct operation *op)
{
	const struct operation *other =
		patch_op_takes(op) ? map_get(&v->made, str_of(op->path)) : NULL;

	return (other && other != op && (moves(other) || moves(op))) ||
	       (patch_op_takes(op) && any_above(&v->made, op->path)) ||
	       (given(op) && any_above(&v->taken, given(op)));
}

static bool is_entangled(const struct operations *ops, size_t first)
{
	struct names v = { MAP_INIT, MAP_INIT, MAP_INIT };
	bool found = false;

	for (size_t i = first; i < ops->n; i++) {
		const struct operation *op = &ops->v[i];

		if (op->kind == OPERATION_COPY)
			found |= map_get(&v.touched, str_of(op->path)) != NULL;
		if (patch_op_takes(op))
			map_put(&v.taken, str_of(op->path), patch_op_keep(op));
		if (given(op))
			map_put(&v.made, str_of(given(op)), patch_op_keep(op));
		map_put(&v.touched, str_of(given(op) ? given(op) : op->path), patch_op_keep(op));
	}
	for (size_t i = first; i < ops->n && !found; i++)
		found = is_in_the_way(&v, &ops->v[i]);
	map_release(&v.taken);
	map_release(&v.made);
	map_release(&v.touched);
	return found;
}

static void add_as(struct operations *ops, const struct operation *op, enum operation_kind kind,
		   const char *path, const char *new_path)
{
	struct operation *again = operations_add(ops, kind, path);

	*again = *op;
	again->kind = kind;
	again->path = path;
	again->new_path = new_path;
}

/* What operation `op` does in this turn; `third` is its third name, or that of the copy that it is
 * about. */
static void add_turn(struct operations *ops, enum turn turn, const struct operation *op,
		     const char *third, bool of_copy)
{
	enum turn own = given(op)	     ? TURN_COME
			: patch_op_takes(op) ? TURN_GO
			: of_copy	     ? TURN_COPY
					     : TURN_CHANGE;

	if (op->kind == OPERATION_COPY && turn == TURN_COPY)
		add_as(ops, op, OPERATION_COPY, op->path, third);
	else if (op->kind == OPERATION_RENAME && turn == TURN_GO)
		add_as(ops, op, OPERATION_RENAME, op->path, third);
	else if (turn == own && moves(op))
		add_as(ops, op, OPERATION_RENAME, third, op->new_path);
	else if (turn == own)
		add_as(ops, op, op->kind, of_copy ? third : op->path, NULL);
}

static bool disentangle(struct adding *a, size_t first, struct err *e)
{
	struct operations *ops = a->ops;
	size_t n = ops->n - first;
	struct operation *was SCOPED(mem_release) = NULL;
	const char **third;
	bool ok = true;

	if (!is_entangled(ops, first))
		return true;
	was = mem_copy(&ops->v[first], n * sizeof(*was));
	third = mem_new(n * sizeof(*third));
	ops->n = first;
	for (size_t i = 0; i < n && ok; i++) {
		struct buf name SCOPED(buf_release) = BUF_INIT;

		buf_addf(&name, ".oxide-moved-%zu", i);
		third[i] = resolve(a, buf_str(&name), e);
		ok = third[i];
	}
	for (enum turn turn = 0; turn < TURNS && ok; turn++)
		for (size_t i = 0, copy = n; i < n; i++) {
			bool of_copy = copy < n && was[i].path == was[copy].new_path;

			if (was[i].kind == OPERATION_COPY)
				copy = i;
			add_turn(ops, turn, &was[i], third[of_copy ? copy : i], of_copy);
		}
	free(third);
	return ok;
}

bool operations_from_patch(struct operations *ops, struct str text, int of, const char *only,
			   operation_path *path, void *arg, struct err *e)
{
	struct adding a = { ops, path, arg, of, only };
	size_t first = ops->n;
	struct patch *p;

	/* Operations point into patches: each has a place that never moves. */
	p = arena_new(&ops->parts, sizeof(*p));
	if (!(only ? patch_parse_of_one(p, text, e) : patch_parse_shared(p, text, ops->fs, e)))
		return false;
	mem_add(ops->patches, ops->n_patches, ops->cap_patches, *p);
	for (size_t i = 0; i < p->files; i++)
		if (!patch_op_add_file(&a, p, &p->file[i], e))
			return false;
	for (size_t i = first; i < ops->n; i++) {
		ops->v[i].of = of;
		ops->v[i].straight = p->form == PATCH_UNIFIED && !only;
	}
	return disentangle(&a, first, e);
}
