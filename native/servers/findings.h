#ifndef OX_FINDINGS_H
#define OX_FINDINGS_H

#include "../core/oxide.h"
#include "../lsp/diag.h"

/*
 * What language servers said of files that were shown to them for a moment and are closed again.
 * Closing makes most servers take back what they said, so it is kept here, with a number that
 * stands for the texts that it depends on (sweep.h): as long as that number is the same, it holds.
 */
struct findings;

struct findings *findings_new(void);
void findings_free(struct findings *f);
/* Takes what the server has said of the file out of `said`; NULL: that stays where it is, for the
 * server speaks of the file whether it is open or not. */
void findings_keep(struct findings *f, struct diag_store *said, const char *path,
		   const char *server, uint64_t texts, bool complete);
enum finding { FINDING_NONE, FINDING_OLD, FINDING_HOLDS, FINDING_COMPLETE };
enum finding findings_know(const struct findings *f, const char *path, uint64_t texts);
void findings_forget(struct findings *f, const char *server); /* it says that they do not hold */
void findings_lost(struct findings *f, const char *server);   /* it died: what stayed is gone */
/* Forgets the files below `root` that are no keys of it. */
struct map;
void findings_retain(struct findings *f, const char *root, struct map *there);
/* As diag_list() of all files: of those that are open what `ox` has heard last, of those that are
 * known here what is kept, of all others what servers published by themselves. */
size_t findings_list(const struct findings *f, struct oxide *ox, enum diag_severity worst,
		     const struct diag ***out);

#endif
