#ifndef OX_HOOK_EDIT_H
#define OX_HOOK_EDIT_H

#include "hook.h"

/* A change that an agent is about to make to files by a tool of its own, as a change of ours: see
 * hook.h. The call is answered in every case. */
struct hook_edit_spec {
	struct call *call;
	const struct hook_agent *agent;
	json *event;	   /* taken; of files in projects */
	const char *title; /* "edit src/a.c"; borrowed */
	bool sure;	   /* nobody is asked, unless it would bring new errors */
};
void hook_edit_start(const struct hook_edit_spec *spec);

#endif
