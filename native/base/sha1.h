#ifndef OX_SHA1_H
#define OX_SHA1_H

#include "str.h"

/* SHA-1 (FIPS 180-4), for formats that ask for it, such as git's names of contents. It keeps no
 * secret and withstands no attack; hash.h tells texts apart faster. */
#define SHA1_BYTES 20

/* Of the bytes of `a` and, right behind them, `b`. */
void sha1(unsigned char out[SHA1_BYTES], struct str a, struct str b);

/* What git calls a text, in 40 digits. */
void sha1_blob(char hex[2 * SHA1_BYTES + 1], struct str text);

#endif
