#ifndef OX_APPLY_H
#define OX_APPLY_H

#include "oxide.h"

/*
 * Carrying out a plan over buffers and disk, whole or not at all:
 *
 *     apply_disk     worker   txn_prepare, txn_commit; the loop looks at the plan meanwhile
 *     apply_buffers  editor   every buffer in one request, or none; else txn_take_back
 *     apply_save     editor   buffers that were unmodified are written
 *     apply_sync     worker   txn_sync, meanwhile, where no buffer has a part in it
 *     apply_report            the answer
 *     seal_work      worker   txn_seal, or txn_abort when the editor refused
 *
 * Until the editor has accepted everything can be taken back. Then servers are told, the change
 * goes into the history, and once the report is out the worker syncs the files and clears away the
 * old texts. One apply at a time; others wait in line.
 *
 * A buffer follows its file to another name, and goes with one that is removed, or whose name is a
 * symbolic link before or after; if it has unsaved changes then, nothing is done at all. Modes are
 * set on the disk.
 */
struct project;
struct apply_spec {
	struct plan *plan; /* taken; finished */
	const char *title;
	/* The transactions, one a line, that this takes back, or, with `redoes`, makes again;
	 * empty: none. Not recorded. */
	struct str undoes;
	bool redoes;
	const char *turn; /* of a model, that it is a part of: its texts are whole; NULL: none */
	/* It may change several projects, as one transaction under the directory that has them all,
	 * found in the history under each: what a turn does, and what takes that back. */
	bool several;
	const struct project *home; /* as apply_project() has it */
	const char *origin;	    /* for the history, borrowed until fn; NULL: the core's */
	/* Called with `arg` once it has begun, while the disk is busy: for what only looks at the
	 * plan. Not where it is refused at once. NULL: nothing. */
	void (*meanwhile)(void *arg);
	/* From inside the function of one that was refused: it is the next, before those that wait,
	 * so that nothing of ours changes what it was worked out for. */
	bool next;
};

struct apply_result {
	const char *transaction;     /* "" when nothing changed, or when it takes one back */
	size_t saved, left_modified; /* buffers */
	const char *warning;	     /* what went wrong after it had happened; "" */
	const struct plan *plan;
};

/* r is NULL when e is set: then nothing has changed anywhere. The plan is freed after fn. */
typedef void apply_done(void *arg, const struct apply_result *r, const struct err *e);
void apply_start(struct oxide *ox, const struct apply_spec *spec, apply_done *fn, void *arg);

/* Calls fn once the changes that are in line by now are made, from inside where there are none: the
 * history may have one before the editor has made it. */
void apply_after(struct oxide *ox, void (*fn)(void *arg), void *arg);

/* One may come in a moment: what it can know by then is looked up meanwhile. */
void apply_expect(struct oxide *ox);

/* The project that a plan changes, of several the first. What lies outside of all of them counts to
 * the first one loaded; to `home` where it is exempt. */
const struct project *apply_project(struct oxide *ox, const struct plan *p,
				    const struct project *home);
/* ERR_UNSUPPORTED where it changes two. */
bool apply_is_in_one(struct oxide *ox, const struct plan *p, struct err *e);

/* ERR_DENIED where it changes a file that is in no project, neither exempt nor in a buffer. */
bool apply_is_inside(struct oxide *ox, const struct plan *p, struct err *e);

/* Whether file `f` of a plan goes to a buffer, and to which. */
struct buffer;
struct buffer *apply_buffer(struct oxide *ox, const struct plan_file *f);

#endif
