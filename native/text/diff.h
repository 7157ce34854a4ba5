#ifndef OX_DIFF_H
#define OX_DIFF_H

#include "edit.h"

/*
 * What changed between two texts, by lines: Myers' algorithm in linear space. Where the texts are
 * so different that it would take longer than about DIFF_COST steps, the rest counts as one
 * change; the result is right all the same, only coarser.
 */
#define DIFF_COST 4000000

struct diff_hunk {
	size_t old_at, old_n; /* lines from 0, by LINES_VIM */
	size_t new_at, new_n;
};

struct diff {
	struct diff_hunk *v; /* in order, apart by at least one common line */
	size_t n, cap;
};

void diff_lines(struct diff *d, struct str old_text, struct str new_text);
void diff_release(struct diff *d);

/* How many lines a set of hunks takes away and puts in. */
struct diff_counts {
	size_t hunks, added, removed;
};

/*
 * Appends a unified diff with `context` lines around each hunk: "--- a/NAME", "+++ b/NAME" (or
 * /dev/null where a name is NULL), "@@" headers, "\ No newline at end of file". A rename is told
 * by git's extended headers. Nothing is appended when texts and names are equal.
 */
struct diff_counts diff_unified(struct buf *out, const char *old_name, const char *new_name,
				struct str old_text, struct str new_text, size_t context);

/* Edits that turn old into new, each reduced to the bytes that differ; checked. */
void diff_edits(struct edits *set, struct str old_text, struct str new_text);

#endif
