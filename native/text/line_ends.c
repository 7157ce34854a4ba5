#include "line_ends.h"

#include <stdbool.h>

/* What the loader has found out of the processor. __builtin_cpu_supports() asks that again in each
 * process that has it, before main(), which takes 0.06 ms on a virtual machine. */
#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <immintrin.h>
#include <sys/platform/x86.h>
#define HAS_WIDE 1
#endif

#define LAST ((uint64_t)1 << (LINE_BLOCK - 1))

typedef uint64_t line_mask(const char *p);

/* Two are put down whether they are there or not: how many a block has is not to be guessed, and a
 * wrong guess of the processor takes longer than all of this. `counts`: it counts bits itself. */
__attribute__((always_inline)) static inline size_t list(struct str text, uint32_t *at,
							 line_mask *mask, bool counts)
{
	uint32_t *to = at;
	size_t from = 0;

	for (; text.n - from >= LINE_BLOCK; from += LINE_BLOCK) {
		uint64_t first = mask(text.p + from), second = first & (first - 1);
		uint64_t more = second & (second - 1);
		uint32_t *rest = to + 2;

		to[0] = (uint32_t)from + (uint32_t)__builtin_ctzll(first | LAST);
		to[1] = (uint32_t)from + (uint32_t)__builtin_ctzll(second | LAST);
		for (; more; more &= more - 1)
			*rest++ = (uint32_t)from + (uint32_t)__builtin_ctzll(more);
		to = counts ? to + __builtin_popcountll(first)
			    : rest - 2 + (first != 0) + (second != 0);
	}
	for (; from < text.n; from++)
		if (text.p[from] == '\n')
			*to++ = (uint32_t)from;
	return (size_t)(to - at);
}

#ifdef HAS_WIDE
/* For processors of the last ten years, a third less than what all have takes. */
#define WIDE __attribute__((target("avx2,bmi,popcnt")))

WIDE static inline uint64_t wide_32(const char *p)
{
	__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n')));
}

WIDE static inline uint64_t wide_mask(const char *p)
{
	return wide_32(p) | wide_32(p + 32) << 32;
}

WIDE static size_t list_wide(struct str text, uint32_t *at)
{
	return list(text, at, wide_mask, true);
}
#endif

size_t line_ends_list(struct str text, uint32_t *at)
{
#ifdef HAS_WIDE
	if (CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(POPCNT))
		return list_wide(text, at);
#endif
	return list(text, at, line_ends, false);
}
