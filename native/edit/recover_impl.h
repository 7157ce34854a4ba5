#ifndef OX_RECOVER_IMPL_H
#define OX_RECOVER_IMPL_H

#include "recover.h"

/* Shared by the files of recovery; recover.c finds the journals. */

/* As at first, but for what has to go first or can only come last: new names come before old ones
 * go, here also on the disk, for the new ones may take their modes from the old. */
enum recover_when { RECOVER_ROOM, RECOVER_NEW, RECOVER_REMOVED, RECOVER_LATE, RECOVER_WHENS };

struct recovering {
	const struct fs *fs;
	struct wal *wal;
	struct recover_report *report;
	struct journal j;
	enum journal_mark mark;
	bool rebooted;	 /* since it was written, or perhaps */
	bool asked;	 /* the editor was to do its part, and nobody knows whether it has */
	bool hands_off;	 /* files that the editor writes are left to it */
	bool keep_claim; /* it may still come to see that the change was taken back */
	const char *why; /* what is told with the end; NULL: nothing */
	const char *root;
	const char **path;   /* of each file, absolute */
	const char **within; /* the file that makes room for the directory it lies in; NULL: none */
	enum recover_when *when;
	bool *foreign; /* files that somebody else has changed */
	bool *outside; /* of those, the ones whose directory leads elsewhere now */
	bool pooled;   /* the pool's directory is ours */
	struct buf raw, text;
	struct arena arena;
};

/* What is under a name now. IS_TORN: parts of the new text are missing. */
enum text_is { IS_NONE, IS_OLD, IS_NEW, IS_TORN, IS_FOREIGN };

/* recover_text.c: what is where. */

/* Whether no link is in a path, or in that of its directory. */
bool recover_is_straight(struct recovering *r, const char *path, bool folder, bool *straight,
			 struct err *e);
/* Whether it is a directory, and no link to one. */
bool recover_is_folder(struct recovering *r, const char *path, bool *yes, struct err *e);
/* Whether the directory that file i lies in is there, and not the file in whose place that comes or
 * goes. */
bool recover_in_folder(struct recovering *r, size_t i, bool *yes, struct err *e);
/* Which of file i's texts is under this path. */
bool recover_text_at(struct recovering *r, size_t i, const char *path, enum text_is *is,
		     struct err *e);
/* Paths of its temporaries, which the caller frees: in the pool, and beside it for the new file and
 * for the old one. */
char *recover_pool_temp(struct recovering *r, size_t i);
char *recover_beside(struct recovering *r, size_t i, bool old);
/* Where the old file is, if not under its own name; NULL: nowhere. Caller frees. */
bool recover_find_old(struct recovering *r, size_t i, char **path, struct err *e);
/* Whether the file keeps its name and place, and text or mode alone change. */
bool recover_is_in_place(const struct journal_file *f);
/* Then nothing tells whether it is the old one or the new. */
bool recover_looks_the_same(const struct journal_file *f);
/* Whether it can still be carried out: somebody's file may be where a directory has to come or go.
 */
bool recover_can_redo(struct recovering *r, size_t i, bool *can, struct err *e);
/* Whether it can still be taken back: the same, or the old text is lost with what was not synced.
 */
bool recover_can_undo(struct recovering *r, size_t i, bool *can, struct err *e);

/* recover_editor.c: the editor's part. */

/* Finds out what it has done, and whether the change goes on or back by that. False: not now. */
bool recover_editor(struct recovering *r, struct err *e);
/* Whether file i is the editor's to write, or not to. */
bool recover_is_left(const struct recovering *r, size_t i);
/* A file that was cut off while the editor wrote it is the old one again, where it kept that. */
bool recover_from_backup(struct recovering *r, size_t i, enum text_is *is, struct err *e);
/* What is to go into the history; empty: nothing, or it is there. */
struct str recover_record(struct recovering *r);
/* The files beside the journal that are about the editor. */
void recover_drop_claim(struct recovering *r);
void recover_clear_claims(const struct fs *fs, const char *home);

/* recover_file.c: one file. */

/* Makes file i what it became, or what it was. False: the file system will not; the journal must
 * stay. Files that are not ours to touch are noted. */
bool recover_redo(struct recovering *r, size_t i, struct err *e);
bool recover_undo(struct recovering *r, size_t i, struct err *e);
/* Removes what is left of its temporaries. */
bool recover_sweep(struct recovering *r, size_t i, struct err *e);

/* recover_dirs.c: directories that come and go with files. */

/* Absolute; lives as long as the recovery. */
const char *recover_in_root(struct recovering *r, struct str path);
/* Makes the directories that new files lie in. */
bool recover_make_dirs(struct recovering *r, struct err *e);
/* Directories that go for a file's sake, and how they come again. */
bool recover_clear_dirs(struct recovering *r, struct err *e);
bool recover_restore_dirs(struct recovering *r, struct err *e);
/* Removes a directory if it is one and empty. */
bool recover_drop_dir(struct recovering *r, struct str path, struct err *e);

/* recover_act.c: carries a journal out or takes it back, whichever can be done as a whole, and
 * retires it. */
bool recover_act(struct recovering *r, struct err *e);

#endif
