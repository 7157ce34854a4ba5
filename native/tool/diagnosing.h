#ifndef OX_DIAGNOSING_H
#define OX_DIAGNOSING_H

#include "../lsp/diag.h"
#include "tool.h"

/*
 * What a call wants to know the diagnostics of: its `file_path`, else the project (sweep.h).
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
/* As diag_list(). */
size_t diagnosing_list(const struct diagnosing *d, enum diag_severity worst,
		       const struct diag ***out);
/* Puts in how far they are to be trusted: `complete`, and `server`, or what sweep_report() says. */
void diagnosing_report(const struct diagnosing *d, json *result);
void diagnosing_free(struct diagnosing *d); /* NULL: nothing; only after fn was called */

/* The argument `severity`, the mildest that counts. */
enum diag_severity diagnosing_severity(const json *args, enum diag_severity if_absent);

#endif
