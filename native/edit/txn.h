#ifndef OX_TXN_H
#define OX_TXN_H

#include "../text/edit.h"
#include "recover.h"

/*
 * Changing files on disk so that all of it happens or none, also through a crash.
 *
 *   OPEN --prepare--> PREPARED --commit--> VISIBLE --seal--> CLOSED
 *     |                  |                    |                 ^
 *     |                  +-----(take_back)----+                 |
 *     +------------------+------- abort ------+-----------------+
 *
 * ask      for a change of which another part is the editor's, as open buffers, and may be refused:
 *          until accept, which comes after commit, a crash leads to the old state. From then on
 *          what the editor has done decides (see below), until seal
 * prepare  checks that each file is what was read (else ERR_STALE, naming it; a text is read again
 *          unless its file was settled then and is untouched since) and may be written (else
 *          ERR_DENIED), and that no other Oxide is at it (ERR_CONFLICT, after a wait);
 *          recovers what a crash left; then writes all new texts into a journal outside the
 *          workspace, and returns once that is on the disk: one sync, however many files. From
 *          here on a crash leads to the new state. If it fails, nothing has changed, and the txn
 *          is OPEN.
 * commit   each new text goes into a temporary file that is there for that, and changes places
 *          with its target. If one fails, those before it have been taken back when this returns;
 *          then abort. A crash while taking back leads to the old state.
 * sync     syncs the files: what seal begins with, for whoever has time before it may be sealed
 * seal     syncs the files if that is not done, and retires the journal: work for the background.
 *          It has happened, also when this returns false: then the message names what is wrong. A
 *          file whose sync failed is written again from the journal at the next start.
 * take_back  the old texts are what everyone sees; as quick as commit. abort must follow.
 * abort    takes back, and clears away; leaves nothing behind. If it fails, the message names what
 *          could not be taken back and where its old text lies; it may be called again, or given
 *          up with txn_free(): the journal stays, and recovery goes on with it.
 *
 * All block, and touch nothing but `fs`, so they may run on a worker. Calling them out of order is
 * a BUG(). While one is under way there may be names beginning with TXN_PREFIX beside the files.
 * A symbolic link stays a link and its target changes, unless it is the link itself that was read:
 * then it goes, or leads elsewhere, and its target stays. None is made that leads out of the root.
 * A file with several hard links is written in place. Modes, owners and attributes stay. A file may
 * go where a directory comes, and come where one of `dirs` goes. A file that someone else changed
 * after commit is never taken back.
 */
#define TXN_PREFIX JOURNAL_TEMP

/*
 * The editor is one more place where a change may have happened or not, and it can be asked no more
 * once this process is dead. So before it touches a buffer it makes the file txn_claim(), which
 * must not be there yet, and writes into it what it has come to: CLAIM_BEGUN, then CLAIM_DONE or
 * CLAIM_BACK. Whoever recovers the change while the editor lives makes that file himself
 * (CLAIM_TAKEN), and takes the change back: the editor finds it then and leaves its buffers alone.
 * Or he finds what the editor has written, and does the same on the disk. Of an editor that is dead
 * nothing counts but the disk: files that it was to write (`by_editor`) are written for it, or
 * taken back with the others where it alone had a part of the change.
 */
#define CLAIM_BEGUN "begun"
#define CLAIM_DONE  "done."
#define CLAIM_BACK  "back."
#define CLAIM_TAKEN "taken"

struct txn_editor {
	struct fs_process process; /* pid 0: nobody can tell what became of it */
	bool alone;	 /* some part is in its buffers alone, as in one with other changes */
	int64_t time_ms; /* of the change, for the history */
};

struct txn_file {
	const char *path;
	bool existed, exists; /* before, after */
	uint64_t was_hash;    /* hash_of() the text that was read, if it existed */
	struct str now;	      /* the new text, if it exists; or else: */
	/* Not NULL: what makes the new text, of now_n bytes and this hash, of the one that was
	 * read. `was` is that one; p NULL: it is read again, for a large change need not hold all
	 * texts at once. Not where `like` is. */
	const struct edits *edits;
	struct str was;
	size_t now_n;
	uint64_t now_hash;
	const char *like; /* whose mode and owner it takes; NULL: its own, or the usual ones */
	bool was_link;	  /* a symbolic link; what was read is where it led */
	/* MODE_LINK: `now` is where a symbolic link leads. Else, if not 0, the kind and the
	 * permission bits; of a new file MODE_FILE and MODE_EXEC leave some to the umask. */
	unsigned mode;
	struct fs_stat seen; /* what read() told of that text's file, if it was asked */
	/* The directory below which it has to lie, also through links, or the very file; without
	 * links. NULL: the root. */
	const char *within;
	/* Nothing is done to it: the editor writes this text after accept. */
	bool by_editor;
};

/* Final states, each path once. `file`, and what it points to, stays the caller's and must live as
 * long as the txn. `dirs` are directories to remove once they are empty, deepest first; one that is
 * not empty stays. All of it lies below `root`, and each file where it says, else ERR_DENIED.
 * `home` is the directory of journals and temporaries, made if missing; they are quick only where
 * it is on the files' file system. */
struct txn *txn_new(const struct fs *fs, const char *home, const char *root,
		    const struct txn_file *file, size_t files, const char *const *dirs,
		    size_t n_dirs);
/* Before prepare: what this process left open after the change before, and is to have after this
 * one, which is the only one that has it until then. */
void txn_use(struct txn *t, struct wal_desk *desk);
void txn_ask(struct txn *t, const struct txn_editor *editor); /* before prepare */
bool txn_prepare(struct txn *t, struct err *e);
bool txn_commit(struct txn *t, struct err *e);
/* The name of the file that the editor makes first; PREPARED or later. */
const char *txn_claim(const struct txn *t);
/* VISIBLE; if it fails, abort. `record`: what recovery is to put into the history (history.h) if it
 * finishes the change; empty: nothing. */
bool txn_accept(struct txn *t, struct str record, struct err *e);
/* The editor is gone, or has not said what it did: VISIBLE, accepted. Everything stays as it is,
 * the journal in force, for recover_all() to decide. */
void txn_leave(struct txn *t);
void txn_sync(struct txn *t); /* VISIBLE; if it fails, seal says so */
bool txn_seal(struct txn *t, struct err *e);
bool txn_take_back(struct txn *t, struct err *e);
bool txn_abort(struct txn *t, struct err *e);
void txn_free(struct txn *t); /* CLOSED or OPEN, or after a failed abort */
/* What prepare recovered before it began. */
const struct recover_report *txn_recovered(const struct txn *t);

#endif
