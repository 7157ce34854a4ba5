#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <xxhash.h>

#include <base/hash.h>
#include <base/mem.h>

#define MOST 5000

static char *bytes(void)
{
	char *text = mem_new(MOST);

	for (size_t i = 0; i < MOST; i++)
		text[i] = (char)(i * 7919 >> 3);
	return text;
}

/* Journals and histories hold these numbers, whatever processor has made them. */
static void is_that_of_the_library(void **state)
{
	char *text SCOPED(mem_release) = bytes();

	(void)state;
	for (size_t n = 0; n < MOST; n += n < 600 ? 1 : 97)
		for (size_t at = 0; at < 2; at++)
			assert_int_equal(hash_of((struct str){ text + at, n - (n && at) }),
					 XXH3_64bits(text + at, n - (n && at)));
	assert_int_equal(hash_of((struct str){ NULL, 0 }), XXH3_64bits(NULL, 0));
}

static void is_the_same_in_pieces(void **state)
{
	char *text SCOPED(mem_release) = bytes();

	(void)state;
	for (size_t n = 1; n < MOST; n += 61) {
		struct str piece[4] = { { text, n / 3 },
					{ NULL, 0 },
					{ text + n / 3, n / 2 - n / 3 },
					{ text + n / 2, n - n / 2 } };

		assert_int_equal(hash_pieces(piece, 4), hash_of((struct str){ text, n }));
	}
	assert_int_equal(hash_pieces(NULL, 0), hash_of(STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_the_library),
		cmocka_unit_test(is_the_same_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
