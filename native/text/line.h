#ifndef OX_LINE_H
#define OX_LINE_H

#include "../base/str.h"

/* The line that holds a byte of a text, as a user counts lines, without a table of them. */
size_t line_start(struct str text, size_t at);
size_t line_end(struct str text, size_t at);  /* before its LF or CRLF */
size_t line_next(struct str text, size_t at); /* where the one below starts; else the text's end */
struct str line_indent(struct str text, size_t at); /* the blanks it begins with */
bool line_blank(struct str text, size_t at);

#endif
