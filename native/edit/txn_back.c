#include "txn_impl.h"

static bool steps_back(struct txn *t, enum step_when when, bool ok, struct err *e)
{
	struct err why;

	for (size_t i = t->steps; i--;)
		if (t->step[i].when == when && t->step[i].visible &&
		    !step_take_back(t, &t->step[i], &why))
			ok = txn_first(e, ok, &why);
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

bool txn_take_steps_back(struct txn *t, struct err *e)
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
			ok = txn_first(e, ok, &why);
		ok = steps_back(t, WHEN_REMOVED, ok, e);
	}
	ok = steps_back(t, WHEN_NEW, ok, e);
	if (t->room && is_shown(t, WHEN_NEW))
		return false;
	if (t->room && !take_folders_back(t, &why))
		return txn_first(e, ok, &why);
	return steps_back(t, WHEN_ROOM, ok, e);
}

bool txn_take_back(struct txn *t, struct err *e)
{
	struct err why;

	if (t->state != TXN_PREPARED && t->state != TXN_VISIBLE && t->state != TXN_BROKEN)
		BUG("txn_take_back in state %d", (int)t->state);
	t->state = TXN_BROKEN;
	return txn_take_steps_back(t, &why) || txn_told(e, false, &why);
}
