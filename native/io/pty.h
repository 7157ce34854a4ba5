#ifndef OX_PTY_H
#define OX_PTY_H

#include "../base/str.h"
#include "loop.h"

/*
 * A program in a pseudo-terminal: the terminal is the controlling one of a session of its own, so
 * that Ctrl-C, job control and /dev/tty work as in any other.
 *
 *     pty_start -> pty_write, pty_resize ... -> pty_stop, or its end -> `done`
 *
 * `out` gets its output as it comes, escape sequences and all, in parts of at most 64 KB and a
 * bounded number of them in one turn of the loop; while pty_pause() is on nothing is read, and the
 * program waits in its write. A read that fails is tried again; where none succeeds any more the
 * program is stopped. The output has ended when nobody holds the terminal any more; what
 * the program has left behind in its group is killed 0.5 s after its exit, and who holds the
 * terminal from outside is not listened to once it is silent for as long again.
 *
 * `done` comes once, last, after both the exit and the end of the output; the pty is freed when it
 * returns. pty_stop() sends TERM, then KILL after `grace_ms`, to all processes of the session. None
 * of them outlives this process (orphan_killer.h).
 */
struct pty;

struct pty_spec {
	const char *const *argv;  /* argv[0] is looked up in PATH; ends with NULL */
	const char *cwd;	  /* NULL: as it is */
	const char *const *set;	  /* "NAME=value", in its environment; NULL: nothing */
	const char *const *unset; /* "NAME", out of it; NULL: nothing */
	unsigned rows, columns;
	const struct termios *modes; /* as another terminal has them; NULL: as they are */
	uint64_t grace_ms;
	struct buf *tried; /* of spawn.h */
};

struct pty_end {
	int status;
	int signal;	  /* 0: it ended by itself */
	const char *core; /* of core_file.h; NULL: none */
};

struct pty_events {
	void (*out)(void *self, struct str bytes);
	void (*taken)(void *self); /* all of the input; NULL: that is nobody's concern */
	void (*done)(void *self, const struct pty_end *end);
};

/* NULL: ERR_NOT_FOUND and ERR_DENIED are the program's, as spawn.h has it; ERR_LIMIT: there is no
 * terminal to be had. */
struct pty *pty_start(struct loop *l, const struct pty_spec *spec, const struct pty_events *ev,
		      void *self, struct err *e);
/* All of it or nothing: false where more than PTY_INPUT bytes wait for a program that does not read
 * them. Written in order. */
#define PTY_INPUT (1u << 20)
bool pty_write(struct pty *p, struct str bytes);
size_t pty_unwritten(const struct pty *p);
bool pty_is_canonical(const struct pty *p); /* it reads lines, and Ctrl-D ends its input */
void pty_pause(struct pty *p, bool on);
/* The program is told soon, and of many the last; but before what is written after it. */
void pty_resize(struct pty *p, unsigned rows, unsigned columns);
void pty_stop(struct pty *p);
long pty_pid(const struct pty *p);

#endif
