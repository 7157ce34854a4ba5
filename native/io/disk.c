#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "disk_impl.h"

static enum err_code code_of(int why)
{
	switch (why) {
	case ENOENT:
	case ENOTDIR:
		return ERR_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return ERR_DENIED;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EMFILE:
	case ENFILE:
	case ENAMETOOLONG:
		return ERR_LIMIT;
	case EEXIST:
	case ENOTEMPTY:
		return ERR_CONFLICT;
	case ENOSYS:
	case EOPNOTSUPP:
	case EXDEV:
		return ERR_UNSUPPORTED;
	default:
		return ERR_IO;
	}
}

/* Of a very long path the end is shown, so that the reason is not cut off. */
#define SHOWN 200

bool disk_fail(struct err *e, int why, const char *path)
{
	size_t n = strlen(path), hidden = n > SHOWN ? n - SHOWN : 0;

	return err_set(e, code_of(why), "%s%s: %s", hidden ? "..." : "", path + hidden,
		       strerror(why));
}

int disk_open_at(int dir, const char *path, int flags, unsigned mode)
{
	int fd;

	RETRY(fd, openat(dir, path, flags | O_CLOEXEC | O_NOCTTY, (mode_t)mode));
	return fd;
}

int disk_open(const char *path, int flags, unsigned mode)
{
	return disk_open_at(AT_FDCWD, path, flags, mode);
}

static int64_t nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void disk_describe(struct fs_stat *out, const struct stat *st)
{
	out->kind = S_ISREG(st->st_mode) ? FS_FILE : S_ISDIR(st->st_mode) ? FS_DIR : FS_OTHER;
	out->dev = (uint64_t)st->st_dev;
	out->ino = (uint64_t)st->st_ino;
	out->size = (uint64_t)st->st_size;
#ifdef __APPLE__
	out->mtime_ns = nanoseconds(st->st_mtimespec);
	out->ctime_ns = nanoseconds(st->st_ctimespec);
#else
	out->mtime_ns = nanoseconds(st->st_mtim);
	out->ctime_ns = nanoseconds(st->st_ctim);
#endif
	out->mode = st->st_mode & 07777;
	out->links = (unsigned)st->st_nlink;
	out->user = (uint64_t)st->st_uid;
	out->group = (uint64_t)st->st_gid;
}

static bool leads_nowhere(int why)
{
	return why == ENOENT || why == ENOTDIR || why == ELOOP;
}

static bool disk_stat(void *self, const char *path, struct fs_stat *out, struct err *e)
{
	struct stat st;
	int bad;

	(void)self;
	*out = (struct fs_stat){ .kind = FS_NONE };
	RETRY(bad, lstat(path, &st));
	if (bad)
		return leads_nowhere(errno) || disk_fail(e, errno, path);
	out->link = S_ISLNK(st.st_mode);
	if (out->link)
		RETRY(bad, stat(path, &st));
	if (bad)
		return leads_nowhere(errno) || disk_fail(e, errno, path);
	disk_describe(out, &st);
	return true;
}

/* access() grants root everything; the owner's wish not to have it written counts too. */
static bool disk_may_write(void *self, const char *path, const struct fs_stat *st)
{
	int bad = -1;

	(void)self;
	if (st->mode & 0222)
		RETRY(bad, faccessat(AT_FDCWD, path, W_OK, AT_EACCESS));
	return !bad;
}

/* The file behind an open descriptor, if it is one that can be read or written as a whole. */
static bool regular(int fd, const char *path, struct stat *st, struct err *e)
{
	int bad;

	RETRY(bad, fstat(fd, st));
	if (bad)
		return disk_fail(e, errno, path);
	if (S_ISDIR(st->st_mode))
		return err_set(e, ERR_INVALID, "%s: is a directory", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, ERR_INVALID, "%s: is not a regular file", path);
	return true;
}

static bool too_large(const char *path, uint64_t most, struct err *e)
{
	return err_set(e, ERR_LIMIT, "%s: is larger than %llu MiB, the limit", path,
		       (unsigned long long)(most >> 20));
}

static bool disk_read_all(int fd, const char *path, uint64_t size, uint64_t most, struct buf *out,
			  struct err *e)
{
	size_t before = out->n, more;

	if (size > most)
		return too_large(path, most, e);
	/* One byte more, so that the end is met without growing again. */
	disk_read_shared(fd, (size_t)size, out);
	more = (size_t)size + 1 - (out->n - before);
	for (;;) {
		ssize_t n;

		RETRY(n, read(fd, buf_room(out, more), more));
		if (n < 0)
			return disk_fail(e, errno, path);
		if (!n)
			break;
		out->n += (size_t)n;
		more = (size_t)n < more ? more - (size_t)n : 65536;
		if (out->n - before > most)
			return too_large(path, most, e);
	}
	buf_end(out);
	return true;
}

bool disk_read_open(int fd, const char *path, uint64_t most, struct buf *out, struct fs_stat *seen,
		    struct err *e)
{
	size_t before = out->n;
	struct stat st;
	bool ok = regular(fd, path, &st, e);

	if (ok && seen) {
		*seen = (struct fs_stat){ .settled = disk_settled(fd, &st) };
		disk_describe(seen, &st);
	}
	ok = ok && disk_read_all(fd, path, (uint64_t)st.st_size, most, out, e);
	if (!ok) {
		out->n = before;
		buf_room(out, 0);
		buf_end(out);
	}
	return ok;
}

static bool disk_read(void *self, const char *path, struct buf *out, struct fs_stat *seen,
		      struct err *e)
{
	/* O_NONBLOCK: a FIFO without a writer must not hold the caller. */
	int fd = disk_open(path, O_RDONLY | O_NONBLOCK, 0);
	bool ok;

	(void)self;
	if (fd < 0)
		return disk_fail(e, errno, path);
	ok = disk_read_open(fd, path, FS_READ_MAX, out, seen, e);
	close(fd);
	return ok;
}

int disk_cut(int fd, uint64_t size)
{
	int bad;

	RETRY(bad, ftruncate(fd, (off_t)size));
	return bad;
}

bool disk_write_all(int fd, struct str data)
{
	while (data.n) {
		ssize_t n;

		RETRY(n, write(fd, data.p, data.n));
		if (n < 0)
			return false;
		data = str_sub(data, (size_t)n, data.n);
	}
	return true;
}

/* After EINTR the descriptor is gone all the same (Linux), and nothing was lost by it. */
bool disk_closed(int fd)
{
	return !close(fd) || errno == EINTR;
}

static bool disk_create(void *self, const char *path, struct str data, unsigned mode, struct err *e)
{
	int fd = disk_open_no_symlinks(path, O_WRONLY | O_CREAT | O_EXCL, mode), why = 0;

	(void)self;
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	if (!disk_write_all(fd, data))
		why = errno;
	if (!disk_closed(fd) && !why)
		why = errno;
	if (!why)
		return true;
	disk_remove(self, path, e);
	return disk_fail(e, why, path);
}

/* Takes the room first, so that a full disk is noticed while the old text still is whole. */
static int disk_rewrite(int fd, const struct stat *st, struct str data)
{
#ifdef __linux__
	off_t end = (off_t)data.n;
	int bad = 0;

	if (end > st->st_size)
		RETRY(bad, fallocate(fd, 0, st->st_size, end - st->st_size));
	if (bad && errno != EOPNOTSUPP && errno != ENOSYS) {
		int why = errno;

		return disk_cut(fd, (uint64_t)st->st_size) ? errno : why;
	}
#else
	(void)st;
#endif
	if (!disk_write_all(fd, data) || disk_cut(fd, data.n) || disk_flush(fd))
		return errno;
	return 0;
}

static bool disk_overwrite(void *self, const char *path, struct str data, struct err *e)
{
	int fd = disk_open_no_symlinks(path, O_WRONLY | O_NONBLOCK, 0), why;
	struct stat st;

	(void)self;
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	if (!regular(fd, path, &st, e)) {
		close(fd);
		return false;
	}
	why = disk_rewrite(fd, &st, data);
	if (!disk_closed(fd) && !why)
		why = errno;
	return !why || disk_fail(e, why, path);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool disk_list(void *self, const char *dir, struct buf *names, struct err *e)
{
	int fd = disk_open(dir, O_RDONLY | O_DIRECTORY, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	char **v = NULL;
	size_t n = 0, cap = 0;
	struct dirent *entry;
	int why;

	(void)self;
	if (!d) {
		why = errno;
		if (fd >= 0)
			close(fd);
		return disk_fail(e, why, dir);
	}
	while ((errno = 0, entry = readdir(d)) || errno == EINTR) {
		if (!entry)
			continue;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		mem_add(v, n, cap, mem_dup(entry->d_name, strlen(entry->d_name)));
	}
	why = errno;
	closedir(d);
	if (n)
		qsort(v, n, sizeof(*v), by_bytes);
	for (size_t i = 0; i < n; i++) {
		if (!why)
			buf_add(names, (struct str){ v[i], strlen(v[i]) + 1 });
		free(v[i]);
	}
	free(v);
	return !why || disk_fail(e, why, dir);
}

const struct fs *disk_fs(void)
{
	static const struct fs fs = {
		.here = disk_here,
		.lives = disk_lives,
		.stat = disk_stat,
		.may_write = disk_may_write,
		.resolve = disk_resolve,
		.read = disk_read,
		.create = disk_create,
		.overwrite = disk_overwrite,
		.copy_meta = disk_copy_meta,
		.sync = disk_sync,
		.sync_dir = disk_sync_dir,
		.exchange = disk_exchange,
		.link = disk_link,
		.symlink = disk_symlink,
		.readlink = disk_readlink,
		.chmod = disk_chmod,
		.rename = disk_rename,
		.replace = disk_replace,
		.remove = disk_remove,
		.mkdir = disk_mkdir,
		.rmdir = disk_rmdir,
		.peek = disk_peek,
		.patch = disk_patch,
		.fill = disk_fill,
		.blank = disk_blank,
		.lock = disk_lock,
		.unlock = disk_unlock,
		.leave = disk_leave,
		.relock = disk_relock,
		.open = disk_open_file,
		.list = disk_list,
		.settled = disk_dir_settled,
		.each = disk_each,
	};

	return &fs;
}
