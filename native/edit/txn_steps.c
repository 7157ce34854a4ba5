#include <inttypes.h>
#include <stdio.h>

#include "../base/hash.h"
#include "../base/path.h"
#include "txn_impl.h"

static bool stale(const struct txn_step *s, struct err *e, const char *what)
{
	return err_set(e, ERR_STALE, "%.*s: %s", STR_ARG(s->shown), what);
}

static bool in_step(const struct txn_step *s, struct err *e)
{
	return err_in(e, "%.*s", STR_ARG(s->shown));
}

static const char *keep(struct txn *t, struct buf *text)
{
	const char *p = arena_str(&t->arena, buf_str(text)).p;

	buf_release(text);
	return p;
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

static bool check_text(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct txn_file *f = s->file;
	struct buf *text = s->way == STEP_INSIDE ? &s->old : &t->scratch;

	buf_clear(text);
	if (!t->fs->read(t->fs->self, s->target, text, e))
		return in_step(s, e);
	if (hash_of(buf_str(text)) != f->was_hash)
		return stale(s, e, "has changed on disk since it was read; try again");
	return true;
}

static bool check_old(struct txn *t, struct txn_step *s, struct err *e)
{
	if (s->was.kind == FS_NONE)
		return stale(s, e, "is gone since it was read");
	if (s->was.kind != FS_FILE)
		return stale(s, e, "is no longer a regular file");
	if (!s->was.writable)
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
	const struct txn_file *f = s->file;
	struct buf real = BUF_INIT;

	if (!f->existed && !f->exists)
		BUG("%s neither is nor was", f->path);
	s->shown = path_shown(t->root, str_of(f->path));
	if (!f->exists) {
		buf_adds(&real, f->path);
	} else if (!t->fs->resolve(t->fs->self, f->path, &real, e)) {
		buf_release(&real);
		return in_step(s, e);
	}
	s->target = keep(t, &real);
	/* Looked at before it is read, so that a change while reading is seen later. */
	if (!claim(t, s, str_of(s->target), e))
		return false;
	if (!t->fs->stat(t->fs->self, s->target, &s->was, e))
		return in_step(s, e);
	if (f->existed)
		return check_old(t, s, e);
	if (s->was.kind != FS_NONE)
		return stale(s, e, "is there now, and was not when the change was worked out");
	s->way = STEP_NEW;
	return true;
}

/* A name beside the target that nobody has; the file system has the last word on that. */
static void name_temp(struct txn *t, struct txn_step *s)
{
	struct buf name = BUF_INIT;
	struct str dir = path_dir(str_of(s->target));

	t->seed = hash_of((struct str){ (const char *)&t->seed, sizeof(t->seed) });
	buf_add(&name, dir);
	buf_addf(&name, "%s" TXN_PREFIX "%016" PRIx64, dir.n > 1 ? "/" : "", t->seed);
	s->temp = keep(t, &name);
}

static bool create_temp(struct txn *t, struct txn_step *s, struct str text, unsigned mode,
			struct err *e)
{
	for (int tries = 0; tries < 16; tries++) {
		name_temp(t, s);
		if (t->fs->create(t->fs->self, s->temp, text, mode, e)) {
			s->temp_there = true;
			return true;
		}
		if (e->code != ERR_CONFLICT)
			break;
	}
	return in_step(s, e);
}

bool step_write(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	const char *like = s->file->like;
	bool inside = s->way == STEP_INSIDE;

	if (s->way == STEP_REMOVE) {
		name_temp(t, s);
		return true;
	}
	if (!like && s->way != STEP_NEW)
		like = s->target;
	if (!create_temp(t, s, inside ? buf_str(&s->old) : s->file->now, like ? 0600 : 0666, e))
		return false;
	buf_release(&s->old);
	if (like && !fs->copy_meta(fs->self, like, s->temp, e))
		return in_step(s, e);
	if (inside)
		return true;
	s->fresh_known = fs->stat(fs->self, s->temp, &s->fresh, e);
	return s->fresh_known || in_step(s, e);
}

/* A rename changes ctime, so that it can be compared only before one. */
static bool same_file(const struct fs_stat *a, const struct fs_stat *b)
{
	return a->kind == b->kind && a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

#define STALE_NOW "was changed by another program at this moment; try again"

static bool check_again(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat now;

	/* What a link leads to may itself be part of this; the link goes whatever it is. */
	if (s->way == STEP_REMOVE && s->was.link)
		return true;
	if (!t->fs->stat(t->fs->self, s->target, &now, e))
		return in_step(s, e);
	if (now.kind == FS_NONE)
		return stale(s, e, "is gone since it was read");
	return (same_file(&now, &s->was) && now.ctime_ns == s->was.ctime_ns) ||
	       stale(s, e, STALE_NOW);
}

/* What came out when the names changed must be what was checked: the last moment counts. */
static bool check_taken(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat taken;

	if (s->way == STEP_REMOVE && s->was.link)
		return true;
	if (!t->fs->stat(t->fs->self, s->temp, &taken, e))
		return in_step(s, e);
	return same_file(&taken, &s->was) || stale(s, e, STALE_NOW);
}

/* The old file gets a second name, where there are hard links, so that the name is never free. */
static bool show_over(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	const char *fresh = s->temp;
	bool linked;
	struct err ignored;

	name_temp(t, s);
	linked = fs->link(fs->self, s->target, s->temp, e);
	if (!linked &&
	    (e->code != ERR_UNSUPPORTED || !fs->rename(fs->self, s->target, s->temp, e))) {
		s->temp = fresh;
		return in_step(s, e);
	}
	if (fs->replace(fs->self, fresh, s->target, e)) {
		s->way = STEP_OVER;
		s->visible = true;
		return check_taken(t, s, e);
	}
	/* The usual way back does the rest; the new text is no longer needed for it. */
	fs->remove(fs->self, fresh, &ignored);
	s->way = STEP_OVER;
	s->visible = true;
	s->fresh_known = false;
	return in_step(s, e);
}

static bool show_swap(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!check_again(t, s, e))
		return false;
	if (t->fs->exchange(t->fs->self, s->temp, s->target, e)) {
		s->visible = true;
		return check_taken(t, s, e);
	}
	return e->code == ERR_UNSUPPORTED ? show_over(t, s, e) : in_step(s, e);
}

static bool show_inside(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;

	if (!check_again(t, s, e))
		return false;
	s->visible = true; /* if it fails, the text may be torn */
	if (!fs->overwrite(fs->self, s->target, s->file->now, e))
		return in_step(s, e);
	s->fresh_known = fs->stat(fs->self, s->target, &s->fresh, e);
	return s->fresh_known || in_step(s, e);
}

static bool show_new(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!t->fs->rename(t->fs->self, s->temp, s->target, e))
		return e->code == ERR_CONFLICT
			       ? stale(s, e, "was made by another program at this moment")
			       : in_step(s, e);
	s->temp_there = false;
	s->visible = true;
	return true;
}

static bool show_removed(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!check_again(t, s, e))
		return false;
	if (!t->fs->rename(t->fs->self, s->target, s->temp, e))
		return in_step(s, e);
	s->temp_there = true;
	s->visible = true;
	return check_taken(t, s, e);
}

bool step_show(struct txn *t, struct txn_step *s, struct err *e)
{
	switch (s->way) {
	case STEP_SWAP:
	case STEP_OVER:
		return show_swap(t, s, e);
	case STEP_INSIDE:
		return show_inside(t, s, e);
	case STEP_NEW:
		return show_new(t, s, e);
	case STEP_REMOVE:
		return show_removed(t, s, e);
	}
	BUG("a step of no kind");
}

/* Another program has written since: its text stays, and the old one is not thrown away. */
static bool foreign(struct txn_step *s, struct err *e)
{
	s->visible = false;
	if (!s->temp_there)
		return stale(s, e, "was changed by another program and stays as it is");
	s->temp_there = false;
	return err_set(e, ERR_STALE,
		       "%.*s: was changed by another program and stays as it is; its old text "
		       "is in %s",
		       STR_ARG(s->shown), s->temp);
}

static bool write_back(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;

	buf_clear(&t->scratch);
	return fs->read(fs->self, s->temp, &t->scratch, e) &&
	       fs->overwrite(fs->self, s->target, buf_str(&t->scratch), e);
}

static bool put_back(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;

	switch (s->way) {
	case STEP_SWAP:
		return fs->exchange(fs->self, s->temp, s->target, e);
	case STEP_OVER:
		return fs->replace(fs->self, s->temp, s->target, e);
	case STEP_INSIDE:
		return write_back(t, s, e);
	case STEP_NEW:
		return fs->rename(fs->self, s->target, s->temp, e);
	case STEP_REMOVE:
		return fs->rename(fs->self, s->temp, s->target, e);
	}
	BUG("a step of no kind");
}

bool step_take_back(struct txn *t, struct txn_step *s, struct err *e)
{
	struct fs_stat now;

	if (s->way != STEP_REMOVE && s->fresh_known) {
		if (!t->fs->stat(t->fs->self, s->target, &now, e))
			return in_step(s, e);
		if (!same_file(&now, &s->fresh))
			return foreign(s, e);
	}
	if (!put_back(t, s, e)) {
		if (s->way == STEP_REMOVE && e->code == ERR_CONFLICT)
			return foreign(s, e);
		if (s->way == STEP_NEW)
			return in_step(s, e);
		return err_in(e, "%.*s: its old text is in %s", STR_ARG(s->shown), s->temp);
	}
	s->visible = false;
	/* Two names of one file are not merged by a rename, so the second may still be there. */
	s->temp_there = s->way != STEP_REMOVE;
	return true;
}
