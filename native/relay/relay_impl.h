#ifndef OX_RELAY_IMPL_H
#define OX_RELAY_IMPL_H

#include <sys/queue.h>

#include "../core/config.h"
#include "../io/peer_io.h"
#include "relay.h"

/* Shared by relay.c (the calls) and relay_find.c (which core it is). */

struct contact { /* a core that listens */
	LIST_ENTRY(contact) all;
	struct relay *relay;
	struct peer *peer;
	struct peer_io *link;
	struct err gone;
	json *info; /* what it said of itself; NULL: nothing yet, or it is none for us */
};

struct relay {
	struct loop *loop;
	const struct relay_spec *spec;
	const struct relay_events *ev;
	void *self;
	struct config config; /* the defaults: the person's own are the core's */
	LIST_HEAD(, contact) contacts;
	struct contact *chosen;
	int hellos;	/* not answered yet */
	struct err why; /* what is wrong with one that was no use */
	struct buf note;
	LIST_HEAD(, relay_asked) asked;
	LIST_HEAD(, relay_waiting) waiting;
	bool freed;
};

void relay_find(struct relay *r); /* leads to the event `found` */
struct contact *contact_new(struct relay *r, int fd);
void contact_end(struct contact *c); /* no more of it; its calls fail soon */

#endif
