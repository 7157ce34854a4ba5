#ifndef OX_DIAG_ROWS_H
#define OX_DIAG_ROWS_H

#include "../lsp/diag.h"
#include "places.h"

/* Diagnostics as answers list them, grouped by file: `diagnostics` (or `flat`, for lists of
 * thousands in an editor, without fixes), `counts`, `summary` and `files` are put into the result.
 */
void diag_rows(struct call *c, const struct diag *const *v, size_t n, enum row_form form,
	       json *result);
/* `diagnostics` alone. In LSP's form severities are LSP's numbers, and `severity_name` the names.
 */
json *diag_list_rows(struct call *c, const struct diag *const *v, size_t n, enum row_form form);
void diag_put_counts(const struct diag_counts *counts, json *result); /* counts, summary */

#endif
