#ifndef OX_RECOVER_IMPL_H
#define OX_RECOVER_IMPL_H

#include "recover.h"

/* Shared by recover.c, which deals with a journal, and recover_file.c, which deals with one file.
 */

struct recovering {
	const struct fs *fs;
	struct wal *wal;
	struct recover_report *report;
	struct journal j;
	enum journal_mark mark;
	bool rebooted; /* since it was written, or perhaps */
	const char *root;
	const char **path; /* of each file, absolute */
	bool *foreign;	   /* files that somebody else has changed */
	bool *outside;	   /* of those, the ones whose folder leads elsewhere now */
	bool pooled;	   /* the pool's folder is ours */
	struct buf raw, text;
	struct arena arena;
};

void recover_say(struct recover_report *r, enum recover_what is, struct str what, size_t files,
		 const char *why);
/* Whether no link stands in a path, or in that of its folder. */
bool recover_is_straight(struct recovering *r, const char *path, bool folder, bool *straight,
			 struct err *e);
/* Makes file i what it became, or what it was. False: the file system will not; the journal must
 * stay. Files that are not ours to touch are noted. */
bool recover_redo(struct recovering *r, size_t i, struct err *e);
bool recover_undo(struct recovering *r, size_t i, struct err *e);
/* Whether it can still be taken back: the old text may be lost with what was not synced. */
bool recover_can_undo(struct recovering *r, size_t i, bool *can, struct err *e);
/* Removes what is left of its temporaries. */
bool recover_sweep(struct recovering *r, size_t i, struct err *e);

#endif
