#ifndef OX_ARENA_H
#define OX_ARENA_H

#include "str.h"

/* Memory for the parts of one thing, released with the thing. Kept inside it; zero it to start. */
struct arena {
	struct arena_block *last;
};

void *arena_new(struct arena *a, size_t n);	     /* zeroed, aligned for anything */
struct str arena_str(struct arena *a, struct str s); /* copied, with a NUL behind it */
void arena_release(struct arena *a);

#endif
