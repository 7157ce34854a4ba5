#ifndef OX_LSP_DIAGNOSTIC_H
#define OX_LSP_DIAGNOSTIC_H

#include "diag_rows.h"

/* What is wrong with the call's `file_path`, else its project, and what is on offer for that. */
struct diag_listing_spec {
	enum row_form form;
	enum diag_severity worst;
	bool fixes; /* ask what is on offer */
	/* What is listed; NULL: nobody wants to know. */
	void (*found)(void *arg, const struct diag *const *v, size_t n);
	/* Gets the answer; `result` is taken. NULL: it is the call's. */
	void (*done)(void *arg, json *result, const struct err *e);
	void *arg;
};

void diag_listing(struct call *call, const struct diag_listing_spec *spec);
extern const struct param lsp_diagnostic_params[]; /* a round of fixes has them, too */

#endif
