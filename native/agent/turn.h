#ifndef OX_TURN_H
#define OX_TURN_H

#include "../tool/tool.h"
#include "exchange.h"

/*
 * A turn of a conversation with a model: what a person said goes out, the answer streams back, the
 * tools that it calls are run, their results go out, until it calls none any more or a bound says
 * so (chat.rounds, chat.seconds). Tools that only read run side by side; those that may write run
 * alone, in order. An error of a tool is a result for the model to read.
 *
 *     chat_add(conversation's chat, CHAT_PERSON) ...        what is said
 *     t = turn_start(conversation, &events, self)
 *             -> text() ... -> message() -> call() -> result() ... -> message()
 *             -> text() ... -> message() -> done()
 *     turn_cancel(t)                                                -> done(ERR_CANCELLED)
 *
 * However it ends, the conversation can go on: each call in it has a result.
 */
struct conversation {
	struct oxide *ox;
	struct http *http;
	const struct model *model;
	struct chat chat;
	const char *system; /* what a model is told before all else */
	/* How its tools are called: confirm, of, permit ... `origin` and `who` are the turn's. */
	struct call_context context;
	struct llm_usage usage; /* of all turns; -1: not told */
};

extern const char conversation_system[]; /* system.c: who the model is here, and its tools' rules */

struct turn;

struct turn_events { /* members may be NULL, but for `done` */
	void (*text)(void *self, struct str more, bool thought);
	void (*call)(void *self, const struct chat_part *call); /* it begins */
	/* `text`: what the model reads of it; `answer`: the tool's own, NULL where there is none.
	 */
	void (*result)(void *self, const struct chat_part *call, struct str text,
		       const json *answer, bool failed);
	void (*message)(void *self); /* the last one of the chat is complete */
	void (*waits)(void *self, uint64_t ms, const struct err *why); /* as exchange.h has it */
	/* Once, last, never from inside turn_start() or turn_cancel(); the turn is gone then.
	 * ERR_OK: the model has said all it wanted to; ERR_LIMIT: it was cut off, or a bound was
	 * reached; ERR_DENIED: it refused. */
	void (*done)(void *self, const struct err *e);
};

void conversation_init(struct conversation *c, struct oxide *ox, struct http *http,
		       const struct model *model);
void conversation_release(struct conversation *c); /* when no turn goes on */
struct turn *turn_start(struct conversation *c, const struct turn_events *events, void *self);
void turn_cancel(struct turn *t);

#endif
