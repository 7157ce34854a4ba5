#ifndef OX_SPOTS_FIND_H
#define OX_SPOTS_FIND_H

#include "spots.h"
#include "target.h"

/*
 * Finds all places at which a function is named: its references, and those of what implements or
 * overrides it and of what it overrides, until nothing new is found. Files that mention the name
 * and that a server may not know yet (its index is young, or it has none) are shown to it, and it
 * is asked once more, as in a rename.
 *
 * Calls fn once, not from inside. *s is filled anew, and the caller's in any case; `mentions` too:
 * they are to be freed. Cancelling the call brings ERR_CANCELLED.
 */
struct mentions;
typedef void spots_found(void *arg, struct mentions *m, const struct err *e);
void spots_find(const struct target *t, struct str name, struct spots *s, spots_found *fn,
		void *arg);

#endif
