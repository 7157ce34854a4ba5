#ifndef OX_LARGE_PAGES_H
#define OX_LARGE_PAGES_H

#include <stddef.h>

/* Asks for large pages for memory that was just made and is about to be filled, where the kernel
 * has them and gives them to who asks: for mem_large_pages (base/mem.h). */
void large_pages(void *p, size_t n);

#endif
