#include "large_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

void large_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	madvise(p, n, MADV_HUGEPAGE);
#else
	(void)p, (void)n;
#endif
}
