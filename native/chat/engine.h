#ifndef OX_ENGINE_H
#define OX_ENGINE_H

#include "../base/err.h"

/*
 * Who answers in a conversation: a model that Oxide asks itself (turn_model.c), or an agent program
 * that speaks ACP (acp.h). What is the same with all of them is turn.h's: the turn, its draft and
 * its review, the bounds, the record, cancelling.
 *
 * begin() is called from the loop, once a turn; from there on, also where stop() or cancel() came
 * first, the engine ends the turn with turn_end(), once.
 */
struct turn;
struct conversation;

struct engine {
	const char *name; /* in records */
	void (*begin)(struct turn *t);
	/* A bound is reached: what was said until now stays, and `why` is how the turn ends. */
	void (*stop)(struct turn *t, const struct err *why);
	/* The user has had enough; not while a review is open. */
	void (*cancel)(struct turn *t);
	void (*free)(struct turn *t); /* what it has put into the turn */
	const char *(*who)(const struct conversation *c);
	double (*cost)(const struct conversation *c); /* of all turns; -1: not known */
};

#endif
