#ifndef OX_HASH_IMPL_H
#define OX_HASH_IMPL_H

#include <xxhash.h>

#include "err.h"
#include "hash.h"

/* Shared by hash.c and hash_wide.c, which have it each for its own processors. */

/* The same hash, from instructions that only some processors have. */
uint64_t hash_wide(struct str s);
uint64_t hash_wide_pieces(const struct str *piece, size_t n);

static inline uint64_t xxh3_of(struct str s)
{
	return XXH3_64bits(s.p, s.n);
}

static inline uint64_t xxh3_pieces(const struct str *piece, size_t n)
{
	XXH3_state_t *state = XXH3_createState();
	uint64_t hash;

	if (!state || XXH3_64bits_reset(state))
		BUG("out of memory");
	for (size_t i = 0; i < n; i++)
		XXH3_64bits_update(state, piece[i].p, piece[i].n);
	hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return hash;
}

#endif
