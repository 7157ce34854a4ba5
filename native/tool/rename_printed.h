#ifndef OX_RENAME_PRINTED_H
#define OX_RENAME_PRINTED_H

#include "../edit/plan.h"
#include "tool.h"

/*
 * Python prints the text of an expression as well as its value where it is written `f"{size=}"`: a
 * rename of `size` is right there, and the program prints another name than before.
 *
 * Adds a line to `out` for each line of such places that the plan changes, up to 20; nothing where
 * there is none. The texts of the plan are read again where they are not at hand; a file that
 * cannot be read is passed over, since the change itself is refused for it.
 */
void rename_printed(struct call *c, struct plan *p, struct buf *out);

#endif
