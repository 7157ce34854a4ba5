#ifndef OX_LOOP_H
#define OX_LOOP_H

#include <stdint.h>

#include "../base/err.h"

/*
 * The one thread's event loop. uv.h is included by the .c files of io/ and by nothing else.
 * Times are milliseconds of a clock that never goes back (loop_now()).
 */
struct loop;
typedef void loop_fn(void *arg);

struct loop *loop_new(struct err *e); /* NULL: the system has too little of something */
void loop_free(struct loop *l);	      /* after loop_run() has returned and all handles are closed */
void loop_run(struct loop *l);	      /* until loop_stop(), or nothing is left to wait for */
void loop_stop(struct loop *l);
uint64_t loop_now(struct loop *l);
int64_t loop_wall_ms(void); /* since 1970 */
/* A number that grows with each wait, and with each reading of what others write to us: whatever is
 * looked at while it stays the same is looked at after all that is known had come. Not 0. */
uint64_t loop_heard(const struct loop *l);

/* Calls fn at the end of this turn, never from inside loop_soon(). */
void loop_soon(struct loop *l, loop_fn *fn, void *arg);

/* Many answers are to come, one soon after the other: from here on, as long as they do, the loop
 * looks for them several times a millisecond instead of being woken by each. Who is woken by a pipe
 * runs where the writer did, which had to wait for its processor each time. */
void loop_expects_many(struct loop *l, bool many);
bool loop_naps(const struct loop *l); /* whether it does so */

struct timer *timer_new(struct loop *l, loop_fn *fn, void *arg);
void timer_set(struct timer *t, uint64_t when); /* UINT64_MAX: off */
void timer_free(struct timer *t);

/* Runs `work` on another thread, then `done` here. The two share nothing but arg. */
void loop_work(struct loop *l, loop_fn *work, loop_fn *done, void *arg);

/* From here on what is released is kept for what comes next, and given back to the system once the
 * loop has had nothing to do for a second or two (spare_memory.h). Once, before it runs. */
void loop_spare_memory(struct loop *l);

/* Calls fn when the process is asked to end (TERM, HUP, INT). Once a loop. */
void loop_on_signal(struct loop *l, loop_fn *fn, void *arg);
bool loop_was_interrupted(const struct loop *l); /* the last one was INT: Ctrl-C */

#endif
