#include "large_pages.h"

#include <stdint.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define LARGE ((uintptr_t)2 << 20)

void large_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	uintptr_t from = ((uintptr_t)p + LARGE - 1) & ~(LARGE - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(LARGE - 1);

	if (to > from)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
	(void)p, (void)n;
#endif
}
