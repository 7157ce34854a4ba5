#include "apply_impl.h"

#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../edit/txn.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "disk_listener.h"
#include "own_changes.h"
#include "pruning.h"
#include "recovery.h"
#include "workspace.h"

static void apply_disk(struct apply *a);
static void apply_buffers(void *arg);
static void apply_ask_save(struct apply *a);

struct buffer *apply_buffer(struct oxide *ox, const struct plan_file *f)
{
	return f->existed ? workspace_buffer_at(ox->workspace, f->path) : NULL;
}

static void apply_begin(void *arg)
{
	struct apply *a = arg;

	if (a->after) {
		a->after(a->arg);
		apply_part_done(a);
		return;
	}
	if (!apply_find_scope(a) || !apply_split(a))
		apply_report(a);
	else
		apply_disk(a);
}

void apply_start(struct oxide *ox, const struct apply_spec *spec, apply_done *fn, void *arg)
{
	struct apply *a = mem_new(sizeof(*a)), *first = STAILQ_FIRST(&ox->applying);

	a->ox = ox;
	a->plan = spec->plan;
	a->title = mem_dup(spec->title, strlen(spec->title));
	a->undoes = mem_dup(spec->undoes.p, spec->undoes.n);
	a->redoes = spec->redoes;
	a->several = spec->several;
	a->home = spec->home;
	a->turn = spec->turn ? mem_dup(spec->turn, strlen(spec->turn)) : NULL;
	a->origin = spec->origin ? spec->origin : ox->origin;
	a->meanwhile = spec->meanwhile;
	a->fn = fn;
	a->arg = arg;
	a->parts = 1;
	if (first && spec->next)
		STAILQ_INSERT_AFTER(&ox->applying, first, a, all);
	else
		STAILQ_INSERT_TAIL(&ox->applying, a, all);
	if (!first)
		loop_soon(ox->loop, apply_begin, a);
}

void apply_after(struct oxide *ox, void (*fn)(void *arg), void *arg)
{
	struct apply *a;

	if (STAILQ_EMPTY(&ox->applying)) {
		fn(arg);
		return;
	}
	a = mem_new(sizeof(*a));
	a->ox = ox;
	a->after = fn;
	a->arg = arg;
	a->parts = 1;
	STAILQ_INSERT_TAIL(&ox->applying, a, all);
}

static void apply_look(void *arg)
{
	history_look(arg);
}

void apply_expect(struct oxide *ox)
{
	if (ox->history)
		oxide_soon(ox, apply_look, ox->history);
}

struct buf *apply_warning(struct apply *a)
{
	if (a->warning.n)
		buf_adds(&a->warning, "; ");
	return &a->warning;
}

/* On a worker: nothing but the transaction is touched. */
static void apply_disk_work(void *arg)
{
	struct apply *a = arg;
	struct err undo = ERR_INIT;

	if (a->changes)
		apply_find_held(a);
	if (!a->files)
		return;
	a->txn =
		txn_new(disk_fs(), a->ox->journals, a->root, a->file, a->files, a->dirs, a->n_dirs);
	txn_use(a->txn, &a->ox->desk);
	if (a->changes) {
		struct txn_editor editor = { a->ox->editor.process, a->alone, a->time_ms };

		txn_ask(a->txn, &editor);
	}
	if (txn_prepare(a->txn, &a->why) && txn_commit(a->txn, &a->why))
		return;
	if (!txn_abort(a->txn, &undo))
		buf_addf(apply_warning(a), "rolling it back failed: %s", undo.msg);
}

/* Nothing here is needed before the disk is done, nor touched by it. */
static void apply_meanwhile(struct apply *a)
{
	if (a->looked)
		return;
	a->looked = true;
	if (!a->ahead)
		apply_record(a);
	if (a->meanwhile)
		a->meanwhile(a->arg);
}

static bool apply_is_on_disk(const struct apply *a)
{
	for (size_t i = 0; i < a->files; i++)
		if (!a->file[i].by_editor)
			return true;
	return false;
}

static void apply_tell_editor(struct apply *a, bool done)
{
	const struct editor *ed = &a->ox->editor;
	struct str undoes = str_of(a->undoes), first = STR("");

	if (!ed->change || !plan_files(a->plan))
		return;
	str_line(&undoes, &first);
	ed->change(ed->self, &(struct change_news){
				     .done = done,
				     .undoes = *a->undoes && !a->redoes,
				     .redoes = a->redoes,
				     .transaction = *a->undoes ? first : buf_str(&a->id),
				     .title = a->title,
				     .plan = a->plan,
				     .saved = a->saves.saved,
				     .left_modified = a->saves.left,
			     });
}

/* Whole or not by itself, whatever the disk has of it: there is nothing to recover. */
static bool apply_is_one_buffer(const struct apply *a)
{
	return a->files == 1 && a->file[0].by_editor;
}

/* A small change that Neovim alone makes is in the history before that is asked, so that it can be
 * asked to change and to write in one piece: wherever this core ends, what was made can be undone.
 * What is larger, it makes while this makes the record. */
#define SMALL_EDITS 100

static bool apply_is_known_first(const struct apply *a)
{
	return a->changes && a->ox->history && a->ox->editor.save && !*a->undoes &&
	       plan_edits(a->plan) <= SMALL_EDITS;
}

/* While the editor is at it: what it was asked goes out first. */
static void apply_beside(void *arg)
{
	apply_meanwhile(arg);
	apply_part_done(arg);
}

static void apply_by_editor(struct apply *a)
{
	a->files = 0;
	a->ahead = apply_is_known_first(a);
	if (a->ahead) {
		apply_record(a);
		apply_remember(a);
	}
	a->parts++;
	loop_soon(a->ox->loop, apply_beside, a);
	apply_buffers(a);
}

static void apply_disk(struct apply *a)
{
	apply_tell_editor(a, false);
	a->n_dirs = plan_empty_dirs(a->plan, &a->dirs);
	a->time_ms = loop_wall_ms();
	if (!a->files || apply_is_one_buffer(a) || (!a->ox->journals && !apply_is_on_disk(a))) {
		apply_by_editor(a);
		return;
	}
	if (!a->ox->journals) {
		err_set(&a->why, ERR_IO,
			"cannot change files safely: no directory for the journal; set "
			"XDG_STATE_HOME to a writable directory");
		apply_report(a);
		return;
	}
	loop_work(a->ox->loop, apply_disk_work, apply_buffers, a);
	apply_meanwhile(a);
}

static void apply_buffers_applied(void *arg, const struct err *e, const int64_t *tick, bool gone)
{
	struct apply *a = arg;

	apply_meanwhile(a);
	if (e->code)
		a->why = *e;
	a->gone = gone;
	if (e->code && !gone)
		apply_forget(a);
	for (size_t i = 0; i < a->changes && !e->code; i++) {
		struct buffer *b = workspace_buffer(a->ox->workspace, a->change[i].buf);

		if (b)
			b->tick = tick[i];
	}
	apply_seal(a);
}

/* What a process that was killed since our start had left. */
static void apply_tell_recovered(struct apply *a, const struct recover_report *r)
{
	recovery_log(r);
	for (size_t i = 0; i < r->notes; i++)
		recovery_say(apply_warning(a), &r->note[i]);
	if (r->notes)
		buf_clear(&a->ox->unsettled); /* it was looked at again */
}

static void apply_buffers(void *arg)
{
	struct apply *a = arg;
	const struct editor *ed = &a->ox->editor;

	if (a->txn)
		apply_tell_recovered(a, txn_recovered(a->txn));
	if (a->why.code) {
		apply_report(a); /* the disk part failed and has been taken back */
		return;
	}
	if (a->txn && !a->changes)
		apply_sync(a);
	/* Once Neovim is asked, it may have changed its buffers by the time that we are killed. */
	if (!a->changes || (a->txn && !txn_accept(a->txn, buf_str(&a->record), &a->why))) {
		apply_meanwhile(a);
		apply_seal(a);
	} else if (ed->apply) {
		ed->apply(ed->self, a->title, a->txn ? txn_claim(a->txn) : NULL, a->change,
			  a->changes, apply_buffers_applied, a);
		if (a->ahead)
			apply_ask_save(a);
	} else {
		BUG("there are buffers, but no editor");
	}
}

/* Documents, servers and the history learn what has happened. */
static void apply_tell_all(struct apply *a)
{
	struct oxide *ox = a->ox;

	own_changes_add(ox->own, a->plan);
	disk_listeners_own(ox, a->plan);
	for (size_t i = 0; i < a->files; i++)
		if (!a->file[i].by_editor)
			workspace_disk_changed(ox->workspace, &a->file[i]);
	if (*a->undoes)
		apply_mark_undone(a);
	else if (!a->ahead)
		apply_remember(a);
}

static void apply_buffers_saved(void *arg, const struct editor_saves *saves)
{
	struct apply *a = arg;

	if (!a->applied) { /* it was refused, and nothing was written */
		apply_part_done(a);
		return;
	}
	a->saves = *saves;
	a->saves.failed = (struct buf)BUF_INIT;
	a->parts--;
	if (saves->gone && a->txn) {
		a->open = false;
		apply_settle(a);
		return;
	}
	if (saves->failed.n)
		buf_addf(apply_warning(a), "not written: %s", saves->failed.p);
	apply_report(a);
}

static void apply_ask_save(struct apply *a)
{
	const struct editor *ed = &a->ox->editor;

	a->parts++;
	ed->save(ed->self, a->change, a->changes, apply_buffers_saved, a);
}

void apply_save(struct apply *a)
{
	a->applied = true;
	apply_tell_all(a);
	if (!a->changes || !a->ox->editor.save)
		apply_report(a);
	else if (!a->ahead)
		apply_ask_save(a);
}

void apply_report(struct apply *a)
{
	struct apply_result r = { buf_str(&a->id).p, a->saves.saved, a->saves.left,
				  buf_str(&a->warning).p, a->plan };

	log_line(a->why.code ? LOG_WARN : LOG_INFO, "apply %s: %zu files: %s",
		 a->id.n ? a->id.p : "-", plan_files(a->plan), a->why.code ? a->why.msg : "done");
	if (a->why.code && a->warning.n)
		err_in(&a->why, "%s", a->warning.p);
	if (!a->why.code)
		apply_tell_editor(a, true);
	a->fn(a->arg, a->why.code ? NULL : &r, &a->why);
	/* Once the answer is on its way: a thousand syncs would hold up the editor's own. */
	if (a->open) {
		a->parts++;
		a->reported = a->syncing;
		if (!a->syncing)
			apply_close(a);
		if (a->sealing)
			plan_lighten(a->plan); /* while the disk is busy */
	}
	if (a->id.n)
		pruning_soon(a->ox);
	apply_part_done(a);
}

/* Reported and sealed: the next in line begins. */
void apply_part_done(struct apply *a)
{
	if (--a->parts)
		return;
	STAILQ_REMOVE_HEAD(&a->ox->applying, all);
	if (!STAILQ_EMPTY(&a->ox->applying))
		loop_soon(a->ox->loop, apply_begin, STAILQ_FIRST(&a->ox->applying));
	txn_free(a->txn);
	recover_report_release(&a->settled);
	plan_free(a->plan);
	for (size_t i = 0; i < a->kepts; i++)
		buf_release(&a->kept[i]);
	buf_release(&a->record);
	buf_release(&a->id);
	buf_release(&a->warning);
	buf_release(&a->common);
	free(a->projects);
	free(a->kept);
	free(a->change);
	free(a->file);
	free(a->title);
	free(a->undoes);
	free(a->turn);
	free(a);
}
