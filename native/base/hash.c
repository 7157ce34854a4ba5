#include "hash.h"

#include <xxhash.h>

#include "err.h"

uint64_t hash_of(struct str s)
{
	return XXH3_64bits(s.p, s.n);
}

uint64_t hash_pieces(const struct str *piece, size_t n)
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
