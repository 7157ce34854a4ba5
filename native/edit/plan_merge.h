#ifndef OX_PLAN_MERGE_H
#define OX_PLAN_MERGE_H

#include "plan.h"

/*
 * Changes that were worked out apart from each other, each from the same texts, put together into
 * one plan:
 *
 *     struct plan_merge *j = plan_merge_new();
 *     plan_merge_add(j, plan) ...            // MERGE_TAKEN, or why not
 *     p = plan_merge_finish(j, &source, &e);   // finished; once, after the last
 *     plan_merge_free(j);
 *
 * Changes go together where they do not so much as touch: which of two insertions at one place
 * comes first nobody could say. One that creates, renames or removes files stays alone.
 */
enum plan_merge_fit {
	MERGE_TAKEN,
	MERGE_KNOWN, /* it is in there already, or changes nothing */
	MERGE_CLASH,
};

struct plan_merge *plan_merge_new(void);
enum plan_merge_fit plan_merge_add(struct plan_merge *j,
				   struct plan *p); /* finished; taken, whatever the answer */
/* ERR_STALE: a text is not what the changes were worked out from. */
struct plan *plan_merge_finish(struct plan_merge *j, const struct plan_source *src, struct err *e);
void plan_merge_free(struct plan_merge *j); /* NULL: nothing */

#endif
