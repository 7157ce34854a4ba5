#ifndef OX_HASH_H
#define OX_HASH_H

#include <stdint.h>

#include "str.h"

/* 64 bits of XXH3: tells texts apart, keeps no secret. hash_impl.h alone includes xxhash.h. */
uint64_t hash_of(struct str s);
/* The same of a text that lies in pieces. */
uint64_t hash_pieces(const struct str *piece, size_t n);

#endif
