#ifndef OX_DIFF_H
#define OX_DIFF_H

#include "edit.h"

/*
 * What changed between two texts, by lines: Myers' algorithm in linear space. Where the texts are
 * so different that it would take longer than about DIFF_COST steps, the rest counts as one
 * change; the result is right anyway, only coarser. Lines that are in one of the texts only
 * cost no steps, so that thousands of changes spread over a long text stay exact. diff_unified.c
 * prints one, diff_edited.c knows it of a text that was edited.
 */
#define DIFF_COST 4000000

/* Lines from 0, ending at LF (LINES_VIM). Line ends and a byte order mark belong to the lines that
 * are compared; the empty line behind a final line end is none. */
struct diff_hunk {
	size_t old_at, old_n;
	size_t new_at, new_n;
	struct span old_bytes, new_bytes; /* the same lines, in bytes */
};

struct diff {
	struct diff_hunk *v; /* in order, apart by at least one common line */
	size_t n, cap;
};

/* Overwrites *d; equal texts have no hunks. */
void diff_lines(struct diff *d, struct str old_text, struct str new_text);
/* The same where it is known which edits (edit.h, checked) lead to the new text: only the lines
 * that they touch are compared, and the new text need not be there. What it has in the place of
 * these lines is appended to `lines`, and new_bytes are of that. Costs O(edits), and counting the
 * lines of the text. */
void diff_edited(struct diff *d, struct str old_text, const struct edits *set, struct buf *lines);
/* Where lines are only put in or only taken away, and may be in several places, the last one
 * reads best: a new function ends with its own brace, not with that of the one before. Both of the
 * above do it. `turn`, if not NULL, is new_text to write to: it is not a whole text, so that lines
 * put in keep their place in it, and change their order. */
void diff_slide(struct diff *d, struct str old_text, struct str new_text, char *turn);
void diff_add(struct diff *d, struct diff_hunk h);
void diff_release(struct diff *d);

/* A unified diff shows changes that are near each other as one hunk: the end of the one that begins
 * with change `from`, when there are `context` lines around each. */
size_t diff_group(const struct diff *d, size_t from, size_t context);
#define DIFF_CONTEXT 3
/* About how many bytes such a diff has, without the names. */
size_t diff_size(const struct diff *d, size_t context);
/* Appends the lines of the old text that such a diff shows, and makes old_bytes those of that: it
 * is printed from them as from the whole text. */
void diff_excerpt(struct diff *d, struct str old_text, size_t context, struct buf *out);

/* How many lines a unified diff takes away and puts in; hunks are those with an "@@". */
struct diff_counts {
	size_t hunks, added, removed;
};

/* A file before or after; `name` NULL: it is not there. */
struct diff_side {
	const char *name;
	unsigned mode; /* as fs.h has it; 0: of no concern */
	struct str text;
};

/*
 * Appends a unified diff with `context` lines around each change: "--- a/NAME", "+++ b/NAME" (or
 * /dev/null where a name is NULL; not both), "@@" headers, "\ No newline at end of file". A rename,
 * an empty file made or removed, and a mode that is another or not the usual one, is told by git's
 * extended headers. Names with control characters, quotes or backslashes are in C quotes, as in
 * git; so do those with a blank at the end or before a digit, which could be taken for a time. A
 * file that becomes a link, or was one, is two diffs. Nothing is appended when texts, names and
 * modes are equal. `known`: the diff of the two texts if it has been made, else NULL.
 */
struct diff_counts diff_sides(struct buf *out, const struct diff_side *before,
			      const struct diff_side *after, const struct diff *known,
			      size_t context);
/* The same where modes are of no concern. */
struct diff_counts diff_unified(struct buf *out, const char *old_name, const char *new_name,
				struct str old_text, struct str new_text, size_t context);

/* Edits that turn old into new, each reduced to the bytes that differ; checked. `set` is empty. */
void diff_edits(struct edits *set, struct str old_text, struct str new_text);

#endif
