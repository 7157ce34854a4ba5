#ifndef OX_JOIN_H
#define OX_JOIN_H

#include "plan.h"

/*
 * Changes that were worked out apart from each other, each from the same texts, put together into
 * one plan:
 *
 *     struct join *j = join_new();
 *     join_add(j, plan) ...            // JOIN_TAKEN, or why not
 *     p = join_plan(j, &source, &e);   // finished; once, after the last
 *     join_free(j);
 *
 * Changes go together where they do not so much as touch: which of two insertions at one place
 * comes first nobody could say. One that creates, renames or removes files stays alone.
 */
enum join_fit {
	JOIN_TAKEN,
	JOIN_KNOWN, /* it is in there already, or changes nothing */
	JOIN_CLASH,
};

struct join;
struct join *join_new(void);
enum join_fit join_add(struct join *j, struct plan *p); /* finished; taken, whatever the answer */
/* ERR_STALE: a text is not what the changes were worked out from. */
struct plan *join_plan(struct join *j, const struct plan_source *src, struct err *e);
void join_free(struct join *j); /* NULL: nothing */

#endif
