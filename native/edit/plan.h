#ifndef OX_PLAN_H
#define OX_PLAN_H

#include "../base/fs.h"
#include "../text/diff.h"
#include "exemptions.h"
#include "txn.h"

/*
 * What should change, worked out in full before anything is touched: every change, by a user, a
 * server or a model, becomes operations, and then one plan.
 *
 *     struct plan *p = plan_new(&source);
 *     plan_add(p, &op, &e);  ...          // each sees the texts as those before it left them
 *     plan_finish(p, &e);                 // once, after the last; then it can be looked at
 *     plan_files(p), plan_file(p, i), plan_preview(p, &diff), plan_states(p, &n)
 *     plan_free(p);
 *
 * Paths are absolute and normalized (path.h). A failed call names the file, as a user reads it,
 * and the reason; after a failed plan_add() or plan_finish() the plan is good for plan_free()
 * alone. A file keeps what it is when it is renamed, also through other names; one that is removed
 * and created again is changed. Texts are edited through symbolic links; what is removed, renamed
 * or made to lead elsewhere is the link. A directory of which nothing is left gives way to a file.
 *
 * ERR_NOT_FOUND  there is no such file
 * ERR_CONFLICT   edits overlap; something is there already; a directory is not empty
 * ERR_LIMIT      a directory with more than PLAN_FOLDER_FILES files
 * ERR_UNSUPPORTED  what is neither file nor directory; the text of a link that was made or changed
 * ERR_DENIED     `straight`, and a symbolic link on the way
 */
#define PLAN_FOLDER_FILES 10000

enum op_kind { OP_SPANS, OP_CREATE, OP_RENAME, OP_REMOVE, OP_LINK, OP_MODE };

struct op {
	enum op_kind kind;
	const char *path;
	const char *new_path; /* OP_RENAME */
	/* OP_SPANS: edits against plan_text(path) as it is now; emptied. Line ends that are put in
	 * become those that the file uses most, unless `exact`. */
	struct edits *spans;
	bool exact;
	struct str leads_to; /* LINK */
	unsigned mode;	     /* MODE: what fs.h has; git's two change the right to run alone */
	/* No directory on the way is a link, nor, of SPANS, CREATE and MODE, the file: so git reads
	 * paths. */
	bool straight;
	bool overwrite; /* CREATE, RENAME: an existing file is replaced; LINK: an existing link */
	bool ignore;	/* CREATE, RENAME: nothing happens if it exists; REMOVE: if it does not.
			 * `overwrite` wins. */
	bool recursive; /* REMOVE: a directory with what is in it. A directory is always renamed
			   whole. */
};

/* Where a plan reads from: open buffers first, then the disk. */
struct plan_source {
	void *self;
	const char *root; /* for showing paths */
	bool (*stat)(void *self, const char *path, struct fs_stat *out, struct err *e);
	/* Of the plans that are made from it next: the name by which the text of this file is
	 * changed, `st` what stat() has said; NULL: this one, also where there is no such function.
	 * It stays as long as the editor's buffers do. */
	const char *(*name)(void *self, const char *path, const struct fs_stat *st);
	/* `seen`: as that of struct fs, where the disk's text was read. */
	bool (*read)(void *self, const char *path, struct buf *out, struct fs_stat *seen,
		     struct err *e);
	bool (*list)(void *self, const char *dir, struct buf *names, struct err *e);
	/* Whether this path may be written at all (inside the root also through links, not
	 * protected, or exempt; not read-only): else ERR_DENIED, and where that is for the place
	 * alone, `exempt` is told. Asked once for each path that changes. `itself`: of a link, its
	 * name changes, not what it leads to. What is exempt of it is appended to `by`. */
	bool (*allowed)(void *self, const char *path, bool itself, struct exemptions *exempt,
			struct buf *by, struct err *e);
	/* allowed() will be asked of these next, and not of their names themselves: they may be
	 * looked at beforehand, until it is said of none. NULL: they are not. `path` is borrowed
	 * until then. */
	void (*permits)(void *self, const char *const *path, size_t n);
	bool (*readlink)(void *self, const char *path, struct buf *out, struct err *e);
	/* Where it leads through all links, as that of struct fs; no plan needs it, a draft does.
	 */
	bool (*resolve)(void *self, const char *path, struct buf *out, struct err *e);
	/* The texts of these will be asked for next, in this order: they may be read beforehand,
	 * until it is said of none. NULL: they are not. `path` is borrowed until then. */
	void (*ahead)(void *self, const char *const *path, size_t n);
	/* Of the plans that are made from it next, until they are finished; NULL: none. */
	struct exemptions *exempt;
};

struct plan_file {
	const char *path;     /* before; of a new file, where it will be */
	const char *new_path; /* after, where it is renamed; else NULL */
	bool existed, exists; /* before, after */
	/* Whole texts; empty where there is none; of a link, where it leads. Where `rested`, of the
	 * new one there is nothing, and of the old one perhaps no more than plan_file_diff() shows:
	 * plan_want() brings them. */
	struct str was, now;
	struct node *rested;
	bool part;		     /* of the old one there is no more */
	unsigned was_mode, now_mode; /* kind and permission bits; 0 where there is none */
	uint64_t was_hash, now_hash;
	struct fs_stat seen; /* the file on the disk when it was read */
	/* was -> now where both exist and are regular: checked, reduced to what differs */
	struct edits edits;
	struct edits back; /* `part`: now -> was, else not made */
	size_t now_n;	   /* rested: bytes of the new text */
	struct diff diff;  /* the same as lines */
	struct buf lines;  /* what its new_bytes are of, where both exist and are regular */
	size_t lines_added, lines_removed;
};

/* As it is called once the change is made. */
const char *plan_path_after(const struct plan_file *f);
/* "create", "delete" or "rename"; NULL: its text alone changes, or its mode. */
const char *plan_file_kind(const struct plan_file *f);

struct plan *plan_new(const struct plan_source *src); /* src is kept, not owned */
void plan_free(struct plan *p);
/* Gives up what the states of a transaction that is over do not need; plan_free() alone may follow.
 */
void plan_lighten(struct plan *p);
/* One more exemption, of this plan alone. */
void plan_allow(struct plan *p, const char *path);
bool plan_add(struct plan *p, const struct op *op, struct err *e);
/* OP_SPANS that were found in the text `was`; ERR_STALE where the file has another one by now. */
bool plan_edit(struct plan *p, const char *path, struct str was, struct edits *spans,
	       struct err *e);
/* The text at `path` as the operations so far leave it. Valid until the next plan_add(). */
bool plan_text(struct plan *p, const char *path, struct str *text, struct err *e);
/* Where a link leads, also one that operations have made; NULL: the path is none. */
bool plan_link(struct plan *p, const char *path, struct str *leads_to, struct err *e);
/* What file of the disk a path leads to, by number: the same for all its names; false: to none.
 * *link: the name itself is a symbolic link. */
struct plan_identity {
	uint64_t dev, ino;
	bool link;
};
bool plan_identity(struct plan *p, const char *path, struct plan_identity *out);
/* Kind and permission bits of the file that plan_text() gives. */
bool plan_mode(struct plan *p, const char *path, unsigned *mode, struct err *e);
/* No operation is expected any more for a file whose text has been edited: the texts are given up,
 * once all that is told of them is known. Comes one anyway, the old one is read again;
 * ERR_STALE if it is another by then. Does nothing where both texts have to be kept. */
void plan_rest(struct plan *p, const char *path);
/* Drops what came out unchanged; sorts by path. */
bool plan_finish(struct plan *p, struct err *e);

size_t plan_files(const struct plan *p);
const struct plan_file *plan_file(const struct plan *p, size_t i);
/* Places asked for, before reducing; a file operation is 1. After plan_keep(), of what is left. */
size_t plan_edits(const struct plan *p);
/* Directories that are empty after the removals and go too, deepest first. */
size_t plan_empty_dirs(const struct plan *p, const char *const **dirs);
/* Directories that come with new files, deepest first. */
size_t plan_made_dirs(const struct plan *p, const char *const **dirs);
/* Where a path of it leads that may be written by an exemption alone; NULL: by none. */
const char *plan_exempt(const struct plan *p, const char *path);
/* All of them; whether there are any. */
void plan_exempt_put(const struct plan *p, struct exemptions *out);
bool plan_has_exempt(const struct plan *p);
/* Whether its text, before or after, is where a link leads. */
bool plan_file_links(const struct plan_file *f);
/* Appends the unified diff of all files, names relative to the root. */
void plan_preview(const struct plan *p, struct buf *out);
/* The same of one file. */
void plan_file_diff(const struct plan *p, const struct plan_file *f, struct buf *out);
/* What txn_new() takes: the final state of each path, sorted. Valid until plan_keep(). */
const struct txn_file *plan_states(struct plan *p, size_t *n);
/* Makes the texts of file i whole, if they are not; ERR_STALE as above. */
bool plan_want(struct plan *p, size_t i, struct err *e);
/* Leaves out hunks of file i, as plan_file_diff() shows them: those for which keep[k] is not set.
 * Call it before plan_keep(), which counts again. Files that are made or removed have no hunks to
 * leave out. ERR_INVALID when n is not their number. */
bool plan_keep_hunks(struct plan *p, size_t i, const bool *keep, size_t n, struct err *e);
/* Appends the text that file i would have with those hunks left out, which stay. keep NULL: none
 * is. */
bool plan_text_kept(struct plan *p, size_t i, const bool *keep, size_t n, struct buf *out,
		    struct err *e);
/* Gives file i this text in place of the one that was planned; its hunks are others then.
 * ERR_INVALID  it would have none afterwards, or be as it was before, and nothing else is changed
 * ERR_STALE    the file is another one by now than the plan was made for
 * The plan stays as it is where this fails. */
bool plan_revise(struct plan *p, size_t i, struct str text, struct err *e);
/* Appends the unified diff from the texts that were planned before plan_revise() to those that are
 * by now, of files that are left in it. */
void plan_revisions(const struct plan *p, struct buf *out);
bool plan_is_revised(const struct plan *p, size_t i);
/* Leaves out all files but those for which keep[i] is set. Files tied by a rename go together:
 * if one of them is left out, ERR_INVALID names both and nothing is left out. */
bool plan_keep(struct plan *p, const bool *keep, struct err *e);

#endif
