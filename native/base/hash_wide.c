/* On x86-64 the Makefile has this file alone compiled for AVX2; whoever calls it has asked whether
 * the processor is one. */
#define XXH_INLINE_ALL
#include "hash_impl.h"

uint64_t hash_wide(struct str s)
{
	return xxh3_of(s);
}

uint64_t hash_wide_pieces(const struct str *piece, size_t n)
{
	return xxh3_pieces(piece, n);
}
