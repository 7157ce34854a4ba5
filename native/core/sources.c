#include "sources.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "../base/path.h"
#include "../io/disk.h"

#define DEEPEST 64 /* folders in folders */

struct walk {
	const struct sources *s;
	size_t files;
	bool cut;
};

bool sources_has(const struct map *extensions, const char *path)
{
	struct str ext = path_ext(str_of(path));

	return ext.n && map_get(extensions, ext);
}

/* A link to a folder would be walked twice, or for ever. */
static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* Folders that hold no source of the project's own. */
static bool skipped(struct str name)
{
	static const char *const names[] = { "node_modules", "build", "target", "dist",
					     "__pycache__",  "venv",  "out" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(name, str_of(names[i])))
			return true;
	return str_starts(name, STR("."));
}

static void walk(struct walk *w, const char *dir, int depth);

static void look_at(struct walk *w, const char *path, const char *name, int depth)
{
	const struct fs *fs = disk_fs();
	struct err e = ERR_INIT;
	struct fs_stat st;

	if (!fs->stat(fs->self, path, &st, &e))
		return;
	if (st.kind == FS_DIR && !skipped(str_of(name)) && !is_link(path))
		walk(w, path, depth + 1);
	if (st.kind != FS_FILE || !sources_has(w->s->extensions, path))
		return;
	w->cut = w->cut || w->files++ == w->s->most;
	if (!w->cut)
		w->s->file(w->s->arg, path, &st);
}

static void walk(struct walk *w, const char *dir, int depth)
{
	const struct fs *fs = disk_fs();
	struct buf names = BUF_INIT;
	struct err e = ERR_INIT;

	if (depth <= DEEPEST && fs->list(fs->self, dir, &names, &e)) {
		for (const char *name = names.p; name && name < names.p + names.n && !w->cut;
		     name += strlen(name) + 1) {
			char *path = path_join(dir, name);

			look_at(w, path, name, depth);
			free(path);
		}
	}
	buf_release(&names);
}

bool sources_walk(const struct sources *s)
{
	struct walk w = { .s = s };

	walk(&w, s->root, 0);
	return !w.cut;
}
