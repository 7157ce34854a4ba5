#ifndef OX_ASK_H
#define OX_ASK_H

#include "../wire/peer.h"
#include "caps.h"

/*
 * Requests to one language server that have no answer yet: waiting until it is ready, on the wire,
 * or to be asked again because the server said "content modified". Part of a session. One request
 * keeps its id and its deadline through all of that, and its reply comes once, from the peer's tick
 * or feed, from asks_end(), or from asks_release().
 */
struct asks {
	struct peer *peer; /* borrowed, as are the other two */
	const struct caps *caps;
	const char *server;
	struct ask **v; /* in the order of asking */
	size_t n, cap;
	int64_t last_id;
};

void asks_init(struct asks *a, struct peer *peer, const struct caps *caps, const char *server);
void asks_release(struct asks *a); /* after peer_free(); the rest fails with ERR_NO_SERVER */
/* `params` are taken. */
int64_t asks_add(struct asks *a, enum lsp_feature f, json *params, uint64_t now,
		 uint64_t timeout_ms, peer_reply *fn, void *arg);
void asks_cancel(struct asks *a, int64_t id);
/* Whether asks_send() would send something now. */
bool asks_due(struct asks *a, uint64_t now);
/* The server is ready: sends what waits. What it cannot do is left to asks_end(). */
void asks_send(struct asks *a, uint64_t now);
/* Ends what is not on the wire and is cancelled, impossible or out of time; with `why`, all of it.
 * Requests made meanwhile stay for the next time. */
void asks_end(struct asks *a, uint64_t now, const struct err *why);
/* When asks_send() (where the server is ready) or asks_end() has something to do; 0: now. */
uint64_t asks_deadline(const struct asks *a, bool ready);

#endif
