#ifndef OX_MACRO_RENAME_H
#define OX_MACRO_RENAME_H

#include "../edit/plan.h"
#include "target.h"

/*
 * Renames a macro of C, which no server does: its `#define`s and `#undef`, what uses it, conditions
 * about it, and the bodies of other macros; not what is in comments and strings.
 *
 *     m = macro_rename_start(target, name, new_name, fn, arg)     // all borrowed until fn
 *
 * fn comes once, not from inside, with a finished plan, the caller's; or with NULL and *e:
 * ERR_NOT_FOUND: the target is not a macro that the project defines. Else `refusal` (the caller's)
 * may be the error object, with `places`: what else is called so, or which of several macros is
 * meant.
 */
struct macro_rename;
typedef void macro_renamed(void *arg, struct plan *p, const struct err *e, json *refusal);

struct macro_rename *macro_rename_start(struct target *t, struct str name, struct str new_name,
					macro_renamed *fn, void *arg);
void macro_rename_cancel(void *macro_rename);

#endif
