#ifndef OX_TEXT_ANCESTRY_H
#define OX_TEXT_ANCESTRY_H

#include <stddef.h>
#include <stdint.h>

#include "../base/str.h"

/*
 * Which text of a file was made of which, by changes of Oxide's: pairs of hashes, the last `room`
 * of them. A text that was read, and the one that is there now, with a way between them: then no
 * other program has written the file in between, or what it wrote is gone without a trace.
 */
#define TEXT_ANCESTRY_NONE 0 /* in the place of a hash: there is no file */

struct text_ancestry_step {
	uint64_t path, from, to; /* hashes */
};

struct text_ancestry {
	struct text_ancestry_step *v;
	size_t n, cap, next; /* next: the one that is overwritten, once there are `room` */
	size_t room;
};

void text_ancestry_release(struct text_ancestry *l);
/* Once is enough. */
void text_ancestry_add(struct text_ancestry *l, struct str path, uint64_t from, uint64_t to);
bool text_ancestry_leads(const struct text_ancestry *l, struct str path, uint64_t from,
			 uint64_t to);

#endif
