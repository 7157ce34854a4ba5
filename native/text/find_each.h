#ifndef OX_FIND_EACH_H
#define OX_FIND_EACH_H

#include "../base/str.h"

/*
 * Many needles in one text, in one pass: for each, how often it stands there (counting places that
 * overlap apart, and no further than two) and where first. Each is known by eight of its bytes in a
 * row, those that the fewest other needles have too; shorter ones are sought one by one. Costs
 * O(text + needles' bytes), unless many needles are alike in all their bytes.
 */
struct sought {
	struct str needle; /* an empty one is passed over */
	size_t times;	   /* 0, 1 or 2 for more */
	size_t at;	   /* of the first */
};

void find_each(struct str text, struct sought *v, size_t n);

/* Calls fn for every place of every needle; those of one needle come in order. */
typedef void find_hit(void *arg, size_t needle, size_t place);
void find_each_hit(struct str text, const struct sought *v, size_t n, find_hit *fn, void *arg);

#endif
