#ifndef OX_BENCH_CLOCK_H
#define OX_BENCH_CLOCK_H

#include <time.h>

/* Milliseconds from some moment on. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
