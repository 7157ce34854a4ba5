#ifndef OX_RECORD_IMPL_H
#define OX_RECORD_IMPL_H

#include "record.h"

/* Shared by record.c, which writes, and record_read.c, which reads. A file has a line for the
 * session, {row: "session", version, session_id, timestamp, agent, cwd}, one for each row, whose
 * `row` is the list that it is of, and at last {row: "end", ended, exit, usage}. */
#define RECORD_LISTS 4
extern const char *const record_lists[];

/* Of the files; the caller frees. NULL: there is no state directory. */
char *record_directory(void);
/* Names of the files in it, the oldest first; they lie in `names`. The caller frees the array. */
char **record_names(const char *dir, struct buf *names, size_t *n);
json *record_of_lines(struct str lines);
/* The file of the latest session that begins so; the caller frees it. NULL and *e. */
char *record_path(struct str session, struct err *e);
char *record_raw_path(const char *path); /* of what was printed, beside it; the caller frees */
/* record_export.c: writes the whole into the directory, which is made, as NAME.json; the path is
 * appended. */
bool record_write(const json *whole, struct str directory, const char *name, struct buf *path,
		  struct err *e);

#endif
