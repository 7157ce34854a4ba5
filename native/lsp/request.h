#ifndef OX_REQUEST_H
#define OX_REQUEST_H

#include <sys/queue.h>

#include "../wire/peer.h"
#include "answers.h"

/*
 * The requests to one language server: what is asked, by whom, until when, and what is known
 * already. They belong to whoever runs the server (server_ask()) and outlive its sessions, each of
 * which sends from them while it is READY.
 *
 *     request_ask() --> WAITING --the server is ready--> SENT --answer or error--> told
 *                        |  ^ ^                           | |
 *                        |  | '-- "content modified", ----' | the session ended
 *                        |  |     "server cancelled"        v
 *                        |  '------ request_resume() ----- HELD --request_fail()--> told
 *                        '--> told: out of time, cancelled, not supported, the server is gone
 *
 *     requests_init(&rs, &owner, self)
 *     s = session_new(..., &rs, ...)		// one session at a time, or none
 *     id = request_ask(&rs, ...)		// sent at once where that is possible
 *     request_cancel(&rs, id)
 *     requests_tick(&rs, now)			// after peer_feed() and peer_tick(), before
 * draining session_free(s)			// what waits is held for the next session, or fails
 *     requests_release(&rs)
 *
 * Promise: whoever asks has one id and one deadline, and is called once, with what peer.h promises,
 * ERR_UNSUPPORTED, or ERR_NO_SERVER, never from inside request_ask() and request_cancel().
 *
 * An equal request that is waiting, or on the wire with nothing having happened since that its
 * answer may hang on, is joined; what was answered and kept (answers.h) is not asked again. Only
 * workspace/executeCommand goes out each time. "Content modified" and "server cancelled" are asked
 * again, up to three times, within the time given. The server is told ($/cancelRequest) when
 * nobody waits for the answer any more.
 *
 * A request that was lost with its session may be held by the owner until another session can
 * answer it; then everybody's time begins again. It is held once: a second loss is final.
 */
struct session;
struct request;

struct requests_owner {
	/* Changes whenever a request might mean something else; others are not joined then. */
	uint64_t (*moves)(void *self);
	/* r was lost (r->why). Whether it is held: request_resume() or request_fail() follows, not
	 * from inside. */
	bool (*hold)(void *self, struct request *r);
	/* Nobody waits for a held request any more: request_fail() may come early. */
	void (*abandon)(void *self, struct request *r);
	/* Puts an error into the owner's words before it is told to one who asked at that time. */
	void (*failed)(void *self, uint64_t asked_at, struct err *e);
	void (*told)(void *self); /* one who had asked was called */
};

/* Somebody who waits for the answer. */
struct request_waiter {
	TAILQ_ENTRY(request_waiter) next;
	int64_t id;
	uint64_t asked_at, timeout_ms, due; /* due UINT64_MAX: never */
	peer_reply *fn;
	void *arg;
	bool cancelled;
};

/* For the owner: feature, params, moves, why and held. */
struct request {
	TAILQ_ENTRY(request) next;
	struct requests *requests;
	enum lsp_feature feature;
	json *params;
	uint64_t moves;			      /* the owner's, when it was asked first */
	struct err why;			      /* HELD: why it was lost */
	void *held;			      /* HELD: the owner's */
	struct buf question;		      /* feature and params, to be told from others */
	TAILQ_HEAD(, request_waiter) waiters; /* in the order of asking */
	/* KNOWN: `answer` is to be told; OVER: it cannot be joined any more */
	enum { REQUEST_WAITING, REQUEST_SENT, REQUEST_HELD, REQUEST_KNOWN, REQUEST_OVER } state;
	struct buf answer;
	int64_t call;	      /* SENT: the peer's id */
	uint64_t news;	      /* SENT: the session's count then */
	unsigned tries;	      /* "content modified" so far */
	uint64_t not_before;  /* of the next attempt; see request.c */
	struct err *cannot;   /* it fails at the next occasion; NULL: it can be sent */
	bool was_held, final; /* final: the error is in the owner's words already */
};

struct requests {
	const struct requests_owner *owner;
	void *self;
	struct session *session; /* that answers at present; NULL: none */
	struct answers answers;	 /* set .most and .most_bytes to keep any */
	TAILQ_HEAD(, request) list;
	int64_t last_id;
};

/* `owner` is borrowed. */
void requests_init(struct requests *rs, const struct requests_owner *owner, void *self);
void requests_release(struct requests *rs); /* after session_free(); the rest fails */

/* `params` are taken. timeout_ms 0 waits for ever. */
int64_t request_ask(struct requests *rs, enum lsp_feature f, json *params, uint64_t now,
		    uint64_t timeout_ms, peer_reply *fn, void *arg);
void request_cancel(struct requests *rs, int64_t id);
/* Sends what is due and tells whoever need not wait any longer. Who asks meanwhile stays for the
 * next time. */
void requests_tick(struct requests *rs, uint64_t now);
uint64_t requests_deadline(const struct requests *rs); /* of the next tick; 0: now */

void request_resume(struct request *r, uint64_t now);
void request_fail(struct request *r, const struct err *e); /* in the owner's words */

/* For the session: it has ended and is about to be freed. */
void requests_detach(struct requests *rs);

#endif
