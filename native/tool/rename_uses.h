#ifndef OX_RENAME_USES_H
#define OX_RENAME_USES_H

#include "../edit/plan.h"
#include "target.h"

/*
 * A rename of C made of what a server lists as the symbol's declarations and uses, for a server
 * that refuses to rename in so many files (clangd before 15: in more than 50).
 *
 * `raw` is the answer to textDocument/references. What it lists under another name, where a macro
 * is expanded, is left alone. Adds to `plan`, which has a part of it where it fails: with the error
 * of reading a file, or ERR_UNSUPPORTED where a place is in none.
 */
bool rename_uses_add(struct target *t, struct str raw, struct str old_name, struct str new_name,
		     struct plan *plan, struct err *e);

#endif
