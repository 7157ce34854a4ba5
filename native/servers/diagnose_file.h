#ifndef OX_DIAGNOSE_FILE_H
#define OX_DIAGNOSE_FILE_H

#include "diagnose.h"

/*
 * As diagnose_start(), by all servers that have something to say: by the first for the file, and
 * then by each other one that has the file open and has reported on it before. Without that, what
 * the others said of an older text would count as said of the present one.
 *
 *     f = diagnose_file_start(ox, path, timeout_ms, fn, arg)
 *     fn(arg, s, late, e)       // once, not from inside; s: the first one
 *
 * `late` is one that was not done in time, or does not say so; NULL: it is complete. Only the first
 * one's errors are errors. diagnose_file_cancel() brings ERR_CANCELLED.
 */
struct diagnose_file;
typedef void file_diagnosed(void *arg, struct server *s, const struct server *late,
			    const struct err *e);
struct diagnose_file *diagnose_file_start(struct oxide *ox, const char *path, uint64_t timeout_ms,
					  file_diagnosed *fn, void *arg);
void diagnose_file_cancel(struct diagnose_file *f);

#endif
