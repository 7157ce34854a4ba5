#ifndef OX_PRUNING_H
#define OX_PRUNING_H

#include "oxide.h"

/*
 * The history is kept within its bounds (history.h), but nobody waits for that: it is done once for
 * all changes of a moment, when who made the last of them has the answer.
 *
 *     pruning_soon(ox)    a change was put into the history
 *     pruning_now(ox)     no later moment will come; nothing, where none is due
 *     pruning_free(ox)
 */
void pruning_soon(struct oxide *ox);
void pruning_now(struct oxide *ox);
void pruning_free(struct oxide *ox);

#endif
