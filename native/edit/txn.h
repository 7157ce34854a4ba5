#ifndef OX_TXN_H
#define OX_TXN_H

#include "../base/fs.h"

/*
 * Changing files on disk so that all of it happens or none.
 *
 *   OPEN --prepare--> PREPARED --commit--> VISIBLE --seal--> CLOSED
 *     |                  |                    |                 ^
 *     +------------------+------- abort ------+-----------------+
 *
 * prepare  checks that each file is what was read (else ERR_STALE, naming it) and may be written
 *          (else ERR_DENIED), makes missing folders, writes each new text beside its target, and
 *          returns once all are on the disk. If it fails, nothing is left, and the txn is OPEN.
 * commit   the new texts take the files' names; those they replace are kept beside them. If one
 *          fails, those before it have been taken back when this returns; then abort.
 * seal     the old texts go. It has happened, also when this returns false: then the message names
 *          what was left behind.
 * abort    the old texts are what everyone sees, and nothing is left behind. If it fails, the
 *          message names what could not be taken back and where its old text lies; it may be
 *          called again, or given up with txn_free().
 *
 * All four block, and touch nothing but `fs`, so they may run on a worker. Calling them out of
 * order is a BUG(). A crash between commit and seal leaves names beginning with TXN_PREFIX.
 * A symbolic link stays a link and its target changes; one that is removed goes itself, and its
 * target stays. A file with several hard links is written in place. Modes, owners and attributes
 * stay. A file that someone else changed after commit is never taken back.
 */
#define TXN_PREFIX ".oxide-"

struct txn_file {
	const char *path;
	bool existed, exists; /* before, after */
	uint64_t was_hash;    /* hash_of() the text that was read, if it existed */
	struct str now;	      /* the new text, if it exists */
	const char *like;     /* whose mode and owner it takes; NULL: its own, or the usual ones */
};

struct txn;

/* Final states, each path once. `file`, and what it points to, stays the caller's and must live as
 * long as the txn. `dirs` are folders to remove once they are empty, deepest first; one that is not
 * empty stays. `root` is for showing paths in messages. */
struct txn *txn_new(const struct fs *fs, const char *root, const struct txn_file *file,
		    size_t files, const char *const *dirs, size_t n_dirs);
bool txn_prepare(struct txn *t, struct err *e);
bool txn_commit(struct txn *t, struct err *e);
bool txn_seal(struct txn *t, struct err *e);
bool txn_abort(struct txn *t, struct err *e);
void txn_free(struct txn *t); /* CLOSED or OPEN, or after a failed abort */

#endif
