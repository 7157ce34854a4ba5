#ifndef OX_TURN_IMPL_H
#define OX_TURN_IMPL_H

#include "../llm/reply.h"
#include "turn.h"

/* Shared by turn.c, turn_model.c, which asks a model, turn_calls.c, which runs the tools that it
 * calls, turn_permit.c, which says whether they may, and turn_outside.c, whether they may where a
 * file lies; and by acp.c. turn_review.c has what they change, turn_news.c what the model hears of
 * that; turn_record.c writes down what they did. */
struct turn_call {
	struct turn *of;
	const struct chat_part *part; /* of the conversation */
	const struct tool *tool;      /* NULL: it called one that is not there */
	json *args;		      /* until it is started */
	struct call *call;	      /* under way */
	void *elsewhere;	      /* the same by the runner */
	bool failed, ended;
	enum err_code code; /* of one that failed */
	int64_t began_ms;   /* since 1970 */
	struct buf result;
	/* turn_permit.c */
	enum permission_rule rule;
	struct permission_request request;
	struct buf title, digest; /* of that */
	struct buf commands;	  /* that it runs; empty: none */
	struct permission *asking;
	/* turn_outside.c */
	struct exemptions exempt; /* what it may write although it lies elsewhere */
	bool reviewed;		  /* some of what it writes is */
};

struct turn {
	struct conversation *of;
	struct turn_events events;
	void *self;
	uint64_t began;
	struct timer *limit;   /* chat.seconds */
	size_t answered;       /* bytes of the answer that comes */
	struct err over;       /* the bound that has ended it */
	struct llm_usage used; /* by this turn */
	bool cancelled;
	/* turn_review.c */
	struct turn_draft *draft; /* NULL: none yet */
	bool asks;		  /* some change in it needs the user's word */
	bool unreviewed;	  /* it was cancelled once more: no review */
	bool reviewing, settled;
	enum turn_fate fate;
	struct call *review;		  /* under way */
	void *review_elsewhere;		  /* the same by the runner */
	void (*reviewed)(struct turn *t); /* what comes then */
	struct turn_call *held;		  /* waits for that */
	struct err end;			  /* why the turn ends, until it is reviewed */
	struct acp_turn *acp;		  /* of that engine; NULL: another one */
	/* turn_model.c */
	struct exchange *exchange;
	struct reply reply;
	int64_t rounds;
	size_t sent;	/* bytes of the prompt that is being answered */
	size_t summing; /* messages of which a summary is being written; 0: none is */
	/* of one answer */
	struct turn_call *calls;
	size_t n, next, running;
	bool writing;
	/* calls that failed, again and again */
	struct buf failed_last;
	size_t failed_times;
};

/* turn.c: nothing more comes but the review. */
void turn_end(struct turn *t, const struct err *e);
bool turn_say_seconds(const struct turn *t, struct err *e); /* that it has taken too long */
void turn_tell_message(const struct turn *t);		    /* the last one is complete */

void turn_run_calls(struct turn *t, const struct chat_message *m); /* then turn_calls_over() */
void turn_cancel_calls(struct turn *t);
void turn_release_calls(struct turn *t);
/* turn_record.c: rows of the conversation's record, if it has one. */
void turn_record_message(const struct turn *t, const struct chat_message *m);
void turn_record_call(const struct turn_call *c, const json *answer);
void turn_decide(struct turn_call *c); /* fills in its rule and its request */
/* What the rule, ALLOW once a question was answered with yes, means to the tool. */
void turn_permit(struct turn_call *c, struct call_context *context);
/* turn_outside.c: whether it was refused for where a file lies, that nobody was asked about; then
 * its rule and its request are of that file, to be decided about before it is made again. */
bool turn_asks_outside(struct turn_call *c, const struct err *e);
void turn_exempt_place(struct turn_call *c);
/* turn_news.c: what the person wrote in a message; NULL: it has no such part. */
struct chat_part *turn_words(const struct chat_message *m);
/* turn_review.c */
void turn_title(struct str words, struct buf *out);	    /* their first line, cut */
void turn_own_title(const struct turn *t, struct buf *out); /* of what the person asked for */
bool turn_has_draft(const struct turn *t);
/* What the turn, and its draft, mean to the tool. */
void turn_draft_for(struct turn *t, const struct tool *tool, struct call_context *context);
void turn_hold_call(struct turn_call *c);		  /* until the draft is reviewed; then: */
void turn_resume_call(struct turn_call *c, bool decided); /* turn_calls.c */
void turn_review_end(struct turn *t, void (*then)(struct turn *t));
bool turn_cancel_review(struct turn *t); /* false: none is under way */
void turn_record_changes(const struct conversation *c, const json *report);
/* What an agent has changed by itself. `root`: of the report's paths. */
void turn_record_past(const struct turn *t, const char *root, const json *report);
void turn_calls_over(struct turn *t, const struct err *e); /* their results are in the chat */

#endif
