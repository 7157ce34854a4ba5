#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "disk_impl.h"

/*
 * Getting bytes and names safely to the disk. Many files are synced by several threads: the file
 * system then commits its log once for all that wait, and the disk empties its cache once. syncfs()
 * would be quicker still, but waits for everything that other programs have written, and cannot say
 * which file failed.
 */
#define SYNC_LEAST 8
#define SYNC_MOST  32
#define SYNC_EACH  16 /* files, for one more thread */

int disk_flush(int fd)
{
	int bad;

#ifdef F_FULLFSYNC
	RETRY(bad, fcntl(fd, F_FULLFSYNC));
	if (!bad)
		return 0;
#endif
	RETRY(bad, fsync(fd));
	return bad;
}

int disk_flush_data(int fd)
{
#ifdef __linux__
	int bad;

	RETRY(bad, fdatasync(fd));
	return bad;
#else
	return disk_flush(fd);
#endif
}

void disk_begin(int fd, uint64_t at, size_t n)
{
#ifdef __linux__
	sync_file_range(fd, (off_t)at, (off_t)n, SYNC_FILE_RANGE_WRITE);
#else
	(void)fd, (void)at, (void)n;
#endif
}

struct sync_job {
	const char *const *path;
	int *unopened; /* why it could not be, where that says nothing of its bytes; else 0 */
};

static bool is_crowded(int why)
{
	return why == EMFILE || why == ENFILE;
}

static bool is_missing(int why)
{
	return why == ENOENT || why == ENOTDIR;
}

/* A failed sync is final: tried again it may succeed, though the bytes are lost. */
static bool sync_path(const char *path, int *unopened, struct err *e)
{
	int fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), why = 0;

	*unopened = fd < 0 && (is_crowded(errno) || is_missing(errno)) ? errno : 0;
	if (fd < 0)
		return disk_fail(e, errno, path);
	if (disk_flush(fd))
		why = errno;
	close(fd);
	return !why || disk_fail(e, why, path);
}

static bool sync_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	const struct sync_job *job = arg;

	(void)worker;
	return sync_path(job->path[i], &job->unopened[i], e) || job->unopened[i];
}

/* For those that found no descriptor beside the others' one is enough, one after the other. That a
 * file is gone is said last: it must not hide what is worse. */
static bool sync_unopened(const struct sync_job *job, size_t n, struct err *e)
{
	const char *gone = NULL;

	for (size_t i = 0; i < n; i++) {
		int *why = &job->unopened[i];

		if (is_crowded(*why) && !sync_path(job->path[i], why, e) && !is_missing(*why))
			return false;
		if (is_missing(*why) && !gone)
			gone = job->path[i];
	}
	return !gone || disk_fail(e, ENOENT, gone);
}

#ifdef __linux__
/* Handed to the disk all at once, many are written in the time that a few rounds of syncs take.
 * Not as each is filled: whoever waits for the names to be swapped would wait for that as well.
 * What fails the sync tells: this does not ask, and an error stays until somebody has. */
static bool begin_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	const char *path = ((const char *const *)arg)[i];
	int fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);

	(void)worker, (void)e;
	if (fd < 0)
		return true;
	disk_begin(fd, 0, 0);
	close(fd);
	return true;
}
#endif

bool disk_sync(void *self, const char *const *paths, size_t n, struct err *e)
{
	size_t threads = n / SYNC_EACH;
	struct sync_job job = { .path = paths };
	bool ok;

	(void)self;
#ifdef __linux__
	if (n > SYNC_LEAST)
		disk_each(self, n, begin_one, (void *)(uintptr_t)paths, e);
#endif
	threads = threads < SYNC_LEAST ? SYNC_LEAST : threads > SYNC_MOST ? SYNC_MOST : threads;
	job.unopened = mem_new((n + 1) * sizeof(*job.unopened));
	ok = disk_spread((unsigned)threads, n, sync_one, &job, e) && sync_unopened(&job, n, e);
	free(job.unopened);
	return ok;
}

bool disk_sync_dir(void *self, const char *dir, struct err *e)
{
	int fd = disk_open(dir, O_RDONLY | O_DIRECTORY, 0), why = 0;

	(void)self;
	if (fd < 0)
		return disk_fail(e, errno, dir);
	/* Some file systems keep directories safe by themselves, and refuse with EINVAL. */
	if (disk_flush(fd) && errno != EINVAL)
		why = errno;
	close(fd);
	return !why || disk_fail(e, why, dir);
}
