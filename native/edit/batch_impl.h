#ifndef OX_BATCH_IMPL_H
#define OX_BATCH_IMPL_H

#include "../base/map.h"
#include "../text/find_each.h"
#include "../text/linemap.h"
#include "batch.h"

/*
 * The inside of a batch: batch.c runs it, batch_locate.c finds places, batch_depend.c sees which
 * depend on others, batch_claims.c finds conflicts, batch_file.c has whole files.
 *
 * A round: operations on one file are located in its text as it stands at the beginning of the
 * round (the base), and collected as edits of that one text. An operation whose place depends on
 * what an earlier one did ends the round first: the edits go into the plan, and what they made is
 * the next base. Most batches are one round.
 */
/* Looking for what is near goes through the whole text: not for thousands of failures. */
#define BATCH_EXPLAINED 50

struct place { /* where an operation on a text belongs */
	struct target *target;
	size_t nth; /* of the target's operations */
	bool known;
	size_t first, n;       /* its edits, of target->found */
	const struct err *why; /* not known: of b->texts */
	bool depends;	       /* on an earlier one of the round */
};

struct target { /* one file */
	const char *path;
	struct str base;
	bool strings; /* nothing is asked for but to replace strings: they never conflict */
	bool counted; /* its lines matter */
	struct line_table lines;
	size_t n_lines;	     /* a person's: a final line end starts none */
	size_t first_lines;  /* as the caller saw it */
	struct linemap *map; /* original lines to those of the base */
	bool crlf;
	struct edits found;   /* against the base; not checked; tagged by place.nth, texts lent */
	struct edits pending; /* those of this round that have had their turn */
	bool exact; /* of bytes that go in as they are: a unified patch has its own line ends */
	size_t *op; /* the operations on it, in order */
	size_t n, cap;
	bool failed;
	bool opened;
	bool late;  /* an earlier operation makes the file: it is looked at when its turn comes */
	bool moved; /* an earlier one is about a folder that it is in */
	bool done;  /* its only operation is carried out */
};

struct batch {
	const struct operations *ops;
	unsigned flags;
	struct str root;
	struct outcome *outcome;
	struct place *place;
	struct map targets; /* by path */
	struct plan *plan;
	struct arena texts;
	size_t explained; /* failures whose candidates were sought, at most BATCH_EXPLAINED */
};

const struct err *batch_keep_err(struct batch *b, const struct err *e);
/* batch_locate.c: fills b->place of the target's operations from index `from` of its list on. */
void batch_locate(struct batch *b, struct target *t, size_t from);
/* batch_depend.c: marks those of them that depend on others. `needles`: what they look for, or
 * NULL. */
void batch_depend(struct batch *b, struct target *t, size_t from, const struct finder *needles);
/* batch_claims.c: false: some operations clash; their outcomes say so. */
bool batch_claims(struct batch *b, struct target *t);
/* batch_file.c: an operation that is none on a text. */
bool batch_run_file(struct batch *b, const struct operation *op, struct err *e);

#endif
