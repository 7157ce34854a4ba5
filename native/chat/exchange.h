#ifndef OX_EXCHANGE_H
#define OX_EXCHANGE_H

#include "../io/http.h"
#include "model.h"

/*
 * One request to a model and its streamed answer, over HTTP. What passes (429, 529, 5xx, a
 * connection that breaks) is tried again, after as long as `retry-after` says, as long as nothing
 * of the answer was told; after that, and of what does not pass, the error is the end.
 *
 *     x = exchange_start(ox, http, model, &prompt, &options, &events, self, &e)
 *                 -> event() ... -> done(NULL)
 *     exchange_cancel(x)         -> done(ERR_CANCELLED)
 */
struct exchange;

struct exchange_events {
	llm_event_fn *event;
	/* It is tried again in `ms`, because of this. NULL: nobody wants to know. */
	void (*waits)(void *self, uint64_t ms, const struct err *why);
	/* Once, last, not from inside exchange_start() or exchange_cancel(); x is gone then. */
	void (*done)(void *self, const struct err *e);
};

/* All but `ox`, `http` and `model` is borrowed until it returns. NULL: there is no key. */
struct exchange *exchange_start(struct oxide *ox, struct http *http, const struct model *model,
				const struct prompt *prompt, const struct llm_options *options,
				const struct exchange_events *events, void *self, struct err *e);
void exchange_cancel(struct exchange *x);

#endif
