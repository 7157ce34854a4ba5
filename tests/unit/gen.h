#ifndef OX_TEST_GEN_H
#define OX_TEST_GEN_H

/* Random texts for tests that hold a module against a naive model. Seeds are fixed: a failure
 * comes again with the next run. Include cmocka's headers first. */

#include <stdint.h>

#include "base/buf.h"

struct gen {
	uint64_t state; /* never 0 */
};

static inline size_t gen_below(struct gen *g, size_t n)
{
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return (size_t)(g->state >> 11) % n;
}

/* Appends n pieces, each one of the list. */
static inline void gen_text(struct gen *g, struct buf *out, const char *const *pieces, size_t of,
			    size_t n)
{
	while (n--)
		buf_adds(out, pieces[gen_below(g, of)]);
}

#define GEN_TEXT(g, out, pieces, n)                                                                \
	gen_text(g, out, pieces, sizeof(pieces) / sizeof((pieces)[0]), n)

static inline void assert_text_(struct str got, struct str want, const char *file, int line)
{
	if (got.n == want.n && (!got.n || !memcmp(got.p, want.p, got.n)))
		return;
	print_error("got %zu bytes:\n%.*s\n--- wanted %zu:\n%.*s\n---\n", got.n, STR_ARG(got),
		    want.n, STR_ARG(want));
	_fail(file, line);
}

#define assert_text(got, want) assert_text_(got, want, __FILE__, __LINE__)

#endif
