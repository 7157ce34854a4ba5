#ifndef OX_SYMBOLS_TOUCHED_H
#define OX_SYMBOLS_TOUCHED_H

#include "symbol.h"

/*
 * The symbols that a change touches, whose users may be in trouble after it: of each edit the
 * innermost symbol around it, and those that begin, end or lie inside of what it replaces. What is
 * declared inside of a function is the function's own affair and counts as the function.
 *
 * `all` are of the text before the change, as are the spans of `set`. Fills v[] (room for all->n)
 * in their order; returns how many there are.
 */
size_t symbols_touched(const struct symbols *all, struct doc *before, enum pos_enc enc,
		       const struct edits *set, const struct symbol **v);
bool symbol_is_function(const struct symbol *s);

#endif
