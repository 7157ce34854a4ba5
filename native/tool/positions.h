#ifndef OX_POSITIONS_H
#define OX_POSITIONS_H

#include "tool.h"

/* Rows with `file`, `line`, `column`, `end_line` and `end_column`, as a person counts them, become
 * rows with `line`, `character`, `end_line` and `end_character`, from 0 and in UTF-16 code units; a
 * severity becomes LSP's number. What else a row says stays. The list that is answered is new. */
json *positions_rows(struct call *c, const json *list);

#endif
