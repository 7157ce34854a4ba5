#ifndef OX_RENAME_IMPL_H
#define OX_RENAME_IMPL_H

#include "../lsp/wsedit.h"
#include "../servers/completeness.h"
#include "macro_rename.h"
#include "macro_uses.h"
#include "rename_alias.h"
#include "rename_alike.h"
#include "target.h"

/* Shared by lsp_rename.c, the course of it, rename_ask.c, which asks the server, rename_early.c,
 * what it can do meanwhile, rename_end.c, which gives the plan or the error to the caller, and
 * rename_offer.c, what may be added to it. */
#define RENAME_HEADERS 4 /* that are read meanwhile */

struct rename {
	struct call *call;
	struct target *target;
	struct str old_name, new_name; /* the new one borrowed from the arguments */
	char *old_copy;
	bool is_private; /* a #name of JavaScript: the # is no part of the names, and stays */
	uint64_t moves;	 /* of the workspace when the server was asked */
	void (*then)(struct rename *r); /* once it is picked */
	int waiting;			/* answers still to come */
	bool asked_again;		/* so the search is not of just now */
	bool by_uses; /* the server refuses to make it, for there are many files */
	struct err why;
	json *refusal; /* the error object, where it says more */
	struct plan *plan;
	struct wsedit_notes notes;
	struct word_search *mentions;
	struct macro_uses *macros;
	struct macro_rename *renaming; /* it is a macro, perhaps */
	struct rename_alias *alias;    /* while the other sides of aliases are asked for */
	struct rename_place *too;      /* members that override it */
	size_t n_too, too_cap;
	struct rename_alike *alike; /* NULL: nothing is */
	struct completeness *reach; /* NULL for those */
	struct rename_header *header[RENAME_HEADERS];
	size_t headers;
};

/* The server is picked, or picked again, as r->target->server; then `then`. */
void rename_pick(struct rename *r, void (*then)(struct rename *r));
/* Asks it for the edits; they go into r->plan, or the error into r->why; then rename_both(). */
void rename_ask(struct rename *r);
void rename_ask_again(struct rename *r); /* without what it said before */
void rename_both(struct rename *r);	 /* one of r->waiting answers is there */

/* Once the search is over, if the server still works on the rename; and no longer. */
void rename_read_headers(struct rename *r);
void rename_leave_headers(struct rename *r);

/* Where the old name still stands as text, as a change that a person may add (struct change). */
struct plan *rename_offer(void *rename, const struct plan *p);
/* Whether the caller asked for a change though not all uses could be looked at. */
bool rename_may_be_incomplete(const struct rename *r);
bool rename_verifies(const struct rename *r);	  /* whether servers look at what it changes */
bool rename_verifies_all(const struct rename *r); /* ... at all of it, with the plan */
/* Both end it: with r->why and r->refusal, or with the plan. */
void rename_end(struct rename *r);
void rename_hand_over(struct rename *r);

#endif
