#ifndef OX_TEST_READ_ALL_H
#define OX_TEST_READ_ALL_H

#include <stdio.h>

#include "base/buf.h"

/* What is in the file; `p` NULL: it cannot be opened. */
static inline struct buf read_all(const char *path)
{
	struct buf b = BUF_INIT;
	FILE *f = fopen(path, "rb");
	size_t n;

	while (f && (n = fread(buf_room(&b, 65536), 1, 65536, f))) {
		b.n += n;
		buf_end(&b);
	}
	if (f)
		fclose(f);
	return b;
}

#endif
