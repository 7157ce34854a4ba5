#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/sha256.h"

static void sums_to(struct str s, const char *want)
{
	char got[SHA256_DIGITS + 1];

	sha256_hex(got, s);
	assert_string_equal(got, want);
}

/* The examples of the standard, and lengths around the end of a block. */
static void as_published(void **state)
{
	struct buf many = BUF_INIT;

	(void)state;
	sums_to(STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sums_to(STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sums_to(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	while (many.n < 1000000)
		buf_adds(&many, "aaaaaaaaaa");
	sums_to(buf_str(&many), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	for (many.n = 55; many.n < 66; many.n++) {
		char one[SHA256_DIGITS + 1], other[SHA256_DIGITS + 1];

		sha256_hex(one, buf_str(&many));
		sha256_hex(other, str_sub(buf_str(&many), 1, many.n));
		assert_string_not_equal(one, other);
	}
	buf_release(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
