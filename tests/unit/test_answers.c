#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen.h"
#include "lsp/answers.h"

#define ASSERT_KEPT(a, question, news, want)                                                       \
	do {                                                                                       \
		const struct buf *got_ = answers_get(a, STR(question), news);                      \
		assert_non_null(got_);                                                             \
		assert_text(buf_str(got_), STR(want));                                             \
	} while (0)

static void test_news(void **state)
{
	struct answers a = { .most = 8, .most_bytes = 100 };

	(void)state;
	assert_null(answers_get(&a, STR("q"), 0));
	answers_put(&a, STR("q"), STR("[1]"), 0);
	answers_put(&a, STR("r"), STR("[2]"), 0);
	ASSERT_KEPT(&a, "q", 0, "[1]");
	ASSERT_KEPT(&a, "r", 0, "[2]");
	assert_null(answers_get(&a, STR("q"), 1));
	assert_null(answers_get(&a, STR("q"), 0)); /* what was forgotten does not come back */
	answers_put(&a, STR("q"), STR("[3]"), 2);
	answers_put(&a, STR("r"), STR("[4]"), 3);
	assert_null(answers_get(&a, STR("q"), 3));
	ASSERT_KEPT(&a, "r", 3, "[4]");
	answers_release(&a);
}

static void test_bounds(void **state)
{
	struct answers a = { .most = 3, .most_bytes = 20 }, none = { .most_bytes = 100 };

	(void)state;
	answers_put(&a, STR("a"), STR("1"), 0);
	answers_put(&a, STR("b"), STR("2"), 0);
	answers_put(&a, STR("c"), STR("3"), 0);
	answers_put(&a, STR("a"), STR("4"), 0); /* the newest now */
	answers_put(&a, STR("d"), STR("5"), 0);
	assert_null(answers_get(&a, STR("b"), 0));
	ASSERT_KEPT(&a, "a", 0, "4");
	answers_put(&a, STR("e"), STR("sixteen bytes ..."), 0); /* and its question: 18 of 20 */
	assert_null(answers_get(&a, STR("c"), 0));
	assert_null(answers_get(&a, STR("a"), 0));
	ASSERT_KEPT(&a, "d", 0, "5");
	ASSERT_KEPT(&a, "e", 0, "sixteen bytes ...");
	answers_put(&a, STR("d"), STR("more than there is room for"), 0);
	assert_null(answers_get(&a, STR("d"), 0)); /* nor what it was before */
	ASSERT_KEPT(&a, "e", 0, "sixteen bytes ...");
	answers_release(&a);
	answers_put(&none, STR("a"), STR("1"), 0);
	assert_null(answers_get(&none, STR("a"), 0));
	answers_release(&none);
}

/* Texts that the server was shown, and nothing else. */
static void test_which(void **state)
{
	(void)state;
	for (int f = 0; f < LSP_FEATURES; f++)
		assert_int_equal(answers_keep((enum lsp_feature)f),
				 f == LSP_DOCUMENT_SYMBOLS || f == LSP_SELECTION_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
