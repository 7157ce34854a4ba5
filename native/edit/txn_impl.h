#ifndef OX_TXN_IMPL_H
#define OX_TXN_IMPL_H

#include "../base/arena.h"
#include "../base/map.h"
#include "txn.h"

/* Shared by txn.c, which keeps the order, and txn_steps.c, which does one file. */

enum step_way {
	STEP_SWAP,   /* the new text changes places with the old one */
	STEP_OVER,   /* the same where names cannot be swapped: the temporary is the old file */
	STEP_INSIDE, /* written in place; the temporary is a copy of the old text */
	STEP_NEW,    /* a file where none was */
	STEP_REMOVE, /* the temporary is the old file */
};

struct txn_step {
	const struct txn_file *file;
	struct str shown; /* the path, for messages */
	enum step_way way;
	const char *target; /* links resolved; of a removal, the name itself */
	const char *temp;
	bool temp_there;
	bool visible; /* done, or begun, and not taken back */
	bool fresh_known;
	struct fs_stat was;   /* the old file when it was checked */
	struct fs_stat fresh; /* the new one once it was written */
	struct buf old;	      /* STEP_INSIDE: the old text, until its copy is written */
};

enum txn_state { TXN_OPEN, TXN_PREPARED, TXN_VISIBLE, TXN_CLOSED, TXN_BROKEN };

struct txn {
	const struct fs *fs;
	struct str root;
	enum txn_state state;
	struct txn_step *step;
	size_t steps;
	const char *const *dirs; /* to remove */
	size_t n_dirs;
	const char **made; /* folders that were made, in order */
	size_t n_made, made_cap;
	struct map names;   /* targets, and files by what they are: two steps must not meet */
	struct map parents; /* folders whose names change */
	uint64_t seed;	    /* for names */
	struct buf scratch;
	struct arena arena;
};

bool step_check(struct txn *t, struct txn_step *s, struct err *e);
bool step_write(struct txn *t, struct txn_step *s, struct err *e);
bool step_show(struct txn *t, struct txn_step *s, struct err *e);
bool step_take_back(struct txn *t, struct txn_step *s, struct err *e);

#endif
