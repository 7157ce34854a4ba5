#ifndef OX_SYMBOL_SITES_FIND_H
#define OX_SYMBOL_SITES_FIND_H

#include "../servers/completeness.h"
#include "symbol_sites.h"
#include "target.h"

/*
 * Finds all places at which a function is named: its references, and those of what implements or
 * overrides it and of what it overrides, until nothing new is found. It begins again while the
 * server did not know enough (servers/completeness.h): files that have the name are shown to it,
 * and those of which it spoke as they were before.
 *
 * Calls fn once, not from inside. *s is filled again, and the caller's in any case; `mentions` and
 * `reach`, which says whether that is all, too: they are to be freed, `reach` first; it is NULL
 * where it did not come to that. Cancelling the call brings ERR_CANCELLED.
 */
typedef void symbol_sites_found(void *arg, struct word_search *m, struct completeness *r,
				const struct err *e);
void symbol_sites_find(const struct target *t, struct str name, struct symbol_sites *s,
		       symbol_sites_found *fn, void *arg);

#endif
