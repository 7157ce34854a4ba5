#ifndef OX_CHANGE_RESULT_H
#define OX_CHANGE_RESULT_H

#include <stdint.h>

#include "../base/arena.h"
#include "../base/buf.h"
#include "../base/json.h"
#include "../edit/plan.h"

/*
 * What a change came to. call_change() fills one in and prints it, last, into the answer. A tool
 * that has its change made by a call of its own reads it (came_to of that call's context), and may
 * add several up:
 *
 *     change_result_add(&sum, &one)
 *     change_result_put_checks(&sum, answer)
 *     change_result_put(&sum, answer)
 *     change_result_put_end(&sum, answer)
 *
 * Zero it to start.
 */
struct changed_file {
	struct str path, new_path; /* as answers show them; new_path empty: the same */
	const char *kind;	   /* "create", "delete", "rename"; NULL: its text alone */
	size_t edits, lines_added, lines_removed;
	bool in_buffer;
};

/* What the answer says of a change that is kept in a turn's draft. */
#define CHANGE_KEPT "for the user's review at the end of the turn"

/* Rows that are only passed on. */
enum change_rows {
	CHANGE_NOT_VERIFIED,
	CHANGE_NEW_WARNINGS,
	CHANGE_NEW_ERRORS,
	CHANGE_LEFT_OUT,
	CHANGE_ROWS
};

struct change_result {
	bool applied, waits; /* for confirmation */
	bool kept;	     /* in the draft of a model's turn, until that is reviewed */
	struct changed_file *file;
	size_t files, cap;
	size_t edits; /* that were asked for */
	struct buf diff;
	bool has_diff;
	struct buf by_user; /* the diff from what was proposed to what the user made of it */
	struct str transaction, action_id; /* empty: none */
	size_t saved, left_modified;	   /* buffers */
	struct buf warning;		   /* what went wrong all the same, "; " between */
	/* Of the language servers' look at it. */
	bool looked, complete;
	struct str syntax_check; /* "ok", or why not */
	struct str *reason;	 /* why it is not complete */
	size_t reasons, reason_cap;
	json *rows[CHANGE_ROWS]; /* NULL: none */
	struct arena texts;
};

struct changed_file *change_result_file(struct change_result *r, struct str path);
/* What a finished plan does to a file; its paths are shown relative to `root`. */
struct changed_file *change_result_planned(struct change_result *r, const struct plan_file *f,
					   struct str root);
void change_result_warn(struct change_result *r, struct str text);
void change_result_because(struct change_result *r, struct str reason);
void change_result_syntax(struct change_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Takes `rows`; NULL: there are none. */
void change_result_rows(struct change_result *r, enum change_rows which, json *rows);
void change_result_add(struct change_result *sum, const struct change_result *r);
void change_result_release(struct change_result *r); /* is zero then */

/* What the servers found, but for `complete`, which others have a say in. */
void change_result_put_checks(const struct change_result *r, json *answer);
void change_result_put(struct change_result *r, json *answer);		 /* takes the diff */
void change_result_put_end(const struct change_result *r, json *answer); /* what it is known by */

#endif
