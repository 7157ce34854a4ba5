#ifndef OX_LSP_DIAGNOSTIC_H
#define OX_LSP_DIAGNOSTIC_H

#include "diag_rows.h"

/* What is wrong with the call's `file_path`, else its project, and what is on offer for that, is
 * the call's answer, in this form. */
void lsp_diagnostic(struct call *call, enum row_form form);

#endif
