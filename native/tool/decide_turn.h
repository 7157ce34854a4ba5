#ifndef OX_DECIDE_TURN_H
#define OX_DECIDE_TURN_H

#include "../core/turn_drafts.h"
#include "tool.h"

/* Shows the user what a turn would change, as one change, and makes what they accept: a call of the
 * tool `turn`, to be cancelled as others. It settles the draft. What comes meanwhile by that tool,
 * accepted or rejected by other means, takes its place; it is answered with ERR_CANCELLED then. */
struct call *turn_review(struct oxide *ox, struct turn_draft *t, const struct call_context *context,
			 call_answer *fn, void *arg);

#endif
