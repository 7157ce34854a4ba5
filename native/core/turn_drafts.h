#ifndef OX_TURN_DRAFTS_H
#define OX_TURN_DRAFTS_H

#include "../edit/draft.h"
#include "oxide.h"

/*
 * What a model's turn would change (edit/draft.h), from its first change until the user has decided
 * about it: reviewed as one change, and applied whole or not at all.
 *
 *     t = turn_draft_new(ox, &about, on_settled, arg)
 *     ...draft_with(), draft_take()...                   the turn goes on (tool/change_draft.c)
 *     turn_review(t, ...)                                tool/decide_turn.h -> on_settled()
 *     turn_drafts_forget(ox, arg)                        nobody listens any more
 *
 * It lives until it is settled as accepted or rejected; one that is TURN_UNDECIDED stays, for
 * whoever calls the tool `turn`, and is settled again then. One without files goes with whoever
 * listens.
 */
#define TURN_ID 48 /* bytes */

enum turn_fate {
	TURN_ACCEPTED,
	TURN_ACCEPTED_IN_PART, /* the report's `left_out` says what is not */
	TURN_REJECTED,	       /* by the user; nothing was changed */
	TURN_UNDECIDED,	       /* nothing was changed; the draft stays, for the tool `turn` */
	TURN_LOST,	       /* the editor that kept it has gone; `why` says what is known */
};

/* What became of the changes of a turn. */
struct turn_changes {
	const char *turn; /* its id, as the history and the tool `turn` have it */
	enum turn_fate fate;
	const json *report;    /* as of a tool that changes text; NULL: nothing was changed */
	const struct err *why; /* of one that is undecided or lost: what kept it from being made */
};

typedef void turn_settled(void *arg, const struct turn_changes *what);

struct turn_draft {
	LIST_ENTRY(turn_draft) all;
	char id[TURN_ID];
	char *title, *who; /* the model */
	struct draft *draft;
	char *root;    /* of the project that it changes; NULL: none yet */
	size_t errors; /* new ones that its last step has left */
	/* What it would change is in the draft that the editor with this project open keeps of the
	 * same turn (shell/shell_relay.h); `draft` has nothing. */
	bool elsewhere;
	bool busy;    /* the turn goes on: it cannot be decided about yet */
	size_t calls; /* under way, of a process that may go before they end */
	turn_settled *settled;
	void *arg;
	/* Of the tool `turn`: */
	struct call *review; /* under way; what comes meanwhile takes its place */
	struct call *next;   /* waits until that is cancelled */
};

struct turn_draft_about {
	const char *id, *title, *who;
};

void turn_new_id(struct oxide *ox, char id[TURN_ID]); /* of a turn that begins */
struct turn_draft *turn_draft_new(struct oxide *ox, const struct turn_draft_about *about,
				  turn_settled *fn, void *arg);
void turn_draft_free(struct turn_draft *t); /* of one that nobody needs to decide about */
/* A call that is kept in it begins; it has ended, perhaps after nobody listens any more. */
void turn_draft_use(struct turn_draft *t);
void turn_draft_done(struct turn_draft *t);
/* Those that were made with this `arg`: what they would change stays. */
void turn_drafts_forget(struct oxide *ox, void *arg);
void turn_drafts_free(struct oxide *ox);
/* The last one with this id, or, where that is empty, of all; NULL: none changes a file. */
struct turn_draft *turn_draft_find(struct oxide *ox, struct str id);
/* The one that a turn goes on with, whether it changes a file yet or not; NULL: none. `arg` NULL:
 * of whoever listens. */
struct turn_draft *turn_draft_going(struct oxide *ox, struct str id, const void *arg);
const char *turn_fate_name(enum turn_fate fate); /* "accepted" */
enum turn_fate turn_fate_of(struct str name);	 /* what is unknown is undecided */
/* Tells who listens. It is gone then, unless it is undecided. */
void turn_draft_settle(struct turn_draft *t, const struct turn_changes *what);

#endif
