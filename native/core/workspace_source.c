#include <stdlib.h>

#include "../base/mem.h"
#include "../io/disk.h"
#include "../io/read_ahead.h"
#include "protect.h"
#include "text_cache.h"
#include "workspace_impl.h"

static bool source_stat(void *self, const char *path, struct fs_stat *out, struct err *e)
{
	struct workspace *w = self;
	const struct fs *fs = disk_fs();
	struct buffer *b = workspace_buffer_at(w, path);

	if (!fs->stat(fs->self, path, out, e))
		return false;
	if (b && out->kind == FS_NONE) /* a new buffer, not written yet */
		*out = (struct fs_stat){ .kind = FS_FILE, .mode = 0644, .links = 1 };
	return true;
}

static bool source_read(void *self, const char *path, struct buf *out, struct fs_stat *seen,
			struct err *e)
{
	struct workspace *w = self;
	struct buffer *b = workspace_buffer_at(w, path);

	if (b) {
		buf_add(out, doc_text(b->doc));
		return true;
	}
	if (w->lent && seen && text_cache_take(w->lent, path, out, seen))
		return true;
	if (seen && !out->n && read_ahead_take(w->ahead, path, out, seen))
		return true;
	return workspace_read_disk(w, path, out, seen, e);
}

static void source_ahead(void *self, const char *const *path, size_t n)
{
	struct workspace *w = self;

	read_ahead_free(w->ahead);
	w->ahead = read_ahead_new(path, n, (uint64_t)config_get(&w->ox->config, CFG_FILE_BYTES));
}

static bool source_list(void *self, const char *dir, struct buf *names, struct err *e)
{
	const struct fs *fs = disk_fs();

	(void)self;
	return fs->list(fs->self, dir, names, e);
}

static bool source_readlink(void *self, const char *path, struct buf *out, struct err *e)
{
	const struct fs *fs = disk_fs();

	(void)self;
	return fs->readlink(fs->self, path, out, e);
}

static bool source_resolve(void *self, const char *path, struct buf *out, struct err *e)
{
	const struct fs *fs = disk_fs();

	(void)self;
	return fs->resolve(fs->self, path, out, e);
}

/* The file that a path leads to is exempt, not the path. */
static bool is_exempt(const char *path, bool itself, struct exemptions *exempt, struct buf *by)
{
	if (!protect_real(path, itself, by, ERR_IGNORED))
		return false;
	if (exempt_has(exempt, by->p))
		return true;
	exempt_refuse(exempt, by->p);
	buf_clear(by);
	return false;
}

static const char *source_name(void *self, const char *path, const struct fs_stat *st)
{
	return workspace_alias(self, path, st);
}

/* A buffer outside of the project cannot be changed with it, nor one whose text a server does not
 * know by this name; and what is typed there would be lost if its file changed behind it. */
static bool source_unheld(struct workspace *w, const char *path, const struct fs_stat *st,
			  struct err *e)
{
	const struct buffer *b = workspace_buffer_alias(w, path, st);

	return !b || !b->modified ||
	       err_set(e, ERR_CONFLICT,
		       "%.*s is open as %s, which has unsaved changes; save it, then try again",
		       STR_ARG(workspace_shown(w, path)), doc_path(b->doc));
}

static void source_permits(void *self, const char *const *path, size_t n)
{
	struct workspace *w = self;

	map_release(&w->permitted);
	free(w->looks);
	w->looks = n ? mem_new(n * sizeof(*w->looks)) : NULL;
	for (size_t i = 0; i < n; i++) {
		const char *root = workspace_root_over(w, path[i]);

		w->looks[i].path = path[i];
		w->looks[i].root = root ? root : w->ox->root;
	}
	protect_look_write(w->looks, n);
	for (size_t i = 0; i < n; i++)
		if (w->looks[i].fine)
			map_put(&w->permitted, str_of(path[i]), &w->looks[i]);
}

static bool source_allowed(void *self, const char *path, bool itself, struct exemptions *exempt,
			   struct buf *by, struct err *e)
{
	struct workspace *w = self;
	const char *root = workspace_root_over(w, path);
	const struct fs *fs = disk_fs();
	struct buffer *b = workspace_buffer_at(w, path);
	const struct protect_look *known = itself ? NULL : map_get(&w->permitted, str_of(path));
	struct err place = ERR_INIT;
	struct fs_stat st;

	if (!known && !protect_allows(root ? root : w->ox->root, path, itself, &place) &&
	    (place.code != ERR_DENIED || !is_exempt(path, itself, exempt, by))) {
		*e = place;
		return false;
	}
	if (known)
		st = known->st;
	else if (!fs->stat(fs->self, path, &st, e))
		return false;
	if (!itself && !source_unheld(w, path, &st, e))
		return false;
	if ((b && b->readonly) || (!known && st.kind == FS_FILE && !(itself && st.link) &&
				   !fs->may_write(fs->self, path, &st)))
		return err_set(e, ERR_DENIED, "%.*s is read-only",
			       STR_ARG(workspace_shown(w, path)));
	return true;
}

void workspace_source_init(struct workspace *w)
{
	w->source = (struct plan_source){ .self = w,
					  .root = w->ox->root,
					  .stat = source_stat,
					  .read = source_read,
					  .ahead = source_ahead,
					  .list = source_list,
					  .allowed = source_allowed,
					  .permits = source_permits,
					  .readlink = source_readlink,
					  .resolve = source_resolve };
}

const struct fs *workspace_fs(void)
{
	return disk_fs();
}

const struct plan_source *workspace_source(struct workspace *w, const char *root)
{
	w->source.root = root;
	w->source.exempt = NULL;
	w->source.name = NULL;
	return &w->source;
}

void workspace_by_text(struct workspace *w)
{
	w->source.name = source_name;
}

void workspace_exempt(struct workspace *w, struct exemptions *exempt)
{
	w->source.exempt = exempt;
}

void workspace_lend(struct workspace *w, struct text_cache *t)
{
	w->lent = t;
}
