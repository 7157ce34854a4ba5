#ifndef OX_FRONT_H
#define OX_FRONT_H

#include "../core/oxide.h"

/* The faces. Each runs until its peer goes away or its work is done, and returns the exit status:
 * 0 done, 1 failed, 2 wrong usage. */
int front_nvim(struct oxide *ox);
int front_recover(bool as_json);
int front_number(const char *path);			 /* NULL: standard input */
int front_call(struct oxide *ox, int argc, char **argv); /* argv: TOOL and what follows */

/* An answer as a person reads it; colours where `colour` is set. */
void text_answer(struct buf *out, const json *answer, bool colour);
/* `answer`: the error object, for what it has besides. */
void text_error(struct buf *out, const struct err *e, const json *answer, bool colour);

#endif
