#ifndef OX_TEST_CUT_H
#define OX_TEST_CUT_H

/* Feeds a decoder what is left of a good answer when it breaks off. Include cmocka's headers first.
 */

#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"

typedef bool decoder(struct str raw, struct err *e);

/* Every beginning of the answer must be refused with a message; the whole must be taken. The bytes
 * lie in memory that ends where they end. The empty beginning is a null, which is another matter.
 */
static inline void assert_cut(const char *whole, decoder *fn)
{
	size_t n = strlen(whole);

	for (size_t cut = 1; cut <= n; cut++) {
		struct err e = ERR_INIT;
		char *copy = malloc(cut);
		bool ok;

		memcpy(copy, whole, cut);
		ok = fn((struct str){ copy, cut }, &e);
		if (ok != (cut == n) || (!ok && (!e.code || !*e.msg)))
			fail_msg("cut at %zu of %s: %s", cut, whole, ok ? "taken" : e.msg);
		free(copy);
	}
}

/* Any bytes in the place of one: no crash, and a message where it is refused. */
static inline void assert_garbled(const char *whole, decoder *fn)
{
	size_t n = strlen(whole);

	for (size_t at = 0; at < n; at++)
		for (const char *with = "\"{}[],:0-n\\ x\xff"; *with; with++) {
			struct err e = ERR_INIT;
			char *copy = malloc(n);

			memcpy(copy, whole, n);
			copy[at] = *with;
			if (!fn((struct str){ copy, n }, &e) && (!e.code || !*e.msg))
				fail_msg("%c at %zu of %s: no message", *with, at, whole);
			free(copy);
		}
}

#endif
