#ifndef MEMFS_H
#define MEMFS_H

#include <base/fs.h>

/*
 * A file system in memory for tests, whose n-th call fails, or is the last before the machine or
 * the process stops. Files, folders, hard and symbolic links; names below a folder that is not
 * there are refused. It knows what a careful writer must know: bytes are on the disk only once the
 * file was synced, and a name once its folder was (both folders, where two change). What is not may
 * be lost when the machine stops, each thing by itself; what a process did before it was killed
 * stays.
 */
#define MEMFS_HOME "/journal" /* for journals; not part of what memfs_dump() tells */

struct memfs {
	struct fs fs; /* pass &m.fs */
	struct mem_name *name;
	size_t n, cap;
	struct mem_log *log; /* what is not on the disk yet, if it is kept */
	struct mem_lock *locks;
	size_t n_locks, lock_cap;
	uint64_t boot, unique;
	uint64_t lives; /* the one process beside ours */
	uint64_t next_ino, clock;
	/* Set these at any time. */
	unsigned fail_at; /* this call fails, counted from 1; 0: none */
	enum err_code fail_code;
	bool fail_torn; /* an overwrite that fails leaves half of the new text */
	bool no_exchange, no_link, no_blank;
	bool backwards;	  /* what may come in any order begins with the last */
	bool fold;	  /* capital letters in names are the same as small ones */
	bool coarse;	  /* the clock that stamps files stands still; memfs_put() alone heeds it */
	unsigned stop_at; /* this call and all after it do nothing and fail */
	bool stop_torn;	  /* but the first, if it writes bytes, writes half of them */
	const char *other_dev; /* what lies below this is on another file system */
	/* Called before each call. */
	void (*before)(struct memfs *m, const char *call, const char *path);
	void *arg;
	unsigned calls; /* read this */
};

void memfs_init(struct memfs *m);
void memfs_release(struct memfs *m);
void memfs_put(struct memfs *m, const char *path, const char *text, unsigned mode);
void memfs_put_dir(struct memfs *m, const char *path);
void memfs_put_link(struct memfs *m, const char *from, const char *to); /* a hard link */
void memfs_put_symlink(struct memfs *m, const char *path, const char *leads_to);
void memfs_take(struct memfs *m, const char *path);
/* All names, kinds, modes and texts, in order: the same for the same tree. */
void memfs_dump(const struct memfs *m, struct buf *out);
void memfs_copy(struct memfs *to, const struct memfs *from); /* all of it; `to` is new */
bool memfs_is_blank(struct str text);			     /* nothing but zeros */
/* From here on it is known what is on the disk: all that is there now, and what is synced. */
void memfs_record(struct memfs *m);
/* How many things may be lost. */
size_t memfs_pending(const struct memfs *m);
/* The process is killed: its locks are free. */
void memfs_kill(struct memfs *m);
/* The machine stops and starts again. Of the i-th thing that may be lost, lose() says whether it
 * is: 0 no, 1 yes, 2 half of it, if it is bytes. */
void memfs_crash(struct memfs *m, int (*lose)(void *arg, size_t i), void *arg);

#endif
