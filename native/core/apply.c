#include "apply.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../edit/txn.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "pool.h"
#include "projects.h"
#include "recovery.h"
#include "workspace.h"

struct apply {
	struct apply *next; /* in line */
	struct oxide *ox;
	struct plan *plan;
	char *title, *undoes;
	const char *root, *origin;
	void (*meanwhile)(void *arg);
	apply_done *fn;
	void *arg;
	struct buffer_change *change; /* buffers */
	size_t changes;
	struct txn_file *file; /* disk */
	size_t files;
	struct buf *kept; /* disk texts of modified buffers whose file moves; `file` borrows them */
	size_t kepts;
	struct txn *txn;
	struct err why;
	bool open;	 /* the txn is still to be sealed or aborted */
	bool sealing;	 /* else aborting */
	struct err left; /* why something was left behind */
	int parts;	 /* not done yet: the report, the sealing */
	int64_t time_ms;
	struct buf record, id, warning;
	struct editor_saves saves;
};

static void apply_disk(struct apply *a);
static void apply_buffers(void *arg);
static void apply_seal(struct apply *a);
static void apply_save(struct apply *a);
static void apply_report(struct apply *a);
static void part_done(struct apply *a);

struct buffer *apply_buffer(struct oxide *ox, const struct plan_file *f)
{
	return f->existed ? workspace_buffer_at(ox->workspace, f->path) : NULL;
}

/* The disk's part of a path; NULL when it has none. */
static struct txn_file *state_at(struct apply *a, const char *path)
{
	for (size_t lo = 0, hi = a->files; lo < hi;) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(path, a->file[mid].path);

		if (!c)
			return &a->file[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	BUG("%s is in the plan and has no state", path);
}

/* A buffer whose file is renamed or removed: unsaved changes stay in the buffer, so that the disk
 * moves what it holds itself. */
static bool moved_buffer(struct apply *a, const struct plan_file *f, const struct buffer *b)
{
	struct txn_file *from = state_at(a, f->path);
	struct txn_file *to = f->new_path ? state_at(a, f->new_path) : NULL;
	const struct fs *fs = disk_fs();
	struct fs_stat st;
	struct buf *text;

	if (!f->exists && b->modified)
		return err_set(&a->why, ERR_CONFLICT,
			       "%s would be deleted, and its buffer has unsaved changes; write or "
			       "discard them first",
			       f->path);
	if (!fs->stat(fs->self, f->path, &st, &a->why))
		return false;
	if (st.kind == FS_NONE) { /* it has never been written: there is nothing to move */
		from->existed = from->exists = false;
		if (to)
			to->existed = to->exists = false;
		return true;
	}
	text = &a->kept[a->kepts++];
	if (!fs->read(fs->self, f->path, text, &from->seen, &a->why))
		return false;
	from->was_hash = hash_of(buf_str(text));
	if (to && b->modified)
		to->now = buf_str(text);
	return true;
}

/* A buffer shows the text of a file. Where a link comes or was there is another one, or none: the
 * buffer goes, unless something would be lost with it. */
static bool closed_buffer(struct apply *a, const struct plan_file *f, const struct buffer *b)
{
	a->change[a->changes++] = (struct buffer_change){ b->number, b->tick, f, false, true };
	return !b->modified ||
	       err_set(&a->why, ERR_CONFLICT,
		       "%s would be another file, for a symbolic link changes, and its buffer has "
		       "unsaved changes; write or discard them first",
		       f->path);
}

/* The editor writes the text; the mode is the disk's, whatever it holds. */
static bool mode_on_disk(struct apply *a, struct txn_file *state)
{
	const struct fs *fs = disk_fs();
	struct buf *text;
	struct fs_stat st;

	if (!state->mode || !fs->stat(fs->self, state->path, &st, &a->why) || st.kind != FS_FILE) {
		state->existed = state->exists = false;
		return !a->why.code;
	}
	text = &a->kept[a->kepts++];
	if (!fs->read(fs->self, state->path, text, &state->seen, &a->why))
		return false;
	state->now = buf_str(text);
	state->was_hash = hash_of(state->now);
	return true;
}

static bool split_buffer(struct apply *a, const struct plan_file *f, struct buffer *b)
{
	if (f->was_mode == MODE_LINK)
		return closed_buffer(a, f, b);
	if (doc_hash(b->doc) != f->was_hash)
		return err_set(&a->why, ERR_STALE,
			       "%s changed since the change was worked out; ask again", f->path);
	if (f->now_mode == MODE_LINK)
		return closed_buffer(a, f, b);
	a->change[a->changes++] =
		(struct buffer_change){ b->number, b->tick, f, b->modified, !f->exists };
	if (f->new_path || !f->exists)
		return moved_buffer(a, f, b);
	return mode_on_disk(a, state_at(a, f->path));
}

/* What goes to the disk, and what to buffers. */
static bool split(struct apply *a)
{
	size_t n = plan_files(a->plan), kept = 0;
	const struct txn_file *states;

	for (size_t i = 0; i < n; i++)
		if (apply_buffer(a->ox, plan_file(a->plan, i)) && !plan_want(a->plan, i, &a->why))
			return false;
	states = plan_states(a->plan, &a->files);
	a->file = mem_copy(states, a->files * sizeof(*a->file));
	a->change = mem_new(n * sizeof(*a->change));
	a->kept = mem_new(n * sizeof(*a->kept));
	for (size_t i = 0; i < n; i++) {
		const struct plan_file *f = plan_file(a->plan, i);
		struct buffer *b = apply_buffer(a->ox, f);

		if (b && !split_buffer(a, f, b))
			return false;
	}
	for (size_t i = 0; i < a->files; i++)
		if (a->file[i].existed || a->file[i].exists)
			a->file[kept++] = a->file[i];
	a->files = kept;
	return true;
}

/* False: it lies in another one. */
static bool same_project(const struct projects *ps, const char *path, const struct project **p,
			 struct err *e)
{
	const struct project *found = path ? projects_of(ps, path) : NULL;

	if (found && *p && found != *p)
		return err_set(e, ERR_UNSUPPORTED,
			       "the change goes over two projects, %s and %s; make it in one after "
			       "the other",
			       (*p)->name, found->name);
	*p = found ? found : *p;
	return true;
}

const struct project *apply_project(struct oxide *ox, const struct plan *p, struct err *e)
{
	const struct project *one = NULL;

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (!same_project(ox->projects, f->path, &one, e) ||
		    !same_project(ox->projects, f->new_path, &one, e))
			return NULL;
	}
	return one ? one : projects_first(ox->projects);
}

/* It may have been removed since the change was worked out. */
static bool find_root(struct apply *a)
{
	const struct project *project = apply_project(a->ox, a->plan, &a->why);

	a->root = project ? project->root : NULL;
	return project;
}

static void begin(void *arg)
{
	struct apply *a = arg;

	if (!find_root(a) || !split(a))
		apply_report(a);
	else
		apply_disk(a);
}

void apply_start(struct oxide *ox, const struct apply_spec *spec, apply_done *fn, void *arg)
{
	struct apply *a = mem_new(sizeof(*a)), **at;

	a->ox = ox;
	a->plan = spec->plan;
	a->title = mem_dup(spec->title, strlen(spec->title));
	a->undoes = mem_dup(spec->undoes.p, spec->undoes.n);
	a->origin = spec->origin ? spec->origin : ox->origin;
	a->meanwhile = spec->meanwhile;
	a->fn = fn;
	a->arg = arg;
	a->parts = 1;
	for (at = &ox->applying; *at; at = &(*at)->next)
		;
	*at = a;
	if (ox->applying == a)
		loop_soon(ox->loop, begin, a);
}

/* On a worker: nothing but the transaction is touched. */
/* Where the next one goes. */
static struct buf *warning(struct apply *a)
{
	if (a->warning.n)
		buf_adds(&a->warning, "; ");
	return &a->warning;
}

static void disk_work(void *arg)
{
	struct apply *a = arg;
	struct err undo = ERR_INIT;

	if (txn_prepare(a->txn, &a->why) && txn_commit(a->txn, &a->why))
		return;
	if (!txn_abort(a->txn, &undo))
		buf_addf(warning(a), "taking it back failed: %s", undo.msg);
}

/* Nothing here is needed before the disk is done, nor touched by it. */
static void meanwhile(struct apply *a)
{
	a->time_ms = loop_wall_ms();
	if (!*a->undoes && plan_files(a->plan))
		history_record(&a->record, a->plan, a->root, a->origin, a->title, a->time_ms);
	if (a->meanwhile)
		a->meanwhile(a->arg);
}

static void apply_disk(struct apply *a)
{
	const char *const *dirs;
	size_t n_dirs = plan_empty_dirs(a->plan, &dirs);

	if (!a->files) {
		meanwhile(a);
		apply_buffers(a);
		return;
	}
	if (!a->ox->journals) {
		err_set(&a->why, ERR_IO,
			"no file can be changed safely: there is no folder for the journal; set "
			"XDG_STATE_HOME to one that can be written");
		apply_report(a);
		return;
	}
	a->txn = txn_new(disk_fs(), a->ox->journals, a->root, a->file, a->files, dirs, n_dirs);
	if (a->changes)
		txn_ask(a->txn);
	loop_work(a->ox->loop, disk_work, apply_buffers, a);
	meanwhile(a);
}

static void buffers_applied(void *arg, const struct err *e, const int64_t *tick)
{
	struct apply *a = arg;

	if (e->code)
		a->why = *e;
	for (size_t i = 0; i < a->changes && !e->code; i++) {
		struct buffer *b = workspace_buffer(a->ox->workspace, a->change[i].buf);

		if (b)
			b->tick = tick[i];
	}
	apply_seal(a);
}

/* What a process that was killed since our start had left. */
static void tell_recovered(struct apply *a, const struct recover_report *r)
{
	recovery_log(r);
	for (size_t i = 0; i < r->notes; i++)
		recovery_say(warning(a), &r->note[i]);
}

static void apply_buffers(void *arg)
{
	struct apply *a = arg;
	const struct editor *ed = &a->ox->editor;

	if (a->txn)
		tell_recovered(a, txn_recovered(a->txn));
	if (a->why.code) {
		apply_report(a); /* the disk part failed and has been taken back */
		return;
	}
	/* Once Neovim is asked, it may have changed its buffers by the time that we are killed. */
	if (!a->changes || (a->txn && !txn_accept(a->txn, &a->why)))
		apply_seal(a);
	else if (ed->apply)
		ed->apply(ed->self, a->title, a->change, a->changes, buffers_applied, a);
	else
		BUG("there are buffers, but no editor");
}

static void seal_work(void *arg)
{
	struct apply *a = arg;

	if (a->sealing)
		txn_seal(a->txn, &a->left);
	else
		txn_abort(a->txn, &a->left);
}

static void sealed(void *arg)
{
	struct apply *a = arg;

	if (a->left.code)
		log_line(LOG_WARN, "apply %s: %s", a->title, a->left.msg);
	part_done(a);
}

static void take_back_work(void *arg)
{
	struct apply *a = arg;

	txn_take_back(a->txn, &a->left);
}

static void taken_back(void *arg)
{
	struct apply *a = arg;

	if (a->left.code)
		err_in(&a->why, "taking it back left something behind (%s)", a->left.msg);
	apply_report(a);
}

/* From here on it has happened, or goes back. */
static void apply_seal(struct apply *a)
{
	a->open = a->txn;
	a->sealing = !a->why.code;
	if (a->sealing)
		apply_save(a);
	else if (a->txn)
		loop_work(a->ox->loop, take_back_work, taken_back, a);
	else
		apply_report(a);
}

/* Documents, servers and the history learn what has happened. */
static void tell_all(struct apply *a)
{
	struct oxide *ox = a->ox;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < a->files; i++)
		workspace_disk_changed(ox->workspace, &a->file[i]);
	if (*a->undoes) {
		if (!history_undone(ox->history, str_of(a->undoes), &e))
			buf_addf(warning(a), "%s", e.msg);
	} else if (a->record.n && !history_add(ox->history, buf_str(&a->record), a->root,
					       a->time_ms, &a->id, &e)) {
		buf_addf(warning(a), "this change cannot be taken back: %s", e.msg);
	}
}

static void buffers_saved(void *arg, const struct editor_saves *saves)
{
	struct apply *a = arg;

	a->saves = *saves;
	a->saves.failed = (struct buf)BUF_INIT;
	if (saves->failed.n)
		buf_addf(warning(a), "not written: %s", saves->failed.p);
	apply_report(a);
}

static void apply_save(struct apply *a)
{
	const struct editor *ed = &a->ox->editor;

	tell_all(a);
	if (a->changes && ed->save)
		ed->save(ed->self, a->change, a->changes, buffers_saved, a);
	else
		apply_report(a);
}

static void apply_report(struct apply *a)
{
	struct apply_result r = { buf_str(&a->id).p, a->saves.saved, a->saves.left,
				  buf_str(&a->warning).p, a->plan };

	log_line(a->why.code ? LOG_WARN : LOG_INFO, "apply %s: %zu files: %s",
		 a->id.n ? a->id.p : "-", plan_files(a->plan), a->why.code ? a->why.msg : "done");
	if (a->why.code && a->warning.n)
		err_in(&a->why, "%s", a->warning.p);
	a->fn(a->arg, a->why.code ? NULL : &r, &a->why);
	/* Once the answer is on its way: a thousand syncs would hold up the editor's own. */
	if (a->open) {
		a->parts++;
		loop_work(a->ox->loop, seal_work, sealed, a);
	}
	part_done(a);
}

/* Reported and sealed: the next in line begins. */
static void part_done(struct apply *a)
{
	if (--a->parts)
		return;
	a->ox->applying = a->next;
	if (a->next)
		loop_soon(a->ox->loop, begin, a->next);
	txn_free(a->txn);
	plan_free(a->plan);
	for (size_t i = 0; i < a->kepts; i++)
		buf_release(&a->kept[i]);
	buf_release(&a->record);
	buf_release(&a->id);
	buf_release(&a->warning);
	free(a->kept);
	free(a->change);
	free(a->file);
	free(a->title);
	free(a->undoes);
	free(a);
}
