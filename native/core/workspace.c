#include <stdio.h>
#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "filetypes.h"
#include "own_changes.h"
#include "servers_ops.h"
#include "workspace_impl.h"

struct entry *workspace_find(struct workspace *w, const char *path)
{
	return map_get(&w->entries, str_of(path));
}

uint64_t workspace_moment(const struct workspace *w)
{
	return loop_heard(w->ox->loop) + w->written;
}

struct workspace *workspace_new(struct oxide *ox)
{
	struct workspace *w = mem_new(sizeof(*w));

	w->ox = ox;
	workspace_source_init(w);
	return w;
}

static void entry_free(struct entry *en)
{
	doc_free(en->doc);
	free(en->filetype);
	free(en);
}

void workspace_free(struct workspace *w)
{
	if (!w)
		return;
	map_each(it, &w->entries)
		entry_free(it.value);
	map_release(&w->entries);
	for (size_t i = 0; i < REREADS; i++)
		free(w->reread[i].path);
	for (size_t i = 0; i < w->n; i++)
		free(w->buffers[i]);
	free(w->buffers);
	free(w);
}

static void doc_moved(void *arg, struct doc *d, const struct doc_change *c)
{
	struct entry *en = arg;

	(void)d;
	(void)c;
	en->moved = ++en->workspace->moves;
	if (!en->workspace->ours)
		en->workspace->others = en->moved;
}

static struct entry *make(struct workspace *w, const char *path, struct str text)
{
	struct entry *en = mem_new(sizeof(*en));

	en->doc = doc_new(path, text);
	en->workspace = w;
	en->used = ++w->uses;
	doc_listen(en->doc, doc_moved, en);
	map_put(&w->entries, str_of(path), en);
	return en;
}

bool workspace_read_disk(struct workspace *w, const char *path, struct buf *text,
			 struct fs_stat *seen, struct err *e)
{
	const struct fs *fs = disk_fs();
	int64_t most = config_get(&w->ox->config, CFG_FILE_BYTES);
	struct str shown = workspace_shown(w, path);
	struct fs_stat st;

	if (!fs->stat(fs->self, path, &st, e))
		return false;
	if (st.kind == FS_NONE)
		return err_set(e, ERR_NOT_FOUND, "%.*s does not exist", STR_ARG(shown));
	if (st.kind != FS_FILE)
		return err_set(e, ERR_INVALID, "%.*s is not a regular file", STR_ARG(shown));
	if (st.size > (uint64_t)most)
		return err_set(e, ERR_LIMIT, "%.*s is larger than file.bytes (%lld)",
			       STR_ARG(shown), (long long)most);
	return fs->read(fs->self, path, text, seen, e);
}

static void workspace_read_again(struct workspace *w, struct doc *d, struct str text)
{
	struct reread *r = &w->reread[w->rereads % REREADS];
	uint64_t from = doc_hash(d), moves = w->moves;

	w->ours = true;
	doc_reread(d, text);
	w->ours = false;
	if (w->moves == moves)
		return;
	w->rereads++;
	free(r->path);
	*r = (struct reread){ w->moves, mem_dup(doc_path(d), strlen(doc_path(d))), from,
			      doc_hash(d) };
}

struct doc *workspace_doc(struct workspace *w, const char *path, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct entry *en = workspace_find(w, path);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	uint64_t moment = workspace_moment(w);
	struct fs_stat st;

	if (en)
		en->used = ++w->uses;
	if (en && (en->buffer || en->looked == moment))
		return en->doc;
	if (en && fs->stat(fs->self, path, &st, e) && fs_untouched(&st, &en->seen)) {
		en->looked = moment;
		return en->doc;
	}
	if (!workspace_read_disk(w, path, &text, &st, e))
		return NULL;
	if (!en)
		en = make(w, path, buf_str(&text));
	else
		workspace_read_again(w, en->doc, buf_str(&text));
	en->seen = st;
	return en->doc;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return x->used < y->used ? -1 : x->used > y->used;
}

/* Those that nobody but the workspace itself listens to. What the editor has named a type for is
 * kept: that would be forgotten. */
static struct entry **find_idle(struct workspace *w, size_t *n, size_t *bytes)
{
	struct entry **idle = mem_new((map_count(&w->entries) + 1) * sizeof(*idle));

	*n = *bytes = 0;
	map_each(it, &w->entries) {
		struct entry *en = it.value;

		if (en->buffer || en->filetype || doc_listeners(en->doc) > 1)
			continue;
		idle[(*n)++] = en;
		*bytes += doc_text(en->doc).n;
	}
	return idle;
}

void workspace_trim(struct workspace *w)
{
	size_t most = (size_t)config_get(&w->ox->config, CFG_FILES_KEPT), n, bytes, given = 0;
	struct entry **idle = find_idle(w, &n, &bytes);

	if (bytes > most)
		qsort(idle, n, sizeof(struct entry *), by_use);
	for (size_t i = 0; i < n && bytes > most; i++) {
		bytes -= doc_text(idle[i]->doc).n;
		map_take(&w->entries, str_of(doc_path(idle[i]->doc)));
		entry_free(idle[i]);
		given++;
	}
	free(idle);
	if (given)
		log_line(LOG_DEBUG, "dropped the text of %zu files, %zu bytes are left", given,
			 bytes);
}

void workspace_look(struct workspace *w)
{
	map_each(it, &w->entries) {
		struct entry *en = it.value;

		if (!en->buffer && doc_listeners(en->doc) > 1)
			workspace_doc(w, it.key.p, ERR_IGNORED);
	}
}

struct doc *workspace_known(struct workspace *w, const char *path)
{
	struct entry *en = workspace_find(w, path);

	return en ? en->doc : NULL;
}

const char *workspace_filetype(struct workspace *w, const char *path)
{
	struct entry *en = workspace_find(w, path);

	return en && en->filetype && *en->filetype ? en->filetype
						   : filetypes_of(w->ox->filetypes, path);
}

struct str workspace_shown(struct workspace *w, const char *path)
{
	return path_shown(str_of(w->ox->root), str_of(path));
}

struct buffer *workspace_buffer(struct workspace *w, long number)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->buffers[i]->number == number)
			return w->buffers[i];
	return NULL;
}

struct buffer *workspace_buffer_at(struct workspace *w, const char *path)
{
	struct entry *en = workspace_find(w, path);

	return en ? en->buffer : NULL;
}

size_t workspace_buffers(struct workspace *w)
{
	return w->n;
}

struct buffer *workspace_buffer_number(struct workspace *w, size_t i)
{
	return w->buffers[i];
}

static struct buffer *buffer_open(struct workspace *w, const struct buffer_info *info,
				  struct err *e)
{
	struct entry *en;
	struct buffer *b;

	/* A new file has no disk to read; an unreadable one is its buffer's affair. */
	if (!workspace_doc(w, info->path, e)) {
		*e = (struct err)ERR_INIT;
		if (!workspace_find(w, info->path))
			make(w, info->path, STR(""));
	}
	en = workspace_find(w, info->path);
	if (en->buffer) {
		err_set(e, ERR_CONFLICT, "%s is already open in buffer %ld", info->path,
			en->buffer->number);
		return NULL;
	}
	b = mem_new(sizeof(*b));
	b->number = info->number;
	b->doc = en->doc;
	en->buffer = b;
	mem_add(w->buffers, w->n, w->cap, b);
	return b;
}

struct buffer *workspace_buffer_info(struct workspace *w, const struct buffer_info *info,
				     struct err *e)
{
	struct buffer *b = workspace_buffer(w, info->number);
	struct entry *en;

	if (b && strcmp(doc_path(b->doc), info->path) != 0) {
		workspace_buffer_close(w, info->number); /* it has another name now */
		b = NULL;
	}
	if (!b && !(b = buffer_open(w, info, e)))
		return NULL;
	b->modified = info->modified;
	b->readonly = info->readonly;
	snprintf(b->stamp, sizeof(b->stamp), "%s", info->stamp ? info->stamp : "");
	b->linked = !workspace_straight(w, info->path);
	en = workspace_find(w, info->path);
	free(en->filetype);
	en->filetype = mem_dup(info->filetype, strlen(info->filetype));
	return b;
}

void workspace_buffer_close(struct workspace *w, long number)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < w->n; i++) {
		struct buffer *b = w->buffers[i];
		struct entry *en;

		if (b->number != number)
			continue;
		en = workspace_find(w, doc_path(b->doc));
		en->buffer = NULL;
		en->looked = 0;
		memset(&en->seen, 0, sizeof(en->seen));
		w->buffers[i] = w->buffers[--w->n];
		servers_close(w->ox, b->doc); /* from here on the disk is the server's to read */
		workspace_doc(w, doc_path(b->doc), &e);
		free(b);
		return;
	}
}

uint64_t workspace_moves(const struct workspace *w)
{
	return w->moves;
}

void workspace_ours(struct workspace *w, bool ours)
{
	w->ours = ours;
}

bool workspace_only_own(const struct workspace *w, uint64_t moves)
{
	if (w->others > moves ||
	    (w->rereads > REREADS && w->reread[w->rereads % REREADS].moved > moves))
		return false;
	for (size_t i = 0; i < REREADS; i++) {
		const struct reread *r = &w->reread[i];

		if (r->path && r->moved > moves &&
		    !own_changes_lead(w->ox->own, r->path, r->from, r->to))
			return false;
	}
	return true;
}

/* A file that a server has open as an older text: the server's places are of that one. It is shown
 * the present text now, so that asking again helps. */
static bool outdated(struct workspace *w, struct entry *en, const struct plan_file *f)
{
	if (en->buffer || !f->existed || doc_hash(en->doc) == f->was_hash ||
	    !servers_show(w->ox, en->doc))
		return false;
	workspace_doc(w, f->path, ERR_IGNORED);
	return true;
}

static bool workspace_changed(struct workspace *w, const char *path, struct err *e)
{
	return err_set(e, ERR_STALE, "%.*s changed while the server was working; try again",
		       STR_ARG(workspace_shown(w, path)));
}

bool workspace_still(struct workspace *w, const struct plan *p, uint64_t moves, struct err *e)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);
		struct entry *en = workspace_find(w, f->path);

		if (en && (en->moved > moves || outdated(w, en, f)))
			return workspace_changed(w, f->path, e);
	}
	return true;
}

bool workspace_still_at(struct workspace *w, const char *path, uint64_t moves, struct err *e)
{
	struct entry *en = workspace_find(w, path);

	if (en)
		workspace_doc(w, path, ERR_IGNORED);
	return !en || en->moved <= moves || workspace_changed(w, path, e);
}

/* The document gets the new text: by its stamp, should it be read again, it is the disk's. */
static void show_new(struct workspace *w, struct entry *en, const struct txn_file *f)
{
	const struct fs *fs = disk_fs();
	struct err e = ERR_INIT;

	if (f->edits) {
		workspace_doc(w, f->path, &e);
		return;
	}
	workspace_ours(w, true);
	doc_reread(en->doc, f->now);
	workspace_ours(w, false);
	if (!fs->stat(fs->self, f->path, &en->seen, &e))
		memset(&en->seen, 0, sizeof(en->seen));
}

void workspace_disk_changed(struct workspace *w, const struct txn_file *f)
{
	struct entry *en = workspace_find(w, f->path);
	bool is = f->exists && f->mode != MODE_LINK;

	w->written++;
	if (en && !en->buffer && is) {
		show_new(w, en, f);
	} else if (en && !en->buffer) {
		memset(&en->seen, 0, sizeof(en->seen));
		servers_close(w->ox, en->doc);
	}
	servers_disk_changed(w->ox, f->path, en ? en->doc : NULL,
			     !is	  ? FILE_DELETED
			     : f->existed ? FILE_CHANGED
					  : FILE_CREATED);
}
