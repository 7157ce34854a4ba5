#ifndef OX_BASE64_H
#define OX_BASE64_H

#include "buf.h"

/* Appends base64 (RFC 4648), padded and without line ends. */
void base64_add(struct buf *out, struct str s);

#endif
