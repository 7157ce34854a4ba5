#ifndef OX_JOB_H
#define OX_JOB_H

#include "../base/str.h"
#include "loop.h"

/*
 * A child process on pipes, in a process group of its own, started from an argument vector and
 * never through a shell.
 *
 * `done` comes once, last, after both the process has ended and its output has reached the end, in
 * whichever order they happen; until then it is not waited for, so that its group can be signalled
 * and no other's. A group does not outlive this process, as orphan_killer.h has it; a grandchild
 * that keeps the pipes open is killed after `grace_ms`, and what is silent for as long again is not
 * listened to any more. The job is freed when `done` returns. job_stop() is polite: it closes the
 * child's input, then sends TERM, then KILL to the group, each after `grace_ms`.
 */
struct job;

struct job_spec {
	const char *const *argv; /* argv[0] is looked up in PATH; ends with NULL */
	const char *cwd;
	uint64_t grace_ms;
	const char *const *env;	  /* "NAME=value", over the environment as it is; NULL: nothing */
	bool outlives;		  /* it may end its output and go on; else it is stopped then */
	const char *const *unset; /* "NAME", taken out of the environment; NULL: nothing */
};

struct job_events {
	void (*out)(void *self, struct str bytes);
	void (*errout)(void *self, struct str bytes);
	void (*done)(void *self, int status, int signal); /* signal 0: it ended by itself */
};

struct job *job_start(struct loop *l, const struct job_spec *spec, const struct job_events *ev,
		      void *self, struct err *e);
/* Written in order; what the child does not take now waits. The bytes are taken over. */
struct buf;
void job_write(struct job *j, struct buf *bytes);
size_t job_unwritten(const struct job *j); /* bytes that wait */
void job_eof(struct job *j);		   /* ends the child's input once all is written */
void job_stop(struct job *j);
/* It was told to go in its own language, and its input is still open: job_stop() comes after
 * `grace_ms`. */
void job_leave(struct job *j);
/* TERM now and KILL after `grace_ms`; what the child has left behind in its group goes with it.
 * What has left the group as well may hold the pipes, but is soon not listened to any more. */
void job_end(struct job *j);
void job_kill(struct job *j); /* at once */
long job_pid(const struct job *j);

#endif
