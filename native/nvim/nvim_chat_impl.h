#ifndef OX_NVIM_CHAT_IMPL_H
#define OX_NVIM_CHAT_IMPL_H

#include "../agent/permissions.h"
#include "../chat/acp.h"
#include "../chat/turn.h"
#include "../record/record.h"
#include "chat_frames.h"
#include "nvim_chat.h"

/* Shared by nvim_chat.c (requests) and nvim_chat_events.c (what a turn tells). */
struct nvim_chat {
	LIST_ENTRY(nvim_chat) all;
	struct pending_call caller; /* what its tools' questions belong to */
	struct nvim *nvim;
	int64_t number;
	struct model model,
		next;	 /* `next`, if it has a name, from the next turn on; an agent has none */
	int64_t opening; /* the request to open an agent, until that is answered; 0: none */
	struct conversation talk;
	struct record *record;
	struct turn *turn;
	int64_t request; /* is answered when the turn ends */
	json *held;	 /* what to send once all buffers are known */
	bool closed;	 /* and goes at the end of the turn */
	/* what the turn tells */
	struct chat_frames frames; /* words that are not told yet */
	struct timer *timer;	   /* of the next frame */
	size_t told;		   /* messages */
	int64_t question;	   /* the latest; 0: none since the last call */
};

extern const struct turn_events nvim_chat_events;
void nvim_chat_on_changes(void *chat, const struct turn_changes *what);

void nvim_chat_answer(struct nvim_chat *c, int64_t id, json *result, const struct err *e);
void nvim_chat_tell_messages(struct nvim_chat *c);
void nvim_chat_flush(void *chat);				     /* words that wait */
void nvim_chat_tell(struct nvim_chat *c, const char *kind, json *v); /* `v` is taken */
json *nvim_chat_model(const struct nvim_chat *c);		     /* {model, id, window} */
void nvim_chat_turn_over(struct nvim_chat *c);			     /* may free it */
struct nvim_chat *nvim_chat_new(struct nvim *n, int64_t number);
struct nvim_chat *nvim_chat_numbered(struct nvim *n, int64_t number); /* NULL: none is open */
void nvim_chat_close(struct nvim_chat *c);
void nvim_chat_answer_request(struct nvim *n, int64_t id, json *result, const struct err *e);
void nvim_chat_free(struct nvim_chat *c);
bool nvim_chat_load(struct nvim_chat *c, const json *v, struct err *e); /* what was said before */
/* The record of what it does. `agent`, {name, engine, ...}, is taken. */
void nvim_chat_record(struct nvim_chat *c, json *agent);

/* nvim_chat_open.c. True: the request is answered later; else with *result, or *e. */
bool nvim_chat_open(struct nvim *n, int64_t id, const json *v, json **result, struct err *e);
/* {files}: those of the project that whoever is asked is told; an agent reads them itself. */
json *nvim_chat_rules(struct nvim *n, const json *v, struct err *e);
void nvim_chat_end_look(struct nvim *n);
/* The object of an error for want of a model: `models` is what there is. */
json *nvim_chat_no_model(const struct nvim *n, const struct err *e);

/* nvim_chat_agent.c: conversations with agent programs (chat/acp.h). */
bool nvim_chat_is_agent(const struct nvim_chat *c);
/* The agent that this name means: new, or NULL. */
struct agent_preset *nvim_chat_agent(const struct nvim *n, struct str name);
json *nvim_chat_agents(const struct nvim *n); /* names of those that can be had here */
/* Opens the conversation with it; the request `id` is answered later, unless it returns false.
 * Takes the preset. */
bool nvim_chat_open_agent(struct nvim_chat *c, int64_t id, struct agent_preset *preset,
			  const json *v, struct err *e);
json *nvim_chat_about_agent(const struct nvim_chat *c);
void nvim_chat_close_agent(struct nvim_chat *c); /* before it is freed */
/* The requests that agents alone have; answered later, or false and *e. */
bool nvim_chat_authenticate(struct nvim_chat *c, int64_t id, const json *v, struct err *e);
bool nvim_chat_take_session(struct nvim_chat *c, int64_t id, const json *v, struct err *e);
bool nvim_chat_set_option(struct nvim_chat *c, int64_t id, const json *v, struct err *e);

#endif
