#ifndef OX_HISTORY_H
#define OX_HISTORY_H

#include "../base/fs.h"
#include "../base/json.h"
#include "plan.h"

/*
 * What was changed, so that it can be taken back: one file a transaction in a directory outside the
 * workspace (made with mode 0700, files 0600), with the edits that lead back and the hashes of both
 * texts. Bounded by count and by bytes; the oldest go first. Nothing read back is trusted:
 * checksum, and every path inside the recorded root, else the entry is skipped and counted as
 * damaged. What was changed by an exemption (exemptions.h) may be taken back, too.
 *
 *     history_record(&record, plan, &about);
 *                                              while the change is being made
 *     history_add(h, buf_str(&record), root, now, &id, &e);
 *                                              once it has been made, or is about to be; then
 *     history_remove(h, buf_str(&id), &e);
 *                                              if it was refused
 *     history_prune(h);
 *     history_undo(h, root, STR(""), p, &found, &title, &e);
 *                                              into a new plan, to be finished and applied
 *     history_add_redo(h, buf_str(&found), buf_str(&record), &e);
 *     history_mark(h, buf_str(&found), true, &e);
 *                                              once that has been applied; `record` is of its plan
 *     history_redo(h, root, STR(""), p, &found, &title, &e);
 *     history_mark(h, buf_str(&found), false, &e);
 *                                              the same way forth
 *
 * Undoing checks that each file still is as the transaction left it, or is again as it was before;
 * else ERR_STALE names all that are not, and nothing changes. The transactions of one turn of a
 * model are undone together, and what was changed since stays (history_turn()). Entries are written
 * without a sync: losing the last one in a crash costs its undo and nothing else.
 */
struct history;

struct history_file {
	struct str path, new_path; /* as in plan_file; new_path empty: same */
	bool existed, exists;
	unsigned was_mode, now_mode; /* as in plan_file */
	size_t lines_added, lines_removed;
};

struct history_entry {
	struct str id;	   /* "20261121-215930-1": local time of the change and a number */
	int64_t time_ms;   /* since 1970 */
	struct str origin; /* "nvim", "cli", "mcp" */
	struct str title;  /* "rename a to b" */
	struct str root;
	struct str *projects; /* of several, or with files outside: the roots; else NULL */
	size_t n_projects;
	struct str turn; /* of a model, of which it is a part; empty: none */
	bool undone;
	struct history_file *file;
	size_t files;
	struct str *made; /* directories that came with it, deepest first */
	size_t n_made;
};

struct history *history_new(const struct fs *fs, const char *dir, size_t max_entries,
			    uint64_t max_bytes);
void history_free(struct history *h);
/* Of a change: as in history_entry. */
struct history_about {
	const char *root; /* of the project; of more than that, the directory that has it all */
	const char *origin, *title;
	const char *turn; /* NULL: none */
	int64_t time_ms;
	const struct str *projects; /* of more than one: the roots, under which it is found */
	size_t n_projects;
};

/* Appends what there is to know of a plan; of that of a turn, which has its texts whole then, both
 * texts. history_record.c. */
void history_record(struct buf *record, const struct plan *p, const struct history_about *about);
/* While there is time: what is added soon need not list what there is, unless it has changed since.
 */
void history_look(struct history *h);
/* Adds that, with the same root and time. The new id is appended to *id. ERR_LIMIT: it alone is
 * larger than all entries may be; those before it stay. */
bool history_add(struct history *h, struct str record, const char *root, int64_t time_ms,
		 struct buf *id, struct err *e);
/* Takes that back: it was not made. */
bool history_remove(struct history *h, struct str id, struct err *e);
/* Afterwards, when there is time for it: the oldest entries go, as many as there are too many. What
 * cannot be removed goes another time. */
void history_prune(struct history *h);
/* Entries of `root`, newest first, read when called; valid until the next call on `h`. */
bool history_list(struct history *h, const char *root, const struct history_entry **v, size_t *n,
		  struct err *e);
/* The newest entry of `root` that was not undone, or NULL; valid until the next call on `h`. While
 * it is the same one, it is not read again. */
const struct history_entry *history_last(struct history *h, const char *root);
/* Adds to `p` what takes the transaction back: `id` empty: the newest of `root` not undone yet.
 * `p` is new. ERR_NOT_FOUND when there is none, ERR_CONFLICT when it was undone before. Its id is
 * appended to `found`, what it was to `title`. */
bool history_undo(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *found, struct buf *title, struct err *e);
/* The same for one that was undone: `id` empty: the first of those that were undone since the last
 * one that is not, and that can be made again if any can. ERR_CONFLICT: it is not undone;
 * ERR_UNSUPPORTED: no record was kept of how it was undone. */
bool history_redo(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *found, struct buf *title, struct err *e);
/* Keeps what takes the undoing of `id` back, and goes with it. */
bool history_add_redo(struct history *h, struct str id, struct str record, struct err *e);
/* Appends the unified diff of one transaction, as it was made. `p`, which is new, has what is there
 * now. Of a file that was edited since by others a line says so. */
bool history_diff(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *diff, struct err *e);
/* Marks it undone, or not any more, once the plan has been applied. */
bool history_mark(struct history *h, struct str id, bool undone, struct err *e);
/* Whether it is there, and marked so; its file is not read. */
bool history_is_undone(struct history *h, struct str id);

/*
 * A turn: one entry, however many transactions it made. Adds to `p`, which is new, what undoes all
 * of them, the newest first, or what makes those again that were undone. Files may have been
 * changed since, where the turn did not change the same lines: else ERR_STALE lists them, and
 * nothing changes. `turn` empty: the last one that is not undone; to redo, the first of those that
 * were undone since the last one that is not. ERR_NOT_FOUND: there is none; ERR_CONFLICT: all of it
 * is (un)done already.
 */
enum history_way { HISTORY_UNDO, HISTORY_REDO };

struct history_turn {
	struct buf turn, title; /* title: of its first transaction */
	struct buf ids;		/* of its transactions that the plan is of, each with an LF */
	json *clashes; /* of ERR_STALE: [{"file", "lines": [[first, last]]?, "reason"?}]; or NULL */
};

bool history_turn(struct history *h, const char *root, struct str turn, enum history_way way,
		  struct plan *p, struct history_turn *out, struct err *e);
void history_turn_release(struct history_turn *t);
/* Appends the unified diffs of its transactions, in order, as they were made; fills in all but the
 * clashes. `turn` empty: the last one. */
bool history_turn_diff(struct history *h, const char *root, struct str turn, struct buf *diff,
		       struct history_turn *out, struct err *e);
/* Calls fn for each file of the entries behind *seq that were made at `since_ms` or later,
 * with the hashes of both texts (0: no file), and again from the new to the old one where it was
 * undone. *seq is the last entry then: of one that is undone later this tells nothing. */
typedef void history_step(void *arg, struct str path, struct str new_path, uint64_t was,
			  uint64_t now);
void history_since(struct history *h, uint64_t *seq, int64_t since_ms, history_step *fn, void *arg);
/* How many damaged entries the last history_list() or history_undo() met. */
size_t history_damaged(const struct history *h);

#endif
