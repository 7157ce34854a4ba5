#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "watch_impl.h"

/*
 * watch_look_start -> look_list -> (git) on_listed -> (worker) scan -> on_scanned -> look_read
 *     -> (git) on_blob, on_blobs -> (worker) compare -> on_compared -> done
 *
 * on_scanned -> (some were written to a moment ago) on_still -> (worker) look_once_more
 *     -> on_still_known -> look_read, or look_list again
 */
#define STILL_MOST 1000 /* ms; of what takes longer the rest is of the next turn */

static void look_list(struct watch_look *l);
static void on_still(void *arg);

static struct watch_text watch_look_text_of(const struct watch_file *f)
{
	struct watch_text t = { 0 };

	if (f) {
		t.there = true;
		t.mode = f->st.mode == MODE_LINK ? MODE_LINK : 0100000 | (f->st.mode & MODE_BITS);
	}
	return t;
}

static void look_differs(struct watch_look *l, struct watch_file *was, struct watch_file *now)
{
	struct watch_diff *d;

	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	d = &l->v[l->n++];
	*d = (struct watch_diff){ .path = was ? was->path : now->path, .was = was, .now = now };
	d->a = watch_look_text_of(was);
	d->b = watch_look_text_of(now);
}

/* Both are in order of their paths. */
static void look_pair(struct watch_look *l)
{
	struct watch_tree *was = l->of->tree, *now = l->next;
	size_t i = 0, k = 0;

	while (i < was->n || k < now->n) {
		int order = i == was->n	  ? 1
			    : k == now->n ? -1
					  : strcmp(was->v[i].path, now->v[k].path);
		struct watch_file *a = order <= 0 ? &was->v[i++] : NULL;
		struct watch_file *b = order >= 0 ? &now->v[k++] : NULL;

		if (!a || !b || !tree_untouched(&a->st, &b->st))
			look_differs(l, a, b);
	}
}

/* git writes down in the log of HEAD what it has done, each time with a line. */
static char *log_of_head(const char *root)
{
	const struct fs *fs = disk_fs();
	char *git = path_join(root, ".git"), *log;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct str dir;

	/* That of another work tree is a file which says where it is. */
	if (fs->read(fs->self, git, &text, NULL, ERR_IGNORED)) {
		dir = buf_str(&text);
		free(git);
		git = str_skip(&dir, STR("gitdir: ")) ? mem_dup(dir.p, str_trim(dir).n) : NULL;
	}
	log = git ? path_join(git, "logs/HEAD") : NULL;
	free(git);
	return log;
}

static void tell_of_git(struct watch_look *l, struct str lines)
{
	struct str line;

	while (str_line(&lines, &line)) {
		ptrdiff_t tab = str_find(line, STR("\t"));

		if (tab < 0)
			continue;
		line = str_sub(line, (size_t)tab + 1, line.n);
		if (!str_starts(line, STR("commit"))) /* changes no file */
			json_push(l->git_did, json_str(line));
	}
}

static void look_at_git(struct watch_look *l)
{
	const struct fs *fs = disk_fs();
	char *log SCOPED(mem_release) = log_of_head(l->of->root);
	struct buf more SCOPED(buf_release) = BUF_INIT;
	struct fs_stat st = { 0 };

	if (!l->git_did) /* it may be looked at several times */
		l->git_did = json_array();
	if (log && fs->stat(fs->self, log, &st, ERR_IGNORED) && st.kind == FS_FILE) {
		if (l->report && st.size > l->of->log_at &&
		    fs->peek(fs->self, log, FS_UNHELD, l->of->log_at,
			     (size_t)(st.size - l->of->log_at), &more, ERR_IGNORED))
			tell_of_git(l, buf_str(&more));
		l->of->log_at = st.size;
	}
}

static void scan(void *arg)
{
	struct watch_look *l = arg;
	struct watched *p = l->of;

	l->next = watch_tree_scan(p->root, &(struct watch_scan){ buf_str(&l->names), l->git,
								 l->files_most, p->own, p->tree });
	look_at_git(l);
	if (l->report && p->tree)
		look_pair(l);
	l->blob = mem_new((l->n + 1) * sizeof(*l->blob));
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].was && l->v[i].was->kept == WATCH_KEPT_BLOB)
			l->blob[l->blobs++] = i;
}

static void unknown(struct watch_diff *d, const char *why)
{
	if (!*d->why)
		snprintf(d->why, sizeof(d->why), "%s", why);
}

static void on_blob(void *arg, size_t i, bool there, struct str text)
{
	struct watch_look *l = arg;
	struct watch_diff *d = &l->v[l->blob[i]];

	/* What a filter of git's or its line ends have changed is not what the file was. */
	if (!there || text.n != d->was->st.size || text.n > l->room) {
		unknown(d, there && text.n > l->room ? "the turn has changed too much"
						     : "git does not have what it was");
		return;
	}
	l->room -= text.n;
	buf_add(&d->a.text, text);
}

static void read_was(struct watch_look *l, struct watch_diff *d)
{
	struct err e = ERR_INIT;

	if (!d->was || d->was->kept == WATCH_KEPT_BLOB)
		return;
	if (d->was->kept == WATCH_NOT_KEPT)
		unknown(d,
			d->was->st.size > l->of->store.file_most
				? "it is larger than agent.watch_file_bytes"
				: "there was no room for a copy (agent.watch_bytes, or the disk is "
				  "full)");
	else if (d->was->st.size > l->room)
		unknown(d, "the turn has changed too much");
	else if (!watch_store_read(&l->of->store, d->was, &d->a.text, &e))
		unknown(d, e.msg);
	l->room -= d->a.text.n < l->room ? d->a.text.n : l->room;
}

static void read_now(struct watch_look *l, struct watch_diff *d)
{
	struct err e = ERR_INIT;

	if (!d->now)
		return;
	if (tree_read(l->of->root, d->now->path, l->room, &d->b.text, &d->now->st, &e)) {
		d->b.mode = watch_look_text_of(d->now).mode;
		l->room -= d->b.text.n;
	} else if (e.code == ERR_NOT_FOUND) {
		d->b = (struct watch_text){ 0 };
	} else {
		unknown(d, e.code == ERR_LIMIT ? "the turn has changed too much" : e.msg);
	}
}

static void watch_look_compare(void *arg)
{
	struct watch_look *l = arg;
	struct watched *p = l->of;

	for (size_t i = 0; i < l->n; i++) {
		struct watch_diff *d = &l->v[i];

		read_was(l, d);
		read_now(l, d);
		d->known = !*d->why;
	}
	watch_store_keep(&p->store, p->root, l->next, p->tree, &l->open);
}

static void on_compared(void *arg)
{
	struct watch_look *l = arg;

	l->done(l);
}

static void on_blobs(void *arg)
{
	struct watch_look *l = arg;

	loop_work(l->of->ox->loop, watch_look_compare, on_compared, l);
}

static void look_read(struct watch_look *l)
{
	const char **name = mem_new((l->blobs + 1) * sizeof(*name));

	for (size_t i = 0; i < l->blobs; i++)
		name[i] = l->v[l->blob[i]].was->blob;
	watch_blobs_read(l->of->ox, l->of->root, name, l->blobs, l->room, on_blob, on_blobs, l);
	free(name);
}

/* In ms, until those that were written to last are taken for whole; 0: they are. ctime cannot be
 * set. */
static uint64_t look_unsettled(const struct watch_look *l)
{
	int64_t settle = config_get(&l->of->ox->config, CFG_AGENT_WATCH_SETTLE),
		now = loop_wall_ms(), least = settle;

	for (size_t i = 0; i < l->n; i++) {
		const struct watch_file *f = l->v[i].now;
		int64_t age = f ? now - f->st.ctime_ns / 1000000 : settle;

		if (age >= 0 && age < least)
			least = age;
	}
	return (uint64_t)(settle - least);
}

static bool look_waits(struct watch_look *l)
{
	uint64_t ms = l->report ? look_unsettled(l) : 0;

	if (!ms || l->waited >= STILL_MOST)
		return false;
	if (ms > STILL_MOST - l->waited)
		ms = STILL_MOST - l->waited;
	l->waited += ms;
	if (!l->still)
		l->still = timer_new(l->of->ox->loop, on_still, l);
	timer_set(l->still, loop_now(l->of->ox->loop) + ms);
	return true;
}

static void on_scanned(void *arg)
{
	struct watch_look *l = arg;

	if (!look_waits(l))
		look_read(l);
}

static void look_once_more(void *arg)
{
	struct watch_look *l = arg;

	l->moved = false;
	for (size_t i = 0; i < l->n && !l->moved; i++) {
		struct tree_stat now;

		l->moved = l->v[i].now && !(tree_look(l->of->root, l->v[i].path, &now) &&
					    tree_untouched(&now, &l->v[i].now->st));
	}
}

/* Buffers have what the look will see. */
static void look_again(struct watched *p)
{
	struct watch_look *l = p->look;

	p->look = NULL;
	watch_tree_free(l->next);
	l->next = NULL;
	free(l->blob);
	l->blob = NULL;
	l->blobs = l->n = 0;
	buf_release(&l->names);
	look_list(l);
}

static void on_still_known(void *arg)
{
	struct watch_look *l = arg;

	if (!l->moved) {
		look_read(l);
		return;
	}
	l->of->look = l;
	watch_buffers_update(l->of, look_again);
}

static void on_still(void *arg)
{
	struct watch_look *l = arg;

	loop_work(l->of->ox->loop, look_once_more, on_still_known, l);
}

static void on_listed(void *arg, struct buf *names, bool git)
{
	struct watch_look *l = arg;

	l->names = *names;
	*names = (struct buf)BUF_INIT;
	l->git = git;
	loop_work(l->of->ox->loop, scan, on_scanned, l);
}

const char *watch_below(const struct watched *p, const char *path)
{
	if (!path_below(str_of(p->root), str_of(path)) || !path[strlen(p->root)])
		return NULL;
	return path + strlen(p->root) + 1;
}

static void note_open(struct watch_look *l)
{
	struct workspace *w = l->of->ox->workspace;

	for (size_t i = 0; i < workspace_buffers(w); i++) {
		const char *path = watch_below(l->of, doc_path(workspace_buffer_number(w, i)->doc));

		if (path)
			map_put(&l->open, str_of(path), l);
	}
}

static void look_list(struct watch_look *l)
{
	watch_steps_mark(l->of);
	watch_list_start(l->of->ox, l->of->root, on_listed, l);
}

void watch_look_start(struct watched *p, bool report, void (*done)(struct watch_look *l))
{
	struct watch_look *l = mem_new(sizeof(*l));
	const struct config *c = &p->ox->config;

	*l = (struct watch_look){ .of = p, .report = report, .done = done };
	l->room = (size_t)config_get(c, CFG_HISTORY_BYTES);
	l->files_most = (size_t)config_get(c, CFG_AGENT_WATCH_FILES);
	note_open(l);
	look_list(l);
}

void watch_look_free(struct watch_look *l)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_release(&l->v[i].a.text);
		buf_release(&l->v[i].b.text);
	}
	timer_free(l->still);
	watch_tree_free(l->of->tree);
	l->of->tree = l->next;
	json_free(l->git_did);
	map_release(&l->open);
	buf_release(&l->names);
	free(l->blob);
	free(l->v);
	free(l);
}
