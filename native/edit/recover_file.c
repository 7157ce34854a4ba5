#include <inttypes.h>
#include <stdlib.h>

#include "recover_impl.h"

/* Somebody else's text stays; the old one, if it lies somewhere, is not thrown away. */
static bool leave(struct recovering *r, size_t i, struct err *e)
{
	char *old = NULL, *kept;
	struct buf why SCOPED(buf_release) = BUF_INIT, name = BUF_INIT;
	bool ok = true;

	r->foreign[i] = true;
	buf_adds(&why, "was changed by another program, and was left alone");
	if (r->mark == MARK_BACK && r->j.file[i].way != WAY_NEW)
		ok = recover_find_old(r, i, &old, e);
	if (old) {
		buf_addf(&name, "%s/kept-%016" PRIx64, r->wal->home, r->j.here.unique + 2 * i);
		kept = buf_detach(&name);
		if (r->fs->rename(r->fs->self, old, kept, e)) {
			buf_addf(&why, "; its old text is in %s", kept);
		} else {
			buf_addf(&why, "; its old text is in %s", old);
			ok = e->code == ERR_UNSUPPORTED || e->code == ERR_CONFLICT;
		}
		free(kept);
		free(old);
	}
	recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1, why.p);
	return ok;
}

/* Right before it is written: a link may have been put in the way since, and the paths of a journal
 * have none. A removal is of the name itself, whatever it leads to. */
static bool check_way(struct recovering *r, size_t i, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	bool name = f->way == WAY_REMOVE || f->was_link || f->now_link, straight;

	if (!recover_is_straight(r, r->path[i], name, &straight, e))
		return false;
	if (!straight) {
		r->foreign[i] = r->outside[i] = true;
		recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1,
			    "points elsewhere now, and was left alone");
	}
	return true;
}

/* Mode, owner and attributes: those of the file it replaces, or of the one it is like, wherever
 * that is by now. */
static bool take_meta(struct recovering *r, size_t i, const char *to, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	size_t from = f->like_file ? f->like_file - 1 : i;
	char *old = NULL;
	enum text_is is = IS_NONE;
	bool ok = true;

	if (f->like_path.n) {
		struct buf path SCOPED(buf_release) = BUF_INIT;

		buf_addf(&path, "%.*s/%.*s", STR_ARG(r->j.root), STR_ARG(f->like_path));
		return r->fs->copy_meta(r->fs->self, path.p, to, e) || e->code == ERR_NOT_FOUND;
	}
	if ((f->way == WAY_NEW && !f->like_file) || f->was_link)
		return true;
	if (!recover_text_at(r, from, r->path[from], &is, e) ||
	    (is != IS_OLD && !recover_find_old(r, from, &old, e)))
		return false;
	if (is == IS_OLD || old)
		ok = r->fs->copy_meta(r->fs->self, old ? old : r->path[from], to, e);
	free(old);
	return ok;
}

static bool recover_file_set_mode(struct recovering *r, size_t i, const char *path, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];

	return !f->sets_mode || r->fs->chmod(r->fs->self, path, f->mode, e);
}

/* The new text as a file beside its target, safe on the disk. A link's is, once its name is. */
static bool make_fresh(struct recovering *r, size_t i, char **path, struct err *e)
{
	const struct fs *fs = r->fs;
	const struct journal_file *f = &r->j.file[i];
	const char *one[1];
	bool ok;

	one[0] = *path = recover_beside(r, i, false);
	fs->remove(fs->self, *path, ERR_IGNORED); /* of a try that was cut short */
	if (f->now_link)
		return fs->symlink(fs->self, f->now, *path, e);
	ok = fs->create(fs->self, *path, f->now, f->mode, e) && take_meta(r, i, *path, e) &&
	     recover_file_set_mode(r, i, *path, e) && fs->sync(fs->self, one, 1, e);
	if (!ok)
		fs->remove(fs->self, *path, ERR_IGNORED);
	return ok;
}

/* Where names cannot be swapped, the old file gets another one, for those that are like it. */
static bool redo_over(struct recovering *r, size_t i, const char *fresh, struct err *e)
{
	const struct fs *fs = r->fs;
	char *kept SCOPED(mem_release) = recover_beside(r, i, true);

	fs->remove(fs->self, kept, ERR_IGNORED); /* it is the same: the target is the old file */
	return ((!r->j.file[i].was_link && fs->link(fs->self, r->path[i], kept, e)) ||
		((r->j.file[i].was_link || e->code == ERR_UNSUPPORTED) &&
		 fs->rename(fs->self, r->path[i], kept, e))) &&
	       fs->replace(fs->self, fresh, r->path[i], e);
}

static bool redo_swap(struct recovering *r, size_t i, struct err *e)
{
	char *fresh;
	bool ok = make_fresh(r, i, &fresh, e) &&
		  (r->fs->exchange(r->fs->self, fresh, r->path[i], e) ||
		   (e->code == ERR_UNSUPPORTED && redo_over(r, i, fresh, e)));

	free(fresh);
	return ok;
}

static bool redo_new(struct recovering *r, size_t i, struct err *e)
{
	char *fresh;
	bool ok = make_fresh(r, i, &fresh, e) && r->fs->rename(r->fs->self, fresh, r->path[i], e);

	free(fresh);
	return ok;
}

/* Forward, or back. */
static bool recover_file_rewrite(struct recovering *r, size_t i, bool now, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];

	if (f->way != WAY_MODE &&
	    !r->fs->overwrite(r->fs->self, r->path[i], now ? f->now : f->was, e))
		return false;
	return !f->sets_mode ||
	       r->fs->chmod(r->fs->self, r->path[i], now ? f->mode : f->was_mode, e);
}

/* The name is gone: we took it away where names cannot be swapped, or somebody removed the file. */
static bool redo_absent(struct recovering *r, size_t i, struct err *e)
{
	char *old;

	if (r->j.file[i].way == WAY_NEW)
		return redo_new(r, i, e);
	if (!recover_find_old(r, i, &old, e))
		return false;
	if (!old)
		return leave(r, i, e);
	free(old);
	return redo_new(r, i, e);
}

/* To make room, it goes to where those find it that are like it. */
static bool redo_removal(struct recovering *r, size_t i, struct err *e)
{
	char *old SCOPED(mem_release) = recover_beside(r, i, true);
	bool ok = r->when[i] == RECOVER_ROOM && r->fs->rename(r->fs->self, r->path[i], old, e);

	return ok || r->fs->remove(r->fs->self, r->path[i], e);
}

/* What is at a path now, text or directory; `over`: there is nothing to be done about it. */
static bool approach(struct recovering *r, size_t i, bool may_be_absent, enum text_is *is,
		     bool *folder, bool *over, struct err *e)
{
	*over = true;
	if (!recover_in_folder(r, i, folder, e))
		return false;
	if (!*folder)
		return may_be_absent || leave(r, i, e);
	if (!check_way(r, i, e))
		return false;
	if (r->outside[i])
		return true;
	*over = false;
	return recover_text_at(r, i, r->path[i], is, e) &&
	       recover_is_folder(r, r->path[i], folder, e);
}

/* What the editor was to write and somebody else has changed or removed is not part of it any more;
 * that was told when it was found out what the editor had done. */
static bool by_editor(struct recovering *r, size_t i, enum text_is *is, struct err *e)
{
	if (r->j.file[i].way != WAY_EDITOR)
		return true;
	if (!recover_from_backup(r, i, is, e))
		return false;
	r->foreign[i] = *is == IS_NONE || *is == IS_FOREIGN;
	return true;
}

bool recover_redo(struct recovering *r, size_t i, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	enum text_is is;
	bool folder, over;

	if (!approach(r, i, f->way == WAY_REMOVE, &is, &folder, &over, e))
		return false;
	if (over || !by_editor(r, i, &is, e))
		return over;
	if (r->foreign[i])
		return true;
	if (f->way == WAY_REMOVE)
		return is == IS_NONE ? true : is == IS_OLD ? redo_removal(r, i, e) : leave(r, i, e);
	if (folder)
		return leave(r, i, e);
	switch (is) {
	case IS_NONE:
		return redo_absent(r, i, e);
	case IS_OLD:
		return recover_is_in_place(f) ? recover_file_rewrite(r, i, true, e)
					      : redo_swap(r, i, e);
	case IS_NEW:
		/* The text may have come to the disk without the mode. */
		return r->mark == MARK_DISTRUST && !f->now_link
			       ? recover_file_rewrite(r, i, true, e)
			       : recover_file_set_mode(r, i, r->path[i], e);
	case IS_TORN:
		return recover_file_rewrite(r, i, true, e);
	case IS_FOREIGN:
		return leave(r, i, e);
	}
	BUG("a text of an unknown kind");
}

/* What is there is ours and new: the old file comes back. */
static bool undo_new_text(struct recovering *r, size_t i, bool absent, struct err *e)
{
	const struct fs *fs = r->fs;
	char *old;
	bool ok;

	if (!recover_find_old(r, i, &old, e))
		return false;
	if (!old && absent)
		return leave(r, i, e);
	if (!old) {
		r->foreign[i] = true;
		recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1,
			    "has the new text, because the old text was not found anywhere");
		return true;
	}
	if (absent)
		ok = fs->rename(fs->self, old, r->path[i], e);
	else
		ok = fs->exchange(fs->self, old, r->path[i], e) ||
		     (e->code == ERR_UNSUPPORTED && fs->replace(fs->self, old, r->path[i], e));
	free(old);
	return ok;
}

bool recover_undo(struct recovering *r, size_t i, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	enum text_is is;
	bool folder, over;

	if (!approach(r, i, f->way == WAY_NEW, &is, &folder, &over, e))
		return false;
	if (over || !by_editor(r, i, &is, e))
		return over;
	if (r->foreign[i])
		return true;
	if (is == IS_FOREIGN || (folder && r->when[i] == RECOVER_ROOM))
		return leave(r, i, e);
	if (f->way == WAY_NEW)
		return is == IS_NONE || r->fs->remove(r->fs->self, r->path[i], e);
	if (recover_is_in_place(f) && is != IS_NONE)
		return (is == IS_OLD && !f->sets_mode) || recover_file_rewrite(r, i, false, e);
	if (is == IS_NEW && recover_looks_the_same(f))
		return true;
	return is == IS_OLD || undo_new_text(r, i, is == IS_NONE, e);
}

static bool recover_file_drop(struct recovering *r, char *path, struct err *e)
{
	bool ok = r->fs->remove(r->fs->self, path, e) || e->code == ERR_NOT_FOUND;

	free(path);
	return ok;
}

bool recover_sweep(struct recovering *r, size_t i, struct err *e)
{
	char *pool;
	struct err ignored;
	bool ok;

	if (r->outside[i] || (r->foreign[i] && r->mark == MARK_BACK))
		return true;
	ok = recover_file_drop(r, recover_beside(r, i, false), e);
	ok = recover_file_drop(r, recover_beside(r, i, true), e) && ok;
	if (!ok || !r->pooled)
		return ok;
	pool = recover_pool_temp(r, i);
	if (!r->fs->blank(r->fs->self, pool, &ignored) && ignored.code != ERR_NOT_FOUND)
		return recover_file_drop(r, pool, e);
	free(pool);
	return true;
}
