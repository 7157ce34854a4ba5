#ifndef OX_FIXES_H
#define OX_FIXES_H

#include "../servers/offers.h"
#include "tool.h"

/* What can be done about a diagnostic, as answers name it, and lsp_diagnostic's `fix_errors`. */
json *fix_row(const struct action *a); /* { title, kind, preferred } */
/* All that is on offer is put into the registry; and, where there are such, into the rows of what
 * it was asked about, as `fixes`, each with its `action_id` there. */
void fixes_put(struct oxide *ox, const struct offers *all, json *rows);
/* After a look at what is wrong: forgets the fixes so put of what is wrong no longer, and all
 * actions whose files have changed. */
void fixes_settle(struct oxide *ox);
void fix_id(struct oxide *ox, const struct offer *o, size_t i, struct buf *out); /* offered.h */
/* The fix of offer `at` that the server prefers, or the only one; -1: neither. Several that come to
 * the same are one, and one that is offered alike for other diagnostics is not counted beside one
 * that is not. */
ptrdiff_t fix_choice(const struct offers *all, size_t at);

/* The rest of lsp_diagnostic with `fix_errors`: answers the call. */
void fix_rounds(struct call *call);

/*
 * One round, for fix_rounds() alone: the chosen fixes of what `file_path` (else the project) has,
 * as one change. Those that touch each other are left for the next round, as are those that fail.
 * Answers as tools do that change text, with `applied`: [{file, line, text, message, title,
 * action_id}]; an empty list and nothing else where there is nothing to fix. With `only`, a list of
 * action_ids, no other fix is taken; those in `skip`, rows of earlier rounds, are not either.
 */
extern const struct tool tool_fix_round;

/* Which diagnostics, and which fixes: arguments of both. */
#define FIX_PARAMS                                                                                 \
	{ "kind", P_STR, false, "with fix_errors: fixes of this kind alone, as quickfix.import",   \
	  NULL },                                                                                  \
		{ "code", P_STR, false, "with fix_errors: diagnostics with this code alone",       \
		  NULL },                                                                          \
		{ "start_line", P_INT, false,                                                      \
		  "with fix_errors: only what is on these lines, in one round", NULL },            \
	{                                                                                          \
		"end_line", P_INT, false, "the last of them; start_line when left out", NULL       \
	}

#endif
