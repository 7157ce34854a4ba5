#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "edit/text_ancestry.h"

#define A STR("/r/a")
#define B STR("/r/b")

static void follows_changes_of_one_file(void **state)
{
	struct text_ancestry l = { .room = 10 };

	(void)state;
	assert_true(text_ancestry_leads(&l, A, 1, 1));
	assert_false(text_ancestry_leads(&l, A, 1, 2));
	text_ancestry_add(&l, A, 2, 3);
	text_ancestry_add(&l, A, 1, 2);
	text_ancestry_add(&l, B, 3, 4);
	assert_true(text_ancestry_leads(&l, A, 1, 3));
	assert_false(text_ancestry_leads(&l, A, 3, 1));
	assert_false(text_ancestry_leads(&l, A, 1, 4));
	text_ancestry_add(&l, A, 3, 1); /* taken back: round and round */
	assert_true(text_ancestry_leads(&l, A, 3, 2));
	assert_false(text_ancestry_leads(&l, A, 1, 9));
	text_ancestry_release(&l);
}

/* Another program's text in between is a gap, though what came of it is Oxide's. */
static void ends_at_a_gap(void **state)
{
	struct text_ancestry l = { .room = 10 };

	(void)state;
	text_ancestry_add(&l, A, 1, 2);
	text_ancestry_add(&l, A, 77, 3);
	assert_false(text_ancestry_leads(&l, A, 1, 3));
	text_ancestry_release(&l);
}

static void forgets_the_oldest(void **state)
{
	struct text_ancestry l = { .room = 3 };

	(void)state;
	for (uint64_t i = 1; i <= 5; i++) {
		text_ancestry_add(&l, A, i, i + 1);
		text_ancestry_add(&l, A, i, i + 1);
	}
	assert_true(text_ancestry_leads(&l, A, 3, 6));
	assert_false(text_ancestry_leads(&l, A, 2, 6));
	text_ancestry_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_changes_of_one_file),
		cmocka_unit_test(ends_at_a_gap),
		cmocka_unit_test(forgets_the_oldest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
