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
#ifdef __GLIBC__
	bool elsewhere; /* they begin on other processors than who made them */
	cpu_set_t allowed;
#endif
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
 * are processors enough a thread begins on another one than this; from then on all are open to it.
 */
#ifdef __GLIBC__
static void each_elsewhere(struct each_job *job, pthread_attr_t *attr, unsigned threads)
{
	int here = sched_getcpu();
	cpu_set_t others;

	if (threads < 2 || here < 0 || sched_getaffinity(0, sizeof(job->allowed), &job->allowed))
		return;
	others = job->allowed;
	CPU_CLR(here, &others);
	job->elsewhere = (unsigned)CPU_COUNT(&others) + 1 >= threads &&
			 !pthread_attr_setaffinity_np(attr, sizeof(others), &others);
}

static void *each_thread(void *arg)
{
	struct each_job *job = arg;

	if (job->elsewhere)
		sched_setaffinity(0, sizeof(job->allowed), &job->allowed);
	return each_some(job);
}
#else
static void each_elsewhere(struct each_job *job, pthread_attr_t *attr, unsigned threads)
{
	(void)job;
	(void)attr;
	(void)threads;
}

#define each_thread each_some
#endif

bool disk_spread(unsigned threads, size_t n, fs_each *one, void *arg, struct err *e)
{
	struct each_job job = { .n = n, .one = one, .arg = arg };
	pthread_t thread[THREADS_MOST - 1];
	pthread_attr_t attr;
	unsigned more = 0;

	pthread_attr_init(&attr);
	each_elsewhere(&job, &attr, threads);
	/* Fewer threads than hoped for only take longer; this one works as well. */
	while (more + 1 < threads && more + 1 < n && more < THREADS_MOST - 1 &&
	       !pthread_create(&thread[more], &attr, each_thread, &job))
		more++;
	pthread_attr_destroy(&attr);
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
