#ifndef OX_APPLY_IMPL_H
#define OX_APPLY_IMPL_H

#include "../edit/txn.h"
#include "apply.h"

/* Shared by apply.c, which carries a change out, apply_scope.c, which finds out where it lies, and
 * apply_split.c, which finds out what of it is the disk's and what is for buffers. */

struct apply {
	STAILQ_ENTRY(apply) all;
	struct oxide *ox;
	struct plan *plan;
	char *title, *undoes, *turn;
	bool redoes, several;
	const struct project *home;
	const char *root, *origin;
	struct buf common;    /* the root, of more than one project */
	struct str *projects; /* the roots of all that it changes then; else NULL */
	size_t n_projects, projects_cap;
	void (*meanwhile)(void *arg);
	apply_done *fn;
	void *arg;
	struct buffer_change *change; /* buffers */
	size_t changes;
	struct txn_file *file; /* disk */
	size_t files;
	const char *const *dirs; /* to remove */
	size_t n_dirs;
	struct buf *kept; /* disk texts of modified buffers whose file moves; `file` borrows them */
	size_t kepts;
	struct txn *txn;
	struct err why;
	bool alone; /* some part of it is in buffers alone */
	bool gone;  /* the editor; nobody knows what it has done */
	struct recover_report settled;
	bool open;	 /* the txn is still to be sealed or aborted */
	bool sealing;	 /* else aborting */
	bool syncing;	 /* what sealing begins with goes on */
	bool reported;	 /* and the rest waits for that */
	struct err left; /* why something was left behind */
	bool recorded;	 /* apply_meanwhile() has run */
	int parts;	 /* not done yet: the report, the sealing, what is done beside the editor */
	int64_t time_ms;
	struct buf record, id, warning;
	struct editor_saves saves;
};

/* Fills `root`, `common` and `projects`. False: a->why says that it may not be. */
bool apply_find_scope(struct apply *a);
/* Says of each file where it has to lie, where the root does not say it. */
void apply_confine(struct apply *a);
/* Fills `change` and `file`. False: a->why says why it cannot be done. */
bool apply_split(struct apply *a);
/* On a worker. Leaves of the files that the editor writes those that recovery could write for it.
 */
void apply_find_held(struct apply *a);

#endif
