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

void txn_must_be(const struct txn *t, enum txn_state state, const char *what)
{
	if (t->state != state)
		BUG("txn_%s in state %d", what, (int)t->state);
}

bool txn_first(struct err *e, bool was_ok, const struct err *then)
{
	if (was_ok)
		*e = *then;
	return false;
}

bool txn_told(struct err *e, bool ok, const struct err *why)
{
	if (!ok)
		*e = *why;
	return ok;
}

/* What went wrong while undoing is told behind what went wrong first. */
static void also(struct err *e, const struct err *then)
{
	int room = (int)(sizeof(e->msg) - strlen(e->msg));

	snprintf(e->msg + strlen(e->msg), (size_t)room, "; and then %.*s", room, then->msg);
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

void txn_use(struct txn *t, struct wal_desk *desk)
{
	txn_must_be(t, TXN_OPEN, "use");
	t->desk = desk;
}

void txn_ask(struct txn *t, const struct txn_editor *editor)
{
	txn_must_be(t, TXN_OPEN, "ask");
	t->asking = true;
	t->editor = *editor;
}

bool txn_prepare(struct txn *t, struct err *e)
{
	struct err why = ERR_INIT;

	txn_must_be(t, TXN_OPEN, "prepare");
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
	return txn_told(e, false, &why);
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

	txn_must_be(t, TXN_PREPARED, "commit");
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
	return txn_told(e, false, &why);
}

const char *txn_claim(const struct txn *t)
{
	return t->claim;
}

bool txn_accept(struct txn *t, struct str record, struct err *e)
{
	enum journal_mark mark = t->editor.process.pid ? MARK_EDITOR : MARK_BEGUN;
	struct err why;

	txn_must_be(t, TXN_VISIBLE, "accept");
	t->recorded = record.n && t->fs->create(t->fs->self, t->record, record, 0600, &why);
	t->accepted = (t->recorded || !record.n) && wal_mark(&t->wal, mark, false, &why);
	return txn_told(e, t->accepted, &why);
}

void txn_leave(struct txn *t)
{
	txn_must_be(t, TXN_VISIBLE, "leave");
	t->state = TXN_CLOSED;
	t->in_force = false; /* for us */
	for (size_t i = 0; i < t->steps; i++)
		t->step[i].visible = t->step[i].temp_there = false;
	txn_log_close(t);
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
