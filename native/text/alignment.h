#ifndef OX_ALIGNMENT_H
#define OX_ALIGNMENT_H

#include <stddef.h>

#include "../base/str.h"

/*
 * Which lines of an old text are which lines of a new one, beyond doubt: those that every shortest
 * difference of the two puts at the same place. A diff picks one of them; where the next "}" may
 * just as well be the one that is meant, it only looks as if it knew.
 *
 *     align_lines(&a, was, now);
 *     if (a.to[line] != ALIGN_NONE) ...  // from 0; line a.n, behind the last, is known
 *     alignment_release(&a);
 *
 * Lines are a user's, without their ends: other line ends, or none behind the last line, change
 * nothing. Costs O(lines * edits) between the first and the last line that differ, and nothing of
 * what is between them is known where that is more than ALIGN_COST.
 */
#define ALIGN_COST 16000000 /* bytes, and some steps for each */
#define ALIGN_NONE ((size_t)-1)

struct alignment {
	size_t *to;  /* of each old line, and of the one behind the last */
	size_t n, m; /* lines of the old text and of the new one */
};

void align_lines(struct alignment *a, struct str was, struct str now); /* overwrites *a */
void alignment_release(struct alignment *a);

#endif
