#include "txn.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "txn_impl.h"

struct txn *txn_new(const struct fs *fs, const char *home, const char *root,
		    const struct txn_file *file, size_t files, const char *const *dirs,
		    size_t n_dirs)
{
	struct txn *t = mem_new(sizeof(*t));

	t->fs = fs;
	t->home = home;
	t->root = str_of(root);
	t->step = mem_new((files + 1) * sizeof(*t->step));
	t->steps = files;
	for (size_t i = 0; i < files; i++)
		t->step[i].file = &file[i];
	t->dirs = dirs;
	t->n_dirs = n_dirs;
	return t;
}

static void must_be(const struct txn *t, enum txn_state state, const char *what)
{
	if (t->state != state)
		BUG("txn_%s in state %d", what, (int)t->state);
}

/* What went wrong while undoing is told behind what went wrong first. */
static void also(struct err *e, const struct err *then)
{
	int room = (int)(sizeof(e->msg) - strlen(e->msg));

	snprintf(e->msg + strlen(e->msg), (size_t)room, "; and then %.*s", room, then->msg);
}

/* Remembers the first of several failures. */
static bool first(struct err *e, bool was_ok, const struct err *then)
{
	if (was_ok)
		*e = *then;
	return false;
}

static bool sync_parents(struct txn *t, struct err *e)
{
	map_each(it, &t->parents)
		if (!is_gone(t, it.key) && !t->fs->sync_dir(t->fs->self, it.value, e) &&
		    e->code != ERR_NOT_FOUND)
			return false;
	return true;
}

/* Takes away temporaries beside the files; goes on past what fails. */
static bool sweep(struct txn *t, struct err *e)
{
	struct err why;
	bool ok = true;

	for (size_t i = 0; i < t->steps; i++) {
		struct txn_step *s = &t->step[i];

		if (!s->temp_there || s->in_pool)
			continue;
		t->swept = true;
		if (t->fs->remove(t->fs->self, s->temp, &why) || why.code == ERR_NOT_FOUND)
			s->temp_there = false;
		else
			ok = first(e, ok, &why);
	}
	return ok;
}

static bool check_text(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct txn *t = arg;

	return step_check_text(t, &t->texts[worker], &t->step[i], e);
}

static bool check_all(struct txn *t, struct err *e)
{
	for (size_t i = 0; i < t->steps; i++) {
		struct txn_step *s = &t->step[i];
		const char *dir = remember_parent(t, s->target);

		if (!step_check(t, s, e))
			return false;
		if (s->way == STEP_NEW && !need_folder(t, dir, s->over, e))
			return err_in(e, "%.*s", STR_ARG(s->shown));
	}
	return t->fs->each(t->fs->self, t->steps, check_text, t, e);
}

static bool find_dirs(struct txn *t, struct err *e)
{
	const char **dir = arena_new(&t->arena, (t->n_dirs + 1) * sizeof(*dir));

	for (size_t i = 0; i < t->n_dirs; i++) {
		struct buf real SCOPED(buf_release) = BUF_INIT;
		bool ok = resolve_name(t, t->dirs[i], &real, e);

		dir[i] = arena_str(&t->arena, buf_str(&real)).p;
		if (!ok)
			return false;
	}
	t->dirs = dir;
	return true;
}

static bool txn_find_all(struct txn *t, struct err *e)
{
	bool ok = txn_find_root(t, e);

	/* Those that go first: what comes below them is not where they lead now. */
	for (int exists = 0; exists < 2; exists++)
		for (size_t i = 0; i < t->steps && ok; i++)
			if (t->step[i].file->exists == exists)
				ok = step_find(t, &t->step[i], e);
	return ok && find_dirs(t, e);
}

static bool fill_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct txn *t = arg;
	struct txn_step *s = &t->step[i];

	return !step_uses_pool(t, s) || step_fill(t, &t->texts[worker], s, e);
}

/* Temporaries of the pool are filled while the disk is busy with the journal; nobody sees them. */
static bool fill_all(struct txn *t, struct err *e)
{
	pool_open(t);
	for (size_t i = 0; i < t->steps; i++)
		if (step_uses_pool(t, &t->step[i]))
			t->step[i].temp = pool_temp(t, &t->step[i]);
	return t->fs->each(t->fs->self, t->steps, fill_one, t, e);
}

/* Those beside the files come when recovery is sure to know of them. */
static bool write_beside(struct txn *t, struct err *e)
{
	for (size_t i = 0; i < t->steps; i++) {
		struct txn_step *s = &t->step[i];

		if (!step_uses_pool(t, s) && s->when != WHEN_ROOM && !step_write(t, s, e))
			return false;
	}
	return true;
}

/* Much that fails on the way has another way round it: only what ends a step is the caller's. */
static bool told(struct err *e, bool ok, const struct err *why)
{
	if (!ok)
		*e = *why;
	return ok;
}

void txn_use(struct txn *t, struct wal_desk *desk)
{
	must_be(t, TXN_OPEN, "use");
	t->desk = desk;
}

void txn_ask(struct txn *t, const struct txn_editor *editor)
{
	must_be(t, TXN_OPEN, "ask");
	t->asking = true;
	t->editor = *editor;
}

bool txn_prepare(struct txn *t, struct err *e)
{
	struct err why = ERR_INIT;

	must_be(t, TXN_OPEN, "prepare");
	if (txn_find_all(t, &why) && txn_log_open(t, &why) && check_all(t, &why) &&
	    txn_log_write(t, &why) && fill_all(t, &why) && wal_sync(&t->wal, &why)) {
		t->state = TXN_PREPARED;
		return true;
	}
	txn_log_give_up(t, &why);
	txn_log_close(t);
	t->n_made = t->n_cleared = 0;
	map_release(&t->names);
	map_release(&t->folders);
	map_release(&t->going);
	return told(e, false, &why);
}

static bool steps_back(struct txn *t, enum step_when when, bool ok, struct err *e)
{
	struct err why;

	for (size_t i = t->steps; i--;)
		if (t->step[i].when == when && t->step[i].visible &&
		    !step_take_back(t, &t->step[i], &why))
			ok = first(e, ok, &why);
	return ok;
}

/* Nothing of ours may be left in a directory whose place a file wants back. */
static bool take_folders_back(struct txn *t, struct err *e)
{
	struct err why;

	for (size_t i = 0; i < t->steps; i++) {
		struct txn_step *s = &t->step[i];

		if (s->way != STEP_NEW || !s->temp_there)
			continue;
		t->swept = true;
		if (!t->fs->remove(t->fs->self, s->temp, &why) && why.code != ERR_NOT_FOUND) {
			*e = why;
			return false;
		}
		s->temp_there = false;
	}
	return unmake_folders(t, e);
}

static bool is_shown(const struct txn *t, enum step_when when)
{
	for (size_t i = 0; i < t->steps; i++)
		if (t->step[i].when == when && t->step[i].visible)
			return true;
	return false;
}

/* From the last to the first, past what fails. */
static bool txn_take_steps_back(struct txn *t, struct err *e)
{
	bool ok;
	struct err why;

	/* Should this process end now, recovery goes the same way. */
	if (t->in_force)
		wal_mark(&t->wal, MARK_BACK, false, &why);
	ok = steps_back(t, WHEN_LATE, true, e);
	/* What wants a place back that is still taken would take it for somebody else's. */
	if (!is_shown(t, WHEN_LATE)) {
		if (!restore_folders(t, &why))
			ok = first(e, ok, &why);
		ok = steps_back(t, WHEN_REMOVED, ok, e);
	}
	ok = steps_back(t, WHEN_NEW, ok, e);
	if (t->room && is_shown(t, WHEN_NEW))
		return false;
	if (t->room && !take_folders_back(t, &why))
		return first(e, ok, &why);
	return steps_back(t, WHEN_ROOM, ok, e);
}

static bool swap_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct txn *t = arg;

	(void)worker;
	return !t->step[i].in_pool || step_swap(t, &t->step[i], e);
}

/* Where names are swapped no file hangs on another one. */
static bool swap_all(struct txn *t, struct err *e)
{
	return t->fs->each(t->fs->self, t->steps, swap_one, t, e);
}

static bool txn_show(struct txn *t, enum step_when when, struct err *e)
{
	for (size_t i = 0; i < t->steps; i++)
		if (t->step[i].when == when && !t->step[i].visible && !step_show(t, &t->step[i], e))
			return false;
	return true;
}

static bool txn_make_room(struct txn *t, struct err *e)
{
	for (size_t i = 0; i < t->steps && t->room; i++)
		if (t->step[i].when == WHEN_ROOM && !step_write(t, &t->step[i], e))
			return false;
	return !t->room || txn_show(t, WHEN_ROOM, e);
}

bool txn_commit(struct txn *t, struct err *e)
{
	struct err why = ERR_INIT, then;

	must_be(t, TXN_PREPARED, "commit");
	t->begun = wal_mark(&t->wal, t->asking ? MARK_BACK : MARK_BEGUN, false, &why);
	if (t->begun && txn_make_room(t, &why) && make_folders(t, &why) && write_beside(t, &why) &&
	    swap_all(t, &why) && txn_show(t, WHEN_NEW, &why) && txn_show(t, WHEN_REMOVED, &why) &&
	    clear_folders(t, &why) && txn_show(t, WHEN_LATE, &why)) {
		t->state = TXN_VISIBLE;
		return true;
	}
	t->state = TXN_BROKEN;
	if (!txn_take_steps_back(t, &then))
		also(&why, &then);
	return told(e, false, &why);
}

const char *txn_claim(const struct txn *t)
{
	return t->claim;
}

bool txn_accept(struct txn *t, struct str record, struct err *e)
{
	enum journal_mark mark = t->editor.process.pid ? MARK_EDITOR : MARK_BEGUN;
	struct err why;

	must_be(t, TXN_VISIBLE, "accept");
	t->recorded = record.n && t->fs->create(t->fs->self, t->record, record, 0600, &why);
	t->accepted = (t->recorded || !record.n) && wal_mark(&t->wal, mark, false, &why);
	return told(e, t->accepted, &why);
}

void txn_leave(struct txn *t)
{
	must_be(t, TXN_VISIBLE, "leave");
	t->state = TXN_CLOSED;
	t->in_force = false; /* for us */
	for (size_t i = 0; i < t->steps; i++)
		t->step[i].visible = t->step[i].temp_there = false;
	txn_log_close(t);
}

/* By name, for what somebody has removed or replaced since is not a concern of ours. */
static bool sync_files(struct txn *t, struct err *e)
{
	const struct fs *fs = t->fs;
	const char **path = mem_new((t->steps + 1) * sizeof(*path));
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < t->steps; i++)
		if (t->step[i].way != STEP_REMOVE && t->step[i].way != STEP_INSIDE &&
		    !step_makes_link(&t->step[i]))
			path[n++] = t->step[i].target;
	ok = !n || fs->sync(fs->self, path, n, e) || e->code == ERR_NOT_FOUND;
	free(path);
	return ok;
}

static bool remove_folders(struct txn *t, struct err *e)
{
	bool ok = true;
	struct err why;

	for (size_t i = 0; i < t->n_dirs; i++) {
		if (gave_way(t, t->dirs[i]))
			continue;
		remember_parent(t, t->dirs[i]);
		t->swept = true;
		if (!t->fs->rmdir(t->fs->self, t->dirs[i], &why) && why.code != ERR_CONFLICT &&
		    why.code != ERR_NOT_FOUND)
			ok = first(e, ok, &why);
	}
	return ok;
}

/* Names first, then what they no longer need, then the journal: of what is not on the disk yet any
 * part may be lost, and at each moment what is left must lead to the end. */
static bool txn_settle(struct txn *t, struct err *e)
{
	struct err why;
	bool ok;

	if (!sync_parents(t, e) || !pool_sync(t, e))
		return false;
	ok = sweep(t, e);
	if (!remove_folders(t, &why))
		ok = first(e, ok, &why);
	return ok && (!t->swept || sync_parents(t, e)) && pool_clear(t, e) && txn_log_retire(t, e);
}

void txn_sync(struct txn *t)
{
	must_be(t, TXN_VISIBLE, "sync");
	t->synced = true;
	t->sync_failed = !sync_files(t, &t->unsynced);
}

bool txn_seal(struct txn *t, struct err *e)
{
	struct err why = ERR_INIT, ignored;
	bool ok;

	must_be(t, TXN_VISIBLE, "seal");
	if (t->asking && !t->accepted)
		BUG("txn_seal before txn_accept");
	if (!t->synced)
		txn_sync(t);
	t->state = TXN_CLOSED;
	for (size_t i = 0; i < t->steps; i++)
		t->step[i].visible = false;
	/* The kernel forgets what it could not write, so that it must be written again. */
	ok = !t->sync_failed;
	if (!ok)
		why = t->unsynced;
	if (!ok)
		wal_mark(&t->wal, MARK_DISTRUST, true, &ignored);
	/* With the old texts goes the way back, so the way on must be on the disk. */
	else if (t->asking)
		ok = wal_mark(&t->wal, MARK_BEGUN, true, &why);
	ok = ok && txn_settle(t, &why);
	txn_log_close(t);
	return told(e, ok, &why) ||
	       err_in(e, "the change is applied, but not all of it is on the disk yet; it will be "
			 "finished when Oxide starts next");
}

bool txn_take_back(struct txn *t, struct err *e)
{
	struct err why;

	if (t->state != TXN_PREPARED && t->state != TXN_VISIBLE && t->state != TXN_BROKEN)
		BUG("txn_take_back in state %d", (int)t->state);
	t->state = TXN_BROKEN;
	return txn_take_steps_back(t, &why) || told(e, false, &why);
}

/* Everything is as it was: that goes to the disk, and the journal goes. */
static bool clear_away(struct txn *t, struct err *e)
{
	if (!t->begun)
		return pool_clear(t, e) && txn_log_retire(t, e);
	return sync_parents(t, e) && pool_sync(t, e) && sweep(t, e) && unmake_folders(t, e) &&
	       (!t->swept || sync_parents(t, e)) && pool_clear(t, e) && txn_log_retire(t, e);
}

bool txn_abort(struct txn *t, struct err *e)
{
	bool ok = true, all = true;
	struct err why, then;

	if (t->state == TXN_CLOSED)
		BUG("txn_abort in state %d", (int)t->state);
	if (t->has_wal) {
		ok = txn_take_steps_back(t, &why);
		/* The old text of a file that could not be taken back is all there is of it. */
		for (size_t i = 0; i < t->steps; i++)
			all = all && !t->step[i].visible;
		if (all && !clear_away(t, &then))
			ok = first(&why, ok, &then);
	}
	t->state = ok ? TXN_CLOSED : TXN_BROKEN;
	if (ok || !t->in_force)
		txn_log_close(t);
	return told(e, ok, &why);
}

const struct recover_report *txn_recovered(const struct txn *t)
{
	return &t->report;
}

void txn_free(struct txn *t)
{
	if (!t)
		return;
	if (t->state == TXN_PREPARED || t->state == TXN_VISIBLE)
		BUG("txn_free in state %d", (int)t->state);
	txn_log_close(t);
	for (size_t i = 0; i < t->steps; i++)
		buf_release(&t->step[i].old);
	free(t->step);
	free(t->claim);
	free(t->record);
	free(t->made);
	free(t->cleared);
	map_release(&t->names);
	map_release(&t->folders);
	map_release(&t->going);
	map_release(&t->parents);
	recover_report_release(&t->report);
	buf_release(&t->scratch);
	for (size_t i = 0; i < FS_WORKERS; i++)
		room_release(&t->texts[i]);
	arena_release(&t->arena);
	free(t);
}
