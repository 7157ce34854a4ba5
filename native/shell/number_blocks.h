#ifndef OX_NUMBER_BLOCKS_H
#define OX_NUMBER_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Line numbers (line_numbers.h) for a large file, on several processors: blocks of whole lines are
 * read, counted and numbered beside each other, and written to standard output in order.
 *
 * Begins where `in` is, with number *line. Afterwards `in` is behind the last line that was
 * written, and *line is the number of the next. What is left is for who reads on: the end of the
 * file, what was added to it meanwhile, a line longer than a part of a block, what cannot be read,
 * and all of what is no file, or a small one. False and errno: it cannot be written.
 */
bool number_blocks(int in, size_t *line);

#endif
