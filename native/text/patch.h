#ifndef OX_PATCH_H
#define OX_PATCH_H

#include "../base/fs.h"
#include "edit.h"
#include "find.h"

/*
 * A patch, V4A or unified, read into files and hunks, and then located in a text (patch_find.c).
 * Reading and locating are apart, so that all files can be found before anything is planned.
 *
 *     if (!patch_parse(&p, text, &e))           // which of the two it is, its first lines tell
 *             ...
 *     for (each file, in order)
 *             if (p.file[i].kind == PATCH_CREATE)
 *                     patch_side(&p.file[i], '-', &new_text);
 *             else if (!patch_locate(&p, &p.file[i], old_text, &edits, &how, &why, &e))
 *                     ...e says which hunk, why.near what is like it...
 *     patch_release(&p);
 *
 * Files come as the patch has them. A file may come twice; the second time it is what the first
 * made of it. Paths are as written, without quotes and prefixes; whether they stay inside the
 * project is for the caller to check, as is that CREATE finds no file and the others find one.
 *
 * Context lines are never rewritten: only what is marked as removed or added becomes an edit.
 */
enum patch_form { PATCH_V4A, PATCH_UNIFIED };
enum patch_kind { PATCH_MODIFY, PATCH_CREATE, PATCH_DELETE };

struct patch_line { /* there may be a million: patch_text() has the bytes */
	const char *p;
	uint32_t n;
	char mark;	 /* ' ' '-' '+' */
	bool cr;	 /* unified: a CR that belongs to the line, which `n` leaves out */
	bool no_newline; /* "\ No newline at end of file" followed */
};

static inline struct str patch_text(const struct patch_line *l)
{
	return (struct str){ l->p, l->n };
}

#define PATCH_ANCHORS 100 /* of a hunk at the most: each may be as many lines as the file has */

struct patch_hunk {
	size_t old_line, old_count, new_line, new_count; /* unified: as written, lines from 1 */
	struct str *anchor;				 /* V4A: texts of stacked @@ lines */
	struct patch_line *line;
	uint32_t anchors, lines;
	uint32_t at; /* the line of the patch where it begins, from 1 */
	bool at_end; /* V4A: *** End of File */
};

struct patch_file {
	enum patch_kind kind;
	struct str path, new_path; /* new_path: renamed, moved or copied to; else empty */
	bool copy;
	bool may_create;	 /* MODIFY of a file that may be missing: it counts as empty */
	unsigned old_mode, mode; /* 0100644, 0100755 or 0120000 (a link, its text the target) as far
				  * as the patch says what the file is and becomes; else 0 */
	struct patch_hunk *hunk;
	size_t hunks;
	/* Binary, DELETE alone: what git names the old bytes (40 digits); else empty. */
	struct str old_id;
	size_t at; /* the line of the patch, from 1 */
};

struct patch {
	enum patch_form form;
	struct patch_file *file;
	size_t files;
	struct patch_hunk *hunk; /* of all files; likewise below */
	struct patch_line *line;
	struct str *anchor;
	struct arena names;
	struct patch *part; /* it was read in so many parts: hunks and all below are theirs */
	size_t parts;
};

/* The text is borrowed until patch_release(). ERR_INVALID names the patch's line; ERR_UNSUPPORTED:
 * context diffs, submodules, and binary patches that do more than delete. On failure there is
 * nothing to release. */
bool patch_parse(struct patch *p, struct str text, struct err *e);
/* The same; a long one is read by several processors, with fs->each(). */
bool patch_parse_shared(struct patch *p, struct str text, const struct fs *fs, struct err *e);
/* The same of what is about one file that the caller knows: hunks without lines that name it will
 * do, and then it has the empty path. */
bool patch_parse_of_one(struct patch *p, struct str text, struct err *e);
void patch_release(struct patch *p);
/* Appends all lines of the hunks but those with one mark: without '-' the text of a file that is
 * created, without '+' that of one that goes. */
void patch_side(const struct patch_file *f, char without, struct buf *out);

struct patch_failure {
	size_t hunk; /* from 0 */
	struct candidates near;
};

/*
 * Adds the edits against `text`, with the hunk's number (from 0) as their tag; *how is the weakest
 * proof that was needed. On failure *e says which hunk (with its line in the patch) was not found
 * (ERR_NOT_FOUND) or found several times (ERR_AMBIGUOUS), *why what is near, which the caller
 * releases in any case.
 */
bool patch_locate(const struct patch *p, const struct patch_file *f, struct str text,
		  struct edits *out, enum match *how, struct patch_failure *why, struct err *e);

#endif
