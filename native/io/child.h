#ifndef OX_CHILD_H
#define OX_CHILD_H

#include "loop_uv.h"
#include "spawn.h"

/*
 * A process from its start until it is waited for, which is what those on pipes (job.h) and those
 * in a pseudo-terminal (pty.h) share. For these two alone.
 *
 * It ends twice, by its exit and by the end of its output, in either order:
 *
 *   RUNNING --exit--> exited --output ends--> done
 *   RUNNING --output ends--> silent --exit--> done
 *
 * Only then is it waited for: the number of a process that was, and with it that of its group, may
 * be another's. libuv's own processes are waited for before anybody is told, hence spawn.h.
 *
 *     child_init -> child_start -> ... ops->exited -> (the output has ended) child_close
 *     -> `closed` -> child_release
 *     child_init -> child_start has failed -> child_close -> `closed` -> child_release
 */
struct child_ops {
	void (*end_input)(void *self);	    /* the first step of child_stop() */
	void (*stop_listening)(void *self); /* what still comes is somebody else's */
	void (*exited)(void *self);
};

enum child_stop { NOT_STOPPING, LEAVING, INPUT_CLOSED, TERMINATED, KILLED };

struct child {
	uv_signal_t ended; /* something has */
	struct timer *timer;
	struct loop *loop;
	const struct child_ops *ops;
	void *self;
	uint64_t grace_ms;
	uint64_t linger_ms; /* what it leaves behind may hold its output so long, twice */
	bool session;	    /* signals are for the whole session: it is a terminal's */
	pid_t pid;	    /* 0: not started */
	enum child_stop stop;
	enum { NOT_LOOKED, QUIET, HEARD } listening; /* after the exit */
	bool exited;
	struct spawn_end end;
};

/* The fields from `loop` to `session` are set. */
void child_init(struct child *c);
bool child_start(struct child *c, const struct spawn_spec *spec, struct err *e);
void child_heard(struct child *c); /* some of its output was read, or waits to be */

void child_stop(struct child *c);  /* the end of its input, TERM, KILL, each after grace_ms */
void child_leave(struct child *c); /* child_stop() after grace_ms: it was told in its own words */
void child_end(struct child *c);   /* TERM now, KILL after grace_ms */
void child_kill(struct child *c);

void child_close(struct child *c, uv_close_cb closed); /* once; h->data is `self` */
void child_release(struct child *c);		       /* waits for it */

#endif
