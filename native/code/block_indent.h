#ifndef OX_BLOCK_INDENT_H
#define OX_BLOCK_INDENT_H

#include "../base/buf.h"
#include "lex.h"

/*
 * Lines of code that move to another depth together: what they have in common at their beginnings
 * gives way to the indentation of the place, and all that goes beyond it stays.
 *
 * Lines that a string goes on in, lines of the preprocessor, and labels at the margin stay where
 * they are. Where the first line alone lacks the indentation that the others have, because the
 * block was cut out from its first character on, it is given it.
 */
struct str block_trim(struct str text); /* without empty lines, and blanks at its end */
/* Appends the lines, all ending in LF but the last. `from`: what they began with, borrowed from the
 * block; equal to `to` where nothing has moved. */
void block_shift(const struct language *lang, struct str block, struct str to, struct buf *out,
		 struct str *from);
/* The indentation of the first line that tells the block's; empty where none does. */
struct str block_indent(const struct language *lang, struct str block);

#endif
