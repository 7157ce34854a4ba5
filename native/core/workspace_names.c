#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "projects.h"
#include "servers_ops.h"
#include "workspace_impl.h"

/* A file may have several names, and whoever asks does not know by which one the editor has it. */

bool workspace_straight(struct workspace *w, const char *path)
{
	const struct fs *fs = disk_fs();
	struct entry *en = workspace_find(w, path);
	uint64_t moment = workspace_moment(w);
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (en && en->straight == moment)
		return true;
	if (!fs->resolve(fs->self, path, &real, ERR_IGNORED) ||
	    !str_eq(buf_str(&real), str_of(path)))
		return false;
	if (en)
		en->straight = moment;
	return true;
}

static bool is_ascii(const char *s)
{
	while (*s && !((unsigned char)*s & 0x80))
		s++;
	return !*s;
}

/* Whether some file system may take the two for one name. How those that do compare what is not
 * ASCII differs. */
static bool alike(const char *a, const char *b)
{
	return !strcasecmp(a, b) || (!is_ascii(a) && !is_ascii(b));
}

bool workspace_is_same_file(const char *a, const char *b)
{
	const struct fs *fs = disk_fs();
	struct fs_stat x, y;

	return fs->stat(fs->self, a, &x, ERR_IGNORED) && fs->stat(fs->self, b, &y, ERR_IGNORED) &&
	       x.kind == FS_FILE && x.ino && x.ino == y.ino && x.dev == y.dev;
}

struct buffer *workspace_buffer_alias(struct workspace *w, const char *path,
				      const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	bool several;

	if (!w->n || st->kind != FS_FILE || !st->ino || workspace_buffer_at(w, path))
		return NULL;
	several = st->links > 1 || !workspace_straight(w, path);
	for (size_t i = 0; i < w->n; i++) {
		struct buffer *b = w->buffers[i];
		const char *name = doc_path(b->doc);
		struct fs_stat its;

		if ((several || b->linked || alike(name, path)) &&
		    fs->stat(fs->self, name, &its, ERR_IGNORED) && its.kind == FS_FILE &&
		    its.ino == st->ino && its.dev == st->dev)
			return b;
	}
	return NULL;
}

const char *workspace_root_over(struct workspace *w, const char *path)
{
	const struct project *project = projects_of(w->ox->projects, path);

	return project ? project->root : servers_root_over(w->ox, path);
}

const char *workspace_alias(struct workspace *w, const char *path, const struct fs_stat *st)
{
	const struct buffer *b = workspace_buffer_alias(w, path, st);
	const char *root = b ? workspace_root_over(w, path) : NULL;

	return root && path_below(str_of(root), str_of(doc_path(b->doc))) ? doc_path(b->doc) : NULL;
}

char *workspace_place(struct workspace *w, const char *path)
{
	const struct fs *fs = disk_fs();
	struct str dir = path_dir(str_of(path));
	char *above SCOPED(mem_release) = mem_dup(dir.p, dir.n), *place;
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (workspace_root_over(w, path) || !fs->resolve(fs->self, above, &real, ERR_IGNORED) ||
	    str_eq(buf_str(&real), dir))
		return NULL;
	place = path_join(real.p, path_base(str_of(path)).p);
	if (workspace_root_over(w, place))
		return place;
	free(place);
	return NULL;
}

char *workspace_real(struct workspace *w, const char *path)
{
	const char *root = workspace_root_over(w, path);
	const struct fs *fs = disk_fs();
	struct buf real SCOPED(buf_release) = BUF_INIT, real_root SCOPED(buf_release) = BUF_INIT;
	char *out = NULL;

	if (root && !workspace_buffer_at(w, path) && !workspace_straight(w, path) &&
	    fs->resolve(fs->self, path, &real, ERR_IGNORED) &&
	    fs->resolve(fs->self, root, &real_root, ERR_IGNORED) &&
	    path_below(buf_str(&real_root), buf_str(&real)) && real.n > real_root.n)
		out = path_join(root, path_shown(buf_str(&real_root), buf_str(&real)).p);
	return out ? out : mem_dup(path, strlen(path));
}

char *workspace_named(struct workspace *w, const char *path)
{
	const struct fs *fs = disk_fs();
	const char *alias = NULL;
	struct fs_stat st;

	if (w->n && fs->stat(fs->self, path, &st, ERR_IGNORED))
		alias = workspace_alias(w, path, &st);
	return alias ? mem_dup(alias, strlen(alias)) : workspace_real(w, path);
}

char *workspace_told(struct workspace *w, const char *path)
{
	char *named = workspace_named(w, path);
	const struct buffer *b = workspace_buffer_at(w, named);
	struct doc *disk;

	if (!b || !strcmp(named, path))
		return named;
	disk = b->modified ? NULL : workspace_doc(w, path, ERR_IGNORED);
	if (disk && doc_hash(disk) == doc_hash(b->doc))
		return named;
	free(named);
	return workspace_real(w, path);
}
