#ifndef OX_APPLY_IMPL_H
#define OX_APPLY_IMPL_H

#include "../edit/txn.h"
#include "apply.h"

/* Shared by apply.c, which carries a change out, apply_scope.c, which finds out where it lies,
 * apply_split.c, which finds out what of it is the disk's and what is for buffers, apply_seal.c,
 * by which the disk's part becomes final or goes back, and apply_history.c, which keeps the way
 * back. */

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
	void (*after)(void *arg); /* it is no change, and waits for those before it */
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
	bool looked;	 /* apply_meanwhile() has run */
	bool ahead;   /* in the history, and the editor is asked to write, before it has changed */
	bool applied; /* nothing refused it */
	int parts;    /* not done yet: the report, the sealing, what is done beside the editor */
	int64_t time_ms;
	struct buf record, id, warning;
	struct editor_saves saves;
};

struct buf *apply_warning(struct apply *a); /* where the next one goes */
void apply_save(struct apply *a);
void apply_report(struct apply *a);
void apply_part_done(struct apply *a);

/* The record of what can be undone, made while the disk is busy. */
void apply_record(struct apply *a);
/* It goes into the history; or what was undone, or made again, is marked there. */
void apply_remember(struct apply *a);
void apply_mark_undone(struct apply *a);
/* Neovim has refused what was in the history before. One who has ended may have made it: undo takes
 * a file that is as it was, too. */
void apply_forget(struct apply *a);

/* Syncs the files meanwhile. The journal stays until the change is in the history, and the answer
 * out. */
void apply_sync(struct apply *a);
/* From here on it has happened, or goes back. */
void apply_seal(struct apply *a);
/* The answer is out: the journal goes. */
void apply_close(struct apply *a);
/* The editor has ended: what the change has come to is found out as after a crash. */
void apply_settle(struct apply *a);

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
