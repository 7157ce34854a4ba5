#include "recover.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "recover_impl.h"

void recover_say(struct recover_report *r, enum recover_what is, struct str what, size_t files,
		 const char *why)
{
	r->note = mem_grow(r->note, &r->cap, r->notes + 1, sizeof(*r->note));
	r->note[r->notes++] =
		(struct recover_note){ is, arena_str(&r->arena, what).p, files,
				       why ? arena_str(&r->arena, str_of(why)).p : NULL };
}

void recover_report_release(struct recover_report *r)
{
	free(r->note);
	arena_release(&r->arena);
	*r = (struct recover_report){ 0 };
}

static bool is_hot(const struct fs *fs, const char *home, unsigned i, bool *hot, struct err *e)
{
	struct wal wal;
	bool ok, is_free;

	*hot = false;
	if (!wal_take(&wal, fs, home, i, e))
		return !e->code;
	ok = wal_is_free(&wal, &is_free, e);
	*hot = ok && !is_free;
	wal_release(&wal);
	return ok;
}

static bool find_hot(const struct fs *fs, const char *home, uint64_t bits, uint64_t *hot,
		     struct err *e)
{
	for (unsigned i = 0; i < WAL_SLOTS; i++) {
		bool one;

		if (!(bits >> i & 1))
			continue;
		if (!is_hot(fs, home, i, &one, e))
			return false;
		*hot |= (uint64_t)one << i;
	}
	return true;
}

/* Whoever looks at others' journals holds their locks for a moment: two who do so at once must not
 * take each other for the owners. */
static bool scan_lock(const struct fs *fs, const char *home, int *lock, struct err *e)
{
	char *name = path_join(home, "scan.lock");
	bool ok = fs->lock(fs->self, name, NULL, 0, true, lock, e);

	free(name);
	return ok;
}

bool recover_look(const struct fs *fs, const char *home, uint64_t but, uint64_t *hot, struct err *e)
{
	uint64_t bits;
	int lock;
	bool ok;

	*hot = 0;
	if (!wal_present(fs, home, &bits, e))
		return false;
	bits &= ~but;
	if (!bits)
		return true;
	if (!scan_lock(fs, home, &lock, e))
		return false;
	ok = find_hot(fs, home, bits, hot, e);
	fs->unlock(fs->self, lock);
	return ok;
}

/* Whether the journal's file can be anybody else's work. */
static bool is_own(struct recovering *r, struct err *e)
{
	struct fs_here here;
	struct fs_stat st;

	r->fs->here(r->fs->self, &here);
	if (!r->fs->stat(r->fs->self, r->wal->path, &st, e))
		return false;
	if (st.kind == FS_FILE && !st.link && st.links == 1 && st.user == here.user &&
	    !(st.mode & 022))
		return true;
	return err_set(e, ERR_DENIED, "is not a file that you alone may write to");
}

static bool whose(struct recovering *r, struct err *e)
{
	struct fs_here here;

	r->fs->here(r->fs->self, &here);
	r->rebooted = !here.boot || here.boot != r->j.here.boot;
	return here.user == r->j.here.user || err_set(e, ERR_DENIED, "is another user's");
}

static const char *in_root(struct recovering *r, struct str path)
{
	struct buf whole = BUF_INIT;
	const char *p;

	buf_addf(&whole, "%s%s%.*s", r->root, strlen(r->root) > 1 ? "/" : "", STR_ARG(path));
	p = arena_str(&r->arena, buf_str(&whole)).p;
	buf_release(&whole);
	return p;
}

static bool is_among(const struct journal_dir *dir, size_t n, struct str path)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(dir[i].path, path))
			return true;
	return false;
}

/* Whether a folder goes for the sake of a new file. */
static bool is_cleared(const struct recovering *r, const struct journal_dir *dir, size_t *file)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == RECOVER_LATE && path_below(r->j.file[i].path, dir->path)) {
			*file = i;
			return true;
		}
	return false;
}

/* As the transaction did. */
static void order_files(struct recovering *r)
{
	const struct journal *j = &r->j;

	for (size_t i = 0; i < j->files; i++) {
		bool removed = j->file[i].way == WAY_REMOVE;

		r->when[i] = removed ? RECOVER_REMOVED : RECOVER_NEW;
		if (removed && is_among(j->made, j->n_made, j->file[i].path))
			r->when[i] = RECOVER_ROOM;
		if (j->file[i].way == WAY_NEW && is_among(j->gone, j->n_gone, j->file[i].path))
			r->when[i] = RECOVER_LATE;
	}
	for (size_t k = 0; k < j->files; k++)
		if (r->when[k] == RECOVER_ROOM || r->when[k] == RECOVER_LATE)
			for (size_t i = 0; i < j->files; i++)
				if (i != k && path_below(j->file[k].path, j->file[i].path))
					r->within[i] = r->path[k];
}

static void find_paths(struct recovering *r)
{
	size_t n = r->j.files;

	r->root = arena_str(&r->arena, r->j.root).p;
	r->path = arena_new(&r->arena, (n + 1) * sizeof(*r->path));
	r->foreign = arena_new(&r->arena, n + 1);
	r->outside = arena_new(&r->arena, n + 1);
	r->within = arena_new(&r->arena, (n + 1) * sizeof(*r->within));
	r->when = arena_new(&r->arena, (n + 1) * sizeof(*r->when));
	for (size_t i = 0; i < n; i++)
		r->path[i] = in_root(r, r->j.file[i].path);
	order_files(r);
}

bool recover_is_straight(struct recovering *r, const char *path, bool folder, bool *straight,
			 struct err *e)
{
	struct str want = folder ? path_dir(str_of(path)) : str_of(path);
	struct buf real = BUF_INIT;
	bool ok = r->fs->resolve(r->fs->self, arena_str(&r->arena, want).p, &real, e);

	*straight = ok && str_eq(buf_str(&real), want);
	buf_release(&real);
	return ok;
}

static bool make_dir(struct recovering *r, struct str path, unsigned mode, struct err *e)
{
	const char *dir = in_root(r, path);
	bool straight;

	if (!recover_is_straight(r, dir, false, &straight, e))
		return false;
	return !straight || r->fs->mkdir(r->fs->self, dir, mode, e) || e->code == ERR_CONFLICT;
}

static bool make_dirs(struct recovering *r, struct err *e)
{
	for (size_t i = 0; i < r->j.n_made; i++)
		if (!make_dir(r, r->j.made[i].path, 0777, e))
			return false;
	return true;
}

/* Folders that went for a file's sake come again. */
static bool restore_dirs(struct recovering *r, struct err *e)
{
	size_t late;

	for (size_t i = r->j.n_gone; i--;) {
		const struct journal_dir *d = &r->j.gone[i];
		struct fs_stat st;

		if (!is_cleared(r, d, &late) || r->foreign[late])
			continue;
		if (!make_dir(r, d->path, d->mode, e) ||
		    !r->fs->stat(r->fs->self, in_root(r, d->path), &st, e))
			return false;
		if (st.kind == FS_DIR && !st.link && st.mode != d->mode &&
		    !r->fs->chmod(r->fs->self, in_root(r, d->path), d->mode, e))
			return false;
	}
	return true;
}

static bool drop_dir(struct recovering *r, struct str path, struct err *e)
{
	const char *dir = in_root(r, path);
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

static bool can_all(struct recovering *r,
		    bool can_one(struct recovering *r, size_t i, bool *can, struct err *e),
		    bool *can, struct err *e)
{
	*can = true;
	for (size_t i = 0; i < r->j.files && *can; i++)
		if (!can_one(r, i, can, e))
			return false;
	return true;
}

/* Where it cannot be taken back as a whole, it is carried out as a whole, and the reverse. */
static bool choose_way(struct recovering *r, struct err *e)
{
	bool redo = true, undo = true;

	if (!can_all(r, recover_can_undo, &undo, e) || !can_all(r, recover_can_redo, &redo, e))
		return false;
	if (r->mark == MARK_BACK && !undo)
		r->mark = MARK_BEGUN;
	else if (r->mark != MARK_BACK && !redo && undo)
		r->mark = MARK_BACK;
	return true;
}

static bool undo_files(struct recovering *r, enum recover_when when, struct err *e)
{
	for (size_t i = r->j.files; i--;)
		if (r->when[i] == when && !recover_undo(r, i, e))
			return err_in(e, "%s", r->path[i]);
	return true;
}

static bool has_any(const struct recovering *r, enum recover_when when)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == when)
			return true;
	return false;
}

/* Nothing of ours may be left in a folder whose place a file wants back. */
static bool take_folders_back(struct recovering *r, struct err *e)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->j.file[i].way == WAY_NEW && !recover_sweep(r, i, e))
			return false;
	for (size_t i = r->j.n_made; i--;)
		if (!drop_dir(r, r->j.made[i].path, e))
			return false;
	return true;
}

static bool take_back(struct recovering *r, struct err *e)
{
	if (!undo_files(r, RECOVER_LATE, e) || !restore_dirs(r, e) ||
	    !undo_files(r, RECOVER_REMOVED, e) || !undo_files(r, RECOVER_NEW, e))
		return false;
	return !has_any(r, RECOVER_ROOM) ||
	       (take_folders_back(r, e) && undo_files(r, RECOVER_ROOM, e));
}

static bool clean_up(struct recovering *r, struct err *e)
{
	bool back = r->mark == MARK_BACK;

	for (size_t i = 0; i < r->j.files; i++)
		if (!recover_sweep(r, i, e))
			return false;
	for (size_t i = r->j.n_made; back && i--;)
		if (!drop_dir(r, r->j.made[i].path, e))
			return false;
	for (size_t i = 0; !back && i < r->j.n_gone; i++)
		if (!drop_dir(r, r->j.gone[i].path, e))
			return false;
	return true;
}

static bool sync_one(struct recovering *r, const char *path, struct err *e)
{
	struct fs_stat st;

	if (!r->fs->stat(r->fs->self, path, &st, e))
		return false;
	return st.kind != FS_FILE || st.link || r->fs->sync(r->fs->self, &path, 1, e);
}

static bool sync_dir_of(struct recovering *r, struct map *done, const char *path, struct err *e)
{
	struct str dir = path_dir(str_of(path));
	const char *name;
	bool straight;

	if (map_get(done, dir))
		return true;
	name = arena_str(&r->arena, dir).p;
	map_put(done, dir, (void *)name);
	if (!recover_is_folder(r, name, &straight, e))
		return false;
	if (!straight)
		return true;
	if (!recover_is_straight(r, name, false, &straight, e))
		return false;
	return !straight || r->fs->sync_dir(r->fs->self, name, e) || e->code == ERR_NOT_FOUND;
}

/* The journal may go only when nothing depends on it any more. */
static bool sync_all(struct recovering *r, struct err *e)
{
	struct map done = MAP_INIT;
	bool ok = true;

	for (size_t i = 0; i < r->j.files && ok; i++) {
		bool there = false;

		ok = recover_in_folder(r, i, &there, e);
		if (ok && there && !r->foreign[i])
			ok = sync_one(r, r->path[i], e);
		ok = ok && (!there || sync_dir_of(r, &done, r->path[i], e));
	}
	for (size_t i = 0; i < r->j.n_made && ok; i++)
		ok = sync_dir_of(r, &done, in_root(r, r->j.made[i].path), e);
	for (size_t i = 0; i < r->j.n_gone && ok; i++)
		ok = sync_dir_of(r, &done, in_root(r, r->j.gone[i].path), e);
	map_release(&done);
	return ok;
}

static bool redo_files(struct recovering *r, enum recover_when when, struct err *e)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == when && !recover_redo(r, i, e))
			return err_in(e, "%s", r->path[i]);
	return true;
}

static bool clear_dirs(struct recovering *r, struct err *e)
{
	size_t late;

	for (size_t i = 0; i < r->j.n_gone; i++)
		if (is_cleared(r, &r->j.gone[i], &late) && !drop_dir(r, r->j.gone[i].path, e))
			return false;
	return true;
}

static bool carry_out(struct recovering *r, struct err *e)
{
	return redo_files(r, RECOVER_ROOM, e) && make_dirs(r, e) && redo_files(r, RECOVER_NEW, e) &&
	       sync_all(r, e) && redo_files(r, RECOVER_REMOVED, e) && sync_all(r, e) &&
	       (!has_any(r, RECOVER_LATE) ||
		(clear_dirs(r, e) && redo_files(r, RECOVER_LATE, e) && sync_all(r, e)));
}

/* The pool's files are free for another text again, also after a second crash. */
static bool sync_pool(struct recovering *r, struct err *e)
{
	for (size_t i = 0; r->pooled && i < r->j.files; i++) {
		struct buf path = BUF_INIT;
		bool ok;

		buf_addf(&path, "%s/%zu", r->wal->pool, i);
		ok = sync_one(r, path.p, e);
		buf_release(&path);
		if (!ok)
			return false;
	}
	return !r->pooled || r->fs->sync_dir(r->fs->self, r->wal->pool, e);
}

static bool look_at_pool(struct recovering *r, struct err *e)
{
	struct fs_stat st;

	if (!r->fs->stat(r->fs->self, r->wal->pool, &st, e))
		return false;
	r->pooled = st.kind == FS_DIR && !st.link && st.user == r->j.here.user;
	return true;
}

static bool act(struct recovering *r, struct err *e)
{
	struct fs_stat st;
	bool back;

	if (!r->fs->stat(r->fs->self, r->root, &st, e))
		return false;
	if (st.kind != FS_DIR)
		return err_set(e, ERR_NOT_FOUND, "its folder %s is not there", r->root);
	if (!look_at_pool(r, e) || !choose_way(r, e))
		return false;
	back = r->mark == MARK_BACK;
	if (!(back ? take_back(r, e) : carry_out(r, e)))
		return false;
	/* Names first, for what is swept away may be the only copy. */
	if ((back && !sync_all(r, e)) ||
	    (r->pooled && !r->fs->sync_dir(r->fs->self, r->wal->pool, e)))
		return false;
	if (!clean_up(r, e) || !sync_all(r, e) || !sync_pool(r, e) || !wal_retire(r->wal, e))
		return false;
	recover_say(r->report, back ? RECOVER_TAKEN_BACK : RECOVER_COMPLETED, r->j.root, r->j.files,
		    NULL);
	return true;
}

/* What it names is not known for sure to be as it was, so nobody else may change it. */
static void block(struct recovering *r, const struct map *mine)
{
	for (size_t i = 0; mine && i < r->j.files; i++)
		if (map_get(mine, str_of(r->path[i])))
			r->report->blocked = arena_str(&r->report->arena, str_of(r->path[i])).p;
}

static bool recover_live(struct recovering *r, const char *home, bool wait, const struct map *mine,
			 struct err *e)
{
	int lock;
	bool ok;

	if (r->mark == MARK_ASKING)
		r->mark = MARK_BACK;
	/* Whoever wrote it may not have come to sync it; what is done now needs it to last. */
	if (!whose(r, e) || !wal_sync(r->wal, e))
		return false;
	find_paths(r);
	ok = wal_lock_files(r->fs, home, r->path, r->j.files, wait, &lock, e);
	if (ok) {
		ok = act(r, e);
		r->fs->unlock(r->fs->self, lock);
	}
	if (!ok)
		block(r, mine);
	return ok;
}

static bool recover_held(struct recovering *r, const char *home, bool wait, const struct map *mine,
			 struct err *e)
{
	if (!is_own(r, e) || !r->fs->peek(r->fs->self, r->wal->path, 0, SIZE_MAX / 4, &r->raw, e))
		return false;
	switch (journal_decode(&r->j, buf_str(&r->raw), &r->arena, &r->mark, e)) {
	case JOURNAL_FREE:
		return true;
	case JOURNAL_LIVE:
		return recover_live(r, home, wait, mine, e);
	case JOURNAL_TORN:
		recover_say(r->report, RECOVER_DROPPED, str_of(r->wal->path), 0,
			    "was cut short before anything was changed");
		return wal_retire(r->wal, e);
	case JOURNAL_DAMAGED:
		return false;
	}
	BUG("a verdict of no kind");
}

static void recover_slot(const struct fs *fs, const char *home, unsigned i, bool wait,
			 const struct map *mine, struct recover_report *report)
{
	struct wal wal;
	struct recovering r = { .fs = fs, .wal = &wal, .report = report };
	struct err e = ERR_INIT;

	if (!wal_take(&wal, fs, home, i, &e)) {
		if (e.code) {
			report->hot |= (uint64_t)1 << i;
			recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
		}
		return;
	}
	if (!recover_held(&r, home, wait, mine, &e)) {
		report->hot |= (uint64_t)1 << i;
		recover_say(report, RECOVER_LEFT, str_of(wal.path), r.j.files, e.msg);
	}
	wal_release(&wal);
	buf_release(&r.raw);
	buf_release(&r.text);
	arena_release(&r.arena);
}

void recover_all(const struct fs *fs, const char *home, bool wait, const struct map *mine,
		 struct recover_report *report)
{
	struct err e = ERR_INIT;
	uint64_t bits, hot = 0;
	int lock;

	report->hot = 0;
	report->blocked = NULL;
	if (wal_present(fs, home, &bits, &e) && !bits)
		return;
	if (e.code || !scan_lock(fs, home, &lock, &e)) {
		recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
		return;
	}
	if (!find_hot(fs, home, bits, &hot, &e))
		recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
	for (unsigned i = 0; i < WAL_SLOTS; i++)
		if (hot >> i & 1)
			recover_slot(fs, home, i, wait, mine, report);
	fs->unlock(fs->self, lock);
}
