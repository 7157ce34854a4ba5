#ifndef OX_TOOL_OPERATIONS_H
#define OX_TOOL_OPERATIONS_H

#include "../edit/batch.h"
#include "edit_place.h"

/*
 * The end that all text-editing tools have in common: works their operations out on buffers and
 * files, tells every failure with its candidates, or carries all of it out as one change. The call
 * is answered in every case. `ops` is taken.
 */
struct editing {
	struct operations ops;
	unsigned flags; /* batch.h */
	const char *title;
	bool details; /* an answer of multi_edit's shape */
};

void call_edit(struct call *c, struct editing *ed);

/* A list argument as JSON, also where it was sent as a string of it. */
struct str list_text(const json *args, const char *member);
/* The same as a tree, for a short one. New, or NULL and *e. */
json *list_tree(const json *args, const char *member, struct err *e);

#endif
