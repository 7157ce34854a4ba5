#ifndef OX_BATCH_H
#define OX_BATCH_H

#include "operation.h"
#include "plan.h"

/*
 * Operations carried out one after another on the texts of a plan.
 *
 * A line number means a line of the file as the caller saw it before the batch, wherever earlier
 * operations have moved it; a string is sought in the text as earlier operations left it. Two that
 * claim the same original lines are a conflict, found before anything runs. Every operation that
 * fails is reported, not only the first.
 *
 *     struct batch *b = batch_new(&ops, BATCH_CONFLICTS);
 *     struct plan *p = batch_run(b, &source, &e);   // NULL: something failed; e is the first
 *     batch_outcome(b, i) ...                       // in both cases
 *     batch_free(b);
 *
 * Costs O(text + operations log operations) for each file, as long as strings are not sought in
 * what earlier operations put in, nor lines changed that they changed.
 */
struct batch;

enum batch_flag {
	BATCH_CONFLICTS = 1 << 0, /* look for conflicts first */
	/* Leave out files with a failure, and do the others; what is left out is ERR_CANCELLED. */
	BATCH_KEEP_GOOD = 1 << 1,
};

struct outcome {
	const struct err *why;	     /* NULL: it succeeded */
	enum match match;	     /* the proof it needed */
	size_t moved_from, moved_to; /* MATCH_RELOCATED: lines from 1 */
	size_t places;		     /* how many edits */
	int64_t line_changes;	     /* lines it added, less those it removed */
	bool stripped;		     /* line numbers that the model had sent along were taken off */
	int clash;		     /* ERR_CONFLICT: the other entry (operation.of), else -1 */
	struct candidates *near;     /* candidates; NULL: none were sought */
};

struct batch *batch_new(const struct operations *ops, unsigned flags); /* ops are kept */
void batch_free(struct batch *b);
/* A finished plan, the caller's; NULL and *e when nothing is to be done. `src` is kept by it. */
struct plan *batch_run(struct batch *b, const struct plan_source *src, struct err *e);
const struct outcome *batch_outcome(const struct batch *b, size_t i);
size_t batch_failures(const struct batch *b);

#endif
