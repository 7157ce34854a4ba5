#ifndef OX_PLAN_SUM_H
#define OX_PLAN_SUM_H

#include "plan.h"

/*
 * How large a change is, as a person says it: "4 places in 3 files, 1 added, 2 deleted".
 * Places are in files that are there before and after; one that gets another name may have some.
 */
struct plan_sum {
	size_t places, edited; /* edited: files that have some */
	size_t added, deleted, renamed;
	size_t others; /* neither: its mode, or where a link leads */
};

/* One more file; `kind` as plan_file_kind() tells it, "" for none. */
void plan_sum_add(struct plan_sum *s, struct str kind, size_t edits);
struct plan_sum plan_sum(const struct plan *p);
void plan_sum_put(const struct plan_sum *s, struct buf *out); /* of no file: nothing */

#endif
