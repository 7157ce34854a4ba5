#ifndef OX_KEPT_LINES_H
#define OX_KEPT_LINES_H

#include "../base/buf.h"

/*
 * A small file of lines, each there once, the latest last: what is remembered in the state
 * directory. It is there as a whole at any time; two processes that add to it at once may lose one
 * of the two lines.
 */
void kept_lines_read(const char *path, struct buf *text); /* nothing where it cannot be read */
bool kept_lines_has(struct str text, struct str wanted);
/* The first go where there would be more than `most`. What cannot be written is not remembered. */
void kept_lines_add(const char *path, struct str line, size_t most);

#endif
