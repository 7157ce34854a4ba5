#ifndef OX_SPAWN_H
#define OX_SPAWN_H

#include <sys/types.h>

#include "../base/buf.h"
#include "../base/err.h"

/*
 * Starts a program in a session and process group of its own, with signals as they are for a
 * program that a shell starts, and no descriptor but its standard ones. It is the caller's to wait
 * for: until then the number of the process, and of its group, is given to no other.
 *
 *     spawn_start -> spawn_ended, until it has -> spawn_reap
 */
struct spawn_spec {
	const char *const *argv; /* argv[0] is looked up in PATH; ends with NULL */
	const char *cwd;	 /* NULL: as it is */
	char *const *env;	 /* NULL: as it is */
	const char *tty;	 /* a terminal, which becomes its controlling one; NULL: fds */
	int fds[3];		 /* standard input, output and error; they stay the caller's */
	struct buf *tried; /* "PATH: why not", a line for each that was tried; NULL: not wanted */
};
/* "NAME: no such file or directory"; where it is the directory's fault, that is named. */
bool spawn_start(const struct spawn_spec *spec, pid_t *pid, struct err *e);

struct spawn_end {
	int status;
	int signal;  /* 0: it ended by itself */
	bool dumped; /* core */
};
/* Whether it has ended, and how. It is not waited for by this. */
bool spawn_ended(pid_t pid, struct spawn_end *end);
void spawn_reap(pid_t pid); /* it has ended */

/* This process' environment with `set` ("NAME=value") and without `unset` ("NAME"), either of which
 * may be NULL. The caller frees the array; what it holds is borrowed. */
char **spawn_environment(const char *const *set, const char *const *unset);

/* Where PATH has this program, appended to *out; one with a slash is taken as it is. */
bool spawn_find(const char *program, struct buf *out);

/* A pipe whose ends no other program gets. False: errno says why. */
bool spawn_private_pipe(int ends[2]);

/* For a process that was just forked, and may call only what is safe in a signal handler. */
void spawn_close_from(int first);

#endif
