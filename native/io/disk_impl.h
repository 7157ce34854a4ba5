#ifndef OX_DISK_IMPL_H
#define OX_DISK_IMPL_H

#include <sys/stat.h>

#include "../base/fs.h"
#include "../base/retry.h"

/* Shared by disk_*.c alone; the members of struct fs that have a file of their own. */

/* "PATH: reason" with the code that fs.h promises for this errno; returns false. */
bool disk_fail(struct err *e, int why, const char *path);
/* Opens with O_CLOEXEC and never gives up for a signal; -1 and errno. */
int disk_open(const char *path, int flags, unsigned mode);
int disk_open_at(int dir, const char *path, int flags, unsigned mode);
/* The same for a resolved path: a link in it, or at its end, is ELOOP. */
int disk_open_no_symlinks(const char *path, int flags, unsigned mode);
/* disk_fail() for that. */
bool disk_fail_symlink(struct err *e, int why, const char *path);
int disk_flush(int fd); /* fsync(), as far down as the system can; 0, or -1 and errno */
/* The same for the bytes alone, and what is needed to find them. */
int disk_flush_data(int fd);
/* The disk begins with n bytes from `at` on, 0: all; what fails the next sync tells. */
void disk_begin(int fd, uint64_t at, size_t n);
int disk_cut(int fd, uint64_t size); /* ftruncate() that no signal ends; 0, or -1 and errno */
/* close() that counts as failed only when bytes may be lost. */
bool disk_closed(int fd);

void disk_describe(struct fs_stat *out, const struct stat *st);
/* Whether every change of an open file's text from here on will show in its ctime. */
bool disk_settled(int fd, const struct stat *st);
bool disk_dir_settled(void *self, const char *dir, const struct fs_stat *st);
/* A lease of an open file, given back at once: whether nobody else has it open (F_WRLCK), or has it
 * open for writing (F_RDLCK). */
bool disk_lease(int fd, int type);
/* copy_meta() to an open file, of which `now` was found out. `bare`: it has no attributes yet.
 * `is`: what `like` is; NULL: not known. */
bool disk_take_meta(int to, const char *like, const struct fs_stat *is, const struct stat *now,
		    bool bare);
/* Where a name of a resolved path is, for calls that end in "at"; close `dir`. */
struct disk_parent {
	int dir;
	const char *name; /* in `path` */
};
bool disk_open_parent(struct disk_parent *p, const char *path, struct err *e);

bool disk_resolve(void *self, const char *path, struct buf *out, struct err *e);
bool disk_copy_meta(void *self, const char *like, const char *to, struct err *e);
bool disk_chmod(void *self, const char *path, unsigned mode, struct err *e);
bool disk_symlink(void *self, struct str leads_to, const char *path, struct err *e);
bool disk_readlink(void *self, const char *path, struct buf *out, struct err *e);
/* read() of an open file, of at most so many bytes. */
bool disk_read_open(int fd, const char *path, uint64_t most, struct buf *out, struct fs_stat *seen,
		    struct err *e);
unsigned disk_processors(void);
/* disk_each() with so many threads, this one included. */
bool disk_spread(unsigned threads, size_t n, fs_each *one, void *arg, struct err *e);
bool disk_each(void *self, size_t n, fs_each *one, void *arg, struct err *e);
bool disk_sync(void *self, const char *const *paths, size_t n, struct err *e);
bool disk_sync_dir(void *self, const char *dir, struct err *e);
bool disk_exchange(void *self, const char *a, const char *b, struct err *e);
bool disk_link(void *self, const char *from, const char *to, struct err *e);
void disk_here(void *self, struct fs_here *out);
bool disk_lives(void *self, const struct fs_process *process);
bool disk_peek(void *self, const char *path, int lock, uint64_t at, size_t n, struct buf *out,
	       struct err *e);
bool disk_patch(void *self, const char *path, int lock, uint64_t at, const struct str *piece,
		size_t n, enum fs_sync sync, struct err *e);
bool disk_fill(void *self, const char *path, const struct str *piece, size_t n, const char *like,
	       const struct fs_stat *is, struct fs_stat *now, struct err *e);
bool disk_blank(void *self, const char *path, struct err *e);
bool disk_lock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait, int *lock,
	       struct err *e);
void disk_unlock(void *self, int lock);
void disk_leave(void *self, int lock);
bool disk_relock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait, int lock,
		 struct err *e);
bool disk_open_file(void *self, const char *path, int *lock, struct err *e);
bool disk_rename(void *self, const char *from, const char *to, struct err *e);
bool disk_replace(void *self, const char *from, const char *to, struct err *e);
bool disk_remove(void *self, const char *path, struct err *e);
bool disk_mkdir(void *self, const char *path, unsigned mode, struct err *e);
bool disk_rmdir(void *self, const char *path, struct err *e);

#endif
