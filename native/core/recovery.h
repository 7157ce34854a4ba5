#ifndef OX_RECOVERY_H
#define OX_RECOVERY_H

#include "../base/json.h"
#include "../edit/recover.h"

/*
 * Recovery at every start, and by `oxide recover`: what a crash left half done is finished before
 * anything else happens.
 */

/* The directory of journals below the state directory; caller frees, NULL where there is none. */
char *recovery_home(void);
/* Recovers, and writes a line for each thing found into the log. Changes that were completed get
 * into the history, or NULL, before their journals are gone. With `wait`, waits some seconds for
 * other processes that are changing the same files. Start with a zeroed report. */
struct history;
void recovery_run(const char *home, struct history *h, bool wait, struct recover_report *r);
#define RECOVERY_WAIT_MS 10000
/* Before it, for who wants to know that nothing is half changed: waits for changes that others are
 * making, or recovering, and tells of those that are not done by then. */
void recovery_wait(const char *home, int wait_ms, struct recover_report *r);
/* For a report of recover_all() by a thread that may not touch the history: puts the changes that
 * were completed, and that the history does not know yet, into it. */
void recovery_remember(const struct recover_report *r, struct history *h);
void recovery_log(const struct recover_report *r);
/* "completed a change of 3 files in /src", appended without a line end. */
void recovery_say(struct buf *out, const struct recover_note *note);
/* {"recovered": [...], "left": [...]} */
json *recovery_json(const struct recover_report *r);

#endif
