#ifndef OX_ASK_H
#define OX_ASK_H

#include "../wire/peer.h"
#include "answers.h"

/*
 * Questions to one language server: waiting until it is ready, on the wire, or to be asked again
 * because the server said "content modified". Part of a session.
 *
 * Who asks what is being asked already joins that request, as long as nothing has happened since it
 * was sent that the answer may hang on (*news); who asks what was answered is given the answer that
 * was kept (answers.h). Only workspace/executeCommand goes out each time. Everybody who asks has an
 * id and a deadline of their own, keeps them through all of this, and is called once: from the
 * peer's tick or feed, from asks_end(), or from asks_release(). The server is told that an answer
 * is not wanted when nobody waits for it any more.
 */
struct asks {
	struct peer *peer; /* borrowed, as are the other three */
	const struct caps *caps;
	const char *server;
	const uint64_t *news;
	struct answers answers;
	struct ask **v; /* in the order of asking */
	size_t n, cap;
	int64_t last_id;
};

void asks_init(struct asks *a, struct peer *peer, const struct caps *caps, const char *server,
	       const uint64_t *news);
void asks_release(struct asks *a); /* after peer_free(); the rest fails with ERR_NO_SERVER */
/* `params` are taken. */
int64_t asks_add(struct asks *a, enum lsp_feature f, json *params, uint64_t now,
		 uint64_t timeout_ms, peer_reply *fn, void *arg);
void asks_cancel(struct asks *a, int64_t id);
/* Whether asks_send() would send something now. */
bool asks_due(struct asks *a, uint64_t now);
/* The server is ready: sends what waits. What it cannot do is left to asks_end(). */
void asks_send(struct asks *a, uint64_t now);
/* Gives out the answers that were kept, and ends whoever has cancelled or is out of time, and what
 * is impossible; with `why`, all that is not on the wire. Who asks meanwhile stays for the next
 * time. */
void asks_end(struct asks *a, uint64_t now, const struct err *why);
/* When asks_send() (where the server is `ready`) or asks_end() (with a `why` where it is all
 * `over`) has something to do; 0: now. */
uint64_t asks_deadline(const struct asks *a, bool ready, bool over);

#endif
