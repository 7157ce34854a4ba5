#ifndef OX_CONSOLE_H
#define OX_CONSOLE_H

#include "../base/str.h"
#include "loop.h"

/*
 * The standard input and output of this process, for one that passes all bytes through: a terminal
 * (raw, while it is open), pipes or files, whose flags stay as they are.
 *
 *     console_open -> console_read(c, true) -> `in` ... `in_ended`
 *                  -> console_write, until console_unwritten() is too much -> `drained`
 *                  -> console_close
 *
 * The terminal has its own modes again after console_close(), and when this process ends by
 * exit() or a signal that can be caught. What is written after the output's end is dropped.
 */
struct console;

struct console_events {
	void (*in)(void *self, struct str bytes);
	void (*in_ended)(void *self);
	void (*drained)(void *self);   /* all that was written is out */
	void (*resized)(void *self);   /* of a terminal */
	void (*out_ended)(void *self); /* nobody reads it any more */
};

struct console *console_open(struct loop *l, const struct console_events *ev, void *self);
bool console_has_terminal(const struct console *c); /* both ends are one */
/* Of the terminal; without one, or where it does not say: 24 and 80. */
void console_size(const struct console *c, unsigned *rows, unsigned *columns);
const struct termios *console_modes(const struct console *c); /* its own; NULL: no terminal */
void console_read(struct console *c, bool on);
void console_write(struct console *c, struct str bytes);
size_t console_unwritten(const struct console *c);
/* Not from inside an event. What is unwritten is lost. */
void console_close(struct console *c);

#endif
