#ifndef OX_SECRET_H
#define OX_SECRET_H

#include "../base/buf.h"
#include "../base/err.h"

/* Appends 64 hexadecimal digits that nobody can guess. */
bool secret_new(struct buf *out, struct err *e);

#endif
