#include <stdlib.h>

#include "../base/mem.h"
#include "txn_impl.h"

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
			ok = txn_first(e, ok, &why);
	}
	return ok;
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
			ok = txn_first(e, ok, &why);
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
		ok = txn_first(e, ok, &why);
	return ok && (!t->swept || sync_parents(t, e)) && pool_clear(t, e) && txn_log_retire(t, e);
}

void txn_sync(struct txn *t)
{
	txn_must_be(t, TXN_VISIBLE, "sync");
	t->synced = true;
	t->sync_failed = !sync_files(t, &t->unsynced);
}

bool txn_seal(struct txn *t, struct err *e)
{
	struct err why = ERR_INIT, ignored;
	bool ok;

	txn_must_be(t, TXN_VISIBLE, "seal");
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
	return txn_told(e, ok, &why) ||
	       err_in(e, "the change is applied, but not all of it is on the disk yet; it will be "
			 "finished when Oxide starts next");
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
			ok = txn_first(&why, ok, &then);
	}
	t->state = ok ? TXN_CLOSED : TXN_BROKEN;
	if (ok || !t->in_force)
		txn_log_close(t);
	return txn_told(e, ok, &why);
}
