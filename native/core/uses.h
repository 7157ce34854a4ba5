#ifndef OX_USES_H
#define OX_USES_H

#include "pool.h"

/*
 * Which files use the symbols that a change to one file touches: asks the file's server for its
 * symbols, and for the references to those that touched.h names, up to gate.symbols of them. Where
 * a server knows of none in other files, and may not know those files at all (its index is young,
 * or it has no list of them), the files that mention the names count, as in a rename.
 *
 * `f`: the file, of the finished plan `p`; both borrowed until fn. fn is called once, not from
 * inside; the paths are its own until it returns. `complete` is false where the server could not
 * say all of it, or was still making its index; one that knows no references at all serves texts
 * that stand for themselves. uses_cancel() brings fn with what there is by then.
 */
struct uses;
typedef void uses_found(void *arg, const char *const *path, size_t n, bool complete);

struct uses *uses_start(struct oxide *ox, const struct plan *p, const struct plan_file *f,
			uses_found *fn, void *arg);
void uses_cancel(struct uses *u);

#endif
