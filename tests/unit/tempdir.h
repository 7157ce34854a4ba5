#ifndef OX_TEST_TEMPDIR_H
#define OX_TEST_TEMPDIR_H

#include <limits.h>
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

/* The path of `name` in `dir`; good until the sixteenth call after it. */
static inline const char *path_in(const char *dir, const char *name)
{
	static char path[16][PATH_MAX];
	static unsigned turn;
	char *p = path[turn++ % 16];
	int n = snprintf(p, sizeof(path[0]), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path[0]) ? p : NULL;
}

/* Writes `text` to the file at `path`. */
static inline bool write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

#endif
