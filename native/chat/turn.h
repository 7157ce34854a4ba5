#ifndef OX_TURN_H
#define OX_TURN_H

#include "../agent/permissions.h"
#include "../core/turn_drafts.h"
#include "../record/record.h"
#include "../tool/tool.h"
#include "context_window.h"
#include "engine.h"
#include "exchange.h"

/*
 * A turn of a conversation: what a person said goes out, the answer streams back, with the tools
 * that who answers calls, until it is done or a bound says so (chat.rounds, chat.seconds,
 * chat.tokens, chat.cost). Of a model's calls, those that only read run side by side; those that
 * may write run alone, in order. An error of a tool is a result for the model to read.
 *
 * With chat.apply = 'turn' (the default) what its tools change is kept in a draft
 * (core/turn_drafts.h), which later calls see, until the model is done; then the user reviews it as
 * one change, also where the turn was cancelled or failed. What came of it is told to the model
 * with the next message.
 *
 *     chat_add(conversation's chat, CHAT_PERSON) ...        what is said
 *     t = turn_start(conversation, &events, self)
 *             -> text() ... -> message() -> call() -> result() ... -> message()
 *             -> text() ... -> message() -> review() -> changes() -> done()
 *     turn_cancel(t)              -> review() -> ... done(ERR_CANCELLED); again: no review
 *
 * However it ends, the conversation can go on: each call in it has a result.
 */
/* Where the tools of a conversation run. */
struct call_runner {
	/* As call_start() has it; `args` is taken. Returns what cancel() takes. */
	void *(*start)(void *self, const struct tool *t, json *args,
		       const struct call_context *context, call_answer *fn, void *arg);
	void (*cancel)(void *self, void *call);
	/* Where a draft lies there (turn_draft.elsewhere) its review is a call of the tool `turn`,
	 * with the draft and no turn in its context; before its answer the draft is settled. This:
	 * the turn is over without one. */
	void (*leave)(void *self, const struct turn_draft *draft);
};

struct conversation {
	struct oxide *ox;
	const struct engine *engine;
	struct chat chat;
	/* How its tools are called: confirm, of, permit ... `origin` and `who` are the turn's. */
	struct call_context context;
	struct shown_texts *shown; /* what its line numbers mean */
	uint64_t shown_kept;	   /* up to there the messages say it; shown_again.c */
	bool resumed;		   /* its messages were read, and what they say is not done yet */
	/* What they may do beyond that; borrowed. NULL: all that the context lets them. */
	struct permissions *permissions;
	/* Where what is said and done is written down; borrowed. NULL: nowhere. */
	struct record *record;
	int64_t turns;		/* so far */
	struct llm_usage usage; /* of all turns; -1: not told */
	char turn[TURN_ID];	/* of the turn that goes on, or the last; "" before the first */
	char next[TURN_ID];	/* of the one that is about to begin; "": of none */
	/* Called for each turn that drafted something: after review(), and once more where the user
	 * decides later, also when no turn goes on. NULL: nobody wants to know. */
	turn_settled *changes;
	void *changes_self;
	struct chat news;   /* of those, for the model: parts for the next message; turn_news.c */
	struct turn *going; /* NULL: none */
	/* of the engine that asks a model */
	struct http *http;
	const struct model *model;
	struct buf system;		  /* what it is told before all else */
	struct window window;		  /* how much of the conversation is sent */
	const struct call_runner *runner; /* of its tools; NULL: in this core */
	void *runner_self;
	/* of that which speaks with an agent program */
	struct acp_program *program;
};

/* system_prompt.c: what a model is told before all else, as of now: who it is here, its tools'
 * rules, and what the project asks of agents in the AGENTS.md of its root, or in CLAUDE.md where
 * that is not there. The model's engine does it for each turn. */
void conversation_tell_rules(struct conversation *c);
/* The project's files in that, as of now: [{path, bytes, lines, of}], what is told of them and how
 * many lines they have. `p` may be NULL. */
json *conversation_rules_files(struct oxide *ox, const struct permissions *p);

struct turn_events { /* members may be NULL, but for `done` */
	void (*text)(void *self, struct str more, bool thought);
	void (*call)(void *self, const struct chat_part *call); /* it begins */
	/* `text`: what the model reads of it; `answer`: the tool's own, NULL where there is none.
	 */
	void (*result)(void *self, const struct chat_part *call, struct str text,
		       const json *answer, bool failed);
	void (*message)(void *self); /* the last one of the chat is complete */
	/* The user is asked about what was changed: the model is done, or calls a tool that sees
	 * real files alone. turn_cancel() ends that, and leaves it undecided. */
	void (*review)(void *self);
	void (*waits)(void *self, uint64_t ms, const struct err *why); /* as exchange.h has it */
	/* Once, last, never from inside turn_start() or turn_cancel(); the turn is gone then.
	 * ERR_OK: the model has said all it wanted to; ERR_LIMIT: it was cut off, or a bound was
	 * reached; ERR_DENIED: it refused. */
	void (*done)(void *self, const struct err *e);
};

/* It has no engine yet: conversation_with_model(), or acp.h has the other one. */
void conversation_init(struct conversation *c, struct oxide *ox);
void conversation_with_model(struct conversation *c, struct http *http, const struct model *model);
const char *conversation_who(const struct conversation *c); /* answers: "fast", "claude" */
/* Of all turns: {usage}, for record_end(). */
json *conversation_usage(const struct conversation *c);
void conversation_release(struct conversation *c); /* when no turn goes on */
/* Adds to the person's message, the last one, what has become of changes since the model was told,
 * and which turn it begins; turn_start() does it, if nobody has before. */
void conversation_tell_news(struct conversation *c);
/* What is told there. `shown`: to the person, too. */
void conversation_put_news(struct conversation *c, bool shown, struct str text);
/* shown_again.c: what line numbers mean is kept with the messages, to go on with in another
 * process. The last message is complete: */
void conversation_keep_shown(struct conversation *c);
/* Before the first turn of a conversation whose messages were read, `resumed`, when the texts of
 * all buffers are known. Nothing where it is not. */
void conversation_recall_shown(struct conversation *c);
/* What is behind the first `n` messages is taken back: neither said, nor seen by the model. */
void conversation_cut(struct conversation *c, size_t n);
struct turn *turn_start(struct conversation *c, const struct turn_events *events, void *self);
void turn_cancel(struct turn *t);

#endif
