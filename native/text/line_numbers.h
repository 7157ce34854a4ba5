#ifndef OX_LINE_NUMBERS_H
#define OX_LINE_NUMBERS_H

#include <stdint.h>

#include "../base/buf.h"

/*
 * Line numbers for a model: "N: line", from 1 without padding, a colon and one space also before
 * an empty line. A final line end starts no line of its own, and an empty text has no line; a CR
 * before the LF is not shown. The text itself is never touched. What is appended ends with a line
 * end where the text does.
 *
 * Costs little more than copying the text. `first` is the number of the first line; returns that of
 * a line behind the last one.
 */
size_t number_lines(struct buf *out, struct str text, size_t first);
/* The same for the n lines of which line_ends_list() (line_ends.h) has told where they end. */
size_t number_listed(struct buf *out, struct str text, const uint32_t *end, size_t n, size_t first);

/*
 * The way back: strips the numbers when every line carries one, and they are first, first + 1, ...
 * (first 0: whatever the first line says). Else false, and nothing is put out: then the digits are
 * the text's own. An empty line may have lost the space behind its colon. Line ends stay.
 */
bool number_strip(struct buf *out, struct str numbered, size_t first);

/* A short hash of a line's bytes without its end, as text: what `line_hash` is compared with. */
#define LINE_HASH_SIZE 9 /* 8 digits and a NUL */
void line_hash(char out[LINE_HASH_SIZE], struct str line);

#endif
