#ifndef OX_CHECK_FIXES_H
#define OX_CHECK_FIXES_H

#include "diag_merge.h"

/*
 * What can be done about each of what was found: what the checker itself suggests, and what
 * language servers offer. Each is worked out, and then one of the actions that list_code_actions
 * knows.
 *
 *     check_fixes_start(call, join, rows, fn, arg)
 *     fn(arg, missing, e)    // once, not from inside; ERR_CANCELLED when the call is cancelled;
 *                            // `missing`, as code_actions_missing(), lives until it returns
 *
 * `rows`, one for each of the join, get `file_path`, `character` and `available_fixes`: [{title,
 * kind, preferred, action_id, edit_to_apply}], where the same edit is once. Of a file with
 * changes that are not saved a checker's suggestions are left out: they are for another text.
 * diagnostics.fixes bounds how many are asked about. Both are borrowed until fn is called.
 */
typedef void check_fixed(void *arg, const char *missing, const struct err *e);
void check_fixes_start(struct call *c, const struct diag_merge *j, json *rows, check_fixed *fn,
		       void *arg);

#endif
