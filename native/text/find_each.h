#ifndef OX_FIND_EACH_H
#define OX_FIND_EACH_H

#include <stdint.h>

#include "../base/str.h"

/*
 * Many needles in one text, or in several, each in one pass. A needle is known by a few windows of
 * eight bytes in a row, those that the fewest other needles have too, and only every so many bytes
 * of a text are looked at: as many as the shortest needle allows, so that of every place one
 * window is met. Needles shorter than a window are sought one by one.
 *
 *     finder_init(&f, needles, n);       // borrowed until finder_release()
 *     finder_count(&f, text);            // fills times and at
 *     finder_hits(&f, text, fn, arg);    // or: each place of each needle, in no order
 *     finder_release(&f);
 *
 * Making it costs O(needles' bytes), a pass O(text), unless many needles are alike in all their
 * bytes.
 */
struct sought {
	struct str needle; /* an empty one is passed over */
	size_t times;	   /* 0, 1 or 2 for more; places that overlap count apart */
	size_t at;	   /* where it is once, that place */
};

struct finder {
	struct sought *v;
	size_t n;
	size_t stride;	/* of text, between two looks at it */
	uint32_t *head; /* slot -> entry plus 1; needle i has the entries i * stride and so on */
	uint32_t *next; /* entry -> next in its slot, plus 1 */
	uint32_t *at;	/* needle -> where in it its windows begin */
	unsigned shift;
};

void finder_init(struct finder *f, struct sought *v, size_t n);
void finder_release(struct finder *f);
void finder_count(struct finder *f, struct str text);
typedef void find_hit(void *arg, size_t needle, size_t place);
void finder_hits(const struct finder *f, struct str text, find_hit *fn, void *arg);

#endif
