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

	return !other || err_set(e, ERR_CONFLICT, "%.*s and %.*s are the same file",
				 STR_ARG(other->shown), STR_ARG(s->shown));
}

/* Two names of one file cannot both get a new text. */
static bool claim_file(struct txn *t, struct txn_step *s, struct err *e)
{
	char key[64];
	int n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, s->was.dev, s->was.ino);

	return claim(t, s, (struct str){ key, (size_t)n }, e);
}

/* Where a directory's links lead to; asked once for all files in it. */
static const char *real_folder(struct txn *t, struct str dir, struct err *e)
{
	const char *known = map_get(&t->folders, dir);
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (known)
		return known;
	if (t->fs->resolve(t->fs->self, arena_str(&t->arena, dir).p, &real, e)) {
		known = arena_str(&t->arena, buf_str(&real)).p;
		map_put(&t->folders, dir, (void *)known);
	}
	return known;
}

/* The links of its directory are followed; its own is not. */
bool resolve_name(struct txn *t, const char *path, struct buf *real, struct err *e)
{
	const char *dir = real_folder(t, path_dir(str_of(path)), e);

	if (!dir)
		return false;
	buf_addf(real, "%s/%.*s", dir[1] ? dir : "", STR_ARG(path_base(str_of(path))));
	return true;
}

bool step_makes_link(const struct txn_step *s)
{
	return s->file->exists && s->file->mode == MODE_LINK;
}

bool step_of_link(const struct txn_step *s)
{
	return s->file->was_link || step_makes_link(s);
}

/* A file that goes, and that this one is to lie below: until then, it leads elsewhere. */
static struct txn_step *going_above(const struct txn *t, const char *path)
{
	struct str dir = path_dir(str_of(path));
	struct txn_step *s = NULL;

	for (; dir.n > t->root.n && !s; dir = path_dir(dir))
		s = map_get(&t->going, dir);
	return s;
}

bool step_is_straight(struct txn *t, struct txn_step *s)
{
	const char *path = s->file->path, *known;
	struct str dir = path_dir(str_of(path));
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (s->straight || map_get(&t->folders, dir) ||
	    !t->fs->resolve(t->fs->self, path, &real, ERR_IGNORED) ||
	    !str_eq(buf_str(&real), str_of(path)))
		return s->straight;
	known = arena_str(&t->arena, dir).p;
	map_put(&t->folders, dir, (void *)known);
	return s->straight = true;
}

bool txn_find_root(struct txn *t, struct err *e)
{
	struct buf root SCOPED(buf_release) = BUF_INIT;

	t->real_root = t->root.p;
	if (t->steps && path_below(t->root, str_of(t->step[0].file->path)) &&
	    step_is_straight(t, &t->step[0]))
		return true;
	if (!t->fs->resolve(t->fs->self, t->root.p, &root, e))
		return false;
	t->real_root = arena_str(&t->arena, buf_str(&root)).p;
	return true;
}

static bool find_target(struct txn *t, struct txn_step *s, struct buf *real, struct err *e)
{
	const struct txn_file *f = s->file;
	struct fs_stat st;

	if (!f->existed && map_count(&t->going))
		s->over = going_above(t, f->path);
	if (s->over) {
		buf_addf(real, "%s%s", s->over->target, f->path + strlen(s->over->file->path));
		s->over->when = WHEN_ROOM;
		t->room = true;
		return true;
	}
	if (f->existed && f->exists && !step_of_link(s) && step_is_straight(t, s)) {
		buf_adds(real, f->path);
		return true;
	}
	if (!resolve_name(t, f->path, real, e))
		return false;
	if (!f->exists || step_of_link(s))
		return true;
	if (!t->fs->stat(t->fs->self, real->p, &st, e))
		return false;
	if (!st.link)
		return true;
	buf_clear(real);
	return t->fs->resolve(t->fs->self, f->path, real, e);
}

static bool stays_inside(const struct txn *t, const struct txn_step *s, const char *to,
			 struct err *e)
{
	const char *within = s->file->within ? s->file->within : t->real_root;

	return (path_below(str_of(within), str_of(to)) &&
		path_below(str_of(t->real_root), str_of(to))) ||
	       err_set(e, ERR_DENIED, "%.*s: points to %s, which is outside of %s",
		       STR_ARG(s->shown), to, within);
}

/* Where a new link leads is looked at as the disk is now; what is missing there counts as named,
 * and so does what cannot be followed. Whoever writes through it later is asked again. */
static bool check_link(struct txn *t, const struct txn_step *s, struct err *e)
{
	struct str dir = path_dir(str_of(s->target));
	struct buf path SCOPED(buf_release) = BUF_INIT, real SCOPED(buf_release) = BUF_INIT;

	if (!str_starts(s->file->now, STR("/")))
		buf_addf(&path, "%.*s/", STR_ARG(dir));
	buf_add(&path, s->file->now);
	if (!t->fs->resolve(t->fs->self, path.p, &real, ERR_IGNORED))
		path_normal(&real, "/", buf_str(&path));
	return stays_inside(t, s, real.p, e);
}

bool step_find(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct txn_file *f = s->file;
	struct buf real SCOPED(buf_release) = BUF_INIT;
	bool ok;

	if (!f->existed && !f->exists)
		BUG("%s neither is nor was", f->path);
	s->shown = path_shown(t->root, str_of(f->path));
	s->when = f->exists ? WHEN_NEW : WHEN_REMOVED;
	ok = find_target(t, s, &real, e);
	s->target = arena_str(&t->arena, buf_str(&real)).p;
	if (!ok)
		return step_failed(s, e);
	if (!f->exists)
		map_put(&t->going, str_of(f->path), s);
	return stays_inside(t, s, s->target, e) && (!step_makes_link(s) || check_link(t, s, e)) &&
	       claim(t, s, str_of(s->target), e);
}

/* Appends the text, which must be the one that was read. */
bool step_read_old(struct txn *t, struct txn_step *s, struct buf *text, struct err *e)
{
	const struct txn_file *f = s->file;

	buf_clear(text);
	if (!(f->was_link ? t->fs->readlink(t->fs->self, s->target, text, e)
			  : t->fs->read(t->fs->self, s->target, text, NULL, e)))
		return step_failed(s, e);
	if (hash_of(buf_str(text)) != f->was_hash)
		return step_stale(s, e, "has changed on disk since it was read; try again");
	return true;
}

/* A file written in place is read all the same, for its old text goes into the journal. */
bool step_check_text(struct txn *t, struct txn_room *room, struct txn_step *s, struct err *e)
{
	const struct txn_file *f = s->file;

	if (!f->existed)
		return true;
	if (s->way == STEP_INSIDE || s->way == STEP_EDITOR)
		return step_read_old(t, s, &s->old, e);
	return step_reads_late(s) || (f->seen.settled && fs_untouched(&f->seen, &s->was)) ||
	       step_read_old(t, s, &room->scratch, e);
}

static bool check_old_link(struct txn_step *s, struct err *e)
{
	if (!s->was.link)
		return step_stale(s, e, "is no longer a symbolic link");
	s->way = s->file->exists ? STEP_SWAP : STEP_REMOVE;
	return true;
}

static enum step_way way_of(const struct txn_step *s)
{
	const struct txn_file *f = s->file;

	if (f->by_editor)
		return STEP_EDITOR;
	if (!f->exists)
		return STEP_REMOVE;
	if (step_makes_link(s))
		return STEP_SWAP;
	if (f->mode && !f->like && step_now_hash(s) == f->was_hash)
		return STEP_MODE;
	return s->was.links > 1 ? STEP_INSIDE : STEP_SWAP;
}

static bool check_old(struct txn *t, struct txn_step *s, struct err *e)
{
	if (s->file->was_link)
		return check_old_link(s, e);
	if (s->was.kind == FS_NONE && !s->was.link)
		return step_stale(s, e, "was deleted since it was read");
	if (s->was.kind != FS_FILE || s->was.link)
		return step_stale(s, e, "is no longer a regular file");
	if (!t->fs->may_write(t->fs->self, s->target, &s->was))
		return err_set(e, ERR_DENIED, "%.*s: is read-only; make it writable first",
			       STR_ARG(s->shown));
	s->way = way_of(s);
	return s->way == STEP_REMOVE || claim_file(t, s, e);
}

bool step_check(struct txn *t, struct txn_step *s, struct err *e)
{
	bool cleared;

	/* Looked at before it is read, so that a change while reading is seen later. */
	if (!t->fs->stat(t->fs->self, s->target, &s->was, e))
		return step_failed(s, e);
	if (s->file->existed)
		return check_old(t, s, e);
	s->way = STEP_NEW;
	if (s->over) {
		s->was = (struct fs_stat){ .kind = FS_NONE };
		return true;
	}
	if (!is_cleared(t, s, &cleared, e))
		return false;
	if (cleared)
		s->when = WHEN_LATE;
	return cleared || (s->was.kind == FS_NONE && !s->was.link) ||
	       step_stale(s, e, "exists now, but did not when the change was computed");
}

/* A rename changes ctime, so that it can be compared only before one. */
static bool step_same_file(const struct fs_stat *a, const struct fs_stat *b)
{
	return a->kind == b->kind && a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

#define STALE_NOW "was changed by another program just now; try again"

/* What a link leads to may itself be part of this, so that its text alone counts. */
static bool link_is(struct txn *t, const struct txn_step *s, const char *path, uint64_t hash,
		    struct err *e)
{
	buf_clear(&t->scratch);
	if (!t->fs->readlink(t->fs->self, path, &t->scratch, e))
		return e->code == ERR_INVALID ? step_stale(s, e, STALE_NOW) : step_failed(s, e);
	return hash_of(buf_str(&t->scratch)) == hash || step_stale(s, e, STALE_NOW);
}

bool step_is_fresh(struct txn *t, struct txn_step *s, bool *fresh, struct err *e)
{
	struct fs_stat now;

	*fresh = true;
	if (step_makes_link(s)) {
		*fresh = link_is(t, s, s->target, step_now_hash(s), e);
		return *fresh || e->code == ERR_STALE || e->code == ERR_NOT_FOUND;
	}
	if (!s->fresh_known)
		return true;
	if (!t->fs->stat(t->fs->self, s->target, &now, e))
		return step_failed(s, e);
	*fresh = step_same_file(&now, &s->fresh) && !now.link;
	return true;
}

bool step_check_again(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat now;

	if (s->file->was_link)
		return link_is(t, s, s->target, s->file->was_hash, e);
	if (!t->fs->stat(t->fs->self, s->target, &now, e))
		return step_failed(s, e);
	if (now.kind == FS_NONE)
		return step_stale(s, e, "was deleted since it was read");
	return fs_untouched(&now, &s->was) || step_stale(s, e, STALE_NOW);
}

/* What came out when the names changed must be what was checked: the last moment counts. */
bool step_check_taken(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat taken;

	if (s->file->was_link)
		return link_is(t, s, s->temp, s->file->was_hash, e);
	if (!t->fs->stat(t->fs->self, s->temp, &taken, e))
		return step_failed(s, e);
	return step_same_file(&taken, &s->was) || step_stale(s, e, STALE_NOW);
}
