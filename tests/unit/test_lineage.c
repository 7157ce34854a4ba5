#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "edit/lineage.h"

#define A STR("/r/a")
#define B STR("/r/b")

static void follows_changes_of_one_file(void **state)
{
	struct lineage l = { .room = 10 };

	(void)state;
	assert_true(lineage_leads(&l, A, 1, 1));
	assert_false(lineage_leads(&l, A, 1, 2));
	lineage_add(&l, A, 2, 3);
	lineage_add(&l, A, 1, 2);
	lineage_add(&l, B, 3, 4);
	assert_true(lineage_leads(&l, A, 1, 3));
	assert_false(lineage_leads(&l, A, 3, 1));
	assert_false(lineage_leads(&l, A, 1, 4));
	lineage_add(&l, A, 3, 1); /* taken back: round and round */
	assert_true(lineage_leads(&l, A, 3, 2));
	assert_false(lineage_leads(&l, A, 1, 9));
	lineage_release(&l);
}

/* Another program's text in between is a gap, though what came of it is Oxide's. */
static void ends_at_a_gap(void **state)
{
	struct lineage l = { .room = 10 };

	(void)state;
	lineage_add(&l, A, 1, 2);
	lineage_add(&l, A, 77, 3);
	assert_false(lineage_leads(&l, A, 1, 3));
	lineage_release(&l);
}

static void forgets_the_oldest(void **state)
{
	struct lineage l = { .room = 3 };

	(void)state;
	for (uint64_t i = 1; i <= 5; i++) {
		lineage_add(&l, A, i, i + 1);
		lineage_add(&l, A, i, i + 1);
	}
	assert_true(lineage_leads(&l, A, 3, 6));
	assert_false(lineage_leads(&l, A, 2, 6));
	lineage_release(&l);
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
