#ifndef OX_BATCH_IMPL_H
#define OX_BATCH_IMPL_H

#include "../base/map.h"
#include "../text/find_each.h"
#include "../text/linemap.h"
#include "batch.h"

/*
 * The inside of a batch: batch.c runs it, batch_find.c finds places, batch_depend.c sees which
 * depend on others, batch_claims.c finds conflicts, batch_collect.c says which are on one text,
 * batch_moves.c where its lines are, batch_file.c has whole files.
 *
 * A round: operations on one file are located in its text as it is at the beginning of the
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
	size_t line;	       /* operation_by_line(): of the base, from 0 */
	const struct err *why; /* not known: of b->texts */
	bool depends;	       /* on an earlier one of the round */
	/* Of an operation on a file: those whose texts it takes away, or copies. */
	struct target *ended;
};

struct target { /* one text: what a name stands for until an operation takes it away */
	const char *path;
	struct str base;
	bool strings; /* nothing is asked for but to replace strings: they never conflict */
	bool counted; /* its lines matter */
	struct line_table lines;
	size_t n_lines;	     /* a user's: a final line end starts none */
	size_t first_lines;  /* as the caller saw it */
	struct linemap *map; /* original lines to those of the base */
	bool crlf;
	struct edits found;   /* against the base; not checked; tagged by place.nth, texts lent */
	struct edits pending; /* those of this round that had their turn; tag: the operation */
	bool exact; /* of bytes that go in as they are: a unified patch has its own line ends */
	size_t *op; /* the operations on it, in order */
	size_t n, cap;
	bool failed;
	bool opened;
	/* An earlier operation makes the file, or moves its directory: it is looked at when its
	 * turn comes. */
	bool late;
	bool done; /* all of its operations are carried out */
	struct target *next_ended;
};

struct batch {
	const struct operations *ops;
	unsigned flags;
	struct str root;
	struct outcome *outcome;
	struct place *place;
	struct target **target;
	size_t targets, target_cap;
	struct plan *plan;
	struct arena texts;
	size_t explained; /* failures whose candidates were sought, at most BATCH_EXPLAINED */
};

bool batch_in_text(const struct operation *op);
const struct err *batch_keep_err(struct batch *b, const struct err *e);
/* batch_find.c: fills b->place of the target's operations from index `from` of its list on. */
void batch_locate(struct batch *b, struct target *t, size_t from);
/* batch_depend.c: marks those of them that depend on others. `needles`: what they look for, or
 * NULL. */
void batch_depend(struct batch *b, struct target *t, size_t from, const struct finder *needles);
/* batch_claims.c: false: some operations clash; their outcomes say so. */
bool batch_claims(struct batch *b, struct target *t);
/* batch_collect.c: fills b->target and b->place; left_out[i]: not operation i (NULL: all). */
void batch_collect(struct batch *b, const bool *left_out);
void batch_drop_targets(struct batch *b);
/* batch_moves.c: takes the map of the target past t->pending, which are checked; when the text that
 * they make is the base, the second sees to it that both agree on its lines. */
void batch_move_lines(const struct batch *b, struct target *t);
void batch_count_lines(struct target *t);
/* Whether an edit takes away the end of the line before the one that it ends at. */
bool batch_joins(const struct target *t, const struct edit *ed);
/* batch_file.c: an operation that is none on a text. */
bool batch_run_file(struct batch *b, const struct operation *op, struct err *e);

#endif
