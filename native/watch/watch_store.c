#include "watch_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

#define BLOCK 4096 /* a file takes no less */

static void store_remove(const char *dir)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;

	if (fs->list(fs->self, dir, &names, ERR_IGNORED))
		for (size_t at = 0; at < names.n; at += strlen(names.p + at) + 1) {
			char *path SCOPED(mem_release) = path_join(dir, names.p + at);

			fs->remove(fs->self, path, ERR_IGNORED);
		}
	fs->rmdir(fs->self, dir, ERR_IGNORED);
}

/* Its name is "PID-BORN-NUMBER"; one that is not is left alone. */
static bool store_is_dead(const char *name)
{
	const struct fs *fs = disk_fs();
	struct fs_process p = { 0 };
	unsigned n;

	return sscanf(name, "%" SCNu64 "-%" SCNu64 "-%u", &p.pid, &p.born, &n) == 3 && p.pid &&
	       !fs->lives(fs->self, &p);
}

static void store_clean(const char *above)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;

	if (!fs->list(fs->self, above, &names, ERR_IGNORED))
		return;
	for (size_t at = 0; at < names.n; at += strlen(names.p + at) + 1)
		if (store_is_dead(names.p + at)) {
			char *dir SCOPED(mem_release) = path_join(above, names.p + at);

			log_line(LOG_INFO, "removing %s, which a killed process has left", dir);
			store_remove(dir);
		}
}

bool watch_store_open(struct watch_store *s, const struct config *c, struct err *e)
{
	static unsigned number;
	char *state SCOPED(mem_release) = oxide_state_dir();
	struct fs_process self;
	struct buf dir SCOPED(buf_release) = BUF_INIT;
	bool ok;

	*s = (struct watch_store){
		.most = (uint64_t)config_get(c, CFG_AGENT_WATCH_BYTES),
		.file_most = (uint64_t)config_get(c, CFG_AGENT_WATCH_FILE),
	};
	if (!state)
		return err_set(e, ERR_IO,
			       "copies of files cannot be kept: set XDG_STATE_HOME to a writable "
			       "directory");
	disk_process(&self, getpid());
	buf_addf(&dir, "%s/watch", state);
	store_clean(dir.p);
	buf_addf(&dir, "/%" PRIu64 "-%" PRIu64 "-%u", self.pid, self.born, ++number);
	ok = oxide_make_dirs(dir.p) || err_set(e, ERR_IO, "%s cannot be made", dir.p);
	if (ok)
		s->dir = buf_detach(&dir);
	return ok;
}

void watch_store_close(struct watch_store *s)
{
	if (s->dir)
		store_remove(s->dir);
	free(s->dir);
	*s = (struct watch_store){ 0 };
}

static char *copy_path(const struct watch_store *s, unsigned copy)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", copy);
	return path_join(s->dir, name);
}

static uint64_t room_of(const struct watch_file *f)
{
	return (f->st.size + BLOCK - 1) / BLOCK * BLOCK;
}

static void take_over(struct watch_tree *t, struct watch_tree *before)
{
	for (size_t i = 0, k = 0; before && i < before->n && k < t->n;) {
		struct watch_file *was = &before->v[i], *now = &t->v[k];
		int order = strcmp(was->path, now->path);

		if (!order && was->kept == WATCH_KEPT_COPY && now->kept == WATCH_NOT_KEPT &&
		    tree_untouched(&was->st, &now->st)) {
			now->kept = WATCH_KEPT_COPY;
			now->copy = was->copy;
			was->kept = WATCH_NOT_KEPT;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

static void drop_copies(struct watch_store *s, struct watch_tree *t)
{
	for (size_t i = 0; t && i < t->n; i++) {
		struct watch_file *f = &t->v[i];
		char *path SCOPED(mem_release) = NULL;

		if (f->kept != WATCH_KEPT_COPY)
			continue;
		path = copy_path(s, f->copy);
		unlink(path);
		s->bytes -= room_of(f);
		f->kept = WATCH_NOT_KEPT;
	}
}

struct to_keep {
	struct watch_file *file;
	bool open;
};

static int by_need(const void *a, const void *b)
{
	const struct to_keep *x = a, *y = b;

	if (x->open != y->open)
		return x->open ? -1 : 1;
	if (x->file->st.mtime_ns != y->file->st.mtime_ns)
		return x->file->st.mtime_ns > y->file->st.mtime_ns ? -1 : 1;
	return strcmp(x->file->path, y->file->path);
}

/* False: the disk is full. */
static bool keep_one(struct watch_store *s, const char *root, struct watch_file *f)
{
	char *to SCOPED(mem_release) = copy_path(s, ++s->last);
	struct err e = ERR_INIT;

	if (tree_keep(root, f->path, &f->st, to, &e)) {
		f->kept = WATCH_KEPT_COPY;
		f->copy = s->last;
		s->bytes += room_of(f);
	} else {
		log_line(LOG_INFO, "not kept: %s", e.msg);
	}
	return e.code != ERR_LIMIT;
}

void watch_store_keep(struct watch_store *s, const char *root, struct watch_tree *t,
		      struct watch_tree *before, const struct map *open)
{
	struct to_keep *v SCOPED(mem_release) = mem_new((t->n + 1) * sizeof(*v));
	bool room = s->dir;
	size_t n = 0;

	take_over(t, before);
	drop_copies(s, before);
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].kept == WATCH_NOT_KEPT && t->v[i].st.size <= s->file_most)
			v[n++] = (struct to_keep){ &t->v[i], map_get(open, str_of(t->v[i].path)) };
	qsort(v, n, sizeof(*v), by_need);
	for (size_t i = 0; i < n && room; i++)
		if (s->bytes + room_of(v[i].file) <= s->most)
			room = keep_one(s, root, v[i].file);
}

bool watch_store_read(const struct watch_store *s, const struct watch_file *f, struct buf *out,
		      struct err *e)
{
	const struct fs *fs = disk_fs();
	char *path SCOPED(mem_release) = copy_path(s, f->copy);

	return fs->read(fs->self, path, out, NULL, e);
}
