#ifndef OX_BATCH_IMPL_H
#define OX_BATCH_IMPL_H

#include "../base/map.h"
#include "../text/find_each.h"
#include "../text/linemap.h"
#include "batch.h"

/*
 * The inside of a batch: batch.c runs it, batch_locate.c finds places, batch_claims.c conflicts.
 *
 * A round: operations on one file are located in its text as it stands at the beginning of the
 * round (the base), and collected as edits of that one text. An operation whose place depends on
 * what an earlier one did ends the round first: the edits go into the plan, and what they made is
 * the next base. Most batches are one round.
 */
/* Looking for what is near goes through the whole text: not for thousands of failures. */
#define BATCH_EXPLAINED 50

struct place { /* where an operation belongs in the base */
	bool known;
	struct edits set; /* its edits against the base; not checked */
	struct err *why;  /* not known: of b->texts */
	bool depends;	  /* what it looks for is put in by an earlier operation */
};

struct target { /* one file */
	const char *path;
	struct str base;
	bool counted; /* its lines matter; not where a patch alone changes it, which counts itself
		       */
	struct line_table lines;
	size_t n_lines;	     /* a person's: a final line end starts none */
	size_t first_lines;  /* as the caller saw it */
	struct linemap *map; /* original lines to those of the base */
	bool crlf;
	struct edits pending; /* of this round */
	bool exact; /* of bytes that go in as they are: a unified patch has its own line ends */
	struct span *taken; /* their old spans, sorted, for seeing whether places are still free */
	size_t n_taken, cap_taken;
	size_t *op; /* the operations on it, in order */
	size_t n, cap;
	bool one_by_one; /* a round for each operation */
	bool failed;
	bool opened;
	bool late; /* an earlier operation makes the file: it is looked at when its turn comes */
};

struct batch {
	const struct operations *ops;
	unsigned flags;
	struct outcome *outcome;
	struct place *place;
	struct map targets; /* by path */
	struct plan *plan;
	struct arena texts;
	bool again;	  /* a file has to go one by one: start over */
	size_t explained; /* failures whose candidates were sought, at most BATCH_EXPLAINED */
};

/* batch_locate.c: fills b->place of the target's operations from index `from` of its list on. */
void batch_locate(struct batch *b, struct target *t, size_t from);
/* Whether strings sought earlier would be found, with the pending edits made, where no operation
 * put them: then two edits made one between them, and the file must go one by one. */
bool batch_surprised(struct batch *b, struct target *t);
/* batch_claims.c: false: some operations clash; their outcomes say so. */
bool batch_claims(struct batch *b, struct target *t);

#endif
