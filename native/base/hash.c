#include "hash.h"

#include <xxhash.h>

uint64_t hash_of(struct str s)
{
	return XXH3_64bits(s.p, s.n);
}
