#ifndef OX_DIAG_CACHE_H
#define OX_DIAG_CACHE_H

#include "../core/oxide.h"
#include "../lsp/diag.h"

/*
 * What language servers said of files that were shown to them for a moment and are closed again.
 * Closing makes most servers take back what they said, so it is kept here, with a number that
 * stands for the texts that it depends on (project_diags.h): as long as that number is the same, it
 * holds.
 */
struct diag_cache;

struct diag_cache *diag_cache_new(void);
void diag_cache_free(struct diag_cache *f);
/* Takes what the server has said of the file out of `said`; NULL: that stays where it is, for the
 * server speaks of the file whether it is open or not. */
void diag_cache_keep(struct diag_cache *f, struct diag_store *said, const char *path,
		     const char *server, uint64_t texts, bool complete);
enum finding { FINDING_NONE, FINDING_OLD, FINDING_HOLDS, FINDING_COMPLETE };
/* Of all servers that have spoken of the file together. */
enum finding diag_cache_know(const struct diag_cache *f, const char *path, uint64_t texts);
/* All have spoken of the file, those that are kept with these texts: what others have said before
 * is dropped. */
void diag_cache_settle(struct diag_cache *f, const char *path, uint64_t texts);
/* That is not all that there is to be known of the file. */
void diag_cache_doubt(struct diag_cache *f, const char *path);
/* It says that they do not hold. */
void diag_cache_forget(struct diag_cache *f, const char *server);
void diag_cache_lost(struct diag_cache *f, const char *server); /* it died: what stayed is gone */
/* Forgets the files below `root` that are no keys of it. */
struct map;
void diag_cache_retain(struct diag_cache *f, const char *root, struct map *there);
/* As diag_list() of all files: of those that are open what `ox` has heard last, of those that are
 * known here what is kept, of all others what servers published by themselves. */
size_t diag_cache_list(const struct diag_cache *f, struct oxide *ox, enum diag_severity worst,
		       const struct diag ***out);

#endif
