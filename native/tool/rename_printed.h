#ifndef OX_RENAME_PRINTED_H
#define OX_RENAME_PRINTED_H

#include "../edit/plan.h"
#include "../servers/word_search.h"
#include "tool.h"

/*
 * Python prints the text of an expression as well as its value where it is written `f"{size=}"`: a
 * rename of `size` is right there, and the program prints another name than before. So does C where
 * `size` is an argument of a macro that makes a string of it (`#`), or a part of another name
 * (`##`); of macros, those count that the project itself defines: in the file, or in a header that
 * it includes and that lies beside it, above it, or in an `include` of the project.
 *
 * Adds a line to `out` for each line of such places that the plan changes, up to 20; nothing where
 * there is none. The texts of the plan are read again where they are not at hand; a file that
 * cannot be read is passed over, since the change itself is refused for it. `searched`, which is
 * over, is for the old name: what it has read of C need not be read again.
 */
void rename_printed(struct call *c, const struct word_search *searched, struct plan *p,
		    struct buf *out);

#endif
