#ifndef OX_LINE_ENDS_H
#define OX_LINE_ENDS_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LINE_BLOCK 64 /* bytes that are read in one go */

/* Which of so many bytes are LF, the first one in the lowest bit: where lines are short, a fraction
 * of what it takes to seek them one by one. */
static inline uint64_t line_ends(const char *p)
{
	uint64_t mask = 0;

#ifdef __SSE2__
	__m128i lf = _mm_set1_epi8('\n');

	for (int i = 0; i < LINE_BLOCK / 16; i++) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));

		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, lf)) << 16 * i;
	}
#else
	const char *hit = p;

	while ((hit = memchr(hit, '\n', (size_t)(p + LINE_BLOCK - hit))))
		mask |= (uint64_t)1 << (hit++ - p);
#endif
	return mask;
}

#endif
