#ifndef OX_WS_HANDSHAKE_H
#define OX_WS_HANDSHAKE_H

#include "http_head.h"

/*
 * The request by which an HTTP connection becomes a WebSocket one (RFC 6455, 4.2), and its answer.
 * It is for programs of this machine that know a token: a web page, which names its origin or
 * another host, is refused, whatever it knows.
 *
 *     n = http_head_end(bytes)                  until it is not 0
 *     ws_handshake(head, &expect, &out, &e)    `out` is what is answered in either case
 */
struct ws_expect {
	const char *protocol; /* the subprotocol, which is chosen where it is offered */
	const char *header;   /* in lower case: the one that has the token */
	struct str token;     /* which is not empty; compared in a time that tells nothing of it */
	unsigned port;	      /* that we listen on: the Host has to name it, and this machine */
};

/* False: *e says what was wrong (ERR_DENIED: the token, the origin or the host), and so does the
 * answer, after which the connection is to be closed. */
bool ws_handshake(struct str head, const struct ws_expect *x, struct buf *out, struct err *e);
/* Appends the answer to a head that is too long, and sets *e; false. */
bool ws_head_too_long(struct buf *out, size_t most, struct err *e);

#endif
