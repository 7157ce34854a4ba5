#ifndef OX_TERMINAL_H
#define OX_TERMINAL_H

#include "../base/buf.h"
#include "../io/loop.h"

/*
 * Lines that the user types, read on another thread while the loop goes on, one at a time:
 *
 *     terminal_init(&t, loop, "/dev/tty")
 *     terminal_read(&t, fn, arg)  ->  fn(arg, &line)      once, not from inside
 *     terminal_cancel(&t)         ->  fn(arg, NULL)       not from inside either
 *     terminal_release(&t)                                when nothing is being read
 *
 * The line has no LF; NULL: the input has ended, or cannot be read, or it was cancelled. What came
 * behind the line is kept for the next one. After terminal_cancel() the next line may be asked for
 * at once; nothing comes of the cancelled one then.
 */
typedef void terminal_line(void *arg, const struct str *line);

struct terminal {
	struct loop *loop;
	const char *path; /* NULL: standard input */
	int wake[2];	  /* a pipe; -1: none yet */
	struct buf kept;
	bool reading, cancelled, again;
	terminal_line *fn;
	void *arg;
};

void terminal_init(struct terminal *t, struct loop *l, const char *path);
void terminal_release(struct terminal *t);
void terminal_read(struct terminal *t, terminal_line *fn, void *arg);
void terminal_cancel(struct terminal *t); /* nothing where nothing is being read */

#endif
