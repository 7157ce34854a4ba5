#ifndef OX_LINEAGE_H
#define OX_LINEAGE_H

#include <stddef.h>
#include <stdint.h>

#include "../base/str.h"

/*
 * Which text of a file was made of which, by changes of Oxide's: pairs of hashes, the last `room`
 * of them. A text that was read, and the one that is there now, with a way between them: then no
 * other program has written the file in between, or what it wrote is gone without a trace.
 */
#define LINEAGE_NONE 0 /* in the place of a hash: there is no file */

struct lineage_step {
	uint64_t path, from, to; /* hashes */
};

struct lineage {
	struct lineage_step *v;
	size_t n, cap, next; /* next: the one that is overwritten, once there are `room` */
	size_t room;
};

void lineage_release(struct lineage *l);
/* Once is enough. */
void lineage_add(struct lineage *l, struct str path, uint64_t from, uint64_t to);
bool lineage_leads(const struct lineage *l, struct str path, uint64_t from, uint64_t to);

#endif
