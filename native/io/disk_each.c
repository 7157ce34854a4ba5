#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h> /* __GLIBC__ */
#ifdef __linux__
#include <sched.h>
#else
#include <unistd.h>
#endif

#include "disk_impl.h"

/* Many things that do not depend on each other, on several threads. */
#define THREADS_MOST 32

struct each_job {
	size_t n;
	fs_each *one;
	void *arg;
	atomic_size_t next;
	atomic_uint workers;
	atomic_bool failed;
	struct err why; /* of who has set that */
};

/* The first failure ends it: what was not begun is left out. */
static void *each_some(void *arg)
{
	struct each_job *job = arg;
	unsigned worker = atomic_fetch_add(&job->workers, 1);

	for (;;) {
		size_t i = atomic_fetch_add(&job->next, 1);
		struct err e = ERR_INIT;

		if (i >= job->n || atomic_load(&job->failed))
			return NULL;
		if (!job->one(job->arg, worker, i, &e) && !atomic_exchange(&job->failed, true))
			job->why = e;
	}
}

/* A kernel that would rather leave a processor idle puts a new thread behind this one, where the
 * two take turns until it looks again, often for longer than all of the work takes. So where there
 * are processors enough it is moved to another one than this, and from then on all are open to it.
 * (If it has ended already, glibc may take this thread instead, which does as little harm.)
 */
static void each_elsewhere(pthread_t thread, unsigned threads)
{
#ifdef __GLIBC__
	int here = sched_getcpu();
	cpu_set_t allowed, others;

	if (here < 0 || sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	others = allowed;
	CPU_CLR(here, &others);
	if ((unsigned)CPU_COUNT(&others) + 1 >= threads &&
	    !pthread_setaffinity_np(thread, sizeof(others), &others))
		pthread_setaffinity_np(thread, sizeof(allowed), &allowed);
#else
	(void)thread;
	(void)threads;
#endif
}

bool disk_spread(unsigned threads, size_t n, fs_each *one, void *arg, struct err *e)
{
	struct each_job job = { .n = n, .one = one, .arg = arg };
	pthread_t thread[THREADS_MOST - 1];
	unsigned more = 0;

	/* Fewer threads than hoped for only take longer; this one works as well. */
	while (more + 1 < threads && more + 1 < n && more < THREADS_MOST - 1 &&
	       !pthread_create(&thread[more], NULL, each_some, &job))
		each_elsewhere(thread[more++], threads);
	each_some(&job);
	while (more)
		pthread_join(thread[--more], NULL);
	if (atomic_load(&job.failed))
		*e = job.why;
	return !atomic_load(&job.failed);
}

unsigned disk_processors(void)
{
#ifdef __linux__
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
#else
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
#endif
}

bool disk_each(void *self, size_t n, fs_each *one, void *arg, struct err *e)
{
	unsigned threads = n > 1 ? disk_processors() : 1;

	(void)self;
	return disk_spread(threads < FS_WORKERS ? threads : FS_WORKERS, n, one, arg, e);
}
