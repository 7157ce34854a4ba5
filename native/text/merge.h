#ifndef OX_MERGE_H
#define OX_MERGE_H

#include "edit.h"

/*
 * A change of one text made in another that has come of the same: what leads from `base` to
 * `target` as edits of `now`, line by line. Either all of it or nothing: where both have changed
 * the same lines, or both have put lines in at one place, nobody can say what is meant. What `now`
 * has of the change already is left as it is.
 *
 *     struct merge m = MERGE_INIT;
 *     if (merge_texts(&m, base, target, now))
 *             edits_apply(&m.edits, now, &out);
 *     else
 *             ... m.clash[0 .. m.clashes) ...
 *     merge_release(&m);
 */
struct merge_lines {
	size_t first, last; /* of `now`, from 1; last < first: lines were removed before `first` */
};

struct merge {
	struct edits edits; /* checked; empty where something clashes */
	struct merge_lines *clash;
	size_t clashes, cap;
};

#define MERGE_INIT                                                                                 \
	{                                                                                          \
		.edits = EDITS_INIT                                                                \
	}

bool merge_texts(struct merge *m, struct str base, struct str target, struct str now);
/*
 * The same, where all of it has to get in: what clashes comes to lie in `now` beside what is there,
 * as git marks it:
 *
 *     <<<<<<< LABEL
 *     what `now` has
 *     =======
 *     what `target` has
 *     >>>>>>> LABEL
 *
 * True: nothing clashes. Else `clash` is of these blocks, with their marks, in the text that the
 * edits lead to. Nothing of `now` is lost but lines that it has as `base` has them.
 */
struct merge_labels {
	const char *now, *target;
};
bool merge_marked(struct merge *m, struct str base, struct str target, struct str now,
		  const struct merge_labels *labels);
void merge_release(struct merge *m);
/* Appends "lines 3-5, 9" or "line 4". */
void merge_describe(const struct merge *m, struct buf *out);

#endif
