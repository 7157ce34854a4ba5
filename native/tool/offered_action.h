#ifndef OX_OFFERED_ACTION_H
#define OX_OFFERED_ACTION_H

#include "../core/registry.h"
#include "../servers/action_plan.h"
#include "../servers/code_actions.h"
#include "tool.h"

/* What a server offered to do, as the registry has it: action `i` of an offer. */

/* "fix-main.c:3-0123456789ab": the same for the same action at the same place of the same text, and
 * no other's. Fixes of a diagnostic are called that; others by their kind. */
void offered_action_id(struct oxide *ox, const struct offer *o, size_t i, struct buf *out);
/* The caller's. */
struct registered *offered_action_new(struct oxide *ox, const struct offer *o, size_t i);
/* Asks what it changes; cancelling the call ends that. The plan is taken then. */
void offered_action_ask(struct call *c, const struct offer *o, size_t i, action_plan_done *fn,
			void *arg);
void offered_action_plan(struct registered *a, struct plan *p, const struct wsedit_notes *notes);

#endif
