#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "gen.h"
#include "text/line_ends.c" /* also the way that this processor does not take */

static size_t plainly(struct str text, uint32_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n')
			at[n++] = (uint32_t)i;
	return n;
}

static uint32_t *room(struct str text)
{
	return mem_new(LINE_ENDS_ROOM(text.n) * sizeof(uint32_t));
}

static void same(struct str text)
{
	uint32_t *want = room(text), *got = room(text), *narrow = room(text);
	size_t n = plainly(text, want);

	assert_int_equal(line_ends_list(text, got), n);
	assert_memory_equal(got, want, n * sizeof(*want));
	assert_int_equal(list(text, narrow, line_ends, false), n);
	assert_memory_equal(narrow, want, n * sizeof(*want));
	free(want);
	free(got);
	free(narrow);
}

/* Where a text has its end among the bytes that are read in one go, and how many lines those have.
 */
static void all_are_listed(void **state)
{
	static const char *const few[] = { "a", "some words", "a longer line of them\n", "\r\n" };
	static const char *const many[] = { "\n", "\n\n\n", "a\n", "\xff\v\t" };
	struct gen g = { 5 };

	(void)state;
	for (int i = 0; i < 4000; i++) {
		struct buf text = BUF_INIT;
		char *exact;

		if (i & 1)
			GEN_TEXT(&g, &text, few, gen_below(&g, 90));
		else
			GEN_TEXT(&g, &text, many, gen_below(&g, 300));
		exact = mem_dup(buf_str(&text).p, text.n);
		same((struct str){ exact, text.n });
		free(exact);
		buf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
