#ifndef OX_WATCH_H
#define OX_WATCH_H

#include "../core/oxide.h"

/*
 * The catch: what an agent writes to the files of a project past Oxide, with tools of its own or a
 * command, becomes one turn of the history all the same: shown, recorded, undone and redone by the
 * tool `turn`, as that of a model is.
 *
 *     w = watch_start(ox, root, "claude", &e)              it begins to work there
 *     watch_turn_begin(w, NULL, "title", fn, arg)  -> fn: all is kept; send the prompt
 *     watch_turn_end(w, fn, arg)                           -> fn: what it has changed
 *     watch_stop(w)
 *
 * At the beginning of a turn the files are looked at by stat, those that git does not ignore, and
 * what they hold is kept (watch_store.h) before it is gone. At its end they are looked at again:
 * nothing depends on events, which get lost. One that is being written then is waited for, a moment
 * (agent.watch_settle_ms, a second at most). What differs, by its text and not by its time, is the
 * agent's, but for what the user wrote meanwhile with the editor and what Oxide changed itself;
 * what another program wrote, a build or another editor, cannot be told from it. Where several
 * agents work at once the report says that it is unsure which of them it was.
 *
 * Buffers whose files change on the disk are brought up to date while the turn goes on, a moment
 * after each change (agent.watch_settle_ms), and at its end. One without changes is read again, as
 * Neovim does, with its undo history; into one with changes those of the disk are merged, and what
 * clashes is marked and listed in the quickfix list. So Neovim does not ask about them, and nothing
 * that the user typed is lost.
 *
 * A file that was not kept, for it is too large or there was no room, is named with the reason and
 * cannot be undone. The report, as of a tool that changes text:
 *
 *     {turn, title, who, files, files_changed, diff, transaction, ...}    as of call_change()
 *     unkept:    [{file, reason}]     changed; what it was is not known
 *     unsure:    "why"                it may be somebody else's work
 *     git:       ["checkout: moving from main to topic"]    what git did in the meantime
 *     conflicts: [{file, lines: [[first, last]]}]    marked in buffers
 */
struct watch;

/* `root`: of a project, resolved; `who`: how the agent is called. */
struct watch *watch_start(struct oxide *ox, const char *root, const char *who, struct err *e);
/* Functions that wait are not called any more. NULL: nothing. */
void watch_stop(struct watch *w);

typedef void watch_ready(void *arg);

struct watch_outcome {
	const char *turn;   /* its id; NULL: nothing was changed */
	const json *report; /* NULL: nothing was changed */
};
/* `o` lives until it returns. */
typedef void watch_ended(void *arg, const struct watch_outcome *o);

/* Calls fn once, never from inside. One turn of an agent at a time. `turn`: its id, where it has
 * one already, so that what it changes past Oxide and what by Oxide's tools is one turn; else NULL.
 */
void watch_turn_begin(struct watch *w, const char *turn, const char *title, watch_ready *fn,
		      void *arg);
void watch_turn_end(struct watch *w, watch_ended *fn, void *arg);
const char *watch_root(const struct watch *w); /* that the paths of a report are relative to */

#endif
