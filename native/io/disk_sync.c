#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk_impl.h"

/*
 * Getting bytes and names safely to the disk. Many files are synced by several threads: the file
 * system then commits its log once for all that wait. syncfs() would be quicker still, but waits
 * for everything that other programs have written, and cannot say which file failed.
 */
#define SYNC_THREADS 8

struct sync_job {
	const char *const *paths;
	size_t n;
	atomic_size_t next;
	atomic_size_t bad; /* index plus 1 of a file that failed; 0: none */
	atomic_int why;
};

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

static int sync_one(const char *path)
{
	int fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), why = 0;

	if (fd < 0)
		return errno;
	if (disk_flush(fd))
		why = errno;
	close(fd);
	return why;
}

/* A failed sync is final: tried again it may succeed, though the bytes are lost. */
static void *sync_some(void *arg)
{
	struct sync_job *job = arg;

	for (;;) {
		size_t i = atomic_fetch_add(&job->next, 1), none = 0;
		int why;

		if (i >= job->n || atomic_load(&job->bad))
			return NULL;
		why = sync_one(job->paths[i]);
		if (why && atomic_compare_exchange_strong(&job->bad, &none, i + 1))
			atomic_store(&job->why, why);
	}
}

bool disk_sync(void *self, const char *const *paths, size_t n, struct err *e)
{
	struct sync_job job = { .paths = paths, .n = n };
	pthread_t thread[SYNC_THREADS - 1];
	size_t threads = 0;

	(void)self;
	/* Fewer threads than hoped for only take longer; this one works as well. */
	while (threads < SYNC_THREADS - 1 && threads + 1 < n)
		if (pthread_create(&thread[threads], NULL, sync_some, &job))
			break;
		else
			threads++;
	sync_some(&job);
	while (threads)
		pthread_join(thread[--threads], NULL);
	if (!atomic_load(&job.bad))
		return true;
	return disk_fail(e, atomic_load(&job.why), paths[atomic_load(&job.bad) - 1]);
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
