#ifndef OX_HOOK_EDIT_IMPL_H
#define OX_HOOK_EDIT_IMPL_H

#include "hook_edit.h"

/*
 * hook_file.c: one of the files. The agent sees it as it is on the disk, the user as it is in the
 * buffer: what the agent asks for is worked out on the disk's text, carried over to the buffer's,
 * reviewed there, and what the user leaves of it carried back.
 *
 *     hook_file_read()                    `disk` and `seen`; then its tool tells `asked`
 *     hook_file_plan()                    ... as operations on what the user sees
 *     hook_file_take()                    `written`, once the user has decided
 */
bool hook_file_read(struct call *call, struct hook_file *f, struct err *e);
/* ERR_CONFLICT: the user is changing the same lines. */
bool hook_file_plan(struct call *call, struct hook_file *f, struct plan *p, struct err *e);
bool hook_file_take(struct call *call, struct hook_file *f, struct plan *p, struct err *e);
/* All that was asked for is done. */
bool hook_file_is_whole(const struct hook_file *f);
/* For the model: what was left out, and what it does not see; nothing where there is none. */
void hook_file_say_left(struct call *call, const struct hook_file *f, struct buf *out);
void hook_file_say_unsaved(struct call *call, const struct hook_file *f, struct buf *out);

#endif
