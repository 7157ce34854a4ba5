#ifndef OX_MERGE_H
#define OX_MERGE_H

#include "plan.h"

/*
 * Changes that were worked out apart from each other, each from the same texts, put together into
 * one plan:
 *
 *     struct merge *j = merge_new();
 *     merge_add(j, plan) ...            // MERGE_TAKEN, or why not
 *     p = merge_plan(j, &source, &e);   // finished; once, after the last
 *     merge_free(j);
 *
 * Changes go together where they do not so much as touch: which of two insertions at one place
 * comes first nobody could say. One that creates, renames or removes files stays alone.
 */
enum merge_fit {
	MERGE_TAKEN,
	MERGE_KNOWN, /* it is in there already, or changes nothing */
	MERGE_CLASH,
};

struct merge;
struct merge *merge_new(void);
enum merge_fit merge_add(struct merge *j,
			 struct plan *p); /* finished; taken, whatever the answer */
/* ERR_STALE: a text is not what the changes were worked out from. */
struct plan *merge_plan(struct merge *j, const struct plan_source *src, struct err *e);
void merge_free(struct merge *j); /* NULL: nothing */

#endif
