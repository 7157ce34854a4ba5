#include "txn.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "txn_impl.h"

struct txn *txn_new(const struct fs *fs, const char *root, const struct txn_file *file,
		    size_t files, const char *const *dirs, size_t n_dirs)
{
	struct txn *t = mem_new(sizeof(*t));

	t->fs = fs;
	t->root = str_of(root);
	t->step = mem_new((files + 1) * sizeof(*t->step));
	t->steps = files;
	for (size_t i = 0; i < files; i++) {
		t->step[i].file = &file[i];
		t->seed ^= file[i].was_hash;
	}
	t->dirs = dirs;
	t->n_dirs = n_dirs;
	/* Addresses differ from run to run, texts from change to change. */
	t->seed ^= (uint64_t)(uintptr_t)t;
	return t;
}

static void must_be(const struct txn *t, enum txn_state state, const char *what)
{
	if (t->state != state)
		BUG("txn_%s in state %d", what, (int)t->state);
}

/* What went wrong while undoing is told behind what went wrong first. */
static void also(struct err *e, const struct err *then)
{
	size_t n = strlen(e->msg);

	snprintf(e->msg + n, sizeof(e->msg) - n, "; and then %s", then->msg);
}

/* Remembers the first of several failures. */
static bool first(struct err *e, bool was_ok, const struct err *then)
{
	if (was_ok)
		*e = *then;
	return false;
}

static bool sync_parents(struct txn *t, struct err *e)
{
	struct str dir;
	void *value;

	for (size_t i = 0; map_at(&t->parents, &i, &dir, &value); i++)
		if (!t->fs->sync_dir(t->fs->self, value, e))
			return false;
	return true;
}

static const char *remember_parent(struct txn *t, const char *path)
{
	struct str dir = path_dir(str_of(path));
	const char *known = map_get(&t->parents, dir);

	if (!known) {
		known = arena_str(&t->arena, dir).p;
		map_put(&t->parents, dir, (void *)known);
	}
	return known;
}

/* Makes a folder and those above it that are missing. */
static bool make_folder(struct txn *t, const char *dir, struct err *e)
{
	struct fs_stat st;
	const char *above;

	if (!t->fs->stat(t->fs->self, dir, &st, e))
		return false;
	if (st.kind == FS_DIR)
		return true;
	if (st.kind != FS_NONE)
		return err_set(e, ERR_CONFLICT, "%s: is no folder", dir);
	above = remember_parent(t, dir);
	if (strcmp(above, dir) != 0 && !make_folder(t, above, e))
		return false;
	if (!t->fs->mkdir(t->fs->self, dir, 0777, e))
		return e->code == ERR_CONFLICT; /* somebody else was quicker */
	t->made = mem_grow(t->made, &t->made_cap, t->n_made + 1, sizeof(*t->made));
	t->made[t->n_made++] = dir;
	return true;
}

/* Takes away temporaries and folders that were made; goes on past what fails. */
static bool sweep(struct txn *t, struct err *e)
{
	struct err why;
	bool ok = true, all = true;

	for (size_t i = 0; i < t->steps; i++) {
		struct txn_step *s = &t->step[i];

		/* The old text of a file that could not be taken back is all there is of it. */
		all = all && !s->visible;
		if (!s->temp_there || s->visible)
			continue;
		if (t->fs->remove(t->fs->self, s->temp, &why) || why.code == ERR_NOT_FOUND)
			s->temp_there = false;
		else
			ok = first(e, ok, &why);
	}
	while (ok && all && t->n_made) {
		const char *dir = t->made[t->n_made - 1];

		if (!t->fs->rmdir(t->fs->self, dir, &why) && why.code != ERR_CONFLICT &&
		    why.code != ERR_NOT_FOUND)
			ok = first(e, ok, &why);
		else
			t->n_made--;
	}
	return ok;
}

static bool write_all(struct txn *t, struct err *e)
{
	const char **temps = mem_new((t->steps + 1) * sizeof(*temps));
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; i < t->steps && ok; i++) {
		struct txn_step *s = &t->step[i];
		const char *dir = remember_parent(t, s->target);

		if (s->way == STEP_NEW && !make_folder(t, dir, e))
			ok = err_in(e, "%.*s", STR_ARG(s->shown));
		ok = ok && step_write(t, s, e);
		if (s->temp_there)
			temps[n++] = s->temp;
	}
	if (ok && n)
		ok = t->fs->sync(t->fs->self, temps, n, e);
	free(temps);
	return ok;
}

bool txn_prepare(struct txn *t, struct err *e)
{
	struct err why;
	bool ok = true;

	must_be(t, TXN_OPEN, "prepare");
	for (size_t i = 0; i < t->steps && ok; i++)
		ok = step_check(t, &t->step[i], e);
	if (ok && write_all(t, e)) {
		t->state = TXN_PREPARED;
		return true;
	}
	if (!sweep(t, &why))
		also(e, &why);
	map_release(&t->names);
	return false;
}

/* From the last to the first, past what fails. */
static bool take_back(struct txn *t, struct err *e)
{
	bool ok = true, any = false;
	struct err why;

	for (size_t i = t->steps; i--;) {
		if (!t->step[i].visible)
			continue;
		any = true;
		if (!step_take_back(t, &t->step[i], &why))
			ok = first(e, ok, &why);
	}
	if (any && !sync_parents(t, &why))
		ok = first(e, ok, &why);
	return ok;
}

/* New names come before old ones go, so that a text that moves is always somewhere. */
static bool show(struct txn *t, bool removals, struct err *e)
{
	for (size_t i = 0; i < t->steps; i++)
		if ((t->step[i].way == STEP_REMOVE) == removals && !step_show(t, &t->step[i], e))
			return false;
	return true;
}

bool txn_commit(struct txn *t, struct err *e)
{
	struct err why;

	must_be(t, TXN_PREPARED, "commit");
	if (show(t, false, e) && show(t, true, e) && sync_parents(t, e)) {
		t->state = TXN_VISIBLE;
		return true;
	}
	t->state = TXN_BROKEN;
	if (!take_back(t, &why))
		also(e, &why);
	return false;
}

bool txn_seal(struct txn *t, struct err *e)
{
	bool ok;
	struct err why;

	must_be(t, TXN_VISIBLE, "seal");
	t->state = TXN_CLOSED;
	t->n_made = 0;
	for (size_t i = 0; i < t->steps; i++)
		t->step[i].visible = false;
	ok = sweep(t, e);
	for (size_t i = 0; i < t->n_dirs; i++)
		if (!t->fs->rmdir(t->fs->self, t->dirs[i], &why) && why.code != ERR_CONFLICT &&
		    why.code != ERR_NOT_FOUND)
			ok = first(e, ok, &why);
	return ok || err_in(e, "the change is made, but something was left behind");
}

bool txn_abort(struct txn *t, struct err *e)
{
	bool ok;
	struct err why;

	if (t->state == TXN_CLOSED)
		BUG("txn_abort in state %d", (int)t->state);
	ok = take_back(t, e);
	if (!sweep(t, &why))
		ok = first(e, ok, &why);
	t->state = ok ? TXN_CLOSED : TXN_BROKEN;
	return ok;
}

void txn_free(struct txn *t)
{
	if (!t)
		return;
	if (t->state == TXN_PREPARED || t->state == TXN_VISIBLE)
		BUG("txn_free in state %d", (int)t->state);
	for (size_t i = 0; i < t->steps; i++)
		buf_release(&t->step[i].old);
	free(t->step);
	free(t->made);
	map_release(&t->names);
	map_release(&t->parents);
	buf_release(&t->scratch);
	arena_release(&t->arena);
	free(t);
}
