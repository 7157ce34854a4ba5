#ifndef OX_ANSI_H
#define OX_ANSI_H

#include "../base/buf.h"

/*
 * What programs print for a terminal, as plain text: without colours, movements of the cursor,
 * titles and links (ECMA-48's escape sequences), and without control characters but tabs. What a
 * carriage return lets be written over is left out. One line at a time; a sequence that the line
 * cuts off is left out.
 */
void ansi_strip(struct buf *out, struct str line);

#endif
