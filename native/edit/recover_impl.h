#ifndef OX_RECOVER_IMPL_H
#define OX_RECOVER_IMPL_H

#include "recover.h"

/* Shared by recover.c, which deals with a journal, and recover_file.c, which deals with one file.
 */

/* As at first, but for what has to go first or can only come last: new names come before old ones
 * go, here also on the disk, for the new ones may take their modes from the old. */
enum recover_when { RECOVER_ROOM, RECOVER_NEW, RECOVER_REMOVED, RECOVER_LATE, RECOVER_WHENS };

struct recovering {
	const struct fs *fs;
	struct wal *wal;
	struct recover_report *report;
	struct journal j;
	enum journal_mark mark;
	bool rebooted; /* since it was written, or perhaps */
	const char *root;
	const char **path;   /* of each file, absolute */
	const char **within; /* the file that makes room for the folder it lies in; NULL: none */
	enum recover_when *when;
	bool *foreign; /* files that somebody else has changed */
	bool *outside; /* of those, the ones whose folder leads elsewhere now */
	bool pooled;   /* the pool's folder is ours */
	struct buf raw, text;
	struct arena arena;
};

void recover_say(struct recover_report *r, enum recover_what is, struct str what, size_t files,
		 const char *why);
/* Whether no link stands in a path, or in that of its folder. */
bool recover_is_straight(struct recovering *r, const char *path, bool folder, bool *straight,
			 struct err *e);
/* Whether it is a folder, and no link to one. */
bool recover_is_folder(struct recovering *r, const char *path, bool *yes, struct err *e);
/* Whether the folder that file i lies in is there, and not the file in whose place that comes or
 * goes. */
bool recover_in_folder(struct recovering *r, size_t i, bool *yes, struct err *e);
/* Makes file i what it became, or what it was. False: the file system will not; the journal must
 * stay. Files that are not ours to touch are noted. */
bool recover_redo(struct recovering *r, size_t i, struct err *e);
bool recover_undo(struct recovering *r, size_t i, struct err *e);
/* Whether it can still be carried out: somebody's file may be where a folder has to come or go. */
bool recover_can_redo(struct recovering *r, size_t i, bool *can, struct err *e);
/* Whether it can still be taken back: the same, or the old text is lost with what was not synced.
 */
bool recover_can_undo(struct recovering *r, size_t i, bool *can, struct err *e);
/* Removes what is left of its temporaries. */
bool recover_sweep(struct recovering *r, size_t i, struct err *e);

#endif
