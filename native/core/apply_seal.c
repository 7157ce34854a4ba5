#include "apply_impl.h"

#include <time.h>

#include "../base/log.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "recovery.h"

static void apply_seal_work(void *arg)
{
	struct apply *a = arg;

	if (a->sealing)
		txn_seal(a->txn, &a->left);
	else
		txn_abort(a->txn, &a->left);
}

/* The answer is out: the next one says it, and whoever asks how the core is. */
static void apply_sealed(void *arg)
{
	struct apply *a = arg;

	if (a->left.code) {
		log_line(LOG_WARN, "apply %s: %s", a->title, a->left.msg);
		buf_clear(&a->ox->unsettled);
		buf_addf(&a->ox->unsettled, "%s: %s", a->title, a->left.msg);
		a->ox->unsettled_told = false;
	}
	apply_part_done(a);
}

void apply_close(struct apply *a)
{
	loop_work(a->ox->loop, apply_seal_work, apply_sealed, a);
}

static void apply_sync_work(void *arg)
{
	struct apply *a = arg;

	txn_sync(a->txn);
}

static void apply_synced(void *arg)
{
	struct apply *a = arg;

	a->syncing = false;
	if (a->reported)
		apply_close(a);
	apply_part_done(a);
}

void apply_sync(struct apply *a)
{
	a->syncing = true;
	a->parts++;
	loop_work(a->ox->loop, apply_sync_work, apply_synced, a);
}

static void apply_take_back_work(void *arg)
{
	struct apply *a = arg;

	txn_take_back(a->txn, &a->left);
}

static void apply_taken_back(void *arg)
{
	struct apply *a = arg;

	if (a->left.code)
		err_in(&a->why, "rolling it back left something behind (%s)", a->left.msg);
	apply_report(a);
}

/* It is about to end, or lives on without us. What it has come to is found out as after a crash. */
#define END_WAIT_MS 2000

static void apply_settle_work(void *arg)
{
	struct apply *a = arg;
	const struct fs *fs = disk_fs();

	/* Its channel ends a moment before it does. */
	for (int ms = 0; ms < END_WAIT_MS && fs->lives(fs->self, &a->ox->editor.process); ms += 5)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	txn_leave(a->txn);
	recover_all(fs, a->ox->journals, true, NULL, &a->settled);
}

static void apply_settled(void *arg)
{
	struct apply *a = arg;

	recovery_log(&a->settled);
	recovery_remember(&a->settled, a->ox->history);
	for (size_t i = 0; i < a->settled.notes; i++) {
		recovery_say(apply_warning(a), &a->settled.note[i]);
		if (a->id.n && a->settled.note[i].is == RECOVER_TAKEN_BACK)
			history_mark(a->ox->history, buf_str(&a->id), true, ERR_IGNORED);
	}
	if (!a->why.code)
		err_set(&a->why, ERR_IO, "Neovim exited while writing the files of this change");
	apply_report(a);
}

void apply_settle(struct apply *a)
{
	loop_work(a->ox->loop, apply_settle_work, apply_settled, a);
}

void apply_seal(struct apply *a)
{
	if (a->gone && a->txn) {
		apply_settle(a);
		return;
	}
	a->open = a->txn;
	a->sealing = !a->why.code;
	if (a->sealing)
		apply_save(a);
	else if (a->txn)
		loop_work(a->ox->loop, apply_take_back_work, apply_taken_back, a);
	else
		apply_report(a);
}
