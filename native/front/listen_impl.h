#ifndef OX_LISTEN_IMPL_H
#define OX_LISTEN_IMPL_H

#include "listen.h"

/* Shared by listen.c (the socket, who connects), listen_call.c (what they ask for) and
 * listen_record.c (what they did). */

struct guest { /* a connection */
	struct guest *next;
	struct listen *listen;
	struct peer *peer;
	struct peer_io *link; /* NULL: it goes */
	struct guest_call *calls;
	size_t waiting; /* how many those are */
	unsigned last_project;
	char *who;	    /* NULL: it has not said hello; nor are the next three known */
	const char *origin; /* for the history */
	char *folder;	    /* where it works */
	int64_t came_ms;    /* since 1970 */
	bool person;
	bool unattended;       /* what would wait for the person in Neovim is refused */
	json *called, *failed; /* how often, by tool */
	size_t unread;	       /* when it was last looked at */
	uint64_t since;	       /* it has taken some */
};

struct guest_call {
	struct asker asker;
	struct guest_call *next;
	struct nvim *nvim;
	struct guest *guest; /* NULL: gone */
	char *who;
	json *id;
	const struct tool *tool;
	json *held; /* its arguments, while it waits for all buffers */
	struct call_context context;
	struct call *call;
	bool cancelled;
	int64_t question; /* the latest that the person in Neovim was asked; 0: none */
	char *proposed;	  /* title of what a person was asked about; NULL: nobody was */
	char *title;	  /* of what is being written; NULL: nothing yet */
};

struct listen {
	struct nvim *nvim;
	struct listener *socket; /* NULL: it ends */
	char *path;
	struct guest *guests;
	size_t count;
	int64_t calls;	/* so far */
	json **changes; /* the latest `most` of all `changed`, at those numbers modulo `most` */
	size_t most, changed;
};

uint64_t guest_limit(const struct guest *g, enum config_key key);
void guest_send(struct guest *g); /* what was put into its peer */
void guest_drop(struct guest *g, const char *why);
void guest_call(struct guest *g, struct msg *m, const json *params);
void guest_cancel(struct guest *g, const json *params);
void guest_unattended(struct guest *g);
void guest_leaves_calls(struct guest *g); /* takes back what can be */
bool guest_writes(const struct guest *g);
void guest_record(const struct guest_call *c, const json *result, const struct err *e);
void listen_forget(struct listen *l); /* what was recorded */

#endif
