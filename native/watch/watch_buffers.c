#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "watch_impl.h"

/*
 * Buffers whose files are changed on the disk while an agent works: what leads from the base
 * (watch_base.c) to the file's present text is merged into the buffer.
 *
 * on_dir_change -> (settle) buffers_look -> reread() of the editor -> on_reread -> buffers_look
 *     -> updated()
 */
#define REREADS_MOST 20 /* in a row, of a buffer that is never as it was */

struct reread_row {
	char *path; /* absolute */
	struct watch_text disk;
	struct tree_stat seen;
	char stamp[WATCH_STAMP];
	struct buf target; /* the file's text as a buffer has it */
	struct merge m;
	struct watch_merged made;
};

struct rereading {
	struct watched *of; /* NULL: it has ended */
	struct reread_row *row;
	struct buffer_reread *v;
	size_t n, cap;
	bool later; /* of one it is not known yet what its file will be */
	char *who;
};

/* Not at once: the loop would do nothing else where it has to wait for something. */
static void buffers_look_soon(struct watched *p)
{
	uint64_t ms = (uint64_t)config_get(&p->ox->config, CFG_AGENT_WATCH_SETTLE);

	timer_set(p->settle, loop_now(p->ox->loop) + (ms ? ms : 1));
}

static void on_dir_change(void *arg, const char *path)
{
	struct watched *p = arg;

	if (watch_base_of(p, path))
		buffers_look_soon(p);
}

static void buffers_look(void *arg);

void watch_buffers_begin(struct watched *p)
{
	struct workspace *w = p->ox->workspace;

	if (!p->ox->editor.reread)
		return;
	if (p->dirs) { /* a turn follows on another: they are followed already */
		watch_bases_forget_conflicts(p);
		return;
	}
	p->dirs = dir_watch_new(p->ox->loop, on_dir_change, p);
	p->settle = timer_new(p->ox->loop, buffers_look, p);
	for (size_t i = 0; i < workspace_buffers(w); i++)
		watch_base_set(p, workspace_buffer_number(w, i), true);
}

void watch_buffers_end(struct watched *p)
{
	if (!p->dirs)
		return;
	dir_watch_free(p->dirs);
	timer_free(p->settle);
	p->dirs = NULL;
	p->settle = NULL;
	watch_bases_drop(p);
	if (p->rereading)
		p->rereading->of = NULL;
	p->rereading = NULL;
}

void watch_buffers_event(struct watched *p, const struct buffer *b, enum disk_event what)
{
	struct watch_base *base = watch_base_of(p, doc_path(b->doc));

	if (what == DISK_WRITTEN) {
		watch_base_written(p, b);
	} else if (what == DISK_READ) {
		if (p->dirs)
			watch_base_read(p, b);
	} else if (base) {
		base->behind = true;
		buffers_look_soon(p);
	}
}

static void rereading_free(struct rereading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->row[i].path);
		buf_release(&r->row[i].disk.text);
		buf_release(&r->row[i].target);
		merge_release(&r->row[i].m);
		watch_merged_release(&r->row[i].made);
	}
	free(r->row);
	free(r->v);
	free(r->who);
	free(r);
}

/* Who writes a file anew makes it empty first. ctime cannot be set. */
static bool is_begun_only(const struct watched *p, const struct tree_stat *seen,
			  const struct watch_base *base)
{
	int64_t age = loop_wall_ms() - seen->ctime_ns / 1000000;

	return !seen->size && base->text.n && age >= 0 &&
	       age < config_get(&p->ox->config, CFG_AGENT_WATCH_EMPTY);
}

/* Whether the file has changed since, or the editor waits to hear that it has not; with its text in
 * `row`. A base that can be followed no longer has the reason in `why`. */
static bool look_at_row(struct rereading *r, struct reread_row *row, const char *below,
			struct watch_base *base)
{
	struct watched *p = r->of;
	struct err e = ERR_INIT;

	if (!tree_look(p->root, below, &row->seen) ||
	    (tree_untouched(&row->seen, &base->seen) && !base->behind))
		return false;
	if (is_begun_only(p, &row->seen, base)) {
		r->later = true;
		return false;
	}
	if (!watch_text_read(p, below, &row->disk, &e))
		snprintf(base->why, sizeof(base->why), "%s",
			 e.code == ERR_STALE ? "" : watch_reason(&e));
	else if (row->disk.there && !watch_as_buffer(buf_str(&row->disk.text), &row->target))
		snprintf(base->why, sizeof(base->why), WATCH_NO_TEXT);
	else if (row->disk.there)
		base->seen = row->seen;
	return row->disk.there && !*base->why &&
	       (base->behind || !str_eq(buf_str(&row->target), buf_str(&base->text)));
}

static void add_row(struct rereading *r, const char *path, struct watch_base *base)
{
	struct watched *p = r->of;
	struct buffer *b = workspace_buffer_at(p->ox->workspace, path);
	struct reread_row row = { .m = MERGE_INIT };
	bool plain;

	if (!b || b->readonly || !look_at_row(r, &row, watch_below(p, path), base)) {
		buf_release(&row.disk.text);
		buf_release(&row.target);
		return;
	}
	plain = watch_merge(base, doc_text(b->doc), buf_str(&row.target), r->who, &row.m,
			    &row.made);
	row.path = mem_dup(path, strlen(path));
	r->row = mem_grow(r->row, &r->cap, r->n + 1, sizeof(*r->row));
	r->row[r->n] = row;
	r->v[r->n] = (struct buffer_reread){
		.buf = b->number, .tick = b->tick, .plain = plain, .who = r->who
	};
	r->n++;
}

/* The rows do not move any more. */
static void point_to_rows(struct rereading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		watch_stamp(r->row[i].stamp, &r->row[i].seen);
		r->v[i].stamp = r->row[i].stamp;
		r->v[i].edits = &r->row[i].m.edits;
		r->v[i].now = buf_str(&r->row[i].made.now);
		r->v[i].clash = r->row[i].m.clash;
		r->v[i].clashes = r->row[i].m.clashes;
	}
}

static void row_done(struct watched *p, struct reread_row *row, enum reread_fate fate)
{
	struct watch_base *base = watch_base_of(p, row->path);

	if (!base)
		return;
	base->behind = base->behind && fate == REREAD_STALE;
	if (fate == REREAD_STALE) {
		base->seen = (struct tree_stat){ 0 }; /* it is looked at again */
		return;
	}
	if (fate == REREAD_LEFT)
		return;
	/* Where the buffer has come to have it by itself, as when the user wrote it, it is not
	 * known whose it is. */
	if (!str_eq(buf_str(&row->target), buf_str(&row->made.now)) || row->m.edits.n) {
		watch_text_copy(&base->disk, &row->disk);
		base->disk_known = true;
	}
	watch_base_note_form(base, buf_str(&row->disk.text));
	watch_merge_done(base, buf_str(&row->target), &row->m, &row->made);
}

static void buffers_updated(struct watched *p)
{
	void (*fn)(struct watched * p) = p->updated;

	p->rereads = 0;
	p->updated = NULL;
	if (fn)
		fn(p);
}

static void on_reread(void *arg, const enum reread_fate *fate)
{
	struct rereading *r = arg;
	struct watched *p = r->of;
	bool stale = false;

	for (size_t i = 0; p && i < r->n; i++) {
		stale = stale || fate[i] == REREAD_STALE;
		row_done(p, &r->row[i], fate[i]);
	}
	rereading_free(r);
	if (!p)
		return;
	p->rereading = NULL;
	p->rereads = stale ? p->rereads + 1 : 0;
	if (p->rereads > REREADS_MOST)
		buffers_updated(p);
	else
		buffers_look(p); /* what was changed since, too */
}

static const char *one_who(const struct watched *p)
{
	const struct watch *w, *one = NULL;

	LIST_FOREACH(w, &p->agents, all)
		if (w->open && one)
			return "an agent";
		else if (w->open)
			one = w;
	return one ? one->who : "an agent";
}

/* Until its text has come, what its document has is not what would be merged into. */
static bool some_are_loading(const struct watched *p)
{
	map_each(it, &p->bases) {
		const struct buffer *b = workspace_buffer_at(p->ox->workspace, it.key.p);

		if (b && b->loading)
			return true;
	}
	return false;
}

static void buffers_look(void *arg)
{
	struct watched *p = arg;
	struct rereading *r;

	if (!p->dirs)
		return;
	if (p->rereading)
		return; /* it looks again when it is over */
	/* While it applies a change, those are its own files. */
	if (!STAILQ_EMPTY(&p->ox->applying) || some_are_loading(p)) {
		buffers_look_soon(p);
		return;
	}
	r = mem_new(sizeof(*r));
	r->of = p;
	r->who = mem_dup(one_who(p), strlen(one_who(p)));
	r->v = mem_new((map_count(&p->bases) + 1) * sizeof(*r->v));
	map_each(it, &p->bases)
		add_row(r, it.key.p, it.value);
	watch_bases_let_go(p);
	if (!r->n) {
		if (r->later)
			buffers_look_soon(p);
		else
			buffers_updated(p);
		rereading_free(r);
		return;
	}
	point_to_rows(r);
	p->rereading = r;
	p->ox->editor.reread(p->ox->editor.self, r->v, r->n, on_reread, r);
}

void watch_buffers_update(struct watched *p, void (*fn)(struct watched *p))
{
	p->updated = fn;
	if (p->dirs)
		buffers_look(p);
	else
		buffers_updated(p);
}
