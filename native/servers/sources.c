#include "sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

#define DEEPEST	     64		 /* directories in directories */
#define IGNORE_BYTES (256 << 10) /* of a .gitignore that is read */

struct walk {
	const struct sources *s;
	size_t files;
	bool cut;
	struct buf root;   /* real */
	struct map linked; /* files with several names that were found -> the first of these */
};

bool sources_has(const struct map *extensions, const char *path)
{
	struct str ext = path_ext(str_of(path));

	return ext.n && map_get(extensions, ext);
}

/* A link to a directory would be walked twice, or for ever. */
static bool sources_is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* Whether a line of a .gitignore names the directory, at any depth or with a slash before it. One
 * that starts with a slash speaks of what is beside the .gitignore alone (`beside`). */
static bool ignores(struct str line, struct str name, bool beside)
{
	line = str_trim(line);
	if (str_starts(line, STR("/")) && !beside)
		return false;
	if (!str_skip(&line, STR("**/")))
		str_skip(&line, STR("/"));
	if (line.n && line.p[line.n - 1] == '/')
		line.n--;
	return str_eq(line, name);
}

static bool is_ignored(const char *in, struct str name, bool beside)
{
	const struct fs *fs = disk_fs();
	char *path SCOPED(mem_release) = path_join(in, ".gitignore");
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	struct fs_stat st;
	struct str rest, line;
	bool found = false;

	if (!fs->stat(fs->self, path, &st, &e) || st.kind != FS_FILE || st.size > IGNORE_BYTES ||
	    !fs->read(fs->self, path, &text, &st, &e))
		buf_clear(&text);
	for (rest = buf_str(&text); !found && str_line(&rest, &line);)
		found = ignores(line, name, beside);
	return found;
}

/* What tools leave in a directory that they make. */
static bool has_traces(const char *dir)
{
	static const char *const names[] = { "CACHEDIR.TAG", "CMakeCache.txt",	 "build.ninja",
					     ".ninja_log",   ".rustc_info.json", "config.status",
					     "meson-info",   "pyvenv.cfg" };
	struct stat st;
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(names) / sizeof(*names); i++) {
		char *path SCOPED(mem_release) = path_join(dir, names[i]);

		found = !lstat(path, &st);
	}
	return found || is_ignored(dir, STR("*"), true);
}

static bool is_built(const struct walk *w, struct str parent, struct str name)
{
	struct buf dir SCOPED(buf_release) = BUF_INIT;
	char *in SCOPED(mem_release) = mem_dup(parent.p, parent.n);

	buf_addf(&dir, "%.*s/%.*s", STR_ARG(parent), STR_ARG(name));
	return has_traces(dir.p) || is_ignored(in, name, true) ||
	       is_ignored(w->s->root, name, false);
}

/* Directories that hold no source of the project's own. One that only has a name as if it had been
 * built is one of the project where nothing says that it was. */
static bool skipped(const struct walk *w, struct str parent, struct str name)
{
	static const char *const always[] = { "node_modules", "__pycache__", NULL };
	static const char *const maybe[] = { "build", "target", "dist", "venv", "out", NULL };

	return str_starts(name, STR(".")) || str_among(name, always) ||
	       (str_among(name, maybe) && is_built(w, parent, name));
}

/* A link to a file of the project is that file, which is found by its own name. */
static bool leads_inside(const struct walk *w, const char *path)
{
	const struct fs *fs = disk_fs();
	struct buf real SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	struct str rest, part;
	bool inside = fs->resolve(fs->self, path, &real, &e) &&
		      path_below(buf_str(&w->root), buf_str(&real)) &&
		      sources_has(w->s->extensions, real.p);

	rest = inside ? path_shown(buf_str(&w->root), buf_str(&real)) : STR("");
	while (inside && rest.n) {
		const char *slash = memchr(rest.p, '/', rest.n);

		part = str_sub(rest, 0, slash ? (size_t)(slash - rest.p) : rest.n);
		inside = !slash ||
			 !skipped(w, str_sub(buf_str(&real), 0, (size_t)(part.p - real.p) - 1),
				  part);
		rest = str_sub(rest, part.n + (slash ? 1 : 0), rest.n);
	}
	return inside;
}

/* Of a file with several names the first counts. */
static bool is_again(struct walk *w, const char *path, const struct fs_stat *st)
{
	char key[64];
	int n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, st->dev, st->ino);
	const char *first;

	if (st->links < 2)
		return false;
	first = map_get(&w->linked, (struct str){ key, (size_t)n });
	if (!first)
		map_put(&w->linked, (struct str){ key, (size_t)n }, mem_dup(path, strlen(path)));
	else if (w->s->again)
		w->s->again(w->s->arg, path, first);
	return first;
}

static bool is_over(struct walk *w)
{
	w->cut = w->cut || (w->s->stop && atomic_load_explicit(w->s->stop, memory_order_relaxed));
	return w->cut;
}

static void walk(struct walk *w, const char *dir, int depth);

static void sources_look_at(struct walk *w, const char *dir, const char *path, const char *name,
			    int depth)
{
	const struct fs *fs = disk_fs();
	struct err e = ERR_INIT;
	struct fs_stat st;

	if (!fs->stat(fs->self, path, &st, &e))
		return;
	if (st.kind == FS_DIR && !skipped(w, str_of(dir), str_of(name)) && !sources_is_link(path))
		walk(w, path, depth + 1);
	if (st.kind != FS_FILE || !sources_has(w->s->extensions, path) ||
	    (st.link && leads_inside(w, path)) || is_again(w, path, &st))
		return;
	w->cut = w->cut || w->files++ == w->s->most;
	if (!w->cut)
		w->s->file(w->s->arg, path, &st);
}

static void walk(struct walk *w, const char *dir, int depth)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (depth <= DEEPEST && fs->list(fs->self, dir, &names, &e)) {
		for (const char *name = names.p; name && name < names.p + names.n && !is_over(w);
		     name += strlen(name) + 1) {
			char *path SCOPED(mem_release) = path_join(dir, name);

			sources_look_at(w, dir, path, name, depth);
		}
	}
}

bool sources_walk(const struct sources *s)
{
	const struct fs *fs = disk_fs();
	struct walk w = { .s = s };
	struct err e = ERR_INIT;

	fs->resolve(fs->self, s->root, &w.root, &e);
	walk(&w, s->root, 0);
	buf_release(&w.root);
	map_release_values(&w.linked);
	return !w.cut;
}
