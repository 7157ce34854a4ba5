#ifndef OX_OFFERS_H
#define OX_OFFERS_H

#include "../lsp/action.h"
#include "server.h"

/*
 * What language servers offer to do about diagnostics: each is asked about, the files
 * diagnostics.at_once at a time, and only what can be carried out is kept. A server that fails
 * offers nothing; that is no error.
 *
 *     o = offers_start(ox, v, n, spec, fn, arg)
 *     fn(arg, e)                 // once, not from inside; ERR_CANCELLED after offers_cancel()
 *     offers_at(o, i) ...        // in the order of v
 *     offers_free(o)
 *
 * No change is tried on the servers meanwhile (trial.h), so that all speak of the same text.
 */
struct offer {
	struct diag diag;      /* a copy */
	struct server *server; /* that made it; NULL: none was asked */
	struct actions fixes;
};

struct offers_spec {
	struct str kind; /* of actions; borrowed until the end */
	uint64_t timeout_ms;
	bool glance; /* files that were not open are closed again */
};

struct offers;
typedef void offers_made(void *arg, const struct err *e);
struct offers *offers_start(struct oxide *ox, const struct diag *const *v, size_t n,
			    const struct offers_spec *spec, offers_made *fn, void *arg);
void offers_cancel(struct offers *o);
size_t offers_count(const struct offers *o);
const char *offers_missing(const struct offers *o); /* why some may be; NULL: all are there */
const struct offer *offers_at(const struct offers *o, size_t i);
uint64_t offers_moves(const struct offers *o); /* of the workspace when they were made */
void offers_free(struct offers *o);	       /* NULL: nothing; only after fn was called */

#endif
