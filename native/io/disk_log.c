#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#endif

#include "../base/hash.h"
#include "disk_impl.h"

/* What a journal and its reusable temporaries need of the disk. */

#define LOCK_WAIT_MS 10000
#define PIECES	     256	/* for one call of the system */
#define BLANK_KEEP   (64 << 10) /* bytes of a blank file whose place on the disk is kept */

/* It is asked for several times for each change, and is another one only in another process. */
static uint64_t boot_id(void)
{
#ifdef __linux__
	static atomic_uint_least64_t known;
	char id[64];
	ssize_t n = 0;
	int fd;

	if (known)
		return known;
	fd = disk_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
	if (fd >= 0) {
		RETRY(n, read(fd, id, sizeof(id)));
		close(fd);
	}
	if (n > 0)
		known = hash_of((struct str){ id, (size_t)n });
	return known;
#else
	return 0;
#endif
}

void disk_here(void *self, struct fs_here *out)
{
	static atomic_uint calls;
	struct timespec now = { 0 };
	uint64_t v[4];

	(void)self;
	clock_gettime(CLOCK_MONOTONIC, &now);
	v[0] = (uint64_t)getpid();
	v[1] = (uint64_t)now.tv_sec;
	v[2] = (uint64_t)now.tv_nsec;
	v[3] = atomic_fetch_add(&calls, 1);
	out->user = (uint64_t)geteuid();
	out->boot = boot_id();
	out->unique = hash_of((struct str){ (const char *)v, sizeof(v) });
}

static bool is_regular(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return false;
	errno = EINVAL;
	return S_ISREG(st->st_mode);
}

/* The same of one that is held, whose name must still be there. Nobody asks for its times: a kernel
 * that keeps them exactly writes the inode again at the next change of a file that was asked. */
static bool is_named(int fd, int lock, uint64_t *size)
{
	struct stat st;
#ifdef STATX_NLINK
	struct statx x;

	/* A sandbox that does not know the call refuses it: then it is asked as ever. */
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_NLINK | STATX_SIZE, &x)) {
		*size = x.stx_size;
		errno = S_ISREG(x.stx_mode) ? ENOENT : EINVAL;
		return S_ISREG(x.stx_mode) && (fd != lock || x.stx_nlink);
	}
#endif
	if (!is_regular(fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	errno = ENOENT;
	return fd != lock || st.st_nlink;
}

bool disk_peek(void *self, const char *path, int lock, uint64_t at, size_t n, struct buf *out,
	       struct err *e)
{
	int fd = lock, why = 0;
	uint64_t size;

	(void)self;
	if (fd < 0)
		fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return disk_fail(e, errno, path);
	if (!is_named(fd, lock, &size))
		why = errno;
	else if (size < at + n)
		n = size < at ? 0 : (size_t)(size - at);
	while (n && !why) {
		ssize_t got;

		RETRY(got, pread(fd, buf_room(out, n), n, (off_t)at));
		if (got < 0)
			why = errno;
		if (!got)
			break;
		if (got > 0) {
			out->n += (size_t)got;
			at += (size_t)got;
			n -= (size_t)got;
		}
	}
	buf_room(out, 0);
	buf_end(out);
	if (fd != lock)
		close(fd);
	return !why || disk_fail(e, why, path);
}

/* Some pieces from *i on, of the first of which *done bytes are written. */
static ssize_t write_some(int fd, const struct str *piece, size_t n, size_t i, size_t done,
			  uint64_t at)
{
	struct iovec v[PIECES];
	ssize_t wrote;
	int k = 0;

	for (; i < n && k < PIECES; i++, done = 0)
		v[k++] = (struct iovec){ (char *)piece[i].p + done, piece[i].n - done };
	RETRY(wrote, pwritev(fd, v, k, (off_t)at));
	return wrote;
}

static bool write_pieces(int fd, const struct str *piece, size_t n, uint64_t at, bool hurry)
{
	size_t i = 0, done = 0;

	for (;;) {
		ssize_t got;

		while (i < n && done == piece[i].n) {
			i++;
			done = 0;
		}
		if (i == n)
			return true;
		got = write_some(fd, piece, n, i, done, at);
		if (got < 0)
			return false;
		/* The disk may as well begin with what is much, while the rest is being copied. */
		if (hurry && got > 1 << 18)
			disk_begin(fd, at, (size_t)got);
		at += (uint64_t)got;
		for (size_t left = (size_t)got; left;) {
			size_t here = piece[i].n - done;

			here = here < left ? here : left;
			done += here;
			left -= here;
			if (done == piece[i].n) {
				i++;
				done = 0;
			}
		}
	}
}

bool disk_patch(void *self, const char *path, int lock, uint64_t at, const struct str *piece,
		size_t n, enum fs_sync sync, struct err *e)
{
	int fd = lock, why = 0;
	uint64_t size;

	(void)self;
	if (fd < 0)
		fd = disk_open_no_symlinks(path, O_WRONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	if (!is_named(fd, lock, &size) || !write_pieces(fd, piece, n, at, true) ||
	    (sync == FS_NOW && disk_flush_data(fd)))
		why = errno;
	if (!why && sync == FS_BEGIN)
		disk_begin(fd, 0, 0);
	if (fd != lock && !disk_closed(fd) && !why)
		why = errno;
	return !why || disk_fail(e, why, path);
}

static uint64_t length(const struct str *piece, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += piece[i].n;
	return all;
}

/* Nothing can be read in it but zeros. */
static bool disk_log_is_blank(int fd, const struct stat *st)
{
#ifdef SEEK_DATA
	if (st->st_size && lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO)
		return true;
#else
	(void)fd;
#endif
	return !st->st_size;
}

bool disk_fill(void *self, const char *path, const struct str *piece, size_t n, const char *like,
	       const struct fs_stat *is, struct fs_stat *now, struct err *e)
{
	int fd = disk_open_no_symlinks(path, O_WRONLY | O_NONBLOCK, 0), why = 0;
	struct stat st;

	(void)self;
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	if (!is_regular(fd, &st) || !disk_log_is_blank(fd, &st) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || (st.st_mode & 07777) != 0600) {
		close(fd);
		return err_set(e, ERR_CONFLICT, "%s: is not an unused journal file", path);
	}
	if (!write_pieces(fd, piece, n, 0, false) ||
	    ((uint64_t)st.st_size > length(piece, n) && disk_cut(fd, length(piece, n))) ||
	    !disk_take_meta(fd, like, is, &st, true) || fstat(fd, &st)) {
		why = errno == ENOENT ? EIO : errno; /* not `path` is what is missing */
		if (disk_cut(fd, 0))
			why = errno;
	}
	if (!disk_closed(fd) && !why)
		why = errno;
	disk_describe(now, &st);
	return !why || disk_fail(e, why, path);
}

#ifdef __linux__
/* A label of the system's own is put right when the next text comes; nothing else may stay. */
static bool strip(int fd)
{
	char names[4096];
	ssize_t n = flistxattr(fd, names, sizeof(names));

	if (n < 0)
		return errno == ENOTSUP;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (strcmp(names + at, "security.selinux") != 0 && fremovexattr(fd, names + at))
			return false;
	return true;
}

static bool plain_flags(int fd)
{
	const unsigned odd = FS_SECRM_FL | FS_UNRM_FL | FS_COMPR_FL | FS_SYNC_FL | FS_IMMUTABLE_FL |
			     FS_APPEND_FL | FS_NODUMP_FL | FS_NOATIME_FL | FS_ENCRYPT_FL |
			     FS_NOCOW_FL | FS_PROJINHERIT_FL | FS_JOURNAL_DATA_FL;
	unsigned flags = 0;

	return ioctl(fd, FS_IOC_GETFLAGS, &flags) ? errno == ENOTTY || errno == EOPNOTSUPP
						  : !(flags & odd);
}

/* Giving its place on the disk back and finding another one for the next text takes longer than
 * writing that text, so a small file keeps it. Of whole blocks, which then count as never written.
 */
static bool empty(int fd, const struct stat *st)
{
	off_t over = st->st_size % st->st_blksize;
	int bad = -1;

	if (st->st_size && st->st_size <= BLANK_KEEP)
		RETRY(bad, fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0,
				     over ? st->st_size - over + st->st_blksize : st->st_size));
	return !bad || !disk_cut(fd, 0);
}

static bool make_blank(int fd)
{
	struct stat st;

	if (!is_regular(fd, &st))
		return false;
	/* Another program that has the old file open must not come to see, or to write, a new
	 * text. */
	errno = EBUSY;
	if (st.st_nlink != 1 || !disk_lease(fd, F_WRLCK))
		return false;
	if ((st.st_uid != geteuid() || st.st_gid != getegid()) && fchown(fd, geteuid(), getegid()))
		return false;
	errno = EBUSY;
	return strip(fd) && plain_flags(fd) && !fchmod(fd, 0600) && empty(fd, &st);
}
#else
static bool make_blank(int fd)
{
	(void)fd;
	errno = ENOSYS;
	return false;
}
#endif

bool disk_blank(void *self, const char *path, struct err *e)
{
	int fd = disk_open_no_symlinks(path, O_RDWR | O_NONBLOCK, 0), why = 0;

	(void)self;
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	if (!make_blank(fd))
		why = errno;
	close(fd);
	return !why || disk_fail(e, why, path);
}

/* One spot, or all of the file. These locks belong to the open file: the kernel gives them back
 * when it is closed, whatever the process died of, and a second opening is another holder. */
static int set_spot(int fd, const uint64_t *spot, bool take)
{
#ifdef F_OFD_SETLK
	struct flock range = { .l_type = take ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET };
	int bad;

	if (spot) {
		range.l_start = (off_t)(*spot & INT64_MAX >> 1);
		range.l_len = 1;
	}
	RETRY(bad, fcntl(fd, F_OFD_SETLK, &range));
	return bad;
#else
	int bad;

	(void)spot;
	RETRY(bad, flock(fd, take ? LOCK_EX | LOCK_NB : LOCK_UN));
	return bad;
#endif
}

static bool take_spot(int fd, const uint64_t *spot, int *left_ms)
{
	int nap_ms = 1;

	while (set_spot(fd, spot, true)) {
		if (errno != EAGAIN && errno != EACCES && errno != EWOULDBLOCK)
			return false;
		if (*left_ms <= 0) {
			errno = EAGAIN;
			return false;
		}
		nanosleep(&(struct timespec){ .tv_nsec = nap_ms * 1000000L }, NULL);
		*left_ms -= nap_ms;
		nap_ms = nap_ms < 16 ? nap_ms * 2 : nap_ms;
	}
	return true;
}

/* A file that is one's own can be read without a note of when, which is a write. */
static int open_lock(const char *path)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
#ifdef O_NOATIME
	int fd = disk_open(path, flags | O_NOATIME, 0600);

	if (fd >= 0 || errno != EPERM)
		return fd;
#endif
	return disk_open(path, flags, 0600);
}

/* Somebody may have removed the file between the opening and the lock. */
static bool still_there(const struct stat *opened, const char *path)
{
	struct stat now;

	return !lstat(path, &now) && opened->st_dev == now.st_dev && opened->st_ino == now.st_ino;
}

/* From the last to the first, which the kernel's sorted list takes in one step each. */
static bool take_spots(int fd, const uint64_t *spot, size_t n, int *left_ms)
{
	bool ok = n || take_spot(fd, NULL, left_ms);

	for (size_t i = n; ok && i--;)
		ok = take_spot(fd, &spot[i], left_ms);
	return ok;
}

static bool not_taken(struct err *e, int why, const char *path)
{
	if (why == EAGAIN)
		return err_set(e, ERR_CONFLICT, "%s: is held by another process", path);
	return disk_fail(e, why, path);
}

bool disk_lock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait, int *lock,
	       struct err *e)
{
	int left_ms = wait ? LOCK_WAIT_MS : 0, fd, why;
	struct stat st;
	bool ok;

	(void)self;
	do {
		fd = open_lock(path);
		if (fd < 0)
			return disk_fail(e, errno, path);
		ok = is_regular(fd, &st) && take_spots(fd, spot, n, &left_ms);
		why = errno;
		if (ok && still_there(&st, path)) {
			*lock = fd;
			return true;
		}
		close(fd);
	} while (ok);
	return not_taken(e, why, path);
}

void disk_unlock(void *self, int lock)
{
	(void)self;
	close(lock);
}

void disk_leave(void *self, int lock)
{
	(void)self;
	set_spot(lock, NULL, false);
}

bool disk_relock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait, int lock,
		 struct err *e)
{
	int left_ms = wait ? LOCK_WAIT_MS : 0;
	struct stat st;

	if (!fstat(lock, &st) && take_spots(lock, spot, n, &left_ms)) {
		if (still_there(&st, path))
			return true;
		errno = ENOENT;
	}
	not_taken(e, errno, path);
	disk_leave(self, lock); /* what it has of them */
	return false;
}

bool disk_open_file(void *self, const char *path, int *lock, struct err *e)
{
	(void)self;
	*lock = disk_open_no_symlinks(path, O_RDWR | O_NONBLOCK, 0);
	return *lock >= 0 || disk_fail_symlink(e, errno, path);
}
