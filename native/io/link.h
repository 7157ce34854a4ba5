#ifndef OX_LINK_H
#define OX_LINK_H

#include "../wire/peer.h"
#include "loop.h"

/*
 * Joins a peer to bytes: a job's pipes, our own stdin and stdout, a socket, or whoever passes them
 * on. After everything that goes in it lets the owner take its turn, writes what the peer has to
 * say, and arms the next deadline.
 */
struct link;
struct job;

struct link_spec {
	struct peer *peer; /* borrowed; must outlive the link */
	void *self;
	void (*turn)(void *self, uint64_t now); /* calls peer_tick(), and what else is due */
	uint64_t (*deadline)(void *self);
	/* The peer broke the protocol, or (stdio, socket) its input ended: e->code is ERR_OK. Once.
	 */
	void (*ended)(void *self, const struct err *e);
	/* Takes what comes in; NULL: peer_feed() does. */
	bool (*feed)(void *self, struct str bytes, uint64_t now, struct err *e);
	/* stdio, socket: nothing is read while more bytes than this wait to be taken; 0: no bound.
	 */
	size_t unwritten;
};

/* ERR_UNSUPPORTED where stdin or stdout is no pipe or socket. */
struct link *link_stdio(struct loop *l, const struct link_spec *spec, struct err *e);
/* A connected socket, whose descriptor is taken. */
struct link *link_socket(struct loop *l, const struct link_spec *spec, int fd);
struct link *link_job(struct loop *l, const struct link_spec *spec, struct job *j);
/* What the peer says goes to `put`, which takes all of it. */
struct link *link_through(struct loop *l, const struct link_spec *spec,
			  void (*put)(void *self, struct str bytes));
void link_read(struct link *k, struct str bytes); /* what a job has put out, or was passed on */
void link_wake(struct link *k);			  /* something was put into the peer: a turn soon */
/* Bytes that the other side has not taken yet. */
size_t link_unwritten(const struct link *k);
void link_cut(struct link *k); /* the job is gone: no more writing */
void link_free(struct link *k);

#endif
