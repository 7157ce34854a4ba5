#ifndef OX_LINEMAP_H
#define OX_LINEMAP_H

#include <stddef.h>

/*
 * Operations in one request name lines as the caller saw them, but run one after another on a text
 * that moves under them. A linemap answers where an original line is now, or that an earlier
 * operation has taken it away. Lines from 0; the line behind the last is one too (appending), and
 * is never taken away.
 *
 *     m = linemap_new(lines);
 *     at = linemap_now(m, line);              // LINEMAP_GONE: somebody else's lines now
 *     linemap_splice(m, at, removed, added);  // after the operation
 *     linemap_free(m);
 *
 * Costs O(log n) a question and a splice, n being the splices so far.
 */
struct linemap;

#define LINEMAP_GONE ((size_t)-1)

struct linemap *linemap_new(size_t lines);
void linemap_free(struct linemap *m);
/* A line that never was is a BUG. */
size_t linemap_now(const struct linemap *m, size_t original);
/* The `removed` current lines from `at` have become `added` lines. Of lines that were replaced,
 * none is where it was: all are GONE. Lines past the end are a BUG. */
void linemap_splice(struct linemap *m, size_t at, size_t removed, size_t added);
size_t linemap_lines(const struct linemap *m); /* how many there are now */

#endif
