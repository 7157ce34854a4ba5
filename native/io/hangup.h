#ifndef OX_HANGUP_H
#define OX_HANGUP_H

#include "loop.h"

/* Whether anybody is left at the other end of a pipe or socket to which nothing is written yet:
 * calls fn once they are gone. NULL: of this descriptor it cannot be told, or of none on this
 * system. */
struct hangup;
struct hangup *hangup_new(struct loop *l, int fd, loop_fn *fn, void *arg);
void hangup_free(struct hangup *h); /* NULL: nothing; the descriptor stays open */

#endif
