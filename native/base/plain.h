#ifndef OX_PLAIN_H
#define OX_PLAIN_H

#include "json.h"

/*
 * Text of files, servers and patches, to be printed for a user: what a terminal would obey is
 * shown instead, as Neovim shows it: <1b>, <9b>, <202e>. Those are control characters but tabs and
 * line ends (LF, CRLF), bytes that are no UTF-8, and what turns the direction of text around or is
 * not seen at all (bidirectional controls, tags).
 */
void plain_add(struct buf *out, struct str text);
void plain_err(struct err *e); /* its message, cut where it gets too long */
/* A new tree with the same done to its strings; json_raw() stays as it is. */
json *plain_tree(const json *v);

#endif
