#include <inttypes.h>

#include "txn_impl.h"

/* Making one file's new text, showing it, and taking it back. */

static bool create_beside(struct txn *t, struct txn_step *s, unsigned mode, struct err *e)
{
	struct str text;

	s->temp = beside_temp(t, s, false);
	s->in_pool = false;
	s->temp_there =
		step_text(t, s, &text, e) && t->fs->create(t->fs->self, s->temp, text, mode, e);
	return s->temp_there;
}

/* A file that was just made takes over what `like` is. */
static bool finish_made(struct txn *t, struct txn_step *s, const char *like, struct err *e)
{
	const struct fs *fs = t->fs;

	s->fresh_known = (!like || fs->copy_meta(fs->self, like, s->temp, e)) &&
			 fs->stat(fs->self, s->temp, &s->fresh, e);
	return s->fresh_known;
}

bool step_uses_pool(const struct txn *t, const struct txn_step *s)
{
	return s->way == STEP_SWAP && !step_of_link(s) && t->pool && t->pool_dev == s->was.dev;
}

static bool is_like_none(const struct txn_step *s)
{
	return !s->file->like && (!s->file->existed || s->file->was_link);
}

static bool is_usual(unsigned mode)
{
	return !mode || mode == MODE_FILE || mode == MODE_EXEC;
}

unsigned step_new_mode(const struct txn_step *s)
{
	unsigned mode = s->file->mode;

	return is_usual(mode) ? mode == MODE_EXEC ? 0777 : 0666 : mode & MODE_BITS;
}

bool step_sets_mode(const struct txn_step *s)
{
	return s->file->mode && !step_makes_link(s) &&
	       !(is_like_none(s) && is_usual(s->file->mode));
}

static bool txn_steps_set_mode(struct txn *t, const struct txn_step *s, const char *path,
			       struct err *e)
{
	return !step_sets_mode(s) || t->fs->chmod(t->fs->self, path, s->file->mode & MODE_BITS, e);
}

/* Whose mode and owner it takes may have gone already, to make room. */
static const char *find_like(const struct txn *t, const struct txn_step *s)
{
	const char *like = s->file->like;
	const struct txn_step *gone = like && t->room ? map_get(&t->going, str_of(like)) : NULL;

	return gone && gone->visible ? gone->temp : like;
}

static bool write_link(struct txn *t, struct txn_step *s, struct err *e)
{
	s->temp = beside_temp(t, s, false);
	s->in_pool = false;
	s->temp_there = t->fs->symlink(t->fs->self, s->file->now, s->temp, e);
	return s->temp_there;
}

/* One that is like none is made where it will be, so that it gets what its directory gives to new
 * files. */
static bool write_fresh(struct txn *t, struct txn_step *s, const char *like, struct err *e)
{
	if (step_makes_link(s))
		return write_link(t, s, e);
	if (is_like_none(s))
		like = NULL;
	return create_beside(t, s, like ? 0600 : step_new_mode(s), e) &&
	       finish_made(t, s, like, e) && txn_steps_set_mode(t, s, s->temp, e);
}

/* An empty file that is there, else a new one in its place. */
static bool write_pooled(struct txn *t, struct txn_room *room, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	/* What it replaces is looked at again when names are swapped. */
	const char *like = s->file->like ? find_like(t, s) : s->target;
	const struct fs_stat *is = s->file->like ? NULL : &s->was;
	const struct str *piece;
	size_t n;

	s->pooled = s->in_pool = true;
	if (!step_pieces(t, room, s, &piece, &n, e))
		return false;
	s->fresh_known = fs->fill(fs->self, s->temp, piece, n, like, is, &s->fresh, e);
	s->temp_there = s->fresh_known;
	if (s->fresh_known)
		return true;
	if (e->code == ERR_CONFLICT)
		fs->remove(fs->self, s->temp, ERR_IGNORED);
	else if (e->code != ERR_NOT_FOUND)
		return false;
	s->temp_there = fs->create(fs->self, s->temp, pieces_joined(room, piece, n), 0600, e);
	return s->temp_there && finish_made(t, s, like, e);
}

bool step_fill(struct txn *t, struct txn_room *room, struct txn_step *s, struct err *e)
{
	return (write_pooled(t, room, s, e) && txn_steps_set_mode(t, s, s->temp, e)) ||
	       step_failed(s, e);
}

bool step_write(struct txn *t, struct txn_step *s, struct err *e)
{
	switch (s->way) {
	case STEP_SWAP:
	case STEP_OVER:
	case STEP_NEW:
		return write_fresh(t, s, s->file->like ? find_like(t, s) : s->target, e) ||
		       step_failed(s, e);
	case STEP_REMOVE:
		s->temp = beside_temp(t, s, true);
		return true;
	case STEP_INSIDE:
	case STEP_MODE:
	case STEP_EDITOR:
		return true;
	}
	BUG("a step of an unknown kind");
}

/* The old file gets a second name, where there are hard links, so that the name is never free. */
static bool show_over(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	const char *fresh = s->temp;
	bool linked, in_pool = s->in_pool;

	s->temp = beside_temp(t, s, true);
	s->in_pool = false;
	/* Some systems would link to what a symbolic link leads to. */
	linked = !s->file->was_link && fs->link(fs->self, s->target, s->temp, e);
	if (!linked && ((!s->file->was_link && e->code != ERR_UNSUPPORTED) ||
			!fs->rename(fs->self, s->target, s->temp, e))) {
		s->temp = fresh;
		s->in_pool = in_pool;
		return step_failed(s, e);
	}
	if (fs->replace(fs->self, fresh, s->target, e)) {
		s->way = STEP_OVER;
		s->visible = true;
		return step_check_taken(t, s, e);
	}
	/* The usual way back does the rest; the new text is no longer needed for it. */
	fs->remove(fs->self, fresh, ERR_IGNORED);
	s->way = STEP_OVER;
	s->visible = true;
	s->fresh_known = false;
	return step_failed(s, e);
}

static bool swap_names(struct txn *t, struct txn_step *s, struct err *e)
{
	s->visible = t->fs->exchange(t->fs->self, s->temp, s->target, e);
	return s->visible;
}

bool step_swap(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!step_check_again(t, s, e))
		return false;
	if (swap_names(t, s, e))
		return step_check_taken(t, s, e);
	return e->code == ERR_UNSUPPORTED || step_failed(s, e);
}

static bool show_swap(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!step_swap(t, s, e))
		return false;
	if (s->visible)
		return true;
	if (s->temp_there && s->pooled) {
		/* One file system may be several to the kernel: the next try is beside the file.
		 * What it is like may have changed places already, so the first try is in. */
		t->pool = false;
		if (!write_fresh(t, s, s->temp, e))
			return step_failed(s, e);
		if (swap_names(t, s, e))
			return step_check_taken(t, s, e);
	}
	return e->code == ERR_UNSUPPORTED ? show_over(t, s, e) : step_failed(s, e);
}

static bool show_inside(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	struct str text;

	if (!step_check_again(t, s, e))
		return false;
	if (!step_text(t, s, &text, e))
		return step_failed(s, e);
	s->visible = true; /* if it fails, the text may be torn */
	/* What syncs the text syncs the mode. */
	if (!txn_steps_set_mode(t, s, s->target, e) || !fs->overwrite(fs->self, s->target, text, e))
		return step_failed(s, e);
	s->fresh_known = fs->stat(fs->self, s->target, &s->fresh, e);
	return s->fresh_known || step_failed(s, e);
}

static bool show_mode(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!step_check_again(t, s, e))
		return false;
	s->visible = txn_steps_set_mode(t, s, s->target, e);
	return s->visible || step_failed(s, e);
}

static bool show_new(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!t->fs->rename(t->fs->self, s->temp, s->target, e))
		return e->code == ERR_CONFLICT
			       ? step_stale(s, e, "was created by another program just now")
			       : step_failed(s, e);
	s->temp_there = false;
	s->visible = true;
	return true;
}

static bool show_removed(struct txn *t, struct txn_step *s, struct err *e)
{
	if (!step_check_again(t, s, e))
		return false;
	if (!t->fs->rename(t->fs->self, s->target, s->temp, e))
		return step_failed(s, e);
	s->temp_there = true;
	s->visible = true;
	return step_check_taken(t, s, e);
}

bool step_show(struct txn *t, struct txn_step *s, struct err *e)
{
	switch (s->way) {
	case STEP_SWAP:
	case STEP_OVER:
		return show_swap(t, s, e);
	case STEP_INSIDE:
		return show_inside(t, s, e);
	case STEP_MODE:
		return show_mode(t, s, e);
	case STEP_NEW:
		return show_new(t, s, e);
	case STEP_REMOVE:
		return show_removed(t, s, e);
	case STEP_EDITOR:
		return true;
	}
	BUG("a step of an unknown kind");
}

/* Moves the old text to where nobody clears it away. */
static bool keep_old(struct txn *t, struct txn_step *s, struct err *e)
{
	const struct fs *fs = t->fs;
	struct buf path = BUF_INIT;
	bool ok = s->way == STEP_INSIDE || s->temp_there;

	if (ok && (s->way == STEP_INSIDE || s->in_pool)) {
		buf_addf(&path, "%s/kept-%016" PRIx64, t->home,
			 t->here.unique + 2 * (uint64_t)(s - t->step));
		ok = s->way == STEP_INSIDE ? fs->create(fs->self, path.p, buf_str(&s->old), 0600, e)
					   : fs->rename(fs->self, s->temp, path.p, e);
		s->temp = arena_str(&t->arena, buf_str(&path)).p;
		buf_release(&path);
	}
	s->temp_there = false;
	return ok;
}

/* Another program has written since: its text stays, and the old one is not thrown away. */
static bool foreign(struct txn *t, struct txn_step *s, struct err *e)
{
	s->visible = false;
	if (s->way == STEP_NEW || s->way == STEP_MODE || !keep_old(t, s, e))
		return step_stale(s, e, "was changed by another program, and was left alone");
	return err_set(e, ERR_STALE,
		       "%.*s: was changed by another program, and was left alone; its old text is "
		       "in %s",
		       STR_ARG(s->shown), s->temp);
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
		return (!step_sets_mode(s) || fs->chmod(fs->self, s->target, s->was.mode, e)) &&
		       fs->overwrite(fs->self, s->target, buf_str(&s->old), e);
	case STEP_MODE:
		return fs->chmod(fs->self, s->target, s->was.mode, e) &&
		       fs->sync(fs->self, &s->target, 1, e);
	case STEP_NEW:
		return fs->rename(fs->self, s->target, s->temp, e);
	case STEP_REMOVE:
		return fs->rename(fs->self, s->temp, s->target, e);
	case STEP_EDITOR:
		return true;
	}
	BUG("a step of an unknown kind");
}

bool step_take_back(struct txn *t, struct txn_step *s, struct err *e)
{
	bool fresh;

	if (s->way != STEP_REMOVE) {
		if (!step_is_fresh(t, s, &fresh, e))
			return false;
		if (!fresh)
			return foreign(t, s, e);
	}
	if (!put_back(t, s, e)) {
		if (s->way == STEP_REMOVE && e->code == ERR_CONFLICT)
			return foreign(t, s, e);
		if (s->way >= STEP_INSIDE && s->way <= STEP_NEW)
			return step_failed(s, e);
		return err_in(e, "%.*s: its old text is in %s", STR_ARG(s->shown), s->temp);
	}
	s->visible = false;
	/* Two names of one file are not merged by a rename, so the second may still be there. */
	s->temp_there = s->way <= STEP_OVER || s->way == STEP_NEW;
	return true;
}
