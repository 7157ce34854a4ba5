#include "memfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <base/map.h>
#include <base/mem.h>
#include <base/path.h>

struct node {
	enum fs_kind kind;
	struct buf text;
	unsigned mode, links;
	uint64_t ino;
	int64_t mtime, ctime;
	char leads_to[40]; /* of a symbolic link; else empty */
};

struct mem_name {
	const char *path; /* kept_path() */
	struct node *node;
};

/* Of all disks: they are copied many thousand times, and the same path is the same pointer. */
static struct map kept_paths;

static const char *kept_path(struct str path)
{
	char *kept = map_get(&kept_paths, path);

	if (!kept)
		map_put(&kept_paths, path, kept = mem_dup(path.p, path.n));
	return kept;
}

static bool same_folded(const char *a, struct str b)
{
	return strlen(a) == b.n && !strncasecmp(a, b.p, b.n);
}

static struct mem_name *find(const struct memfs *m, struct str path)
{
	const char *kept = m->fold ? NULL : map_get(&kept_paths, path);

	for (size_t i = 0; i < m->n && (kept || m->fold); i++)
		if (kept ? m->name[i].path == kept : same_folded(m->name[i].path, path))
			return &m->name[i];
	return NULL;
}

static struct node *node_at(const struct memfs *m, const char *path)
{
	struct mem_name *v = find(m, str_of(path));

	return v ? v->node : NULL;
}

static void add_name(struct memfs *m, const char *path, struct node *node)
{
	m->name = mem_grow(m->name, &m->cap, m->n + 1, sizeof(*m->name));
	m->name[m->n++] = (struct mem_name){ kept_path(str_of(path)), node };
	node->links++;
	node->ctime = (int64_t)++m->clock;
}

static void drop_name(struct memfs *m, struct mem_name *v)
{
	v->node->ctime = (int64_t)++m->clock;
	if (!--v->node->links) {
		buf_release(&v->node->text);
		free(v->node);
	}
	*v = m->name[--m->n];
}

static struct node *new_node(struct memfs *m, enum fs_kind kind, struct str text, unsigned mode)
{
	struct node *node = mem_new(sizeof(*node));

	node->kind = kind;
	node->mode = mode;
	node->ino = ++m->next_ino;
	node->mtime = (int64_t)++m->clock;
	buf_add(&node->text, text);
	return node;
}

#include "memfs_log.h"

#include "memfs_links.h"

/* True when this call is to fail. */
static bool fails(struct memfs *m, const char *call, const char *path, struct err *e)
{
	m->calls++;
	if (m->before)
		m->before(m, call, path);
	if (m->stop_at && m->calls >= m->stop_at)
		return !err_set(e, ERR_IO, "%s: %s: all has stopped", path, call);
	if (m->calls != m->fail_at)
		return false;
	err_set(e, m->fail_code, "%s: %s was made to fail", path, call);
	return true;
}

/* Whether half of the bytes are written before it all stops, or the call fails. */
static bool torn(const struct memfs *m)
{
	return (m->stop_torn && m->calls == m->stop_at) || (m->fail_torn && m->calls == m->fail_at);
}

static uint64_t dev_of(const struct memfs *m, const char *path)
{
	return m->other_dev && path_below(str_of(m->other_dev), str_of(path)) ? 2 : 1;
}

static bool one_dev(const struct memfs *m, const char *a, const char *b, struct err *e)
{
	return dev_of(m, a) == dev_of(m, b) ||
	       err_set(e, ERR_UNSUPPORTED, "%s: is on another file system", b);
}

static void m_here(void *self, struct fs_here *out)
{
	struct memfs *m = self;

	*out = (struct fs_here){ .user = 1000, .boot = m->boot, .unique = ++m->unique << 20 };
}

static bool m_lives(void *self, const struct fs_process *process)
{
	const struct memfs *m = self;

	return process->pid && process->pid == m->lives;
}

static bool missing(const char *path, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "%s: not there", path);
}

static struct fs_stat describe(const struct memfs *m, const char *path, const struct node *v)
{
	return (struct fs_stat){ .kind = v->kind,
				 .dev = dev_of(m, path),
				 .ino = v->ino,
				 .size = v->text.n,
				 .mtime_ns = v->mtime,
				 .ctime_ns = v->ctime,
				 .mode = v->mode,
				 .links = v->links,
				 .user = 1000 };
}

static bool m_stat(void *self, const char *path, struct fs_stat *out, struct err *e)
{
	struct memfs *m = self;
	struct node *v;

	if (fails(m, "stat", path, e))
		return false;
	v = node_of(m, path, false);
	*out = (struct fs_stat){ .kind = FS_NONE };
	if (v)
		*out = describe(m, path, v);
	out->link = is_link(node_of(m, path, true));
	return true;
}

static bool m_may_write(void *self, const char *path, const struct fs_stat *st)
{
	(void)self, (void)path;
	return st->mode & 0222;
}

static bool m_resolve(void *self, const char *path, struct buf *out, struct err *e)
{
	struct buf real = BUF_INIT;

	if (fails(self, "resolve", path, e))
		return false;
	path_normal(&real, "/", str_of(path));
	resolve_all(self, &real);
	buf_add(out, buf_str(&real));
	buf_release(&real);
	return true;
}

static bool m_read(void *self, const char *path, struct buf *out, struct fs_stat *seen,
		   struct err *e)
{
	struct memfs *m = self;
	struct node *v;

	if (fails(self, "read", path, e))
		return false;
	v = node_of(self, path, false);
	if (!v)
		return missing(path, e);
	if (v->kind != FS_FILE)
		return err_set(e, ERR_INVALID, "%s: not a file", path);
	buf_add(out, buf_str(&v->text));
	if (seen) {
		*seen = describe(m, path, v);
		seen->settled = !m->coarse;
	}
	return true;
}

/* Whether a new name can be made there. */
static bool room(struct memfs *m, const char *path, struct err *e)
{
	struct mem_name *dir = find(m, path_dir(str_of(path)));

	if (!dir)
		return missing(path, e);
	if (dir->node->kind != FS_DIR)
		return err_set(e, ERR_IO, "%s: not below a folder", path);
	return !node_at(m, path) || err_set(e, ERR_CONFLICT, "%s: is there", path);
}

static bool m_create(void *self, const char *path, struct str data, unsigned mode, struct err *e)
{
	struct node *v;

	if (fails(self, "create", path, e) || !room(self, path, e))
		return false;
	v = new_node(self, FS_FILE, data, mode & ~022u);
	add_name(self, path, v);
	note_name(self, path, v);
	note_bytes(self, v, data, 0, true);
	return true;
}

static void set_text(struct memfs *m, struct node *v, struct str text)
{
	buf_clear(&v->text);
	buf_add(&v->text, text);
	v->mtime = v->ctime = (int64_t)++m->clock;
	note_bytes(m, v, text, 0, true);
}

static bool m_overwrite(void *self, const char *path, struct str data, struct err *e)
{
	struct memfs *m = self;
	bool bad = fails(m, "overwrite", path, e);
	struct node *v = node_at(m, path);

	if (bad && !torn(m))
		return false;
	if (!v)
		return missing(path, e);
	if (bad) {
		put_bytes(&v->text, 0, str_sub(data, 0, data.n / 2));
		v->mtime = v->ctime = (int64_t)++m->clock;
		note_bytes(m, v, str_sub(data, 0, data.n / 2), 0, false);
		return false;
	}
	set_text(m, v, data);
	note_synced(m, v);
	return true;
}

#include "memfs_calls.h"

static bool m_copy_meta(void *self, const char *like, const char *to, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "copy_meta", to, e))
		return false;
	if (!node_of(m, like, false) || !node_at(m, to))
		return missing(like, e);
	node_at(m, to)->mode = node_of(m, like, false)->mode;
	note_mode(m, node_at(m, to));
	return true;
}

static bool m_sync(void *self, const char *const *paths, size_t n, struct err *e)
{
	const char *gone = NULL;

	if (fails(self, "sync", n ? paths[0] : "", e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct node *v = node_at(self, paths[i]);

		if (v && is_link(v))
			return err_set(e, ERR_IO, "%s: is a link", paths[i]);
		if (v)
			note_synced(self, v);
		else
			gone = paths[i];
	}
	return !gone || missing(gone, e);
}

static bool m_sync_dir(void *self, const char *dir, struct err *e)
{
	if (fails(self, "sync_dir", dir, e))
		return false;
	if (!node_at(self, dir))
		return missing(dir, e);
	note_dir_synced(self, dir);
	return true;
}

#include "memfs_names.h"

static int by_path(const void *a, const void *b)
{
	const struct mem_name *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool m_list(void *self, const char *dir, struct buf *names, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "list", dir, e))
		return false;
	if (!node_at(m, dir))
		return missing(dir, e);
	qsort(m->name, m->n, sizeof(*m->name), by_path);
	for (size_t i = 0; i < m->n; i++) {
		struct str path = str_of(m->name[i].path);

		if (path.n > 1 && str_eq(path_dir(path), str_of(dir))) {
			struct str base = path_base(path);

			buf_add(names, (struct str){ base.p, base.n + 1 });
		}
	}
	return true;
}

/* What a folder is called says nothing of when its names changed. */
static bool m_settled(void *self, const char *dir, const struct fs_stat *st)
{
	(void)self, (void)dir, (void)st;
	return false;
}

/* One after the other: which call is the n-th must not depend on threads. */
static bool m_each(void *self, size_t n, fs_each *one, void *arg, struct err *e)
{
	const struct memfs *m = self;

	for (size_t i = 0; i < n; i++)
		if (!one(arg, (unsigned)(i % FS_WORKERS), m->backwards ? n - 1 - i : i, e))
			return false;
	return true;
}

void memfs_init(struct memfs *m)
{
	*m = (struct memfs){
		.fs = { NULL,	    m_here,   m_lives,	   m_stat,	m_may_write, m_resolve,
			m_read,	    m_create, m_overwrite, m_copy_meta, m_sync,	     m_sync_dir,
			m_exchange, m_link,   m_symlink,   m_readlink,	m_chmod,     m_rename,
			m_replace,  m_remove, m_mkdir,	   m_rmdir,	m_peek,	     m_patch,
			m_fill,	    m_blank,  m_lock,	   m_unlock,	m_unlock,    m_relock,
			m_open,	    m_list,   m_settled,   m_each },
		.boot = 1,
		.fail_code = ERR_IO,
	};
	m->fs.self = m;
	memfs_put_dir(m, "/");
}

void memfs_release(struct memfs *m)
{
	free_log(m);
	memfs_kill(m);
	free(m->locks);
	while (m->n)
		drop_name(m, &m->name[m->n - 1]);
	free(m->name);
	*m = (struct memfs){ 0 };
}

void memfs_put(struct memfs *m, const char *path, const char *text, unsigned mode)
{
	struct node *v = node_at(m, path);

	if (!v) {
		v = new_node(m, FS_FILE, STR(""), mode);
		add_name(m, path, v);
	}
	v->leads_to[0] = '\0';
	buf_clear(&v->text);
	buf_adds(&v->text, text);
	v->mode = mode;
	if (!m->coarse)
		v->mtime = v->ctime = (int64_t)++m->clock;
}

void memfs_put_dir(struct memfs *m, const char *path)
{
	struct node *v = new_node(m, FS_DIR, STR(""), 0755);

	add_name(m, path, v);
}

void memfs_put_link(struct memfs *m, const char *from, const char *to)
{
	add_name(m, to, node_at(m, from));
}

void memfs_put_symlink(struct memfs *m, const char *path, const char *leads_to)
{
	struct node *v = new_node(m, FS_FILE, STR(""), 0777);

	snprintf(v->leads_to, sizeof(v->leads_to), "%s", leads_to);
	add_name(m, path, v);
}

void memfs_take(struct memfs *m, const char *path)
{
	drop_name(m, find(m, str_of(path)));
}

void memfs_dump(const struct memfs *m, struct buf *out)
{
	qsort(m->name, m->n, sizeof(*m->name), by_path);
	for (size_t i = 0; i < m->n; i++) {
		const struct node *v = m->name[i].node;

		if (path_below(STR(MEMFS_HOME), str_of(m->name[i].path)))
			continue;
		buf_addf(out, "%s %d %o %u %s%zu:", m->name[i].path, (int)v->kind, v->mode,
			 v->links, v->leads_to, v->text.n);
		buf_add(out, buf_str(&v->text));
		buf_addc(out, '\n');
	}
}
