#include "hash.h"

#include "hash_impl.h"

/* A library for every x86-64 hashes half of the bytes at a time that nearly all of them can. */
static bool is_wide(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

uint64_t hash_of(struct str s)
{
	return is_wide() ? hash_wide(s) : xxh3_of(s);
}

uint64_t hash_pieces(const struct str *piece, size_t n)
{
	return is_wide() ? hash_wide_pieces(piece, n) : xxh3_pieces(piece, n);
}
