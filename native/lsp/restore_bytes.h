#ifndef OX_RESTORE_BYTES_H
#define OX_RESTORE_BYTES_H

#include "../base/err.h"
#include "../text/edit.h"

/*
 * A server is shown U+FFFD for each byte of a text that is no UTF-8, and sends that back in its
 * edits. Written down, it would be the end of those bytes.
 *
 * edits_add() of what a server puts in the place of a span of `text`, with the bytes where it has
 * what was for them: when nothing but blanks differs from what was there, and when they were all
 * the same byte. ERR_UNSUPPORTED: which is which cannot be told.
 */
bool edits_add_restoring(struct edits *set, struct str text, struct span span, struct str with,
			 int tag, struct err *e);

#endif
