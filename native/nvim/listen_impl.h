#ifndef OX_LISTEN_IMPL_H
#define OX_LISTEN_IMPL_H

#include "../core/turn_drafts.h"
#include "listen.h"

/* Shared by listen.c (the socket, who connects), listen_call.c (what they ask for), listen_turn.c
 * (the turns of models that their calls are a part of) and listen_record.c (what they did). */

struct remote { /* a connection */
	LIST_ENTRY(remote) all;
	struct listen *listen;
	struct peer *peer;
	struct peer_io *link; /* NULL: it goes */
	struct pending_calls calls;
	size_t waiting; /* how many those are */
	unsigned last_project;
	struct shown_texts *shown; /* NULL: it has not said hello */
	char *who;		   /* NULL: it has not said hello; nor are the next three known */
	const char *origin;	   /* for the history */
	char *folder;		   /* where it works */
	int64_t came_ms;	   /* since 1970 */
	bool person;
	struct remote_call *held; /* a review that ended before its turn is settled */
	bool unattended;	  /* what would wait for the person in Neovim is refused */
	json *called, *failed;	  /* how often, by tool */
	size_t unread;		  /* when it was last looked at */
	uint64_t since;		  /* it has taken some */
	/* Its request `agent_turn` that waits; NULL: none does. */
	struct agent_turn_asked *agent_turn;
};

struct remote_call {
	struct pending_call pending;
	struct nvim *nvim;
	struct remote *remote; /* NULL: gone */
	char *who;
	json *id;
	int64_t number;	  /* in Neovim's eyes */
	int64_t question; /* the latest that the person in Neovim was asked; 0: none */
	char *proposed;	  /* title of what a person was asked about; NULL: nobody was */
	char *title;	  /* of what is being written; NULL: nothing yet */
	struct exemptions exempt;
	char turn[TURN_ID]; /* that it is a part of, or the review of; "": of none */
	json *result;	    /* while it is held */
	struct err why;
};

struct listen {
	struct nvim *nvim;
	struct listener *socket; /* NULL: it ends */
	char *path;
	LIST_HEAD(, remote) remotes;
	size_t count;
	json **changes; /* the latest `most` of all `changed`, at those numbers modulo `most` */
	size_t most, changed;
};

uint64_t remote_limit(const struct remote *client, enum config_key key);
void remote_send(struct remote *client); /* what was put into its peer */
void remote_on_call(void *client, struct msg *m, const json *params);
void remote_on_agent(void *client, struct msg *m, const json *params);	    /* nvim_agent.c */
void remote_on_agent_turn(void *client, struct msg *m, const json *params); /* nvim_agent.c */
void remote_leaves_agent_turn(struct remote *client);
void remote_on_unattended(void *client, struct msg *m, const json *params);
void remote_on_leave(void *client, struct msg *m, const json *params);
void remote_call_end(struct remote_call *c, json *result, const struct err *e);
/* listen_turn.c. `turn` as relay.h has it: what it means to the call. */
void remote_join_turn(struct remote_call *c, const json *turn);
/* Whether it is answered later, by remote_call_end(): somebody else decides about its turn. */
bool remote_hold_review(struct remote_call *c, json *result, const struct err *e);
bool remote_has_drafted(const struct remote_call *c);
void remote_leaves_turns(struct remote *client); /* what waits for a review stays */
void remote_leaves_calls(struct remote *client); /* takes back what can be */
bool remote_writes(const struct remote *client);
void remote_record(const struct remote_call *c, const json *result, const struct err *e);
void listen_forget(struct listen *l); /* what was recorded */

#endif
