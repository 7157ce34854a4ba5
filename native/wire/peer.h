#ifndef OX_PEER_H
#define OX_PEER_H

#include "codec.h"

/*
 * One end of an RPC conversation, without any I/O: bytes in, bytes out, time (milliseconds, from
 * any start, never backwards) as an argument. The language-server session, the MCP server and the
 * Neovim channel are all a peer with a different codec.
 *
 *         bytes ---> peer_feed() ---> handler.request / notify / reply fn
 *         bytes <--- peer_out()  <--- peer_call() / peer_notify() / peer_answer()
 *
 * Promise: every reply function given to peer_call() is called exactly once: with the result, with
 * the peer's error (ERR_PEER, or our own code where the number is one of err.h's), with
 * ERR_TIMEOUT, ERR_CANCELLED, or with ERR_IO when the peer is closed. Never from inside
 * peer_call() or peer_cancel(); a cancelled or expired one at the next peer_tick(), or at the end
 * of peer_feed(), which ticks.
 *
 * Handlers and reply functions may call everything here but peer_feed() and peer_free().
 */
struct peer;

/* `m` is borrowed; on failure e->code is set, and m is NULL or, for an error that the peer sent,
 * its message, with m->raw the error object. e->msg is then the error's own text on one line; a
 * number from the range that JSON-RPC leaves to everybody (-32099 to -32000) is one of err.h's
 * only when the error carries our name for it, as peer_refuse() sends it. */
typedef void peer_reply(void *arg, struct msg *m, const struct err *e);

/* The number in an error that the peer sent; 0 without one (Neovim's have none). */
long peer_error_code(struct msg *m);
#define PEER_SERVER_CANCELLED (-32802) /* ERR_CANCELLED, like -32800 */
#define PEER_CONTENT_MODIFIED (-32801) /* ERR_PEER */

/* A request or a notification by its name. A request is answered now or later, once; for later,
 * keep a copy of m->id. */
struct peer_method {
	const char *name; /* NULL: the end of the list */
	bool request;
	void (*run)(void *self, struct msg *m, const json *params);
};

struct peer_handler {
	/* For those that are handled without such a list; NULL: `methods` has them. */
	void (*request)(void *self, struct msg *m);
	void (*notify)(void *self, struct msg *m);
	/* A reply nobody waits for (not one to a call given up, which is dropped); return false to
	 * end it all. */
	bool (*stray)(void *self, struct msg *m);
	/* Something came that is no message (CODEC_ODD); the call that it was meant to answer, if
	 * any, has failed with this. Return false to end it all, as NULL does. */
	bool (*odd)(void *self, const struct err *why);
	/* Requests that are not in the list are refused, notifications dropped. NULL: none are. */
	const struct peer_method *methods;
};

/* What the other side is told about a call that was given up, cancelled or expired. */
enum peer_cancel { PEER_CANCEL_SILENT, PEER_CANCEL_LSP, PEER_CANCEL_MCP };

struct peer *peer_new(const struct codec *codec, size_t limit, enum peer_cancel cancel,
		      const struct peer_handler *handler, void *self);
void peer_free(struct peer *p); /* closes first */
/* Who is at the other end ("clangd"), for `log.wire`; copied. */
void peer_set_name(struct peer *p, const char *name);

/* False: the stream is broken, for good; close the peer and whatever carries it. Bytes for a closed
 * peer are dropped. */
bool peer_feed(struct peer *p, struct str bytes, uint64_t now, struct err *e);
/* The same with one message, for an owner who takes them off the wire himself: MCP's lines may hold
 * several, and one that is broken does not end it. */
bool peer_hear(struct peer *p, struct msg *m, struct err *e);
struct buf *peer_out(struct peer *p);	      /* drain with buf_drop() */
void peer_tick(struct peer *p, uint64_t now); /* calls what is due */
uint64_t peer_deadline(const struct peer *p); /* of the next due; 0: now; UINT64_MAX: none */
/* What waits gets ERR_IO with the text of `why` (or NULL) at the next tick. What is in
 * peer_out() stays; what is sent later is dropped. */
void peer_close(struct peer *p, const struct err *why);
bool peer_closed(const struct peer *p);
size_t peer_waiting(const struct peer *p); /* calls not answered yet */
/* How many stray answers and odd messages have come since the last answer to a call. */
size_t peer_astray(const struct peer *p);

/* `params` and `result` are taken. timeout_ms 0 waits for ever. Returns the call's id. After
 * peer_close() the reply (ERR_IO) comes at the next tick. */
int64_t peer_call(struct peer *p, const char *method, json *params, uint64_t now,
		  uint64_t timeout_ms, peer_reply *fn, void *arg);
void peer_cancel(struct peer *p, int64_t id);
void peer_notify(struct peer *p, const char *method, json *params);
void peer_answer(struct peer *p, const json *id, json *result);
void peer_refuse(struct peer *p, const json *id, const struct err *e);
void peer_refuse_unknown(struct peer *p, const struct msg *m); /* there is no such method here */

#endif
