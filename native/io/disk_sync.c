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
	bool *crowded; /* not even open: there was no descriptor for it beside those of the others
			*/
};

/* A failed sync is final: tried again it may succeed, though the bytes are lost. */
static bool sync_path(const char *path, bool *crowded, struct err *e)
{
	int fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), why = 0;

	*crowded = fd < 0 && (errno == EMFILE || errno == ENFILE);
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
	return sync_path(job->path[i], &job->crowded[i], e) || job->crowded[i];
}

/* One descriptor is enough for all of them, one after the other. */
static bool sync_crowded(const struct sync_job *job, size_t n, struct err *e)
{
	bool still;

	for (size_t i = 0; i < n; i++)
		if (job->crowded[i] && !sync_path(job->path[i], &still, e))
			return false;
	return true;
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
	job.crowded = mem_new((n + 1) * sizeof(*job.crowded));
	ok = disk_spread((unsigned)threads, n, sync_one, &job, e) && sync_crowded(&job, n, e);
	free(job.crowded);
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
