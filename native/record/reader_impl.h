#ifndef OX_READER_IMPL_H
#define OX_READER_IMPL_H

#include "reader.h"

/* A row as a reader told it, which is read, in the form of doc/record.schema.json; new. NULL and
 * *e: it cannot be. reader_row.c. */
json *reader_row(enum record_row kind, const json *told, struct err *e);
/* RFC 3339 in UTC of text or milliseconds; null of anything else. */
json *reader_time(const json *told);

/* Bytes cut into lines, in whatever pieces they come; a long string of JSON in one is cut in its
 * middle on the way, so that a line of any length takes little memory. reader_line.c. Zero it and
 * set `most` to start. */
struct reader_line {
	size_t most; /* bytes of the longest line; a longer one is passed over */
	struct buf text;
	bool inside, escaped; /* a string; behind its backslash */
	size_t begin,
		head; /* of the string: its first byte; the end of what stays before the cut */
	size_t left_out;
	bool skipping, given;
};

bool reader_line_take(struct reader_line *l, struct str *bytes, struct str *line);
/* What came after the last line end. */
bool reader_line_last(struct reader_line *l, struct str *line);
void reader_line_release(struct reader_line *l);

#endif
