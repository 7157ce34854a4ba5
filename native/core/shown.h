#ifndef OX_SHOWN_H
#define OX_SHOWN_H

#include "oxide.h"

/*
 * Shows files to their servers, and waits until these have spoken of them: for who asks a second
 * time, because the first answer was given by a server that had not read all of the project. What
 * became of a file does not matter, so there is no error.
 *
 * fn is called once, not from inside; shown_cancel() brings that about soon.
 */
struct shown;

/* NULL where there is no file: fn is not called. */
struct shown *shown_start(struct oxide *ox, const char *const *paths, size_t n,
			  void (*fn)(void *arg), void *arg);
void shown_cancel(struct shown *s);

#endif
