#include "../base/path.h"
#include "recover_impl.h"

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
	struct map done SCOPED(map_release) = MAP_INIT;
	bool ok = true;

	for (size_t i = 0; i < r->j.files && ok; i++) {
		bool there = false;

		if (recover_is_left(r, i))
			continue;
		ok = recover_in_folder(r, i, &there, e);
		if (ok && there && !r->foreign[i])
			ok = sync_one(r, r->path[i], e);
		ok = ok && (!there || sync_dir_of(r, &done, r->path[i], e));
	}
	for (size_t i = 0; i < r->j.n_made && ok; i++)
		ok = sync_dir_of(r, &done, recover_in_root(r, r->j.made[i].path), e);
	for (size_t i = 0; i < r->j.n_gone && ok; i++)
		ok = sync_dir_of(r, &done, recover_in_root(r, r->j.gone[i].path), e);
	return ok;
}

static bool has_any(const struct recovering *r, enum recover_when when)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == when)
			return true;
	return false;
}

static bool undo_files(struct recovering *r, enum recover_when when, struct err *e)
{
	for (size_t i = r->j.files; i--;)
		if (r->when[i] == when && !recover_is_left(r, i) && !recover_undo(r, i, e))
			return err_in(e, "%s", r->path[i]);
	return true;
}

/* Nothing of ours may be left in a directory whose place a file wants back. */
static bool take_folders_back(struct recovering *r, struct err *e)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->j.file[i].way == WAY_NEW && !recover_sweep(r, i, e))
			return false;
	for (size_t i = r->j.n_made; i--;)
		if (!recover_drop_dir(r, r->j.made[i].path, e))
			return false;
	return true;
}

static bool recover_act_take_back(struct recovering *r, struct err *e)
{
	if (!undo_files(r, RECOVER_LATE, e) || !recover_restore_dirs(r, e) ||
	    !undo_files(r, RECOVER_REMOVED, e) || !undo_files(r, RECOVER_NEW, e))
		return false;
	return !has_any(r, RECOVER_ROOM) ||
	       (take_folders_back(r, e) && undo_files(r, RECOVER_ROOM, e));
}

static bool redo_files(struct recovering *r, enum recover_when when, struct err *e)
{
	for (size_t i = 0; i < r->j.files; i++)
		if (r->when[i] == when && !recover_is_left(r, i) && !recover_redo(r, i, e))
			return err_in(e, "%s", r->path[i]);
	return true;
}

static bool carry_out(struct recovering *r, struct err *e)
{
	return redo_files(r, RECOVER_ROOM, e) && recover_make_dirs(r, e) &&
	       redo_files(r, RECOVER_NEW, e) && sync_all(r, e) &&
	       redo_files(r, RECOVER_REMOVED, e) && sync_all(r, e) &&
	       (!has_any(r, RECOVER_LATE) ||
		(recover_clear_dirs(r, e) && redo_files(r, RECOVER_LATE, e) && sync_all(r, e)));
}

static bool clean_up(struct recovering *r, struct err *e)
{
	bool back = r->mark == MARK_BACK;

	for (size_t i = 0; i < r->j.files; i++)
		if (!recover_sweep(r, i, e))
			return false;
	for (size_t i = r->j.n_made; back && i--;)
		if (!recover_drop_dir(r, r->j.made[i].path, e))
			return false;
	for (size_t i = 0; !back && i < r->j.n_gone; i++)
		if (!recover_drop_dir(r, r->j.gone[i].path, e))
			return false;
	return true;
}

/* The pool's files are free for another text again, also after a second crash. */
static bool sync_pool(struct recovering *r, struct err *e)
{
	for (size_t i = 0; r->pooled && i < r->j.files; i++) {
		struct buf path SCOPED(buf_release) = BUF_INIT;

		buf_addf(&path, "%s/%zu", r->wal->pool, i);
		if (!sync_one(r, path.p, e))
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

/* Nothing is left that it could be about. */
static bool recover_act_forget(struct recovering *r, struct err *e)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < r->j.files; i++) {
		char *pool SCOPED(mem_release) = recover_pool_temp(r, i);

		if (!r->fs->blank(r->fs->self, pool, ERR_IGNORED))
			r->fs->remove(r->fs->self, pool, ERR_IGNORED);
	}
	recover_drop_claim(r);
	if (!wal_retire(r->wal, e))
		return false;
	buf_addf(&why, "is about a change in %s, which no longer exists", r->root);
	recover_say(r->report, RECOVER_DROPPED, str_of(r->wal->path), r->j.files, why.p);
	return true;
}

static void keep(struct recovering *r, struct str record)
{
	const struct recover_report *report = r->report;
	struct recover_note note = { .is = RECOVER_COMPLETED,
				     .what = r->root,
				     .files = r->j.files,
				     .record = record,
				     .time_ms = r->j.editor.time_ms };

	if (report->keep && record.n)
		report->keep(report->keep_arg, &note);
}

bool recover_act(struct recovering *r, struct err *e)
{
	struct recover_note *note;
	struct fs_stat st;
	struct str record;
	bool back;

	if (!r->fs->stat(r->fs->self, r->root, &st, e))
		return false;
	if (st.kind != FS_DIR)
		return r->report->forget
			       ? recover_act_forget(r, e)
			       : err_set(e, ERR_NOT_FOUND,
					 "its directory %s is missing; `oxide recover` drops the "
					 "change if it is gone for good",
					 r->root);
	if (!look_at_pool(r, e) || !choose_way(r, e))
		return false;
	back = r->mark == MARK_BACK;
	if (!(back ? recover_act_take_back(r, e) : carry_out(r, e)))
		return false;
	/* Names first, for what is swept away may be the only copy. */
	if ((back && !sync_all(r, e)) ||
	    (r->pooled && !r->fs->sync_dir(r->fs->self, r->wal->pool, e)))
		return false;
	if (!clean_up(r, e) || !sync_all(r, e) || !sync_pool(r, e))
		return false;
	record = back ? STR("") : recover_record(r);
	keep(r, record);
	/* What the editor wrote is not asked for again: without it, this would go back. */
	if (r->asked && !back && !wal_mark(r->wal, MARK_BEGUN, true, e))
		return false;
	recover_drop_claim(r);
	if (!wal_retire(r->wal, e))
		return false;
	recover_say(r->report, back ? RECOVER_TAKEN_BACK : RECOVER_COMPLETED, r->j.root, r->j.files,
		    r->why);
	note = &r->report->note[r->report->notes - 1];
	note->record = record;
	note->time_ms = r->j.editor.time_ms;
	return true;
}
