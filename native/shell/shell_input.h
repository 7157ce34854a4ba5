#ifndef OX_SHELL_INPUT_H
#define OX_SHELL_INPUT_H

#include "../base/buf.h"
#include "../base/err.h"

/* Appends all of standard input. */
bool shell_read_input(struct buf *out, struct err *e);

#endif
