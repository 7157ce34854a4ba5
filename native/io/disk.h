#ifndef OX_DISK_H
#define OX_DISK_H

#include "../base/fs.h"

/*
 * The real file system. Every call blocks and may run on a worker; none but lock() and open() keeps
 * a descriptor, and none keeps memory. Reads are of regular files of at most FS_READ_MAX bytes and
 * never wait for the other end of a FIFO; new files are never written through a link.
 */

const struct fs *disk_fs(void);

/* realpath() that no signal ends; `real` has room for PATH_MAX. False and errno. */
bool disk_real(const char *path, char *real);

/*
 * Whether `path` is `root` or lies below it once every link in both is followed; its last parts
 * may be missing. Else ERR_DENIED, telling where it leads. Directories are compared by what they
 * are and never by their names, so case, bind mounts and ".." cannot deceive it. It is true of the
 * moment of the call: ask right before writing.
 */
bool disk_below(const char *root, const char *path, struct err *e);
/* Whether the path is there and no link is in it, as far as one question to the kernel tells.
 */
bool disk_is_straight(const char *root, const char *path);

bool disk_write_all(int fd, struct str data); /* false and errno */
/* Appends the next n bytes of a regular file, read by several processors at once, if they are many
 * and all there; else nothing. read() goes on behind them, for whose end there is room. */
void disk_read_shared(int fd, size_t n, struct buf *out);
/* The process of this number; pid 0 for none. */
void disk_process(struct fs_process *out, int64_t pid);
/* Whether a process of that number may be a Vim or Neovim, by the name of its program; true where
 * that cannot be known. So a number that was given out again is not taken for one. */
bool disk_may_be_vi(int64_t pid);

#endif
