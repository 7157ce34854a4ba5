#include "../base/mem.h"
#include "../base/path.h"
#include "txn_impl.h"

/* Directories that come with new files, and those that go so that a file can come. */

/* Lists a directory and those above it that are missing. */
bool need_folder(struct txn *t, const char *dir, struct txn_step *over, struct err *e)
{
	bool freed = over && path_below(str_of(over->target), str_of(dir));
	struct fs_stat st;
	const char *above;

	for (size_t i = 0; i < t->n_made; i++)
		if (!strcmp(t->made[i], dir))
			return true;
	if (!freed) {
		if (!t->fs->stat(t->fs->self, dir, &st, e))
			return false;
		if (st.kind == FS_DIR)
			return true;
		if (st.kind != FS_NONE)
			return err_set(e, ERR_CONFLICT, "%s: is not a directory", dir);
	}
	above = remember_parent(t, dir);
	if (strcmp(above, dir) != 0 && !need_folder(t, above, over, e))
		return false;
	mem_add(t->made, t->n_made, t->made_cap, dir);
	return true;
}

/* One that is there after all was made by somebody quicker, and stays if this is taken back. */
bool make_folders(struct txn *t, struct err *e)
{
	size_t ours = 0;

	for (size_t i = 0; i < t->n_made; i++)
		if (t->fs->mkdir(t->fs->self, t->made[i], 0777, e)) {
			t->made[ours++] = t->made[i];
			t->made_now = ours;
		} else if (e->code != ERR_CONFLICT) {
			return false;
		}
	return true;
}

bool unmake_folders(struct txn *t, struct err *e)
{
	while (t->made_now) {
		struct err why;

		t->swept = true;
		if (!t->fs->rmdir(t->fs->self, t->made[t->made_now - 1], &why) &&
		    why.code != ERR_CONFLICT && why.code != ERR_NOT_FOUND) {
			*e = why;
			return false;
		}
		t->made_now--;
	}
	return true;
}

static bool is_to_go(const struct txn *t, const char *path)
{
	for (size_t i = 0; i < t->n_dirs; i++)
		if (!strcmp(t->dirs[i], path))
			return true;
	return false;
}

bool is_cleared(struct txn *t, struct txn_step *s, bool *cleared, struct err *e)
{
	const char *top = s->file->path;

	*cleared = s->was.kind == FS_DIR && !s->was.link && is_to_go(t, top);
	for (size_t i = 0; i < t->n_dirs && *cleared; i++) {
		struct buf path SCOPED(buf_release) = BUF_INIT;
		struct journal_dir *d;
		struct fs_stat st;

		if (!path_below(str_of(top), str_of(t->dirs[i])))
			continue;
		buf_addf(&path, "%s%s", s->target, t->dirs[i] + strlen(top));
		t->cleared = mem_grow(t->cleared, &t->cleared_cap, t->n_cleared + 1,
				      sizeof(*t->cleared));
		d = &t->cleared[t->n_cleared++];
		d->path = arena_str(&t->arena, buf_str(&path));
		if (!t->fs->stat(t->fs->self, d->path.p, &st, e))
			return false;
		d->mode = st.mode;
	}
	return true;
}

/* Nothing of ours may lie in a directory that has to be empty. */
const char *removed_beside(const struct txn *t, const struct txn_step *s)
{
	const char *top = s->target;

	for (size_t i = 0; i < t->n_cleared; i++)
		if (path_below(t->cleared[i].path, str_of(top)))
			top = t->cleared[i].path.p;
	return top;
}

bool is_gone(const struct txn *t, struct str dir)
{
	for (size_t i = 0; i < t->cleared_now; i++)
		if (str_eq(t->cleared[i].path, dir))
			return true;
	return false;
}

bool gave_way(const struct txn *t, const char *dir)
{
	for (size_t i = 0; i < t->steps && t->n_cleared; i++)
		if (t->step[i].when == WHEN_LATE &&
		    path_below(str_of(t->step[i].file->path), str_of(dir)))
			return true;
	return false;
}

bool clear_folders(struct txn *t, struct err *e)
{
	for (; t->cleared_now < t->n_cleared; t->cleared_now++)
		if (!t->fs->rmdir(t->fs->self, t->cleared[t->cleared_now].path.p, e))
			return false;
	return true;
}

bool restore_folders(struct txn *t, struct err *e)
{
	for (; t->cleared_now; t->cleared_now--) {
		const struct journal_dir *d = &t->cleared[t->cleared_now - 1];

		if (!t->fs->mkdir(t->fs->self, d->path.p, d->mode, e) && e->code != ERR_CONFLICT)
			return false;
		if (!t->fs->chmod(t->fs->self, d->path.p, d->mode, e))
			return false;
	}
	return true;
}
