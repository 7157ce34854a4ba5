#ifndef OX_EDIT_H
#define OX_EDIT_H

#include "../base/arena.h"
#include "../base/buf.h"
#include "pos.h"

/*
 * A set of changes to one text. Every span addresses the text as it was before any of them, so
 * their order in the list carries no meaning, except between insertions at one place, which keep
 * it. Touching is not overlapping: an insertion at the edge of a replaced span stays outside it,
 * before the span where it is at its start.
 *
 *     struct edits set = EDITS_INIT;
 *     edits_add(&set, span, with, tag);        // copies `with`
 *     if (!edits_check(&set, text.n, &why))    // sorts, finds overlaps; once, before the rest
 *             ...why.a and why.b are the tags of the two that clash...
 *     edits_apply(&set, text, &out);
 *     edits_release(&set);
 *
 * Adding costs O(1), checking O(n log n), applying O(text + edits).
 */
struct edit {
	struct span span;
	struct str with;
	int tag;       /* which operation asked for it */
	size_t new_at; /* after edits_check(): where `with` begins in the result */
};

struct edits {
	struct edit *v; /* after edits_check(): by position */
	size_t n, cap;
	bool checked;
	struct arena texts;
};

struct edit_clash {
	int a, b;
};

#define EDITS_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

void edits_add(struct edits *set, struct span span, struct str with, int tag);
/* The same without the copy: `with` stays the caller's, and must live as long as the set. */
void edits_lend(struct edits *set, struct span span, struct str with, int tag);
/* Spans must lie inside the text (else BUG: they were converted against it). Of two that clash
 * `a` is the one that begins first. */
bool edits_check(struct edits *set, size_t text_len, struct edit_clash *why);
void edits_apply(const struct edits *set, struct str text, struct buf *out); /* appends */
/* The same in place. */
void edits_carry_out(const struct edits *set, struct buf *text);
/* The result without copying: as pieces of the text and of the edits, of which there are
 * edits_pieces(). */
void edits_lay_out(const struct edits *set, struct str text, struct str *piece);
static inline size_t edits_pieces(const struct edits *set)
{
	return 2 * set->n + 1;
}
size_t edits_result(const struct edits *set, size_t text_len); /* its bytes */
/* Each edit reduced to the bytes that differ: common beginnings and ends are cut off (never inside
 * a character or a CRLF, so that every end is a position), what changes nothing is dropped, and a
 * replacement of several lines becomes one edit for each run of lines that differ (diff.h). The
 * result text is the same, and the set stays checked; it has copies of all its texts now. */
void edits_reduce(struct edits *set, struct str text);
/* What takes the set back: spans address the new text, `with` holds the old bytes. *out is empty;
 * it comes back checked. */
void edits_invert(const struct edits *set, struct str text, struct edits *out);
/* Where a byte of the old text is found in the new one: behind what was inserted at it; at the
 * start of the replacement if it was replaced. O(log n). */
size_t edits_map(const struct edits *set, size_t old_byte);
/* Where these bytes, at least one, are found in the new text, where nothing is put in between.
 * False: some of them are replaced. O(log n). */
bool edits_keep(const struct edits *set, struct span old, struct span *now);
void edits_release(struct edits *set);

#endif
