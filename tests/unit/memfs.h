#ifndef MEMFS_H
#define MEMFS_H

#include <base/fs.h>

/*
 * A file system in memory for tests, whose n-th call fails. Files, folders and hard links; names
 * below a folder that is not there are refused. It watches what a careful writer must do: a text
 * takes another's name only once it is synced, and a folder is synced after its names changed.
 */
struct memfs {
	struct fs fs; /* pass &m.fs */
	struct mem_name *name;
	size_t n, cap;
	uint64_t next_ino, clock;
	/* Set these at any time. */
	unsigned fail_at; /* this call fails, counted from 1; 0: none */
	enum err_code fail_code;
	bool fail_torn; /* an overwrite that fails leaves half of the new text */
	bool no_exchange, no_link;
	/* Called before each call. */
	void (*before)(struct memfs *m, const char *call, const char *path);
	void *arg;
	/* Read these. */
	unsigned calls;
	unsigned unsynced; /* names given to a text that was not synced */
};

void memfs_init(struct memfs *m);
void memfs_release(struct memfs *m);
void memfs_put(struct memfs *m, const char *path, const char *text, unsigned mode);
void memfs_put_dir(struct memfs *m, const char *path);
void memfs_put_link(struct memfs *m, const char *from, const char *to); /* a hard link */
void memfs_take(struct memfs *m, const char *path);
/* All names, kinds, modes and texts, in order: the same for the same tree. */
void memfs_dump(const struct memfs *m, struct buf *out);
bool memfs_dirs_synced(const struct memfs *m);

#endif
