#ifndef OX_DIAG_ROWS_H
#define OX_DIAG_ROWS_H

#include "../lsp/diag.h"
#include "tool.h"

/* Diagnostics as answers list them, grouped by file: `diagnostics` (or `flat`, for lists of
 * thousands in an editor, without fixes), `counts`, `summary` and `files` are put into the result.
 */
void diag_rows(struct call *c, const struct diag *const *v, size_t n, bool flat, json *result);

#endif
