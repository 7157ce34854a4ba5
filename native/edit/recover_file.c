#include <inttypes.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "recover_impl.h"

/* What stands under a name now. */
enum text_is { IS_NONE, IS_OLD, IS_NEW, IS_TORN, IS_FOREIGN };

/* Each byte is one of the new text, or of the old, or was never written. */
static bool is_mixture(struct str text, struct str old, struct str now)
{
	if (text.n > (old.n > now.n ? old.n : now.n))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] && (i >= now.n || text.p[i] != now.p[i]) &&
		    (i >= old.n || text.p[i] != old.p[i]))
			return false;
	return true;
}

static bool look(struct recovering *r, size_t i, const char *path, enum text_is *is, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	struct fs_stat st;
	uint64_t hash;

	*is = IS_FOREIGN;
	if (!r->fs->stat(r->fs->self, path, &st, e))
		return false;
	if (st.kind == FS_NONE && !st.link) {
		*is = IS_NONE;
		return true;
	}
	if (st.link || f->link) {
		*is = st.link && f->link ? IS_OLD : IS_FOREIGN;
		return true;
	}
	if (st.kind != FS_FILE || st.size > FS_READ_MAX) /* so large a text is none of ours */
		return true;
	buf_clear(&r->text);
	if (!r->fs->read(r->fs->self, path, &r->text, NULL, e))
		return false;
	hash = hash_of(buf_str(&r->text));
	if (f->way != WAY_REMOVE && hash == f->now_hash)
		*is = IS_NEW;
	else if (f->way != WAY_NEW && hash == f->was_hash)
		*is = IS_OLD;
	else if (f->way == WAY_INSIDE ? is_mixture(buf_str(&r->text), f->was, f->now)
				      : f->way != WAY_REMOVE && r->rebooted &&
						is_mixture(buf_str(&r->text), STR(""), f->now))
		*is = IS_TORN;
	return true;
}

static char *pool_temp(struct recovering *r, size_t i)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%zu", r->wal->pool, i);
	return buf_detach(&path);
}

static char *beside(struct recovering *r, size_t i, bool old)
{
	return journal_temp(r->path[i], r->j.here.unique + 2 * i + old);
}

/* Where the old file is, if not under its own name; NULL: nowhere. Caller frees. */
static bool find_old(struct recovering *r, size_t i, char **path, struct err *e)
{
	char *at[3] = { beside(r, i, true), beside(r, i, false), pool_temp(r, i) };
	size_t n = r->pooled && r->j.file[i].way == WAY_SWAP ? 3 : 2;
	bool ok = true;

	*path = NULL;
	for (size_t k = 0; k < 3; k++) {
		enum text_is is = IS_NONE;

		if (ok && !*path && k < n)
			ok = look(r, i, at[k], &is, e);
		if (is == IS_OLD)
			*path = at[k];
		else
			free(at[k]);
	}
	if (!ok) {
		free(*path);
		*path = NULL;
	}
	return ok;
}

/* Somebody else's text stays; the old one, if it lies somewhere, is not thrown away. */
static bool leave(struct recovering *r, size_t i, struct err *e)
{
	char *old = NULL, *kept;
	struct buf why = BUF_INIT, name = BUF_INIT;
	bool ok = true;

	r->foreign[i] = true;
	buf_adds(&why, "was changed by another program and stays as it is");
	if (r->mark == MARK_BACK && r->j.file[i].way != WAY_NEW)
		ok = find_old(r, i, &old, e);
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
	buf_release(&why);
	return ok;
}

/* Right before it is written: a link may have been put in the way since, and the paths of a journal
 * have none. A removal is of the name itself, whatever it leads to. */
static bool check_way(struct recovering *r, size_t i, struct err *e)
{
	bool straight;

	if (!recover_is_straight(r, r->path[i], r->j.file[i].way == WAY_REMOVE, &straight, e))
		return false;
	if (!straight) {
		r->foreign[i] = r->outside[i] = true;
		recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1,
			    "leads to another place now and is left alone");
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
		struct buf path = BUF_INIT;

		buf_addf(&path, "%.*s/%.*s", STR_ARG(r->j.root), STR_ARG(f->like_path));
		ok = r->fs->copy_meta(r->fs->self, path.p, to, e) || e->code == ERR_NOT_FOUND;
		buf_release(&path);
		return ok;
	}
	if (f->way == WAY_NEW && !f->like_file)
		return true;
	if (!look(r, from, r->path[from], &is, e) || (is != IS_OLD && !find_old(r, from, &old, e)))
		return false;
	if (is == IS_OLD || old)
		ok = r->fs->copy_meta(r->fs->self, old ? old : r->path[from], to, e);
	free(old);
	return ok;
}

/* The new text as a file beside its target, safe on the disk. */
static bool make_fresh(struct recovering *r, size_t i, char **path, struct err *e)
{
	const struct fs *fs = r->fs;
	const struct journal_file *f = &r->j.file[i];
	const char *one[1];
	struct err ignored;
	bool ok;

	one[0] = *path = beside(r, i, false);
	fs->remove(fs->self, *path, &ignored); /* of a try that was cut short */
	ok = fs->create(fs->self, *path, f->now, f->mode, e) && take_meta(r, i, *path, e) &&
	     fs->sync(fs->self, one, 1, e);
	if (!ok)
		fs->remove(fs->self, *path, &ignored);
	return ok;
}

/* Where names cannot be swapped, the old file gets another one, for those that are like it. */
static bool redo_over(struct recovering *r, size_t i, const char *fresh, struct err *e)
{
	const struct fs *fs = r->fs;
	char *kept = beside(r, i, true);
	struct err ignored;
	bool ok;

	fs->remove(fs->self, kept, &ignored); /* it is the same: the target is the old file */
	ok = (fs->link(fs->self, r->path[i], kept, e) ||
	      (e->code == ERR_UNSUPPORTED && fs->rename(fs->self, r->path[i], kept, e))) &&
	     fs->replace(fs->self, fresh, r->path[i], e);
	free(kept);
	return ok;
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

static bool rewrite(struct recovering *r, size_t i, struct str text, struct err *e)
{
	return r->fs->overwrite(r->fs->self, r->path[i], text, e);
}

/* The name is gone: we took it away where names cannot be swapped, or somebody removed the file. */
static bool redo_absent(struct recovering *r, size_t i, struct err *e)
{
	char *old;

	if (r->j.file[i].way == WAY_NEW)
		return redo_new(r, i, e);
	if (!find_old(r, i, &old, e))
		return false;
	if (!old)
		return leave(r, i, e);
	free(old);
	return redo_new(r, i, e);
}

bool recover_redo(struct recovering *r, size_t i, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	enum text_is is;

	if (!check_way(r, i, e))
		return false;
	if (r->outside[i])
		return true;
	if (!look(r, i, r->path[i], &is, e))
		return false;
	if (f->way == WAY_REMOVE)
		return is == IS_NONE  ? true
		       : is == IS_OLD ? r->fs->remove(r->fs->self, r->path[i], e)
				      : leave(r, i, e);
	switch (is) {
	case IS_NONE:
		return redo_absent(r, i, e);
	case IS_OLD:
		return f->way == WAY_INSIDE ? rewrite(r, i, f->now, e) : redo_swap(r, i, e);
	case IS_NEW:
		return r->mark != MARK_DISTRUST || rewrite(r, i, f->now, e);
	case IS_TORN:
		return rewrite(r, i, f->now, e);
	case IS_FOREIGN:
		return leave(r, i, e);
	}
	BUG("a text of no kind");
}

/* What is there is ours and new: the old file comes back. */
static bool undo_new_text(struct recovering *r, size_t i, bool absent, struct err *e)
{
	const struct fs *fs = r->fs;
	char *old;
	bool ok;

	if (!find_old(r, i, &old, e))
		return false;
	if (!old && absent)
		return leave(r, i, e);
	if (!old) {
		r->foreign[i] = true;
		recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1,
			    "has the new text, for the old one is nowhere to be found");
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

	if (!check_way(r, i, e))
		return false;
	if (r->outside[i])
		return true;
	if (!look(r, i, r->path[i], &is, e))
		return false;
	if (is == IS_FOREIGN)
		return leave(r, i, e);
	if (is == IS_NEW && f->way != WAY_NEW && f->was_hash == f->now_hash)
		return true;
	if (f->way == WAY_NEW)
		return is == IS_NONE || r->fs->remove(r->fs->self, r->path[i], e);
	if (f->way == WAY_INSIDE && is != IS_NONE)
		return is == IS_OLD || rewrite(r, i, f->was, e);
	return is == IS_OLD || undo_new_text(r, i, is == IS_NONE, e);
}

bool recover_can_undo(struct recovering *r, size_t i, bool *can, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	enum text_is is;
	char *old = NULL;
	bool ours;

	*can = true;
	if (f->way == WAY_NEW || f->way == WAY_INSIDE)
		return true;
	if (!look(r, i, r->path[i], &is, e))
		return false;
	ours = is == IS_TORN || (is == IS_NEW && f->was_hash != f->now_hash) ||
	       (is == IS_NONE && r->rebooted);
	if (!ours)
		return true;
	if (!find_old(r, i, &old, e))
		return false;
	*can = old != NULL;
	free(old);
	return true;
}

static bool drop(struct recovering *r, char *path, struct err *e)
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
	ok = drop(r, beside(r, i, false), e);
	ok = drop(r, beside(r, i, true), e) && ok;
	if (!ok || !r->pooled)
		return ok;
	pool = pool_temp(r, i);
	if (!r->fs->blank(r->fs->self, pool, &ignored) && ignored.code != ERR_NOT_FOUND)
		return drop(r, pool, e);
	free(pool);
	return true;
}
