#ifndef OX_WAL_H
#define OX_WAL_H

#include "journal.h"

/*
 * Where a journal lies. The state directory holds a few slots, each a file that is used again and
 * again, so that its blocks and its name are on the disk already and one sync of it is enough, and
 * a directory of empty files for new texts beside it:
 *
 *     0.journal  0.head  0.pool/0  0.pool/1 ...  1.journal ...  files.lock
 *
 * Who holds the lock of N.journal owns both; the kernel frees it when he dies. A journal in force
 * that nobody holds is left from a crash. N.head is the second head that lies outside of it:
 * without that, a journal that is gone would look like one that was never written. Spots of
 * files.lock stand for the files that are being changed, so that two processes exclude each other
 * by file.
 *
 *     wal_claim(&s, fs, home, &e)      a free slot; it is held
 *     wal_write(&s, &journal, MARK_WRITTEN, image, arg, &e)
 *                                      a killed process leads to the new state from here on
 *     wal_sync(&s, &e)                 a stopped machine, too: the one sync
 *     wal_mark(&s, MARK_BEGUN, ...)
 *     wal_retire(&s, &e)               it no longer counts: one sync
 *     wal_release(&s)
 */
#define WAL_SLOTS 64
#define WAL_POOL  2048		       /* files that are kept in one pool */
#define WAL_KEEP  ((uint64_t)64 << 20) /* bytes of a journal file that are kept */

/* The new text of file i, which comes to lie at byte `at`, in pieces: good until the next call by
 * that worker (fs.h). */
typedef bool wal_image(void *arg, unsigned worker, size_t i, uint64_t at, const struct str **piece,
		       size_t *n, struct err *e);

struct wal {
	const struct fs *fs;
	char *path, *pool; /* the journal, the directory */
	char *second;	   /* the head outside of it */
	const char *home;
	uint64_t boot;
	unsigned number;
	int lock, head_file; /* open, or FS_UNHELD */
	struct wal_desk *desk;
	bool held;
	bool named;  /* its name is on the disk */
	bool mended; /* the journal's file has another head than it should */
	bool has_head;
	char head[JOURNAL_HEAD]; /* of the journal in force, as it was last marked */
};

/*
 * What a process leaves open of a home from one change to its next, for paths are long to walk and
 * most questions are about the same few names. Nothing is held by it: others may take the slot
 * meanwhile, and all that was asked of a path is asked of what is open. One change at a time has
 * it. Begin with zeros.
 */
struct wal_desk {
	const struct fs *fs;	       /* NULL: nothing is open */
	int journal, head_file, files; /* the slot's, and files.lock; or FS_UNHELD */
	unsigned number;	       /* of the slot */
	struct fs_stat home;	       /* the directory when its names were looked at */
	bool settled;		       /* as long as it is that, they are the same: */
	uint64_t present;	       /* wal_present() */
};
void wal_desk_close(struct wal_desk *desk);

/* `desk`: or NULL; from here until wal_release() it is that of this change. */
bool wal_claim(struct wal *s, const struct fs *fs, const char *home, struct wal_desk *desk,
	       struct err *e);
/* Holds the one with this number; false and no error in e->code if somebody else does: then it can
 * be looked at. To be released in any case. */
bool wal_take(struct wal *s, const struct fs *fs, const char *home, unsigned number, struct err *e);
/* Whether its journal is not in force. */
bool wal_is_free(struct wal *s, bool *free, struct err *e);
/* The whole file, with its head put right where another one knows better. */
bool wal_load(struct wal *s, struct buf *bytes, struct err *e);
/* If one of these fails, wal_give_up() must follow. */
bool wal_write(struct wal *s, const struct journal *j, enum journal_mark mark, wal_image *image,
	       void *arg, struct err *e);
/* Appends the bytes from `at` on, as an image was told where it lies. */
bool wal_read(struct wal *s, uint64_t at, size_t n, struct buf *out, struct err *e);
bool wal_sync(struct wal *s, struct err *e);
/* Takes out of force what could not be written; if it cannot be helped, *e says so as well. */
void wal_give_up(struct wal *s, struct err *e);
bool wal_mark(struct wal *s, enum journal_mark mark, bool sync, struct err *e);
bool wal_retire(struct wal *s, struct err *e);
void wal_release(struct wal *s);

/* Files that go with a change in which an editor has a part, to be freed: what it has done (txn.h),
 * and what is to go into the history. Named with the editor, so that those are known that have
 * outlived it. */
char *wal_claim_path(const char *home, uint64_t unique, const struct fs_process *editor);
char *wal_record_path(const char *home, uint64_t unique, const struct fs_process *editor);
/* Whether a name is one of these, and of which editor. */
bool wal_is_editors(const char *name, struct fs_process *editor);

/* Numbers of slots of which there is a journal or its second head, as bits. No directory: none. */
bool wal_present(const struct fs *fs, const char *home, uint64_t *bits, struct err *e);
/* The same by a desk that knows the names, if nothing has come or gone since. */
bool wal_desk_present(struct wal_desk *desk, const struct fs *fs, const char *home, uint64_t *bits,
		      struct err *e);
/* Holds the spots of these files, waiting a while for others if `wait`. Paths are resolved. `desk`,
 * or NULL, has the lock's file afterwards. */
bool wal_lock_files(const struct fs *fs, const char *home, struct wal_desk *desk,
		    const char *const *path, size_t n, bool wait, int *lock, struct err *e);
void wal_unlock_files(const struct fs *fs, struct wal_desk *desk, int lock);

#endif
