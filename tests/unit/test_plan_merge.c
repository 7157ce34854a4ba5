#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/plan_merge.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

static struct memfs m;
static struct plan_source src;
static struct plan_merge *j;

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	memfs_put(&m, "/r/a", "one\ntwo\nthree\n", 0644);
	memfs_put(&m, "/r/b", "B\n", 0644);
	src = memfs_source(&m);
	j = plan_merge_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	plan_merge_free(j);
	memfs_release(&m);
	return 0;
}

static void add_edit(struct plan *p, const char *path, size_t at, size_t to, const char *with)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &set };
	struct err e = ERR_INIT;

	edits_add(&set, (struct span){ at, to }, str_of(with), 0);
	if (!plan_add(p, &op, &e))
		fail_msg("%s", e.msg);
	edits_release(&set);
}

static enum plan_merge_fit add(struct plan *p)
{
	struct err e = ERR_INIT;

	if (!plan_finish(p, &e))
		fail_msg("%s", e.msg);
	return plan_merge_add(j, p);
}

static enum plan_merge_fit edit(const char *path, size_t at, size_t to, const char *with)
{
	struct plan *p = plan_new(&src);

	add_edit(p, path, at, to, with);
	return add(p);
}

static enum plan_merge_fit create(const char *path)
{
	struct plan *p = plan_new(&src);
	struct op op = { .kind = OP_CREATE, .path = path };
	struct err e = ERR_INIT;

	assert_true(plan_add(p, &op, &e));
	return add(p);
}

static void comes_to(const char *want)
{
	struct err e = ERR_INIT;
	struct plan *p = plan_merge_finish(j, &src, &e);
	struct buf out = BUF_INIT;

	if (!p)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < plan_files(p); i++)
		buf_addf(&out, "%s: %.*s", plan_file(p, i)->path, STR_ARG(plan_file(p, i)->now));
	assert_string_equal(buf_str(&out).p, want);
	buf_release(&out);
	plan_free(p);
}

/* Each speaks of the text as it is, whatever came before. */
static void edits_go_together(void **state)
{
	(void)state;
	assert_int_equal(edit("/r/a", 8, 13, "3"), MERGE_TAKEN);
	assert_int_equal(edit("/r/a", 0, 3, "a longer line"), MERGE_TAKEN);
	assert_int_equal(edit("/r/b", 1, 1, "b"), MERGE_TAKEN);
	comes_to("/r/a: a longer line\ntwo\n3\n/r/b: Bb\n");
}

static void touching_is_a_clash(void **state)
{
	(void)state;
	assert_int_equal(edit("/r/a", 4, 7, "2"), MERGE_TAKEN);
	assert_int_equal(edit("/r/a", 5, 6, "x"), MERGE_CLASH);
	assert_int_equal(edit("/r/a", 7, 7, ";"), MERGE_CLASH);
	assert_int_equal(edit("/r/b", 0, 0, "x"), MERGE_TAKEN);
	assert_int_equal(edit("/r/b", 0, 0, "y"), MERGE_CLASH);
	comes_to("/r/a: one\n2\nthree\n/r/b: xB\n");
}

/* Of one that is in there in part, the rest would come without what it belongs to. */
static void what_is_known_is_not_done_twice(void **state)
{
	struct plan *p = plan_new(&src);

	(void)state;
	assert_int_equal(edit("/r/a", 0, 0, "import\n"), MERGE_TAKEN);
	assert_int_equal(edit("/r/a", 0, 0, "import\n"), MERGE_KNOWN);
	assert_int_equal(edit("/r/b", 0, 1, "B"), MERGE_KNOWN);
	add_edit(p, "/r/b", 0, 1, "C");
	add_edit(p, "/r/a", 0, 0, "import\n");
	assert_int_equal(add(p), MERGE_CLASH);
	comes_to("/r/a: import\none\ntwo\nthree\n");
}

static void file_operations_stay_alone(void **state)
{
	(void)state;
	assert_int_equal(create("/r/new"), MERGE_TAKEN);
	assert_int_equal(edit("/r/a", 0, 3, "1"), MERGE_CLASH);
	assert_int_equal(create("/r/other"), MERGE_CLASH);
	comes_to("/r/new: ");
}

static void file_operations_come_first_or_not(void **state)
{
	(void)state;
	assert_int_equal(edit("/r/a", 0, 3, "1"), MERGE_TAKEN);
	assert_int_equal(create("/r/new"), MERGE_CLASH);
	comes_to("/r/a: 1\ntwo\nthree\n");
}

static void a_text_that_moved_is_stale(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(edit("/r/a", 0, 3, "1"), MERGE_TAKEN);
	memfs_put(&m, "/r/a", "x\n", 0644);
	assert_int_equal(edit("/r/a", 1, 1, "y"), MERGE_CLASH);
	assert_null(plan_merge_finish(j, &src, &e));
	assert_int_equal(e.code, ERR_STALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(edits_go_together, start, end),
		cmocka_unit_test_setup_teardown(touching_is_a_clash, start, end),
		cmocka_unit_test_setup_teardown(what_is_known_is_not_done_twice, start, end),
		cmocka_unit_test_setup_teardown(file_operations_stay_alone, start, end),
		cmocka_unit_test_setup_teardown(file_operations_come_first_or_not, start, end),
		cmocka_unit_test_setup_teardown(a_text_that_moved_is_stale, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
