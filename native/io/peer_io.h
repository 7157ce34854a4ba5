#ifndef OX_PEER_IO_H
#define OX_PEER_IO_H

#include "../wire/peer.h"
#include "loop.h"

/*
 * Joins a peer to bytes: a job's pipes, our own stdin and stdout, a socket, or whoever passes them
 * on. After everything that goes in it lets the owner take its turn, writes what the peer has to
 * say, and arms the next deadline.
 */
struct peer_io;
struct job;

struct peer_io_spec {
	struct peer *peer; /* borrowed; must outlive the link */
	void *self;
	/* Calls peer_tick(), and what else is due, and says when that is. NULL: there is nothing
	 * else. */
	void (*turn)(void *self, uint64_t now);
	uint64_t (*deadline)(void *self);
	/* The peer broke the protocol, or (stdio, socket) its input ended: e->code is ERR_OK. Once.
	 */
	void (*ended)(void *self, const struct err *e);
	/* Takes what comes in; NULL: peer_feed() does. */
	bool (*feed)(void *self, struct str bytes, uint64_t now, struct err *e);
	/* stdio, socket: nothing is read while more bytes than this wait to be taken; 0: no bound.
	 */
	size_t unwritten;
	/* What is sent in place of peer_out(), such as what the peer says in frames; filled by
	 * turn(). NULL: that itself. */
	struct buf *(*out)(void *self);
};

/* ERR_UNSUPPORTED where stdin or stdout is not a pipe or socket. */
struct peer_io *peer_io_stdio(struct loop *l, const struct peer_io_spec *spec, struct err *e);
/* A connected socket of either family, whose descriptor is taken. */
struct peer_io *peer_io_socket(struct loop *l, const struct peer_io_spec *spec, int fd);
struct peer_io *peer_io_job(struct loop *l, const struct peer_io_spec *spec, struct job *j);
/* What the peer says goes to `put`, which takes all of it. */
struct peer_io *peer_io_through(struct loop *l, const struct peer_io_spec *spec,
				void (*put)(void *self, struct str bytes));
void peer_io_read(struct peer_io *k,
		  struct str bytes);  /* what a job has put out, or was passed on */
void peer_io_wake(struct peer_io *k); /* something was put into the peer: a turn soon */
/* What it was woken for happens now: for who is in the middle of reading something else. */
void peer_io_hurry(struct peer_io *k);
/* A socket, once all is written: tells the other side that nothing more comes. What it says is
 * still read. */
void peer_io_shut(struct peer_io *k);
/* Bytes that the other side has not taken yet. */
size_t peer_io_unwritten(const struct peer_io *k);
void peer_io_cut(struct peer_io *k); /* the job is gone: no more writing */
void peer_io_free(struct peer_io *k);

#endif
