#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "edit/batch.h"
#include "gen.h"
#include "memfs.c"
#include "memfs_source.h"

#include "batch_rig.h"

static void refused(enum err_code code, const char *message)
{
	struct plan *p;
	struct batch *b = run(BATCH_CONFLICTS, &p);

	assert_null(p);
	if (e.code != code || !strstr(e.msg, message))
		fail_msg("\"%s\" (%s) does not say \"%s\"", e.msg, err_name(e.code), message);
	batch_free(b);
}

static void lines_are_those_before_the_batch(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n4\n5\n", 0644);
	add(OPERATION_INSERT, "/r/a", 4, 0, "x");
	add(OPERATION_INSERT, "/r/a", 2, 0, "y\nz");
	add(OPERATION_LINES, "/r/a", 5, 1, "five");
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	gives("/r/a", "y\nz\n2\n3\nx\n4\nfive\n");
}

static void strings_are_sought_in_what_is_there_by_then(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "one two\n", 0644);
	replace("/r/a", "one", "three");
	replace("/r/a", "three two", "four");
	gives("/r/a", "four\n");
	replace("/r/a", "five", "six");
	refused(ERR_NOT_FOUND, "operation 3 of 3 (replace): a: old_string was not found");
}

static void a_string_that_two_edits_make_is_seen(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "abXc abc\n", 0644);
	replace("/r/a", "X", "");
	replace("/r/a", "abc", "!"); /* by now it is there twice */
	refused(ERR_AMBIGUOUS, "2 times");
}

static void the_end_of_the_text_is_kept(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2", 0644);
	add(OPERATION_INSERT, "/r/a", 3, 0, "3\n");
	gives("/r/a", "1\n2\n3");
	operations_release(&ops);
	add(OPERATION_DELETE, "/r/a", 2, 1, "");
	gives("/r/a", "1");
	operations_release(&ops);
	memfs_put(&m, "/r/crlf", "1\r\n2\r\n", 0644);
	add(OPERATION_LINES, "/r/crlf", 1, 1, "a\nb");
	add(OPERATION_INSERT, "/r/crlf", 3, 0, "c");
	gives("/r/crlf", "a\r\nb\r\n2\r\nc\r\n");
	operations_release(&ops);
	memfs_put(&m, "/r/empty", "", 0644);
	add(OPERATION_INSERT, "/r/empty", 1, 0, "x");
	gives("/r/empty", "x\n");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 1, 1, "");
	gives("/r/a", "\n2");
}

static void conflicts_are_found_before_anything_runs(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n4\n5\n", 0644);
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	add(OPERATION_LINES, "/r/a", 4, 1, "x");
	refused(ERR_CONFLICT, "operations 0 and 1 both change line 4");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 3, 0, "x");
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	refused(ERR_CONFLICT, "operations 0 and 1");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 2, 0, "x"); /* at the edge */
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	gives("/r/a", "1\nx\n5\n");
	operations_release(&ops);
	replace("/r/a", "3", "three");
	add(OPERATION_DELETE, "/r/a", 3, 1, "");
	refused(ERR_CONFLICT, "line 3");
}

static void every_failure_is_told(void **state)
{
	struct plan *p;
	struct batch *b;

	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n", 0644);
	memfs_put(&m, "/r/b", "x\n", 0644);
	replace("/r/a", "nowhere", "x");
	add(OPERATION_DELETE, "/r/a", 9, 1, "");
	replace("/r/b", "x", "y");
	replace("/r/absent", "x", "y");
	b = run(BATCH_CONFLICTS, &p);
	assert_null(p);
	assert_int_equal(batch_failures(b), 3);
	assert_int_equal(batch_outcome(b, 0)->why->code, ERR_NOT_FOUND);
	assert_int_equal(batch_outcome(b, 1)->why->code, ERR_INVALID);
	assert_null(batch_outcome(b, 2)->why);
	assert_int_equal(batch_outcome(b, 3)->why->code, ERR_NOT_FOUND);
	batch_free(b);
	b = run(BATCH_CONFLICTS | BATCH_KEEP_GOOD, &p);
	assert_non_null(p);
	assert_int_equal(plan_files(p), 1);
	assert_string_equal(plan_file(p, 0)->path, "/r/b");
	assert_int_equal(batch_failures(b), 3);
	plan_free(p);
	batch_free(b);
}

static void lines_that_moved_are_followed(void **state)
{
	struct plan *p;
	struct batch *b;
	struct operation *op;

	(void)state;
	memfs_put(&m, "/r/a", "new\none\ntwo\n", 0644);
	op = add(OPERATION_LINES, "/r/a", 1, 1, "ONE");
	op->expect = STR("one");
	b = run(0, &p);
	assert_non_null(p);
	assert_int_equal(batch_outcome(b, 0)->match, MATCH_RELOCATED);
	assert_int_equal(batch_outcome(b, 0)->moved_to, 2);
	assert_true(plan_want(p, 0, &e));
	assert_text(plan_file(p, 0)->now, STR("new\nONE\ntwo\n"));
	plan_free(p);
	batch_free(b);
	ops.v[0].expect = STR("gone");
	refused(ERR_STALE, "line 1");
}

static void numbers_that_come_back_are_taken_off(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n", 0644);
	add(OPERATION_LINES, "/r/a", 2, 1, "2: two\n3: more");
	gives("/r/a", "1\ntwo\nmore\n3\n");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 2, 1, "7: two");
	gives("/r/a", "1\n7: two\n3\n");
}

/* The line end of the only line: no line is behind it to be taken away. */
static void the_last_line_end_may_be_replaced(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "int a;\n", 0644);
	replace("/r/a", "\n", "x\n");
	add(OPERATION_DELETE, "/r/a", 9, 1, "");
	refused(ERR_INVALID, "line 9 is past the end");
	operations_release(&ops);
	replace("/r/a", "\n", "x\n");
	replace("/r/a", "x\n", "y");
	add(OPERATION_INSERT, "/r/a", 2, 0, "z");
	gives("/r/a", "int a;y\nz");
}

static void a_line_end_is_sought_in_crlf_as_one(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "int a;\r\n", 0644);
	replace("/r/a", "\n", "x\n");
	gives("/r/a", "int a;x\r\n");
	operations_release(&ops);
	memfs_put(&m, "/r/a", "one\r\ntwo\r\nthree\r\n", 0644);
	add(OPERATION_LINES, "/r/a", 1, 1, "two");
	replace("/r/a", "two\n", "2\n"); /* by now it is there twice */
	refused(ERR_AMBIGUOUS, "2 times");
}

static void lines_at_an_end_without_a_line_end(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2", 0644);
	add(OPERATION_DELETE, "/r/a", 2, 1, ""); /* does not touch line 1 */
	add(OPERATION_LINES, "/r/a", 1, 1, "one");
	gives("/r/a", "one");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 2, 1, "two");
	add(OPERATION_INSERT, "/r/a", 3, 0, "three");
	gives("/r/a", "1\ntwo\nthree");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 3, 0, "");
	gives("/r/a", "1\n2\n\n");
	operations_release(&ops);
	memfs_put(&m, "/r/a", "1\n\n3", 0644);
	add(OPERATION_DELETE, "/r/a", 3, 1, "");
	gives("/r/a", "1\n\n");
}

/* What joins a line is a change of it. */
static void a_line_that_is_joined_is_changed(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "ab\ncd\nef\n", 0644);
	replace("/r/a", "b\n", "X");
	add(OPERATION_DELETE, "/r/a", 2, 1, "");
	refused(ERR_CONFLICT, "both change line 2");
}

static const char *in_root(void *arg, struct arena *a, struct str path, struct err *why)
{
	struct buf full = BUF_INIT;
	const char *kept;

	(void)arg;
	(void)why;
	buf_addf(&full, "/r/%.*s", STR_ARG(path));
	kept = arena_str(a, buf_str(&full)).p;
	buf_release(&full);
	return kept;
}

static void patch_of_a(const char *text)
{
	if (!operations_from_patch(&ops, str_of(text), (int)ops.n, "/r/a", in_root, NULL, &e))
		fail_msg("%s", e.msg);
}

#define REMOVE_A "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"

/* A name may stand for one text after another. */
static void a_file_goes_and_comes_in_a_batch(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "one\ntwo\n", 0644);
	replace("/r/a", "one", "1");
	patch_of_a(REMOVE_A);
	replace("/r/a", "two", "2");
	refused(ERR_NOT_FOUND, "operation 3 of 3 (replace): a: no such file");
	operations_release(&ops);
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	replace("/r/a", "two", "2");
	patch_of_a(REMOVE_A);
	patch_of_a("*** Begin Patch\n*** Add File: a\n+three\n+four\n*** End Patch\n");
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	replace("/r/a", "four", "4");
	gives("/r/a", "4\n");
}

/* Its edits begin before the first line, where the mark is. */
static void a_patch_changes_line_1_behind_a_byte_order_mark(void **state)
{
	static const char *const patches[] = {
		"--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n-\xef\xbb\xbfone\n+\xef\xbb\xbfONE\n+1.5\n two\n",
		"--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n+\xef\xbb\xbfONE\n-\xef\xbb\xbfone\n+1.5\n two\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		memfs_put(&m, "/r/a", "\xef\xbb\xbfone\ntwo\nthree\n", 0644);
		assert_true(operations_from_patch(&ops, str_of(patches[i]), 0, NULL, in_root, NULL,
						  &e));
		add(OPERATION_DELETE, "/r/a", 2, 1, "");
		gives("/r/a", "\xef\xbb\xbfONE\n1.5\nthree\n");
		operations_release(&ops);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(lines_are_those_before_the_batch),
		T(strings_are_sought_in_what_is_there_by_then),
		T(a_string_that_two_edits_make_is_seen),
		T(the_end_of_the_text_is_kept),
		T(conflicts_are_found_before_anything_runs),
		T(every_failure_is_told),
		T(lines_that_moved_are_followed),
		T(numbers_that_come_back_are_taken_off),
		T(the_last_line_end_may_be_replaced),
		T(a_line_end_is_sought_in_crlf_as_one),
		T(lines_at_an_end_without_a_line_end),
		T(a_line_that_is_joined_is_changed),
		T(a_file_goes_and_comes_in_a_batch),
		T(a_patch_changes_line_1_behind_a_byte_order_mark),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
