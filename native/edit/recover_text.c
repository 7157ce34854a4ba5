#include <stdlib.h>

#include "../base/hash.h"
#include "../base/path.h"
#include "recover_impl.h"

bool recover_is_straight(struct recovering *r, const char *path, bool folder, bool *straight,
			 struct err *e)
{
	struct str want = folder ? path_dir(str_of(path)) : str_of(path);
	struct buf real SCOPED(buf_release) = BUF_INIT;
	bool ok = r->fs->resolve(r->fs->self, arena_str(&r->arena, want).p, &real, e);

	*straight = ok && str_eq(buf_str(&real), want);
	return ok;
}

bool recover_is_folder(struct recovering *r, const char *path, bool *yes, struct err *e)
{
	struct fs_stat st;

	if (!r->fs->stat(r->fs->self, path, &st, e))
		return false;
	*yes = st.kind == FS_DIR && !st.link;
	return true;
}

bool recover_in_folder(struct recovering *r, size_t i, bool *yes, struct err *e)
{
	*yes = true;
	return !r->within[i] || recover_is_folder(r, r->within[i], yes, e);
}

/* Each byte is one of the new text, or of the old, or was never written: a reused temporary may
 * have been longer. */
static bool is_mixture(struct str text, struct str old, struct str now)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] && (i >= now.n || text.p[i] != now.p[i]) &&
		    (i >= old.n || text.p[i] != old.p[i]))
			return false;
	return true;
}

/* A directory in the place of this file is a later or an earlier part of the change. */
static bool gives_way(const struct recovering *r, size_t i)
{
	return r->when[i] == RECOVER_ROOM || r->when[i] == RECOVER_LATE;
}

/* An empty text is also what is left of a new one whose bytes were lost, but that has not the old
 * one's mode: it is set last. */
static bool is_old(const struct journal_file *f, const struct fs_stat *st, struct str text)
{
	return f->way != WAY_NEW && st->link == f->was_link && hash_of(text) == f->was_hash &&
	       (text.n || recover_is_in_place(f) || st->mode == f->was_mode);
}

/* The editor was cut off while it wrote, or a recovery while it went on with that. */
static bool is_begun(struct str text, struct str now)
{
	return text.n < now.n && str_eq(text, str_sub(now, 0, text.n));
}

static bool is_torn(const struct recovering *r, const struct journal_file *f, struct str text)
{
	switch (f->way) {
	case WAY_INSIDE:
		return is_mixture(text, f->was, f->now);
	case WAY_REMOVE:
		return false;
	case WAY_EDITOR:
		if (is_begun(text, f->now) || is_begun(text, f->was))
			return true;
		/* fall through */
	default:
		return r->rebooted && is_mixture(text, STR(""), f->now);
	}
}

bool recover_text_at(struct recovering *r, size_t i, const char *path, enum text_is *is,
		     struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	struct fs_stat st;

	*is = IS_FOREIGN;
	if (!r->fs->stat(r->fs->self, path, &st, e))
		return false;
	if (st.kind == FS_NONE && !st.link) {
		*is = IS_NONE;
		return true;
	}
	if (st.kind == FS_DIR && !st.link && gives_way(r, i)) {
		*is = IS_NONE;
		return true;
	}
	/* So large a text is none of ours. */
	if (!st.link && (st.kind != FS_FILE || st.size > FS_READ_MAX))
		return true;
	buf_clear(&r->text);
	if (!(st.link ? r->fs->readlink(r->fs->self, path, &r->text, e)
		      : r->fs->read(r->fs->self, path, &r->text, NULL, e)))
		return false;
	if (f->way != WAY_REMOVE && st.link == f->now_link &&
	    hash_of(buf_str(&r->text)) == f->now_hash)
		*is = IS_NEW;
	else if (is_old(f, &st, buf_str(&r->text)))
		*is = IS_OLD;
	else if (st.link || f->now_link)
		*is = IS_FOREIGN;
	else if (is_torn(r, f, buf_str(&r->text)))
		*is = IS_TORN;
	return true;
}

char *recover_pool_temp(struct recovering *r, size_t i)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%zu", r->wal->pool, i);
	return buf_detach(&path);
}

char *recover_beside(struct recovering *r, size_t i, bool old)
{
	const char *within = r->j.file[i].way == WAY_REMOVE ? r->within[i] : NULL;

	return journal_temp(within ? within : r->path[i], r->j.here.unique + 2 * i + old);
}

bool recover_find_old(struct recovering *r, size_t i, char **path, struct err *e)
{
	char *at[3] = { recover_beside(r, i, true), recover_beside(r, i, false),
			recover_pool_temp(r, i) };
	size_t n = r->pooled && r->j.file[i].way == WAY_SWAP ? 3 : 2;
	bool ok = true;

	*path = NULL;
	for (size_t k = 0; k < 3; k++) {
		enum text_is is = IS_NONE;

		if (ok && !*path && k < n)
			ok = recover_text_at(r, i, at[k], &is, e);
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

bool recover_is_in_place(const struct journal_file *f)
{
	return f->way == WAY_INSIDE || f->way == WAY_MODE || f->way == WAY_EDITOR;
}

bool recover_looks_the_same(const struct journal_file *f)
{
	return f->was_hash == f->now_hash && f->was_link == f->now_link;
}

static bool look_in(struct recovering *r, size_t i, enum text_is *is, struct err *e)
{
	bool folder;

	*is = IS_NONE;
	return recover_in_folder(r, i, &folder, e) &&
	       (!folder || recover_text_at(r, i, r->path[i], is, e));
}

bool recover_can_redo(struct recovering *r, size_t i, bool *can, struct err *e)
{
	enum text_is is;

	*can = true;
	if (r->j.file[i].way != WAY_REMOVE || !(r->within[i] || r->when[i] == RECOVER_ROOM))
		return true;
	if (!look_in(r, i, &is, e))
		return false;
	*can = is != IS_FOREIGN;
	return true;
}

bool recover_can_undo(struct recovering *r, size_t i, bool *can, struct err *e)
{
	const struct journal_file *f = &r->j.file[i];
	enum text_is is;
	char *old = NULL;
	bool ours;

	*can = true;
	if (recover_is_in_place(f))
		return true;
	if (f->way == WAY_NEW && !(r->within[i] || r->when[i] == RECOVER_LATE))
		return true;
	if (!look_in(r, i, &is, e))
		return false;
	if (f->way == WAY_NEW) {
		*can = is != IS_FOREIGN;
		return true;
	}
	ours = is == IS_TORN || (is == IS_NEW && !recover_looks_the_same(f)) ||
	       (is == IS_NONE && r->rebooted);
	if (!ours)
		return true;
	if (!recover_find_old(r, i, &old, e))
		return false;
	*can = old != NULL;
	free(old);
	return true;
}
