#ifndef OX_WATCH_STORE_H
#define OX_WATCH_STORE_H

#include "../base/map.h"
#include "watch_tree.h"

/*
 * What files held, kept aside while an agent works: a directory of copies in the state directory,
 * of this process alone. It goes with watch_store_close(); that of a process that was killed goes
 * when the next one is opened.
 *
 * What git's index has needs no copy. Of the rest files that are open in the editor come first,
 * then those that were written last, as far as the bytes go.
 */
struct watch_store {
	char *dir;
	unsigned last; /* copy */
	uint64_t most; /* bytes of all of them */
	uint64_t file_most;
	uint64_t bytes;
};

bool watch_store_open(struct watch_store *s, const struct config *c, struct err *e);
void watch_store_close(struct watch_store *s);

/* On a worker. Keeps what the files of `t` hold, as far as it can; copies of `before` that are
 * still right are taken over, and the others go. `open`: paths, relative to the root. */
void watch_store_keep(struct watch_store *s, const char *root, struct watch_tree *t,
		      struct watch_tree *before, const struct map *open);
bool watch_store_read(const struct watch_store *s, const struct watch_file *f, struct buf *out,
		      struct err *e);

#endif
