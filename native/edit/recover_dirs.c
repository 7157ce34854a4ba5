#include "../base/path.h"
#include "recover_impl.h"

const char *recover_in_root(struct recovering *r, struct str path)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT;

	buf_addf(&whole, "%s%s%.*s", r->root, strlen(r->root) > 1 ? "/" : "", STR_ARG(path));
	return arena_str(&r->arena, buf_str(&whole)).p;
}

static bool make_dir(struct recovering *r, struct str path, unsigned mode, struct err *e)
{
	const char *dir = recover_in_root(r, path);
	bool straight;

	if (!recover_is_straight(r, dir, false, &straight, e))
		return false;
	return !straight || r->fs->mkdir(r->fs->self, dir, mode, e) || e->code == ERR_CONFLICT;
}

bool recover_make_dirs(struct recovering *r, struct err *e)
{
	for (size_t i = 0; i < r->j.n_made; i++)
		if (!make_dir(r, r->j.made[i].path, 0777, e))
			return false;
	return true;
}

/* Whether a directory goes for the sake of a new file. */
static bool recover_dir_is_cleared(const struct recovering *r, const struct journal_dir *dir,
				   size_t *file)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == RECOVER_LATE && path_below(r->j.file[i].path, dir->path)) {
			*file = i;
			return true;
		}
	return false;
}

bool recover_restore_dirs(struct recovering *r, struct err *e)
{
	size_t late;

	for (size_t i = r->j.n_gone; i--;) {
		const struct journal_dir *d = &r->j.gone[i];
		struct fs_stat st;

		if (!recover_dir_is_cleared(r, d, &late) || r->foreign[late])
			continue;
		if (!make_dir(r, d->path, d->mode, e) ||
		    !r->fs->stat(r->fs->self, recover_in_root(r, d->path), &st, e))
			return false;
		if (st.kind == FS_DIR && !st.link && st.mode != d->mode &&
		    !r->fs->chmod(r->fs->self, recover_in_root(r, d->path), d->mode, e))
			return false;
	}
	return true;
}

bool recover_drop_dir(struct recovering *r, struct str path, struct err *e)
{
	const char *dir = recover_in_root(r, path);
	bool straight;

	if (!recover_is_folder(r, dir, &straight, e))
		return false;
	if (!straight)
		return true;
	if (!recover_is_straight(r, dir, false, &straight, e))
		return false;
	return !straight || r->fs->rmdir(r->fs->self, dir, e) || e->code == ERR_CONFLICT ||
	       e->code == ERR_NOT_FOUND;
}

bool recover_clear_dirs(struct recovering *r, struct err *e)
{
	size_t late;

	for (size_t i = 0; i < r->j.n_gone; i++)
		if (recover_dir_is_cleared(r, &r->j.gone[i], &late) &&
		    !recover_drop_dir(r, r->j.gone[i].path, e))
			return false;
	return true;
}
