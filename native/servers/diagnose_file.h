#ifndef OX_DIAGNOSE_FILE_H
#define OX_DIAGNOSE_FILE_H

#include "diagnose.h"

/*
 * As diagnose_start(), by all servers that give diagnostics for the file: by the first, and then by
 * those beside it (pool_beside()), at once.
 *
 *     f = diagnose_file_start(ox, path, timeout_ms, fn, arg)
 *     fn(arg, v, n, e)       // once, not from inside; v lives until it returns
 *
 * v[0] is the first server; n is 0 where there is none. *e is the error of the first one; that of
 * another one is in its `why`. diagnose_file_cancel() brings ERR_CANCELLED.
 */
struct diagnose_file;
struct file_diagnosis {
	struct server *server;
	bool complete;	/* else it was not done in time, or does not say so */
	struct err why; /* it could not be asked */
};
typedef void file_diagnosed(void *arg, const struct file_diagnosis *v, size_t n,
			    const struct err *e);
struct diagnose_file *diagnose_file_start(struct oxide *ox, const char *path, uint64_t timeout_ms,
					  file_diagnosed *fn, void *arg);
/* Called at once after the start: as diagnose_exactly(), and diagnose_seeing(). */
void diagnose_file_exactly(struct diagnose_file *f, bool seeing);
/* Those beside the first are not waited for any longer: their `why` is ERR_CANCELLED, *e is not. */
void diagnose_file_enough(struct diagnose_file *f);
void diagnose_file_cancel(struct diagnose_file *f);

#endif
