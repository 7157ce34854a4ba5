#include <inttypes.h>
#include <stdio.h>

#include "../base/hash.h"
#include "../base/path.h"
#include "txn_impl.h"

/* What files are, before anything is done and right when it is done. */

bool step_stale(const struct txn_step *s, struct err *e, const char *what)
{
	return err_set(e, ERR_STALE, "%.*s: %s", STR_ARG(s->shown), what);
}

bool step_failed(const struct txn_step *s, struct err *e)
{
	return err_in(e, "%.*s", STR_ARG(s->shown));
}

static bool claim(struct txn *t, struct txn_step *s, struct str key, struct err *e)
{
	struct txn_step *other = map_put(&t->names, key, s);

	return !other || err_set(e, ERR_CONFLICT, "%.*s and %.*s lead to the same file",
				 STR_ARG(other->shown), STR_ARG(s->shown));
}

/* Two names of one file cannot both get a new text. */
static bool claim_file(struct txn *t, struct txn_step *s, struct err *e)
{
	char key[64];
	int n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, s->was.dev, s->was.ino);

	return claim(t, s, (struct str){ key, (size_t)n }, e);
}

/* Where a folder's links lead to; asked once for all files in it. */
static const char *real_folder(struct txn *t, struct str dir, struct err *e)
{
	const char *known = map_get(&t->folders, dir);
	struct buf real = BUF_INIT;

	if (known)
		return known;
	if (t->fs->resolve(t->fs->self, arena_str(&t->arena, dir).p, &real, e)) {
		known = arena_str(&t->arena, buf_str(&real)).p;
		map_put(&t->folders, dir, (void *)known);
	}
	buf_release(&real);
	return known;
}

/* The links of its folder are followed; its own is not. */
bool resolve_name(struct txn *t, const char *path, struct buf *real, struct err *e)
{
	const char *dir = real_folder(t, path_dir(str_of(path)), e);

	if (!dir)
		return false;
	buf_addf(real, "%s/%.*s", dir[1] ? dir : "", STR_ARG(path_base(str_of(path))));
	return true;
}

/* Of a removal the folder's links are followed and the name's own is not. */
static bool find_target(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat st = { 0 };
	struct buf real = BUF_INIT;
	bool ok = resolve_name(t, s->file->path, &real, e) &&
		  (!s->file->exists || t->fs->stat(t->fs->self, real.p, &st, e));

	if (ok && st.link) {
		buf_clear(&real);
		ok = t->fs->resolve(t->fs->self, s->file->path, &real, e);
	}
	s->target = arena_str(&t->arena, buf_str(&real)).p;
	buf_release(&real);
	return ok;
}

bool step_find(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct txn_file *f = s->file;

	if (!f->existed && !f->exists)
		BUG("%s neither is nor was", f->path);
	s->shown = path_shown(t->root, str_of(f->path));
	if (!find_target(t, s, e))
		return step_failed(s, e);
	if (!path_below(str_of(t->real_root), str_of(s->target)))
		return err_set(e, ERR_DENIED, "%.*s: leads to %s, which is outside of %s",
			       STR_ARG(s->shown), s->target, t->real_root);
	return claim(t, s, str_of(s->target), e);
}

/* A file written in place is read all the same, for its old text goes into the journal. */
static bool check_text(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct txn_file *f = s->file;
	struct buf *text = s->way == STEP_INSIDE ? &s->old : &t->scratch;

	if (s->way != STEP_INSIDE && f->seen.settled && fs_untouched(&f->seen, &s->was))
		return true;
	buf_clear(text);
	if (!t->fs->read(t->fs->self, s->target, text, NULL, e))
		return step_failed(s, e);
	if (hash_of(buf_str(text)) != f->was_hash)
		return step_stale(s, e, "has changed on disk since it was read; try again");
	return true;
}

static bool check_old(struct txn *t, struct txn_step *s, struct err *e)
{
	if (s->was.kind == FS_NONE)
		return step_stale(s, e, "is gone since it was read");
	if (s->was.kind != FS_FILE)
		return step_stale(s, e, "is no longer a regular file");
	if (!t->fs->may_write(t->fs->self, s->target, &s->was))
		return err_set(e, ERR_DENIED, "%.*s: is read-only; make it writable first",
			       STR_ARG(s->shown));
	if (!s->file->exists)
		s->way = STEP_REMOVE;
	else
		s->way = s->was.links > 1 ? STEP_INSIDE : STEP_SWAP;
	return (s->way == STEP_REMOVE || claim_file(t, s, e)) && check_text(t, s, e);
}

bool step_check(struct txn *t, struct txn_step *s, struct err *e)
{
	/* Looked at before it is read, so that a change while reading is seen later. */
	if (!t->fs->stat(t->fs->self, s->target, &s->was, e))
		return step_failed(s, e);
	if (s->file->existed)
		return check_old(t, s, e);
	if (s->was.kind != FS_NONE)
		return step_stale(s, e, "is there now, and was not when the change was worked out");
	s->way = STEP_NEW;
	return true;
}

/* A rename changes ctime, so that it can be compared only before one. */
bool step_same_file(const struct fs_stat *a, const struct fs_stat *b)
{
	return a->kind == b->kind && a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

#define STALE_NOW "was changed by another program at this moment; try again"

bool step_check_again(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat now;

	/* What a link leads to may itself be part of this; the link goes whatever it is. */
	if (s->way == STEP_REMOVE && s->was.link)
		return true;
	if (!t->fs->stat(t->fs->self, s->target, &now, e))
		return step_failed(s, e);
	if (now.kind == FS_NONE)
		return step_stale(s, e, "is gone since it was read");
	return fs_untouched(&now, &s->was) || step_stale(s, e, STALE_NOW);
}

/* What came out when the names changed must be what was checked: the last moment counts. */
bool step_check_taken(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat taken;

	if (s->way == STEP_REMOVE && s->was.link)
		return true;
	if (!t->fs->stat(t->fs->self, s->temp, &taken, e))
		return step_failed(s, e);
	return step_same_file(&taken, &s->was) || step_stale(s, e, STALE_NOW);
}
