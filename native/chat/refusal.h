#ifndef OX_REFUSAL_H
#define OX_REFUSAL_H

#include "model.h"

/*
 * An answer over HTTP that is no stream of events: why, in the provider's words, whether that
 * passes, and what to do.
 *
 *     refusal_read(&r, status, body);
 *     refusal_say(&r, model, &e);
 *     refusal_release(&r);
 */
struct refusal {
	int status;	      /* of HTTP; 200 to 299 too, with a page or an object */
	bool passes;	      /* to ask again may help */
	bool too_large;	      /* what was sent */
	uint64_t retry_after; /* ms, where the body says so; 0: it does not */
	struct buf reason;    /* ": its words", or empty */
};

void refusal_read(struct refusal *r, int status, struct str body); /* its beginning is enough */
void refusal_say(const struct refusal *r, const struct model *m, struct err *e);
void refusal_release(struct refusal *r);

#endif
