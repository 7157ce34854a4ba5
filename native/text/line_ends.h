#ifndef OX_LINE_ENDS_H
#define OX_LINE_ENDS_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "../base/str.h"

#define LINE_BLOCK 64 /* bytes that are read in one go */

#ifdef __SSE2__
static inline uint64_t line_ends_16(const char *p)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
}
#endif

/* Which of so many bytes are LF, the first one in the lowest bit: where lines are short, a fraction
 * of what it takes to seek them one by one. */
static inline uint64_t line_ends(const char *p)
{
#ifdef __SSE2__
	return line_ends_16(p) | line_ends_16(p + 16) << 16 | line_ends_16(p + 32) << 32 |
	       line_ends_16(p + 48) << 48;
#else
	const char *hit = p;
	uint64_t mask = 0;

	while ((hit = memchr(hit, '\n', (size_t)(p + LINE_BLOCK - hit))))
		mask |= (uint64_t)1 << (hit++ - p);
	return mask;
#endif
}

/* Where each LF of a text of less than 4 GB is; returns how many they are. `at` has room for
 * LINE_ENDS_ROOM(text.n). */
size_t line_ends_list(struct str text, uint32_t *at);
#define LINE_ENDS_ROOM(n) ((n) + 2)

#endif
