#ifndef OX_FIXES_H
#define OX_FIXES_H

#include "../base/arena.h"
#include "../servers/code_actions.h"
#include "tool.h"

/* What can be done about a diagnostic, as answers name it, and lsp_diagnostic's `fix_errors`. */
json *fix_row(const struct action *a); /* { title, kind, preferred } */
/* All that is on offer is put into the registry; and, where there are such, into the rows of what
 * it was asked about, as `fixes`, each with its `action_id` there. */
void fixes_put(struct oxide *ox, const struct code_actions *all, json *rows);
/* After a look at what is wrong: forgets the fixes so put of what is wrong no longer, and all
 * actions whose files have changed. */
void fixes_settle(struct oxide *ox);
/* The fix of offer `at` that the server prefers, or the only one; -1: neither. Several that come to
 * the same are one, and one that is offered alike for other diagnostics is not counted beside one
 * that is not. */
ptrdiff_t fix_choice(const struct code_actions *all, size_t at);

/* The rest of lsp_diagnostic with `fix_errors`: answers the call. In fix_rounds.c. */
void fix_rounds(struct call *call);

/* One of them, as answers list it; `text`, the line that it is for, tells it from others of its
 * kind. */
struct fix {
	struct str file, text, message, title, id;
	struct str reason; /* why it was not applied; empty: it was */
	size_t line;
};

struct fix_list { /* fix_sum.c */
	struct fix *v;
	size_t n, cap;
	struct arena texts;
};

void fix_list_add(struct fix_list *l, const struct fix *f); /* copied */
void fix_list_release(struct fix_list *l);		    /* is empty then */

/*
 * One round (fix_round.c), for fix_rounds() alone, as a call of its own, since it ends in a change:
 * the chosen fixes of what `file_path` (else the project) has. Those that touch each other are left
 * for the next round, as are those that fail. Its context's `step` is this; it answers as tools do
 * that change text, or with nothing where nothing is `applied`.
 */
struct fix_round {
	bool (*takes)(void *arg, const struct fix *f); /* whether it may be one of them */
	void *arg;
	bool dry_run, nameless; /* as of a change */
	bool verify;		/* new errors refuse it, */
	struct err wrong;	/* and the first of them is here */
	struct fix_list applied;
};

extern const struct tool tool_fix_round;

#endif
