#ifndef OX_OFFERED_ACTION_H
#define OX_OFFERED_ACTION_H

#include "../core/registry.h"
#include "../lsp/wsedit.h"
#include "../servers/code_actions.h"

/* What a server offered to do, as the registry has it: action `i` of an offer. */

/* "fix-main.c:3-0123456789ab": the same for the same action at the same place of the same text, and
 * no other's. Fixes of a diagnostic are called that; others by their kind. */
void offered_action_id(struct oxide *ox, const struct offer *o, size_t i, struct buf *out);
struct registered *offered_action_new(struct oxide *ox, const struct offer *o,
				      size_t i); /* the caller's */
/* What it changes, which is taken, as action_plan.h has it. */
void offered_action_plan(struct registered *a, struct plan *p, const struct wsedit_notes *notes);

#endif
