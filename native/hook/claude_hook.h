#ifndef OX_CLAUDE_HOOK_H
#define OX_CLAUDE_HOOK_H

#include "hook_event.h"

/* What Claude Code's own tools do to files: the parts of hook_claude and claude_tools. */

/* Appends what HOOK_ACT_EDIT makes of `text`. `there`: the file is. ERR_NOT_FOUND and
 * ERR_AMBIGUOUS: what it looks for is not in there, or more than once. */
bool claude_edit(const struct hook_event *ev, struct str text, bool there, struct buf *after,
		 struct err *e);
/* The arguments with which the same tool makes `now` of that text; new. */
json *claude_edit_instead(const struct hook_event *ev, struct str text, struct str now);

/* {hookSpecificOutput} with a no; Codex takes the same. */
json *claude_deny(const char *reason);

#endif
