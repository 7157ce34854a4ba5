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
 * space, too large), ERR_CONFLICT (something is there already; a directory is not empty),
 * ERR_STALE (a link is in the way: what changes something takes resolved paths alone, so that
 * nobody leads it elsewhere by swapping a directory for a link),
 * ERR_UNSUPPORTED (the file system cannot), ERR_INVALID (not a regular file), else ERR_IO.
 */
#define FS_READ_MAX ((uint64_t)1 << 30) /* bytes of a file that read() takes */

enum fs_kind { FS_NONE, FS_FILE, FS_DIR, FS_OTHER };

struct fs_stat {
	enum fs_kind kind; /* links are followed; of one that leads nowhere, FS_NONE */
	bool link;	   /* the name itself is a symbolic link */
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
	unsigned mode;	      /* permission bits */
	unsigned links;	      /* hard links */
	uint64_t user, group; /* numbers of the owner's */
	bool settled;  /* read() alone: any change of the text from here on shows in ctime_ns */
	uint64_t hash; /* of a text that was read ahead: its hash_of(); else 0 */
};

/* Whether nothing was written between the two; ctime also moves when the file's name does. */
static inline bool fs_untouched(const struct fs_stat *a, const struct fs_stat *b)
{
	return a->kind == b->kind && a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* What a file is, kind and permission bits, by the numbers of git and of the system. Git itself
 * knows these three: of a regular file no more than whether it can be run. */
#define MODE_FILE 0100644u
#define MODE_EXEC 0100755u
#define MODE_LINK 0120000u
#define MODE_BITS 0777u

static inline unsigned mode_git(unsigned mode)
{
	return mode == MODE_LINK ? MODE_LINK : mode & 0100 ? MODE_EXEC : MODE_FILE;
}

struct fs_here {
	uint64_t user;	 /* who runs this process */
	uint64_t boot;	 /* differs from one start of the machine to the next; 0: not known */
	uint64_t unique; /* differs from call to call, and between processes */
};

/* A process, so that another one with its number is not taken for it. */
struct fs_process {
	uint64_t pid;  /* 0: none */
	uint64_t born; /* when it started, in the system's own count; 0: not known */
};

/* What is written goes to the disk some time; the disk begins with all of the file, and a later
 * sync has less to wait for; or all of it is there when the call returns. */
enum fs_sync { FS_LATER, FS_BEGIN, FS_NOW };

/* One of many things that do not depend on each other; `worker`, below FS_WORKERS, is another one
 * for each of those that go on at the same time. */
#define FS_WORKERS 4
typedef bool fs_each(void *arg, unsigned worker, size_t i, struct err *e);

#define FS_UNHELD (-1)

struct fs {
	void *self;
	void (*here)(void *self, struct fs_here *out);
	/* Whether it has not ended; one that cannot be asked about has not. */
	bool (*lives)(void *self, const struct fs_process *process);
	/* What is not there, or below a file, is FS_NONE and no error. */
	bool (*stat)(void *self, const char *path, struct fs_stat *out, struct err *e);
	/* Whether this process may write to a file of this mode, root included. */
	bool (*may_write)(void *self, const char *path, const struct fs_stat *st);
	/* Where writes to `path` really go: all links resolved; missing last parts are kept. */
	bool (*resolve)(void *self, const char *path, struct buf *out, struct err *e);
	/* Appends the text of a regular file; another kind is ERR_INVALID, and never blocks.
	 * `seen`, which may be NULL: what the file was right before its text was read. */
	bool (*read)(void *self, const char *path, struct buf *out, struct fs_stat *seen,
		     struct err *e);
	/* A new file, which must not be there yet; not synced. If it fails, nothing is left. */
	bool (*create)(void *self, const char *path, struct str data, unsigned mode, struct err *e);
	/* New bytes into the file that is there, for one with several hard links; synced. Not
	 * atomic. */
	bool (*overwrite)(void *self, const char *path, struct str data, struct err *e);
	/* Owner, mode, and extended attributes of `like`, as far as permitted; never the right to
	 * run as another user. */
	bool (*copy_meta)(void *self, const char *like, const char *to, struct err *e);
	/* Returns once the bytes of all these files are on the disk. ERR_NOT_FOUND: some are not
	 * there, and those of all others are; any other error of one comes before it. */
	bool (*sync)(void *self, const char *const *paths, size_t n, struct err *e);
	bool (*sync_dir)(void *self, const char *dir, struct err *e);
	/* Swaps two names at once; ERR_UNSUPPORTED where the file system cannot. */
	bool (*exchange)(void *self, const char *a, const char *b, struct err *e);
	/* A second name for a file; `to` must not be there. */
	bool (*link)(void *self, const char *from, const char *to, struct err *e);
	/* A symbolic link where nothing may be yet, and what one leads to. Of what is not a link,
	 * ERR_INVALID. */
	bool (*symlink)(void *self, struct str leads_to, const char *path, struct err *e);
	bool (*readlink)(void *self, const char *path, struct buf *out, struct err *e);
	/* The permission bits, not through a link; not synced. */
	bool (*chmod)(void *self, const char *path, unsigned mode, struct err *e);
	/* `to` must not be there. */
	bool (*rename)(void *self, const char *from, const char *to, struct err *e);
	bool (*replace)(void *self, const char *from, const char *to, struct err *e);
	bool (*remove)(void *self, const char *path, struct err *e);
	bool (*mkdir)(void *self, const char *path, unsigned mode, struct err *e);
	bool (*rmdir)(void *self, const char *path, struct err *e);
	/* Appends at most `n` bytes from `at` on, fewer where the file ends; not through a link.
	 * `lock`: what lock() or open() gave for that very file, which then is not sought again, or
	 * FS_UNHELD. */
	bool (*peek)(void *self, const char *path, int lock, uint64_t at, size_t n, struct buf *out,
		     struct err *e);
	/* Puts pieces, one behind the other, over what is in a file from `at` on; the rest stays.
	 * `lock` as in peek(). */
	bool (*patch)(void *self, const char *path, int lock, uint64_t at, const struct str *piece,
		      size_t n, enum fs_sync sync, struct err *e);
	/* Text, in pieces, into a file that blank() has made fit for it, and then what copy_meta()
	 * copies; not synced. `is`: what `like` is, of whoever looks later whether it still is
	 * that; else NULL. `now`: what the file is then. ERR_CONFLICT: it is another sort of file.
	 * If it fails, the file is empty. */
	bool (*fill)(void *self, const char *path, const struct str *piece, size_t n,
		     const char *like, const struct fs_stat *is, struct fs_stat *now,
		     struct err *e);
	/* Makes a file fit for another text: empty or all zeros, mode 0600, without attributes; not
	 * synced. False where it cannot be, as when somebody has it open or it has another name. */
	bool (*blank)(void *self, const char *path, struct err *e);
	/* Holds `n` spots of a lock file, or all of it if n is 0, until unlock() or the end of the
	 * process, however that comes. Makes the file. `spot` is sorted. With `wait`, waits some
	 * seconds for another holder; then, or else, ERR_CONFLICT. */
	bool (*lock)(void *self, const char *path, const uint64_t *spot, size_t n, bool wait,
		     int *lock, struct err *e);
	void (*unlock)(void *self, int lock);
	/* Gives a lock back and leaves its file open, for relock(), which is lock() for whoever has
	 * the file: ERR_NOT_FOUND where the name no longer leads to it. Closed by unlock(), whether
	 * it is held or not. */
	void (*leave)(void *self, int lock);
	bool (*relock)(void *self, const char *path, const uint64_t *spot, size_t n, bool wait,
		       int lock, struct err *e);
	/* A file that is there, for peek() and patch(); held by nobody. Closed by unlock(). */
	bool (*open)(void *self, const char *path, int *lock, struct err *e);
	/* Names in a directory, each with a NUL behind it, sorted by bytes. */
	bool (*list)(void *self, const char *dir, struct buf *names, struct err *e);
	/* Whether any change of the names in a directory that was `st` a moment ago shows in its
	 * ctime_ns from here on. */
	bool (*settled)(void *self, const char *dir, const struct fs_stat *st);
	/* Calls one() for each i below n, in any order and on several processors at once, and
	 * returns when all have returned. False, with the error of one that failed; then some may
	 * not have been called. */
	bool (*each)(void *self, size_t n, fs_each *one, void *arg, struct err *e);
};

#endif
