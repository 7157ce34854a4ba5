#ifndef OX_SPOTS_FIND_H
#define OX_SPOTS_FIND_H

#include "spots.h"
#include "target.h"

/*
 * Finds all places at which a function is named: its references, and those of what implements or
 * overrides it and of what it overrides, until nothing new is found. It begins anew, once, where
 * the server did not know enough: files that mention the name are shown to one that may not know
 * them yet (its index is young, or it has none), as in a rename, and files are shown of which it
 * spoke as they were before (its index is old, or it still reads what has just been typed).
 *
 * Calls fn once, not from inside. *s is filled anew, and the caller's in any case; `mentions` too:
 * they are to be freed. Cancelling the call brings ERR_CANCELLED.
 */
struct mentions;
typedef void spots_found(void *arg, struct mentions *m, const struct err *e);
void spots_find(const struct target *t, struct str name, struct spots *s, spots_found *fn,
		void *arg);

#endif
