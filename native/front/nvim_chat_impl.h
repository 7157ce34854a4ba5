#ifndef OX_NVIM_CHAT_IMPL_H
#define OX_NVIM_CHAT_IMPL_H

#include "../agent/permissions.h"
#include "../agent/record.h"
#include "../agent/turn.h"
#include "nvim_chat.h"

/* Shared by nvim_chat.c (requests) and nvim_chat_events.c (what a turn tells). */
struct nvim_chat {
	LIST_ENTRY(nvim_chat) all;
	struct pending_call caller; /* what its tools' questions belong to */
	struct nvim *nvim;
	int64_t number;
	struct model model, next; /* `next`, if it has a name, from the next turn on */
	struct conversation talk;
	struct record *record;
	struct turn *turn;
	int64_t request; /* is answered when the turn ends */
	json *held;	 /* what to send once all buffers are known */
	bool closed;	 /* and goes at the end of the turn */
	/* what the turn tells */
	struct buf words; /* not told yet */
	bool thought;
	struct timer *frame;
	uint64_t told_at;
	size_t told;	  /* messages */
	int64_t question; /* the latest; 0: none since the last call */
};

extern const struct turn_events nvim_chat_events;
void nvim_chat_on_changes(void *chat, const struct turn_changes *what);
json *nvim_chat_usage(const struct nvim_chat *c);

void nvim_chat_answer(struct nvim_chat *c, int64_t id, json *result, const struct err *e);
void nvim_chat_tell_messages(struct nvim_chat *c);
void nvim_chat_flush(void *chat);				     /* words that wait */
void nvim_chat_tell(struct nvim_chat *c, const char *kind, json *v); /* `v` is taken */
json *nvim_chat_model(const struct nvim_chat *c);		     /* {model, id, window} */
void nvim_chat_turn_over(struct nvim_chat *c);			     /* may free it */

#endif
