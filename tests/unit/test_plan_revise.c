#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/plan.h>

#include "memfs.c" /* a unit test is built from one file */

#include "plan_rig.h"

/* What a person makes of a text that was planned. */

static const char *const twelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc\n";

static void change_both_ends(void)
{
	memfs_put(&m, "/r/t", twelve, 0644);
	ok(edit("/r/t", 0, 1, "one"));
	ok(edit("/r/t", 24, 25, "C\nD"));
	ok(edit("/r/b", 0, 1, "x"));
	finish();
}

static void now_is(size_t i, const char *want)
{
	const struct plan_file *f = plan_file(p, i);

	assert_true(str_eq(f->now, str_of(want)));
	assert_true(f->now_hash == hash_of(f->now));
}

static void a_text_takes_the_place_of_the_planned_one(void **state)
{
	bool keep[2] = { false, true };

	(void)state;
	change_both_ends();
	files("b:-1+1 t:-2+3");
	ok(plan_revise(p, 1, STR("ONE\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n"), &e));
	files("b:-1+1 t:-2+1");
	now_is(0, "x\n");
	now_is(1, "ONE\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n");
	assert_int_equal(plan_edits(p), 3);
	/* its hunks are those of the new text */
	ok(plan_keep_hunks(p, 1, keep, 2, &e));
	now_is(1, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n");
}

static void the_text_without_some_hunks_is_told(void **state)
{
	bool keep[2] = { false, true };
	struct buf text = BUF_INIT;

	(void)state;
	change_both_ends();
	ok(plan_text_kept(p, 1, keep, 2, &text, &e));
	assert_string_equal(text.p, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nC\nD\n");
	buf_clear(&text);
	ok(plan_text_kept(p, 1, NULL, 0, &text, &e));
	assert_string_equal(text.p, "one\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nC\nD\n");
	buf_release(&text);
	files("b:-1+1 t:-2+3");
}

static void what_comes_and_what_goes(void **state)
{
	(void)state;
	ok(create("/r/n", 0));
	ok(edit("/r/n", 0, 0, "new\n"));
	ok(drop("/r/b", 0));
	ok(move("/r/a", "/r/z", 0));
	finish();
	files("a>z b- n+");
	refused(plan_revise(p, 1, STR("x\n"), &e), ERR_INVALID,
		"b is deleted: there is no text to change");
	e = (struct err)ERR_INIT;
	ok(plan_revise(p, 2, STR("other\ntext\n"), &e));
	assert_int_equal(plan_file(p, 2)->lines_added, 2);
	ok(plan_revise(p, 0, STR("one\nthree\n"), &e));
	files("a>z:-1+0 b- n+");
	ok(plan_revise(p, 0, STR("one\ntwo\nthree\n"), &e)); /* its name changes all the same */
	files("a>z b- n+");
}

static void a_text_that_changes_nothing_is_refused(void **state)
{
	(void)state;
	change_both_ends();
	refused(plan_revise(p, 0, STR("B\n"), &e), ERR_INVALID,
		"b would be as it was: leave the file out of the change instead");
	now_is(0, "x\n");
}

static void a_file_that_is_another_one_by_now_is_refused(void **state)
{
	(void)state;
	ok(create("/r/n", 0));
	ok(edit("/r/n", 0, 0, "new\n"));
	ok(edit("/r/b", 0, 1, "x"));
	finish();
	memfs_put(&m, "/r/b", "theirs\n", 0644);
	memfs_put(&m, "/r/n", "theirs\n", 0644);
	refused(plan_revise(p, 0, STR("y\n"), &e), ERR_STALE,
		"b was changed since this review was made");
	e = (struct err)ERR_INIT;
	refused(plan_revise(p, 1, STR("y\n"), &e), ERR_STALE,
		"n was changed since this review was made");
	now_is(0, "x\n");
}

static void what_was_made_of_it_is_told(void **state)
{
	bool keep[2] = { false, true };
	struct buf diff = BUF_INIT;

	(void)state;
	change_both_ends();
	plan_revisions(p, &diff);
	assert_int_equal(diff.n, 0);
	ok(plan_revise(p, 1, STR("ONE\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nC\n"), &e));
	ok(plan_revise(p, 0, STR("y\n"), &e));
	ok(plan_revise(p, 0, STR("x\n"), &e)); /* as it was planned */
	ok(plan_keep_hunks(p, 1, keep, 2, &e));
	plan_revisions(p, &diff);
	assert_string_equal(diff.p, "--- a/t\n+++ b/t\n@@ -1,4 +1,4 @@\n-one\n+1\n 2\n 3\n 4\n"
				    "@@ -10,4 +10,3 @@\n a\n b\n C\n-D\n");
	buf_clear(&diff);
	keep[0] = true;
	keep[1] = false;
	ok(plan_keep(p, keep, &e));
	plan_revisions(p, &diff);
	assert_int_equal(diff.n, 0);
	buf_release(&diff);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_text_takes_the_place_of_the_planned_one),
		T(the_text_without_some_hunks_is_told),
		T(what_comes_and_what_goes),
		T(a_text_that_changes_nothing_is_refused),
		T(what_was_made_of_it_is_told),
		T(a_file_that_is_another_one_by_now_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
