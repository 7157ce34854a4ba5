#ifndef OX_OPERATION_LINES_H
#define OX_OPERATION_LINES_H

#include "../edit/operation.h"
#include "tool.h"

/*
 * The line numbers of editing operations: of the texts that the client was shown, carried to the
 * present ones (call_lines.h) each time the operations are worked out. What cannot be carried is
 * sought by what the client says is there, if it says so, else it is refused.
 */
void operation_lines_carry(struct call *c, struct operations *ops);
/* Into the refusal of one that failed: how its lines are now, and what has changed; and that the
 * candidates were shown. */
void operation_lines_explain(struct call *c, const struct operation *op, json *refusal);

#endif
