#ifndef OX_TXN_IMPL_H
#define OX_TXN_IMPL_H

#include "txn.h"

/* Shared by txn.c, which keeps the order, txn_log.c, which knows the journal and its temporaries,
 * txn_check.c, which looks at files before, and txn_steps.c, which does one file. */

enum step_way {
	STEP_SWAP,   /* the new text changes places with the old one */
	STEP_OVER,   /* the same where names cannot be swapped: the temporary is the old file */
	STEP_INSIDE, /* written in place; the journal and `old` hold the old text */
	STEP_NEW,    /* a file where none was */
	STEP_REMOVE, /* the temporary is the old file */
};

struct txn_step {
	const struct txn_file *file;
	struct str shown; /* the path, for messages */
	enum step_way way;
	const char *target; /* links resolved; of a removal, those of its folder */
	const char *temp;
	bool temp_there;
	bool pooled;  /* pool_temp() was written to */
	bool in_pool; /* and it is `temp` */
	bool visible; /* done, or begun, and not taken back */
	bool fresh_known;
	struct fs_stat was;   /* the old file when it was checked */
	struct fs_stat fresh; /* the new one once it was written */
	struct buf old;	      /* STEP_INSIDE: the old text */
};

enum txn_state { TXN_OPEN, TXN_PREPARED, TXN_VISIBLE, TXN_CLOSED, TXN_BROKEN };

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
	const char **made; /* folders to make, those above first */
	size_t n_made, made_cap, made_now;
	struct map names;   /* targets, and files by what they are: two steps must not meet */
	struct map folders; /* as they are called -> as they are without links */
	struct map parents; /* folders whose names change */
	struct wal wal;
	bool has_wal, in_force, begun;
	bool asking, accepted; /* another part of the change may be refused; it was not */
	bool swept;	       /* names went, since their folders were synced */
	bool has_lock;
	int lock;
	struct fs_here here;
	bool pool;	   /* can be used */
	uint64_t pool_dev; /* the file system that it is on */
	struct recover_report report;
	struct buf scratch;
	struct arena arena;
};

/* txn_check.c */
bool resolve_name(struct txn *t, const char *path, struct buf *real, struct err *e);
bool step_find(struct txn *t, struct txn_step *s, struct err *e);
bool step_check(struct txn *t, struct txn_step *s, struct err *e);
bool step_same_file(const struct fs_stat *a, const struct fs_stat *b);
bool step_check_again(struct txn *t, struct txn_step *s, struct err *e);
bool step_check_taken(struct txn *t, struct txn_step *s, struct err *e);
bool step_stale(const struct txn_step *s, struct err *e, const char *what);
bool step_failed(const struct txn_step *s, struct err *e); /* puts the file before the message */

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
bool step_write(struct txn *t, struct txn_step *s, struct err *e);
bool step_show(struct txn *t, struct txn_step *s, struct err *e);
bool step_take_back(struct txn *t, struct txn_step *s, struct err *e);

#endif
