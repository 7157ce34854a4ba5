#ifndef OX_DIAGNOSING_H
#define OX_DIAGNOSING_H

#include "../lsp/diag.h"
#include "../servers/code_actions.h"
#include "tool.h"

/*
 * What a call wants to know the diagnostics of: its `file_path`, else the project
 * (project_diags.h).
 *
 *     d = diagnosing_start(call, fn, arg)
 *     fn(arg, e)       // once, not from inside, when the servers have spoken of the present texts
 *     n = diagnosing_list(d, worst, &v)
 *     diagnosing_free(d)
 *
 * In a project, a file that no server is there for says nothing about the others. Cancelling the
 * call brings ERR_CANCELLED.
 */
struct diagnosing;
typedef void diagnosing_done(void *arg, const struct err *e);
struct diagnosing *diagnosing_start(struct call *c, diagnosing_done *fn, void *arg);
struct diagnosing *diagnosing_project(struct call *c, const struct project *p, diagnosing_done *fn,
				      void *arg);

/* As diag_list(). */
size_t diagnosing_list(const struct diagnosing *d, enum diag_severity worst,
		       const struct diag ***out);
/* Then: asks what is on offer for the first diagnostics.fixes of these; fn likewise. */
void diagnosing_ask_fixes(struct diagnosing *d, const struct diag *const *v, size_t n,
			  diagnosing_done *fn, void *arg);
/* NULL: it was not asked. */
const struct code_actions *diagnosing_fixes(const struct diagnosing *d);
const char *diagnosing_server(const struct diagnosing *d); /* of a single file */
/* Puts in how far they are to be trusted: `complete`, and `server`, or what project_diags_report()
 * says. */
void diagnosing_report(const struct diagnosing *d, json *result);
void diagnosing_complete(const struct diagnosing *d, json *result); /* of that, `complete` alone */
void diagnosing_free(struct diagnosing *d); /* NULL: nothing; only after fn was called */

/* The argument `severity`, the mildest that counts. */
enum diag_severity diagnosing_severity(const json *args, enum diag_severity if_absent);

#endif
