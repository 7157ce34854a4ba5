#ifndef OX_POS_H
#define OX_POS_H

#include <stdint.h>

#include "../base/str.h"

/*
 * Inside the program a place in a text is a byte offset. Line/column pairs exist only on the wire
 * and before a user; they are converted on entry and on exit, and never stored.
 *
 * Two tables of lines belong to a text. A user's lines, and a model's, are Vim's: they end at LF
 * or CRLF. LSP's also end at a lone CR. A byte order mark at the start belongs to no line: both
 * tables start behind it, so that no position can name it and no edit can take it away.
 */
struct edits;

struct span {
	size_t at, end; /* bytes [at, end) */
};

struct pos {
	uint32_t line, col; /* both from 0; col counts units of the encoding */
};

enum pos_enc { POS_UTF8, POS_UTF16, POS_UTF32 };

/* Where each line starts, in bytes. A text without a byte has one line; a final line end is
 * followed by one more, empty line (LSP counts it, Vim does not). */
struct line_table {
	size_t *at;
	size_t n, cap;
};

enum line_rule { LINES_VIM, LINES_LSP };

void lines_init(struct line_table *t, struct str text, enum line_rule rule);
/* The same table as lines_init() would make of `text`, in which with_n bytes now are
 * where bytes `was` of the old text was; costs no more than moving what is behind them. */
void lines_splice(struct line_table *t, struct str text, enum line_rule rule, struct span was,
		  size_t with_n);
/* The same after a checked set of edits that made `text`: one sweep over the table. */
void lines_edit(struct line_table *t, struct str text, enum line_rule rule,
		const struct edits *set);
void lines_release(struct line_table *t);
/* The line that holds the byte, from 0. */
size_t lines_find(const struct line_table *t, size_t byte);
/* The line's bytes without its end. */
struct span lines_span(const struct line_table *t, struct str text, size_t line);

/*
 * Columns past the end of a line clamp to it, lines past the end clamp to the end of the text, and
 * a column inside a character goes back to its start, as LSP asks. A byte that is no UTF-8 is sent
 * as U+FFFD, and counts as that: 3 units in utf-8, 1 in the others. Back from bytes the same: past
 * the text is its end, inside a character its start, inside a CRLF the end of the line's text,
 * inside the byte order mark the start of the first line.
 */
size_t pos_to_byte(const struct line_table *t, struct str text, struct pos pos, enum pos_enc enc);
struct pos pos_from_byte(const struct line_table *t, struct str text, size_t byte,
			 enum pos_enc enc);

#endif
