#ifndef OX_CONSENT_H
#define OX_CONSENT_H

#include "../core/project_types.h"
#include "tool.h"

/*
 * A person's word before a project's own commands are run, as trusted_commands.h has it: asked for
 * where there is somebody to ask; given by the way of the call (--yes, --allow-run, a person's own
 * command in the editor), or by the option run.allow.
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

/* Asks the person about what changes no file. fn comes once, not from inside: NULL after the
 * cancel; `later` where nobody is there to ask. `title` is borrowed until then. */
struct person_question;
typedef void person_said(void *arg, const struct verdict *v);
struct person_question *person_ask(struct call *c, const char *title, person_said *fn, void *arg);
void person_ask_cancel(void *question);

#endif
