#ifndef OX_SHA256_H
#define OX_SHA256_H

#include "str.h"

/* SHA-256 (FIPS 180-4), for formats that ask for it. It keeps no secret; hash.h tells texts apart
 * faster. */
#define SHA256_DIGITS 64

void sha256_hex(char hex[SHA256_DIGITS + 1], struct str text);

#endif
