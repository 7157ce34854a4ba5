#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sha1.h"
#include "gen.h"

static void sums_to(struct str s, const char *want)
{
	/* However the bytes are parted. */
	for (size_t at = 0; at <= s.n; at += s.n / 7 + 1) {
		unsigned char sum[SHA1_BYTES];
		char got[2 * SHA1_BYTES + 1];

		sha1(sum, str_sub(s, 0, at), str_sub(s, at, s.n));
		for (int i = 0; i < SHA1_BYTES; i++)
			snprintf(got + (ptrdiff_t)2 * i, 3, "%02x", sum[i]);
		assert_string_equal(got, want);
	}
}

/* The examples of the standard, and lengths around the end of a block. */
static void as_published(void **state)
{
	struct buf many = BUF_INIT;

	(void)state;
	sums_to(STR(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	sums_to(STR("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
	sums_to(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		"84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	sums_to(STR("blob 0\0"), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
	while (many.n < 1000000)
		buf_adds(&many, "aaaaaaaaaa");
	sums_to(buf_str(&many), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
	buf_release(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
