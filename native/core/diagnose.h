#ifndef OX_DIAGNOSE_H
#define OX_DIAGNOSE_H

#include "pool.h"

/*
 * Waits until a file's language server has spoken of the file's present text; what it said is in
 * oxide.diags then. Waiting is for the event: an answer, where the server can be asked, or the
 * diagnostics published for the version that it was shown last. Where a server speaks in stages,
 * or never says which text it speaks of, silence for lsp.quiet_ms while it is at work on nothing
 * has to do; in the second case `complete` is false. So it is when
 * lsp.diagnostics_wait_ms (or timeout_ms, if not 0) pass without a word.
 *
 * fn is called once, not from inside. diagnose_cancel() brings ERR_CANCELLED.
 */
struct diagnose;
typedef void diagnosed(void *arg, struct server *s, bool complete, const struct err *e);

struct diagnose *diagnose_start(struct oxide *ox, const char *path, uint64_t timeout_ms,
				diagnosed *fn, void *arg);
void diagnose_cancel(struct diagnose *d);

#endif
