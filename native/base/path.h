#ifndef OX_PATH_H
#define OX_PATH_H

#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "map.h"

/*
 * Paths and file URIs as texts. Nothing here looks at the disk, so nothing here proves that a path
 * stays inside a directory: that check is the file system's, on the resolved path (fs.h).
 */

/* Absolute, without ".", "..", and doubled or final slashes. `path` may be relative to `base`. */
void path_normal(struct buf *out, const char *base, struct str path);
char *path_join(const char *base, const char *path); /* the same; caller frees */
struct str path_base(struct str path);		     /* "c.h" of "/a/b/c.h" */
struct str path_dir(struct str path);		     /* "/a/b" of "/a/b/c.h"; "/" of "/a" */
struct str path_ext(struct str path); /* "h" of "c.h"; empty for ".profile" and "x" */
/* Whether normalized `path` is `dir` or lies below it, by whole components. */
bool path_below(struct str dir, struct str path);
/* The deepest directory that both are, or lie below; part of `a`. Both normalized. */
struct str path_common(struct str a, struct str b);
/* `path` as a user reads it: relative to `root` where it lies below it, else as it is. */
struct str path_shown(struct str root, struct str path);

void uri_from_path(struct buf *out, struct str path); /* file:///... percent-encoded */
/* The path of a file: URI, normalized. Other schemes and hosts are ERR_UNSUPPORTED. */
bool uri_to_path(struct buf *out, struct str uri, struct err *e);
/* Counts a path, `by` more or less, in each directory above it: map_get() tells how many there are,
 * NULL none. */
void path_count_above(struct map *above, const char *path, intptr_t by);

#endif
