#ifndef OX_DIAGNOSE_H
#define OX_DIAGNOSE_H

#include "pick.h"

/*
 * Waits until a file's language server has spoken of the file's present text; what it said is in
 * oxide.diags then. Waiting is for the event: an answer, where the server can be asked, or the
 * diagnostics published for the version that it was shown last. Where a server speaks in stages, or
 * never says which text it speaks of, silence for lsp.quiet_ms while it is at work on nothing has
 * to do; in the second case, unless it answers to a command, `complete` is false, and
 * lsp.silence_ms without a word are an answer too, from a server that spoke before: some say
 * nothing where nothing changes. So it is when lsp.diagnostics_wait_ms (or timeout_ms, if not 0)
 * pass without a word. A server that checks what is saved (session.h) is given that long to come to
 * the end of it.
 *
 * A server that dies meanwhile is waited for once more; then it is ERR_NO_SERVER, with the server.
 *
 * fn is called once, not from inside. diagnose_cancel() brings ERR_CANCELLED.
 */
struct diagnose;
typedef void diagnosed(void *arg, struct server *s, bool complete, const struct err *e);

/* `s`: one that is beside the first for the file, and is picked; NULL: the first. */
struct diagnose *diagnose_start(struct oxide *ox, struct server *s, const char *path,
				uint64_t timeout_ms, diagnosed *fn, void *arg);
/* Called at once after the start: a check of what is saved is not waited for, since it may be of
 * another text: `complete` is false then. */
void diagnose_exactly(struct diagnose *d);
/* Likewise: by a server that sees texts that are not saved, as pick_seeing() has it. */
void diagnose_seeing(struct diagnose *d);
/*
 * By a given server. `beside`: it is not the first for the file (pool_beside()): it is not hurried,
 * and once it was waited for in vain it is given lsp.silence_ms alone, until it is in time again.
 *
 * diagnose_open(): one that has been shown the file, without picking.
 * diagnose_shown(): likewise, exactly, of a text on trial too: what it says is in server_diags().
 * `same_head`: what the text includes is what the one before it did. The question that ends the
 * server's rest then tells as well that nothing is left.
 */
struct diagnose *diagnose_open(struct oxide *ox, struct server *s, bool beside, const char *path,
			       uint64_t timeout_ms, diagnosed *fn, void *arg);
struct diagnose *diagnose_shown(struct oxide *ox, struct server *s, bool beside, const char *path,
				bool same_head, uint64_t timeout_ms, diagnosed *fn, void *arg);
void diagnose_cancel(struct diagnose *d);

#endif
