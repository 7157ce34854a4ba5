#ifndef OX_TREE_H
#define OX_TREE_H

#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"

/*
 * Many files below one directory, looked at without reading them, and what they hold kept aside
 * before somebody changes it. No symbolic link is followed: one is a file of its own kind, whose
 * text is where it leads. Every call blocks and may run on a worker. Paths are relative to `root`,
 * which is resolved; each function says so where they are not.
 */
struct tree_stat {
	uint64_t ino, size;
	int64_t mtime_ns, ctime_ns;
	unsigned mode; /* kind and permission bits, as fs.h has them */
};

/* Whether it is the same file, and nothing was written to it or changed about it between the two.
 * ctime moves whatever a program sets mtime to. */
bool tree_untouched(const struct tree_stat *a, const struct tree_stat *b);
/* False: there is no regular file and no link of this name. */
bool tree_look(const char *root, const char *path, struct tree_stat *out);
/* The same, where a directory on the way may have become a link that leads elsewhere. */
bool tree_look_straight(const char *root, const char *path, struct tree_stat *out);

/* Calls fn for each file and link below root, in no order, and not for what the version control
 * systems keep in .git and its like. False: there are more than `most`, or a directory could not
 * be read; the rest was told. */
typedef void tree_found(void *arg, const char *path);
bool tree_walk(const char *root, size_t most, tree_found *fn, void *arg);

/* Keeps what a file holds as the new file `to` (absolute, mode 0600): shares its blocks where the
 * file system can, else copies them. Of a link, where it leads. ERR_STALE: it is not as `seen`, or
 * changed meanwhile; then, and after any other error, `to` is not there. */
bool tree_keep(const char *root, const char *path, const struct tree_stat *seen, const char *to,
	       struct err *e);
/* Appends what it holds, up to `most` bytes (else ERR_LIMIT), of a link where it leads; *seen is of
 * the same moment: ERR_STALE where it changes all the time. */
bool tree_read(const char *root, const char *path, size_t most, struct buf *out,
	       struct tree_stat *seen, struct err *e);

#endif
