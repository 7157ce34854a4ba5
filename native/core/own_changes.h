#ifndef OX_OWN_CHANGES_H
#define OX_OWN_CHANGES_H

#include <sys/queue.h>

#include "oxide.h"

/*
 * Whether it was Oxide that changed a file since it was read: this core, whose changes are kept
 * here, or another one, whose are in the history. So a change that came second can be worked out
 * again on what the first one left, and is refused where another program has written: what that
 * wrote nobody who asked for the change has seen. Files are asked about by their paths as the
 * plans have them; TEXT_ANCESTRY_NONE (text_ancestry.h) stands for one that is not there.
 */
struct own_changes;

struct own_changes *own_changes_new(struct oxide *ox);
void own_changes_free(struct own_changes *o);
void own_changes_add(struct own_changes *o, const struct plan *p);
/* Whether the text `to` came of `from` by Oxide's changes alone. */
bool own_changes_lead(struct own_changes *o, const char *path, uint64_t from, uint64_t to);
/* Calls fn once no other process is in the middle of a change of these files, whose names are
 * copied: its changes of them are in the history then. */
void own_changes_settle(struct own_changes *o, const char *const *path, size_t n,
			void (*fn)(void *arg), void *arg);

/* Who looks on while this core changes a file, for only then it is known by which edits: `fn` is
 * called with each change, once it is made. Zero it to start; `path` is borrowed. Unfollowing one
 * that follows nothing is fine. */
struct own_follower {
	const char *path;
	void (*fn)(void *arg, const struct plan_file *f);
	void *arg;
	LIST_ENTRY(own_follower) all;
	bool follows;
};

void own_changes_follow(struct own_changes *o, struct own_follower *f);
void own_changes_unfollow(struct own_follower *f);

#endif
