#ifndef OX_LARGE_PAGES_H
#define OX_LARGE_PAGES_H

#include <stddef.h>

/* All of this fresh memory is about to be filled: where that is much, the system may give it in
 * large pages, which takes a fraction of the time. No more than a wish. */
void large_pages(void *p, size_t n);

#endif
