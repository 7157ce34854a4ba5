#ifndef OX_CHECK_FIXES_H
#define OX_CHECK_FIXES_H

#include "diag_merge.h"

/*
 * What can be done about each of what was found: what the checker itself suggests, and what
 * language servers offer. Each is worked out, and then one of the actions that list_code_actions
 * knows.
 *
 *     f = check_fixes_start(call, root, join, rows, fn, arg)
 *     fn(arg, e)             // once, not from inside; ERR_CANCELLED after check_fixes_cancel()
 *
 * `rows`, one for each of the join, get `file_path`, `character` and `available_fixes`: [{title,
 * kind, preferred, action_id, edit_to_apply}], where the same edit stands once. Of a file with
 * changes that are not saved a checker's suggestions are left out: they are for another text.
 * diagnostics.fixes bounds how many are asked about. Both are borrowed until fn is called.
 */
struct check_fixes;
typedef void check_fixed(void *arg, const struct err *e);
struct check_fixes *check_fixes_start(struct call *c, const struct diag_merge *j, json *rows,
				      check_fixed *fn, void *arg);
void check_fixes_cancel(void *check_fixes);

#endif
