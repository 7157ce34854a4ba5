#ifndef OX_WORKSPACE_H
#define OX_WORKSPACE_H

#include "../edit/plan.h"
#include "../text/doc.h"
#include "oxide.h"

/*
 * The documents Oxide works on, by absolute path. A file open in the editor is what its buffer
 * holds, saved or not; any other is what the disk holds, looked at again whenever it is asked for.
 * A document lives until workspace_trim(), and as long as anybody listens to it, so that who does
 * stays in step when a buffer opens or closes.
 */
struct workspace;

struct workspace *workspace_new(struct oxide *ox);
void workspace_free(struct workspace *w);

struct doc *workspace_doc(struct workspace *w, const char *path, struct err *e);
/* Before a call: what servers have open is read again where the disk has another text, so that they
 * are asked about that one. */
void workspace_look(struct workspace *w);
/* The document if it is known already, as it was last seen; else NULL. */
struct doc *workspace_known(struct workspace *w, const char *path);
/* Between calls, when nobody has a document in hand: gives up the texts that were read the longest
 * ago and that no buffer and no server has open, as far as they take more than files.kept_bytes. */
void workspace_trim(struct workspace *w);
const char *workspace_filetype(struct workspace *w, const char *path);
/* The one name of a file: where its links lead, where that is in the same project and no buffer has
 * the name that was given. The caller frees it. */
char *workspace_real(struct workspace *w, const char *path);
/* The same of a file that somebody asks for, not a server, whose places are of the text that it
 * knows by that name: if a buffer of the project has the file by another one, it is that. */
char *workspace_named(struct workspace *w, const char *path);
/* The same of a file that a server tells of: that buffer only where it has the text of the disk. */
char *workspace_told(struct workspace *w, const char *path);
/* Whether it is that by itself: there is no link on the way. */
bool workspace_straight(struct workspace *w, const char *path);
/* The root that a path lies below by its text, a project's or a server's; NULL: none. */
const char *workspace_root_over(struct workspace *w, const char *path);
/* Where a path lies whose directories may be links, as a shell names the one that it has entered:
 * NULL, it is the same, or below no root there either. The caller frees it. */
char *workspace_place(struct workspace *w, const char *path);
/* Without the root of the first project where the path lies in that. */
struct str workspace_shown(struct workspace *w, const char *path);

/* An open buffer of the editor. Neovim's text, with line ends as LF and one at the end where the
 * buffer has 'endofline'. */
struct buffer {
	long number;
	int64_t tick;
	bool modified, readonly;
	bool linked;	/* a link was on the way to the file when the editor last told of it */
	bool loading;	/* its text is on its way; that of `doc` is an older one, or the disk's */
	char stamp[64]; /* of the file that its text has come of, as the editor has it; "" */
	struct doc *doc;
};

struct buffer_info {
	long number;
	const char *path, *filetype;
	bool modified, readonly;
	const char *stamp; /* NULL: not known */
};

/* Opens a buffer, or tells news of one. Its text comes from the doc until buffer_text(). */
struct buffer *workspace_buffer_info(struct workspace *w, const struct buffer_info *info,
				     struct err *e);
void workspace_buffer_close(struct workspace *w, long number); /* the disk counts again */
struct buffer *workspace_buffer(struct workspace *w, long number);
struct buffer *workspace_buffer_at(struct workspace *w, const char *path);
/* The buffer that has this file under another name, `st` what the disk has there: links lead from
 * one to the other, the file has both, or the file system takes a and A for the same. NULL: none.
 * Neovim, too, would not open a second one. */
struct buffer *workspace_buffer_alias(struct workspace *w, const char *path,
				      const struct fs_stat *st);
/* Whether two paths lead to one file of the disk, which may have both names. */
bool workspace_is_same_file(const char *a, const char *b);
size_t workspace_buffers(struct workspace *w);
struct buffer *workspace_buffer_number(struct workspace *w, size_t i); /* i < workspace_buffers() */

/* The disk, for what is long and does not depend on each other: each(). */
const struct fs *workspace_fs(void);
/* Buffers first, then the disk; writing is allowed inside of projects alone. Plans that begin with
 * it show their paths relative to `root`. */
const struct plan_source *workspace_source(struct workspace *w, const char *root);
/* Plans that begin with it from here on, until it is asked for once more, know no text but what
 * plan_text() gives: a file may be changed in the buffer that has it by another name. */
void workspace_by_text(struct workspace *w);
/* What plans may write that begin with it from here on, until it is asked for once more. */
struct exemptions;
void workspace_exempt(struct workspace *w, struct exemptions *exempt);
/* From here on the source takes these texts instead of reading the disk; NULL: no longer. */
struct text_cache;
void workspace_lend(struct workspace *w, struct text_cache *t);

/* Servers name places of the text that they were shown when they were asked: note the number of
 * moves then, and check that no file of the plan has moved since (else ERR_STALE). */
uint64_t workspace_moves(const struct workspace *w);
bool workspace_still(struct workspace *w, const struct plan *p, uint64_t moves, struct err *e);
bool workspace_still_at(struct workspace *w, const char *path, uint64_t moves, struct err *e);

/* Whether all changes of documents since that number were Oxide's own, as far as is known by now:
 * own_changes_settle() first. Between workspace_ours(w, true) and (w, false) they are. */
bool workspace_only_own(const struct workspace *w, uint64_t moves);
void workspace_ours(struct workspace *w, bool ours);

/* Tells documents and servers what has become of a file on the disk. */
void workspace_disk_changed(struct workspace *w, const struct txn_file *f);

#endif
