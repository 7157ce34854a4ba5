#ifndef OX_REPLY_H
#define OX_REPLY_H

#include "provider.h"

/*
 * The answer of a model while it comes: the events of its stream (provider.h), put together to the
 * message that goes into the conversation. What has come can be kept when the rest never comes.
 *
 *     reply_event(&a, event) ...         each one, then
 *     reply_keep(&a, &chat, format)      or reply_release(&a) alone
 */
struct reply_part {
	enum llm_event_kind kind; /* LLM_TEXT, LLM_THOUGHT or LLM_CALL */
	bool complete;		  /* a call: all of its arguments are there */
	struct buf text, id, name, kept;
};

struct reply {
	struct reply_part *v;
	size_t n, cap;
	struct llm_usage usage;
	bool stopped; /* it is complete, and `stop` says why it ended */
	enum llm_stop stop;
};

void reply_init(struct reply *a);
void reply_event(struct reply *a, const struct llm_event *event);
/* Adds it to the conversation as the model's message, and is empty then. Calls that are not
 * complete are left out, and thoughts that were cut off, which no provider takes back. Without
 * anything that can be kept no message is added; NULL then. */
struct chat_message *reply_keep(struct reply *a, struct chat *c, struct str format);
void reply_release(struct reply *a);

#endif
