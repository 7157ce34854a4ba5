#ifndef CRASH_RIG_H
#define CRASH_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <base/buf.h>
#include <base/err.h>

#include "shell.h"

/*
 * The transaction on a real disk, in a process of its own that strace kills, or makes fail, at each
 * call of the system that changes anything. The test runs itself again for that: `self work change
 * HOME ROOT`, or `back` for a change that is taken back, or `recover HOME`.
 *
 *     OXIDE_CRASH_MORE=n    every call instead of some, and n times as many rounds
 *
 * What a machine that stops may lose is test_crash.c's; the real binary is tests/nvim/crash.lua's.
 * Include crash_rig.c, for a unit test is built from one file.
 */

/* How a worker ends. */
enum { DONE, ROLLED_BACK, NOT_ROLLED_BACK, NOT_SEALED, RECOVERED = 0, LEFT_ALONE = 4 };

typedef int rig_worker(char **argv);

/* What main() returns: `all` runs the tests; `other`, or NULL, is a worker of the test's own. */
int rig_main(int argc, char **argv, rig_worker *other, int (*all)(void));
int rig_start(void **state);
int rig_end(void **state);
int tell(const struct err *e, int status); /* on standard error; returns status */

extern unsigned rig_more;	    /* OXIDE_CRASH_MORE, or 0 */
extern struct buf rig_old, rig_new; /* the tree before and after */

const char *at(const char *rel); /* a path in the scratch folder: "ws", "home"; a few at a time */
int run(const char *what, const char *home, const char *ws); /* a worker; it says why in "said" */
void put(const char *path, const char *text);
bool is(const char *ws, const struct buf *want);
void fresh(void); /* the tree before, and a state folder that has been used once */
void home_is_clean(const char *when);
void must_be_whole(const char *when, bool may_be_old, bool may_be_new); /* recovers first */

struct call {
	char name[32];
	unsigned first, last; /* counted from 1, between the marks */
};

bool have_strace(void); /* false: the test is skipped */
/* The calls of a worker that change something, counted in one run. */
size_t calls_of(const char *what, struct call *v, size_t room);
/* Runs a worker with "error=EIO" or the like from one call of that name to another. */
int inject(const char *what, const struct call *c, unsigned first, unsigned last,
	   const char *fault);
/* Runs a worker for each of its calls, or those of one name, or each stride-th of them: that call
 * fails, and so do the next, `times` in all. Then sees that the worker has kept its word. */
void sweep(const char *what, const char *only, const char *fault, unsigned times, unsigned stride);

#endif
