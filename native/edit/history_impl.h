#ifndef OX_HISTORY_IMPL_H
#define OX_HISTORY_IMPL_H

#include "history_record.h"

/* Shared by history.c, history_diff.c, history_redo.c and history_turn.c. */
struct history {
	const struct fs *fs;
	char *dir;
	size_t max_entries;
	uint64_t max_bytes;
	struct history_entry *entry;
	size_t cap;
	struct arena arena; /* what was listed */
	char *last_name;    /* of the file that `last` was read from */
	struct history_entry last;
	struct arena last_arena;
	size_t damaged;
	struct buf names; /* in `dir` when it was `seen` */
	struct fs_stat seen;
	bool settled; /* other names would show in how it is */
};

struct slot {
	const char *name;
	struct str id, root; /* root: its hash in hexadecimal */
	uint64_t seq;
	bool undone;
};

struct slots {
	struct buf names;
	struct slot *v; /* oldest first */
	size_t n, cap;
};

/* The entries of all roots. */
bool slots_read(struct history *h, struct slots *s, struct err *e);
void slots_release(struct slots *s);
bool slot_is_of(const struct slot *s, const char *root);
/* Reads one; false when it is of another root, or damaged, which is counted. The record's texts lie
 * in `raw`. */
bool slot_read(struct history *h, const struct slot *s, const char *root, struct buf *raw,
	       struct record *r, struct arena *a);
/* Of one that was undone, `undone`: the record of what takes that back. Of a turn it is worked out.
 */
bool slot_read_redo(struct history *h, const struct slot *s, const struct record *undone,
		    struct buf *raw, struct record *r, struct arena *a, struct err *e);
/* How names of files end. */
#define SLOT_LIVE   ".entry"
#define SLOT_UNDONE ".undone"
#define SLOT_REDO   ".redo" /* what the undoing of an entry left, as an entry of its own */
char *slot_path(const struct history *h, const struct slot *s); /* of its file */
char *slot_path_as(const struct history *h, const struct slot *s, const char *end);

#endif
