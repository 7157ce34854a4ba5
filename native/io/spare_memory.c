#include "spare_memory.h"

#include <stdlib.h> /* __GLIBC__ */

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MOST_BLOCK (16 << 20) /* bytes: what is larger goes back to the system at once */
#define MOST_KEPT  (32 << 20) /* bytes behind all that is in use, of each arena */

void spare_memory_keep(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MOST_BLOCK);
	mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
#endif
}

void spare_memory_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
