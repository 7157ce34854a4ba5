#ifndef OX_LISTEN_IMPL_H
#define OX_LISTEN_IMPL_H

#include "listen.h"

/* Shared by listen.c (the socket, who connects) and listen_call.c (what they ask for). */

struct guest { /* a connection */
	struct guest *next;
	struct listen *listen;
	struct peer *peer;
	struct link *link; /* NULL: it goes */
	struct guest_call *calls;
	size_t waiting; /* how many those are */
	char *who;	/* NULL: it has not said hello */
	bool person;
	size_t unread;	/* when it was last looked at */
	uint64_t since; /* it has taken some */
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
	int64_t question; /* the latest that the person in Neovim was asked; 0: none */
	char *title;	  /* of what is being written; NULL: nothing yet */
};

struct listen {
	struct nvim *nvim;
	struct listener *socket; /* NULL: it ends */
	char *path;
	struct guest *guests;
	size_t count;
	int64_t calls; /* so far */
};

uint64_t guest_limit(const struct guest *g, enum config_key key);
void guest_send(struct guest *g); /* what was put into its peer */
void guest_drop(struct guest *g, const char *why);
void guest_call(struct guest *g, struct msg *m, const json *params);
void guest_cancel(struct guest *g, const json *params);
void guest_leaves_calls(struct guest *g); /* takes back what can be */
bool guest_writes(const struct guest *g);

#endif
