#ifndef OX_TXN_IMPL_H
#define OX_TXN_IMPL_H

#include "txn.h"

/*
 * Shared by the files of a transaction:
 *
 *     txn.c        from prepare to accept
 *     txn_back.c   takes all of it back
 *     txn_end.c    seal and abort: what is left is put on the disk, or cleared away
 *     txn_steps.c  one file
 *     txn_dirs.c   directories and files that take each other's places
 *     txn_check.c  looks at the files before
 *     txn_text.c   gives new texts
 *     txn_log.c    knows the journal and its temporaries
 */

enum step_way {
	STEP_SWAP,   /* the new text changes places with the old one */
	STEP_OVER,   /* the same where names cannot be swapped: the temporary is the old file */
	STEP_INSIDE, /* written in place; the journal and `old` hold the old text */
	STEP_MODE,   /* the permission bits alone */
	STEP_NEW,    /* a file where none was */
	STEP_REMOVE, /* the temporary is the old file */
	STEP_EDITOR, /* nothing: the editor writes it; the journal and `old` hold the old text */
};

/* In this order: new names come before old ones go, so that a text that moves is always somewhere,
 * but for those that have to go first, or can only come last. */
enum step_when {
	WHEN_ROOM, /* a removal: a directory takes its place */
	WHEN_NEW,
	WHEN_REMOVED,
	WHEN_LATE, /* a new file in the place of a directory */
};

struct txn_step {
	const struct txn_file *file;
	struct str shown; /* the path, for messages */
	enum step_way way;
	const char *target; /* links resolved; of a removal, those of its directory */
	enum step_when when;
	bool straight;	       /* no part of its path was a link */
	struct txn_step *over; /* it lies below where this one makes room */
	const char *temp;
	bool temp_there;
	bool pooled;  /* pool_temp() was written to */
	bool in_pool; /* and it is `temp` */
	bool visible; /* done, or begun, and not taken back */
	bool fresh_known;
	uint64_t image;	      /* where its new text lies in the journal; 0: it does not */
	struct fs_stat was;   /* the old file when it was checked */
	struct fs_stat fresh; /* the new one once it was written */
	struct buf old;	      /* STEP_INSIDE, STEP_EDITOR: the old text */
};

enum txn_state { TXN_OPEN, TXN_PREPARED, TXN_VISIBLE, TXN_CLOSED, TXN_BROKEN };

/* What it takes to make a new text, for each that makes some at the same time. */
struct txn_room {
	struct buf scratch, joined;
	struct str *piece;
	size_t piece_cap;
};

struct txn {
	const struct fs *fs;
	const char *home;
	struct str root;
	const char *real_root;
	enum txn_state state;
	struct txn_step *step;
	size_t steps;
	const char *const *dirs; /* to remove */
	size_t n_dirs;
	const char **made; /* directories to make, those above first */
	size_t n_made, made_cap, made_now;
	struct journal_dir *cleared; /* to remove for a file's sake, those below first */
	size_t n_cleared, cleared_cap, cleared_now;
	bool room;	    /* some step makes room for directories */
	struct map going;   /* paths of files that go */
	struct map names;   /* targets, and files by what they are: two steps must not meet */
	struct map folders; /* as they are called -> as they are without links */
	struct map parents; /* directories whose names change */
	struct wal wal;
	struct wal_desk *desk; /* or NULL */
	bool has_wal, in_force, begun;
	bool asking, accepted; /* another part of the change may be refused; it was not */
	struct txn_editor editor;
	char *claim, *record; /* files that go with the journal, once it is written */
	bool recorded;
	bool synced, sync_failed; /* the files; for this reason: */
	struct err unsynced;
	bool swept; /* names went, since their directories were synced */
	bool has_lock;
	int lock;
	struct fs_here here;
	bool pool;	   /* can be used */
	uint64_t pool_dev; /* the file system that it is on */
	struct recover_report report;
	struct buf scratch; /* of who looks at files */
	struct txn_room texts[FS_WORKERS];
	struct arena arena;
};

/* txn.c */
void txn_must_be(const struct txn *t, enum txn_state state,
		 const char *what); /* or it is a BUG() */
/* Of several failures *e has the first: `then` is put there if all was well until now. False. */
bool txn_first(struct err *e, bool was_ok, const struct err *then);
/* Gives `why` to the caller unless `ok`, which is returned: much that fails on the way has another
 * way round it, and is none of the caller's concern. */
bool txn_told(struct err *e, bool ok, const struct err *why);

/* txn_back.c: from the last step to the first, past what fails. */
bool txn_take_steps_back(struct txn *t, struct err *e);

/* txn_text.c: the new text in pieces, and as one; good until another is asked for in that room. */
bool step_pieces(struct txn *t, struct txn_room *room, struct txn_step *s, const struct str **piece,
		 size_t *n, struct err *e);
struct str pieces_joined(struct txn_room *room, const struct str *piece, size_t n);
bool step_text(struct txn *t, struct txn_step *s, struct str *text, struct err *e);
void room_release(struct txn_room *room);
uint64_t step_now_hash(const struct txn_step *s);
/* Whether that text is to be made of one that is still to be read, and held against its hash. */
bool step_reads_late(const struct txn_step *s);

/* txn_check.c */
bool step_read_old(struct txn *t, struct txn_step *s, struct buf *text, struct err *e);
bool resolve_name(struct txn *t, const char *path, struct buf *real, struct err *e);
/* Mostly no part of a path is a link, which one question tells for its directories as well. Asked
 * of the first file in each: false of others, and where it is not so. */
bool step_is_straight(struct txn *t, struct txn_step *s);
bool txn_find_root(struct txn *t, struct err *e);
bool step_find(struct txn *t, struct txn_step *s, struct err *e);
bool step_check(struct txn *t, struct txn_step *s, struct err *e);
/* Then its text, if the file was there; on any thread. */
bool step_check_text(struct txn *t, struct txn_room *room, struct txn_step *s, struct err *e);
bool step_check_again(struct txn *t, struct txn_step *s, struct err *e);
bool step_check_taken(struct txn *t, struct txn_step *s, struct err *e);
/* Whether what is at the path is still what this step put there. */
bool step_is_fresh(struct txn *t, struct txn_step *s, bool *fresh, struct err *e);
bool step_stale(const struct txn_step *s, struct err *e, const char *what);
bool step_failed(const struct txn_step *s, struct err *e); /* puts the file before the message */

/* What is at the path is a link in itself, or will be. */
bool step_of_link(const struct txn_step *s);
bool step_makes_link(const struct txn_step *s);

/* txn_dirs.c */
bool need_folder(struct txn *t, const char *dir, struct txn_step *over, struct err *e);
bool make_folders(struct txn *t, struct err *e);
bool unmake_folders(struct txn *t, struct err *e);
bool is_cleared(struct txn *t, struct txn_step *s, bool *cleared, struct err *e);
/* Whether a directory went for a file's sake: by its own path, and by that of the caller. */
bool is_gone(const struct txn *t, struct str dir);
bool gave_way(const struct txn *t, const char *dir);
bool clear_folders(struct txn *t, struct err *e);
bool restore_folders(struct txn *t, struct err *e);
/* The file whose name that of a removal's temporary is beside. */
const char *removed_beside(const struct txn *t, const struct txn_step *s);

/* txn_log.c */
bool txn_log_open(struct txn *t, struct err *e);  /* a slot, and the lock of all files */
bool txn_log_write(struct txn *t, struct err *e); /* not synced */
void txn_log_give_up(struct txn *t, struct err *e);
void txn_log_close(struct txn *t);
bool txn_log_retire(struct txn *t, struct err *e);
void pool_open(struct txn *t);
const char *pool_temp(struct txn *t, const struct txn_step *s);
const char *beside_temp(struct txn *t, const struct txn_step *s, bool old);
bool pool_sync(struct txn *t, struct err *e);  /* the names in it */
bool pool_clear(struct txn *t, struct err *e); /* its files are empty again, and on the disk */
const char *remember_parent(struct txn *t, const char *path);

/* txn_steps.c */
bool step_uses_pool(const struct txn *t, const struct txn_step *s);
/* Fills the step's temporary in the pool, whose name it has; on any thread. */
bool step_fill(struct txn *t, struct txn_room *room, struct txn_step *s, struct err *e);
bool step_write(struct txn *t, struct txn_step *s, struct err *e);
/* What step_show() does first with one that is in the pool; on any thread. True, and not visible:
 * names cannot be swapped, which step_show() has another way for. */
bool step_swap(struct txn *t, struct txn_step *s, struct err *e);
bool step_show(struct txn *t, struct txn_step *s, struct err *e);
bool step_take_back(struct txn *t, struct txn_step *s, struct err *e);
unsigned step_new_mode(const struct txn_step *s); /* of a file that is like none, before umask */
bool step_sets_mode(const struct txn_step *s);

#endif
