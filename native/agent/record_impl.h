#ifndef OX_RECORD_IMPL_H
#define OX_RECORD_IMPL_H

#include "record.h"

/* Shared by record.c, which writes, and record_read.c, which reads. A file has a line for the
 * session, {row: "session", version, session_id, timestamp, agent, cwd}, one for each row, whose
 * `row` is the list that it is of, and at last {row: "end", ended, exit, usage}. */
#define RECORD_LISTS 4
extern const char *const record_lists[];

char *record_directory(
	void); /* of the files; the caller frees. NULL: there is no state directory */
/* Names of the files in it, the oldest first; they lie in `names`. The caller frees the array. */
char **record_names(const char *dir, struct buf *names, size_t *n);
json *record_of_lines(struct str lines);

#endif
