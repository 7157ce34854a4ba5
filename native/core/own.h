#ifndef OX_OWN_H
#define OX_OWN_H

#include "oxide.h"

/*
 * Whether it was Oxide that changed a file since it was read: this core, whose changes are kept
 * here, or another one, whose are in the history. So a change that came second can be worked out
 * again on what the first one left, and is refused where another program has written: what that
 * wrote nobody who asked for the change has seen. Files are asked about by their paths as the
 * plans have them; LINEAGE_NONE (lineage.h) stands for one that is not there.
 */
struct own;

struct own *own_new(struct oxide *ox);
void own_free(struct own *o);
void own_made(struct own *o, const struct plan *p);
/* Whether the text `to` came of `from` by Oxide's changes alone. */
bool own_leads(struct own *o, const char *path, uint64_t from, uint64_t to);
/* Calls fn once no other process is in the middle of a change of these files, whose names are
 * copied: its changes of them are in the history then. */
void own_settle(struct own *o, const char *const *path, size_t n, void (*fn)(void *arg), void *arg);

#endif
