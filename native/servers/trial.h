#ifndef OX_TRIAL_H
#define OX_TRIAL_H

#include "server.h"

/*
 * A change on trial: a server is shown texts that are nobody's yet.
 *
 *     server_in_use(s)                 // not now: somebody would be answered about these texts
 *     server_try(s, said)              // from here on what it says of texts goes to `said`
 *     server_try_text(s, d, text, edits, among) ...  // in place of the document's own
 *     server_untry_text(s, d) ...
 *     server_untry(s), or, where the texts stay nobody's, server_untry_unmade(s)
 *
 *     server_rereads(s, 1) ... (s, -1) // until it has read the documents' own texts again
 *
 * Whoever comes for the server meanwhile waits; while it reads again, who asks about the project.
 * That it is free, or not in use any more, is news for pool_watch(). A server that dies forgets the
 * trial.
 */
bool server_in_use(const struct server *s);
void server_try(struct server *s, struct diag_store *said);
bool server_on_trial(const struct server *s, const struct diag_store *said);
/* As session_try() and session_untry(). */
bool server_try_text(struct server *s, struct doc *d, struct str text, const struct edits *edits,
		     bool among);
bool server_untry_text(struct server *s, struct doc *d);
void server_untry(struct server *s);
/* The same, and what it has said of other documents meanwhile, beside the texts that are gone, is
 * not lost: it is shown them anew, so that it says it again. What a client of the editor has said
 * the editor shows already. Behind server_untry_text(). */
void server_untry_unmade(struct server *s);
void server_rereads(struct server *s, int more);
/* Where its diagnostics go now. */
struct diag_store *server_diags(struct server *s);

/* Uses it, as those do who wait for an answer: for who waits for its diagnostics. */
void server_use(struct server *s);
void server_leave(struct server *s);

/* Opens a document, once, until server_hide(); it may be the caller's own. What is not a buffer is
 * closed again when lsp.documents others have been used since, and nobody waits for the server. */
void server_show(struct server *s, struct doc *d, const char *filetype);
void server_hide(struct server *s, struct doc *d);
/* For a moment: server_glanced() hides it again, unless somebody shows it meanwhile. False: it is
 * open already, and stays. */
bool server_glance(struct server *s, struct doc *d, const char *filetype);
bool server_glanced(struct server *s, struct doc *d); /* whether it is hidden now */
bool server_glances(struct server *s, const struct doc *d);

#endif
