#include "line_ends.h"

#include <stdbool.h>

#define LAST ((uint64_t)1 << (LINE_BLOCK - 1))

/* Two are put down whether they are there or not: how many a block has is not to be guessed, and a
 * wrong guess of the processor takes longer than all of this. */
size_t line_ends_list(struct str text, uint32_t *at)
{
	uint32_t *to = at;
	size_t from = 0;

	for (; text.n - from >= LINE_BLOCK; from += LINE_BLOCK) {
		uint64_t first = line_ends(text.p + from), second = first & (first - 1);
		uint64_t more = second & (second - 1);

		to[0] = (uint32_t)from + (uint32_t)__builtin_ctzll(first | LAST);
		to[1] = (uint32_t)from + (uint32_t)__builtin_ctzll(second | LAST);
		to += (first != 0) + (second != 0);
		for (; more; more &= more - 1)
			*to++ = (uint32_t)from + (uint32_t)__builtin_ctzll(more);
	}
	for (; from < text.n; from++)
		if (text.p[from] == '\n')
			*to++ = (uint32_t)from;
	return (size_t)(to - at);
}
