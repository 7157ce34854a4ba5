#ifndef OX_FS_H
#define OX_FS_H

#include <stdint.h>

#include "buf.h"
#include "err.h"

/*
 * The file system, as far as plans and transactions need one. io/disk.c is the real one; a test
 * gives one that fails, or stops for ever, at its n-th call. Paths are absolute. Every member
 * blocks, may run on a worker, and touches nothing but the disk and its arguments.
 *
 * Errors name the path and the reason: ERR_NOT_FOUND, ERR_DENIED (permissions), ERR_LIMIT (no
 * space, too large), ERR_CONFLICT (something is there already; a folder is not empty),
 * ERR_UNSUPPORTED (the file system cannot), ERR_INVALID (not a regular file), else ERR_IO.
 */
enum fs_kind { FS_NONE, FS_FILE, FS_DIR, FS_OTHER };

struct fs_stat {
	enum fs_kind kind; /* links are followed; of one that leads nowhere, FS_NONE */
	bool link;	   /* the name itself is a symbolic link */
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
	unsigned mode;	/* permission bits */
	unsigned links; /* hard links */
	bool writable;	/* by this process, by the file's own mode */
};

struct fs {
	void *self;
	/* What is not there, or below a file, is FS_NONE and no error. */
	bool (*stat)(void *self, const char *path, struct fs_stat *out, struct err *e);
	/* Where writes to `path` really go: all links resolved; missing last parts are kept. */
	bool (*resolve)(void *self, const char *path, struct buf *out, struct err *e);
	/* Appends the text of a regular file; another kind is ERR_INVALID, and never blocks. */
	bool (*read)(void *self, const char *path, struct buf *out, struct err *e);
	/* A new file, which must not be there yet; not synced. If it fails, nothing is left. */
	bool (*create)(void *self, const char *path, struct str data, unsigned mode, struct err *e);
	/* New bytes into the file that is there, for one with several hard links; synced. */
	bool (*overwrite)(void *self, const char *path, struct str data, struct err *e);
	/* Owner, mode, and extended attributes of `like`, as far as permitted; never the right to
	 * run as another user. */
	bool (*copy_meta)(void *self, const char *like, const char *to, struct err *e);
	/* Returns once the bytes of all these files are on the disk. */
	bool (*sync)(void *self, const char *const *paths, size_t n, struct err *e);
	bool (*sync_dir)(void *self, const char *dir, struct err *e);
	/* Swaps two names at once; ERR_UNSUPPORTED where the file system cannot. */
	bool (*exchange)(void *self, const char *a, const char *b, struct err *e);
	/* A second name for a file; `to` must not be there. */
	bool (*link)(void *self, const char *from, const char *to, struct err *e);
	/* `to` must not be there. */
	bool (*rename)(void *self, const char *from, const char *to, struct err *e);
	bool (*replace)(void *self, const char *from, const char *to, struct err *e);
	bool (*remove)(void *self, const char *path, struct err *e);
	bool (*mkdir)(void *self, const char *path, unsigned mode, struct err *e);
	bool (*rmdir)(void *self, const char *path, struct err *e);
	/* Names in a folder, each with a NUL behind it, sorted by bytes. */
	bool (*list)(void *self, const char *dir, struct buf *names, struct err *e);
};

#endif
