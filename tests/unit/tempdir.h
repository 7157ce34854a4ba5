#ifndef OX_TEST_TEMPDIR_H
#define OX_TEST_TEMPDIR_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes a directory of the test's own in TMPDIR; `dir` is its path afterwards. */
static inline bool make_tempdir(char *dir, size_t size, const char *name)
{
	const char *parent = getenv("TMPDIR");
	int n = snprintf(dir, size, "%s/oxide-%s-XXXXXX", parent ? parent : "/tmp", name);

	return n > 0 && (size_t)n < size && mkdtemp(dir);
}

#endif
