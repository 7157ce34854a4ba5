#ifndef OX_CONSENT_H
#define OX_CONSENT_H

#include "../core/project_types.h"
#include "tool.h"

/*
 * A person's consent before a project's own commands are run, as trusted_commands.h has it: asked
 * for where there is somebody to ask; given by the way of the call (--yes, --allow-run, a person's
 * own command in the editor, may_run of its context), or by the option run.allow.
 *
 *     s = consent_start(call, TASK_CHECK, fn, arg)
 *     fn(arg, e)              // once, not from inside; s is gone then
 *
 * ERR_NEEDS_CONFIRMATION: nobody is there to ask; ERR_DENIED: the person said no.
 */
struct consent;
typedef void consent_given(void *arg, const struct err *e);
struct consent *consent_start(struct call *c, enum task_of what, consent_given *fn, void *arg);
void consent_cancel(struct consent *s); /* fn comes with ERR_CANCELLED */

/* What a task of the project would run, as it would be typed ("make -k test"); appends nothing
 * where it has no commands. `digest` is what stands for its commands, with the build files as they
 * are (trusted_commands.h). */
void consent_commands(struct oxide *ox, const char *root, enum task_of what, struct buf *commands,
		      struct buf *digest);
/* "run the commands of the project ROOT (make -k test)" */
void consent_title(struct buf *out, const char *root, struct str commands);

#endif
