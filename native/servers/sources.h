#ifndef OX_SOURCES_H
#define OX_SOURCES_H

#include <stdatomic.h>

#include "../base/fs.h"
#include "../base/map.h"

/*
 * The source files of a project, by extension: what lies below the root, without hidden
 * directories, links to directories, and those that hold what was built or fetched: node_modules
 * and __pycache__; build, target, dist, venv and out where a .gitignore (of the root, or beside it)
 * names them or a tool left its traces there, as CACHEDIR.TAG or CMakeCache.txt. A file with
 * several names comes once: links to it are passed over, of hard links all but the first. It blocks
 * and touches nothing but the disk and its arguments, so that it may run on a worker.
 */
struct sources {
	const char *root;
	const struct map *extensions; /* keys without the dot */
	size_t most;		      /* files */
	void *arg;
	void (*file)(void *arg, const char *path, const struct fs_stat *st);
	const atomic_bool *stop; /* true: at the next file it ends; NULL: never */
	/* Of hard links, each of the others and the first; NULL: nobody wants to know. */
	void (*again)(void *arg, const char *path, const char *first);
};

/* In order of names. False: there are more than `most`, or it was to stop, and the rest was not
 * looked at. */
bool sources_walk(const struct sources *s);
bool sources_has(const struct map *extensions, const char *path);

#endif
