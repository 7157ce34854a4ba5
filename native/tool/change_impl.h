#ifndef OX_CHANGE_IMPL_H
#define OX_CHANGE_IMPL_H

#include "../core/registry.h"
#include "../servers/gate.h"
#include "change_result.h"
#include "taken.h"

/* Shared by change.c, the life of a change, change_verify.c, what servers say of it,
 * change_draft.c, which keeps it in a draft, change_report.c, what is said of it, change_revise.c,
 * what a person makes of its texts, and change_own.c, what it means to its client's line numbers.
 */
struct changing {
	struct call *call;
	struct change ch;
	struct change_result result; /* printed into ch.report, once it is known */
	char *title, *undoes, *turn, *server, *name, *new_name, *home;
	const struct project *project; /* that it changes */
	struct buf labels;
	struct buf told;     /* notes of the tool itself, which hold whatever becomes of a text */
	struct buf notes;    /* of how far it was verified */
	json *reasons;	     /* why it may be incomplete: those of the tool itself */
	struct taken *taken; /* of one that gives a new name */
	struct buf errors;   /* new ones: why only a person's consent makes it */
	struct buf refused;  /* what else is, also of what is left when some is left out */
	struct gate *gate;   /* until the servers may see the documents again */
	json *refusal;	     /* the error object, where it is not the plain one */
	struct waiting waiting; /* while a person is being asked */
	struct buf revisions;	/* of texts, that are in no plan any more: as a diff */
	struct plan *offered;	/* what they may add; NULL: nothing, or it is part of the plan */
	struct own_change *own; /* for the texts that the client was shown; NULL: none are kept */
	bool plan_taken;
	bool cut;    /* a person has left out some of the plan, or added to it */
	bool forced; /* in spite of new errors */
	int64_t question;
	editor_verdict *verdict; /* its answer comes there */
	bool offering;		 /* `offered` is part of the question */
	bool checking;		 /* a text that a person has written, by the gate */
	bool answered, later;	 /* with a no, meanwhile */
	/* Of one that is kept in a draft. */
	struct draft *next; /* that with it */
	struct plan *whole; /* all of that: what is verified. NULL: the change is made */
	bool strict;	    /* new errors refuse it */
	size_t new_errors;
};

/* change_draft.c: begin and release, and what on the way is different there. */
bool change_turn_begin(struct changing *c, struct err *e);
bool change_may_span(const struct changing *c); /* several projects */
bool change_is_drafted(const struct changing *c);
bool change_draft_allows(const struct changing *c, size_t errors);
void change_draft_put_errors(struct changing *c, const struct gate_finding *f);
void change_draft_keep(struct changing *c);
void change_draft_release(struct changing *c);

/* change_ask.c. One more reason why only a person's consent makes it. */
void change_refuse(struct changing *c, struct buf *why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool change_is_refused(const struct changing *c);
bool change_wants_asking(const struct changing *c);
void change_ask(struct changing *c, editor_verdict *fn); /* cancelled: change_give_up() */
void change_asked(struct changing *c);			 /* first thing of fn */
void change_renew(struct changing *c);			 /* the question that is open */
/* The plan becomes what they want of it, and of what was offered. *other: which is another. */
bool change_take(struct changing *c, const struct verdict *v, bool *other, struct err *e);

/* change.c */
void change_give_up(void *arg);
void change_go_on(struct changing *c); /* nothing more is to be looked at */
void change_end(struct changing *c, const struct err *e);

/* change_verify.c: the servers look at it; change_go_on() comes, or change_end(). */
void change_verify(struct changing *c);
void change_look(struct changing *c, gate_found *fn);
/* What was found in a plan that is not the one that was looked at first; `what` would bring it. */
void change_put_again(struct changing *c, const struct gate_finding *f, const char *what);

/* change_revise.c: question.revise. */
bool change_revise(void *arg, size_t i, struct str text, struct err *e);
/* Where one is being checked, an answer waits for the end of that. */
bool change_revise_holds(struct changing *c, const struct verdict *v);
/* The diff from what was asked for to what the person made of it, into the report. */
void change_put_revised(struct changing *c);

/* The members of "Answers that change text", for the plan as it is now. */
void change_describe(struct changing *c, bool applied);
/* Who asked for it makes it: what became of that, which is *e. */
const struct err *change_hand_over(struct changing *c, struct err *e);
/* What the servers found, into the result and the report. */
void change_put_found(struct changing *c, const struct gate_finding *f);
/* For a person who is asked: that no server was to look at it, and why it may be incomplete, as the
 * tool has it. */
void change_note_unverified(struct changing *c);
void change_note_reasons(const struct changing *c, struct buf *notes);
/* It changes more files than servers look at: what they do is `fmt`, as "check at most 3". */
void change_put_large(struct changing *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The rest of them; and the result goes to whoever waits for the answer and wants more than that.
 */
void change_end_result(struct changing *c, const struct err *e);
/* What the tool itself adds; `report` NULL: nobody will see it. */
void change_add_more(struct changing *c, json *report);
/* What it changes in which lines, before it is applied; then, once it is made, noted as what its
 * client has done and was shown (shown_texts.h). Released in every case. */
void change_keep_own(struct changing *c);
void change_note_own(struct changing *c, bool made);
/* The same for the same change of the same texts. */
char *change_id(const struct changing *c);
/* What is not made now can be made later, by its name. */
void change_put_action(struct changing *c);
/* What the person did not accept: whole files, or some of a file's hunks. False: nothing. */
bool change_put_left_out(struct changing *c, const struct verdict *v);

#endif
