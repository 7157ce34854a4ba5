#ifndef OX_EDIT_PLACE_H
#define OX_EDIT_PLACE_H

#include "../edit/operation.h"
#include "tool.h"

/*
 * Where an edit may look: in the projects, and in files that are exempt. Of any other no text is
 * read, so that a refusal tells nothing of it: ERR_DENIED, which the call's exemptions are told.
 * Where it may write, its plan asks.
 */

/* An operation_path for tools: `arg` is the call. Relative paths start at the root. */
const char *edit_path(void *arg, struct arena *a, struct str path, struct err *e);
/* The same of what links lead to, where an operation looks at the text. */
bool edit_may_read(struct call *c, const struct operations *ops, struct err *e);

#endif
