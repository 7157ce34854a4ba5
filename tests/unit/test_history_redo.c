/* What was undone is made again, and each change can be shown later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <edit/history.h>
#include <edit/plan.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#include "history_rig.h"

static int64_t when = NOON;

static void go(struct str id, bool redo)
{
	struct buf of = BUF_INIT, title = BUF_INIT, kept = BUF_INIT;
	struct plan *p = plan_new(&src);

	ok((redo ? history_redo : history_undo)(h, "/r", id, p, &of, &title, &e));
	apply(p);
	if (!redo) {
		struct history_about about = { "/r", "nvim", "", NULL, when, NULL, 0 };

		history_record(&kept, p, &about);
		ok(history_add_redo(h, buf_str(&of), buf_str(&kept), &e));
	}
	ok(history_mark(h, buf_str(&of), !redo, &e));
	plan_free(p);
	buf_release(&of);
	buf_release(&title);
	buf_release(&kept);
}

static bool redo_of(struct str id)
{
	struct plan *p = plan_new(&src);
	bool done;

	e = (struct err)ERR_INIT;
	done = history_redo(h, "/r", id, p, &found, &its_title, &e);
	plan_free(p);
	return done;
}

static size_t kept_redos(void)
{
	size_t n = 0;

	for (size_t i = 0; i < m.n; i++)
		n += str_ends(str_of(m.name[i].path), STR(".redo"));
	return n;
}

static void tree(struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < m.n; i++)
		if (!strstr(m.name[i].path, DIR_PATH "/"))
			buf_addf(out, "%s %s\n", m.name[i].path,
				 node_at(&m, m.name[i].path) && node_at(&m, m.name[i].path)->text.p
					 ? node_at(&m, m.name[i].path)->text.p
					 : "");
}

/* Names, texts, files and directories that came and went. */
static void all_kinds_of_changes(void **state)
{
	struct buf id = BUF_INIT, after = BUF_INIT, now = BUF_INIT;

	(void)state;
	large(&id);
	tree(&after);
	for (int i = 0; i < 3; i++) {
		go(STR(""), false);
		assert_int_equal(kept_redos(), 1);
		go(STR(""), true);
		tree(&now);
		assert_string_equal(now.p, after.p);
		assert_int_equal(kept_redos(), 0);
	}
	assert_false(redo_of(STR("")));
	assert_string_equal(e.msg, "nothing to redo in /r");
	assert_false(redo_of(buf_str(&id)));
	assert_int_equal(e.code, ERR_CONFLICT);
	buf_release(&id);
	buf_release(&after);
	buf_release(&now);
}

static void in_the_order_in_which_they_came(void **state)
{
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	small("one", &one);
	small("two", &two);
	go(STR(""), false);
	assert_true(history_is_undone(h, buf_str(&two)));
	assert_false(history_is_undone(h, buf_str(&one)));
	assert_false(history_is_undone(h, STR("none")));
	go(STR(""), false);
	assert_true(redo_of(STR("")));
	assert_string_equal(its_title.p, "one");
	go(STR(""), true);
	assert_false(history_is_undone(h, buf_str(&one)));
	go(STR(""), true);
	assert_string_equal(node_at(&m, "/r/b")->text.p, "xxB\n");
	buf_release(&one);
	buf_release(&two);
}

/* Not one that was undone before that was made. */
static void what_was_undone_last(void **state)
{
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	small("one", &one);
	go(STR(""), false);
	small("two", &two);
	when++;
	go(STR(""), false);
	assert_true(redo_of(STR("")));
	assert_string_equal(its_title.p, "two");
	go(STR(""), true);
	assert_false(redo_of(STR("")));
	assert_string_equal(e.msg, "nothing to redo in /r");
	buf_release(&one);
	buf_release(&two);
}

static void not_over_what_was_edited(void **state)
{
	struct buf id = BUF_INIT;

	(void)state;
	small("one", &id);
	go(STR(""), false);
	memfs_put(&m, "/r/b", "by hand\n", 0644);
	assert_false(redo_of(STR("")));
	assert_int_equal(e.code, ERR_STALE);
	assert_string_equal(e.msg,
			    "1 file is no longer as the undo left it, so nothing was redone: b");
	buf_release(&id);
}

/* Of one that was undone by a version that kept nothing for it. */
static void without_a_record(void **state)
{
	struct buf id = BUF_INIT;

	(void)state;
	small("one", &id);
	ok(history_mark(h, buf_str(&id), true, &e));
	assert_false(redo_of(STR("")));
	assert_int_equal(e.code, ERR_UNSUPPORTED);
	buf_release(&id);
}

/* One that was found undone is passed over for one that can be made again. */
static void behind_one_without_a_record(void **state)
{
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	small("one", &one);
	small("two", &two);
	go(STR(""), false);
	ok(history_mark(h, buf_str(&one), true, &e));
	assert_true(redo_of(STR("")));
	assert_string_equal(its_title.p, "two");
	assert_false(redo_of(buf_str(&one)));
	assert_int_equal(e.code, ERR_UNSUPPORTED);
	buf_release(&one);
	buf_release(&two);
}

/* `u` has taken one file back already. */
static void the_rest_of_what_is_undone_in_part(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	spans(p, "/r/a", 0, 3, "1");
	spans(p, "/r/b", 0, 0, "x");
	record(p, "two", &id);
	memfs_put(&m, "/r/b", "B\n", 0644);
	p = plan_new(&src);
	ok(undo(STR(""), p));
	ok(plan_finish(p, &e));
	assert_int_equal(plan_files(p), 1);
	plan_free(p);
	buf_release(&id);
}

static void pruned_with_their_changes(void **state)
{
	struct buf id = BUF_INIT;

	(void)state;
	small("one", &id);
	go(STR(""), false);
	assert_int_equal(kept_redos(), 1);
	for (int i = 0; i < 5; i++)
		small("more", &id);
	assert_int_equal(kept_redos(), 0);
	buf_release(&id);
}

static void expect_diff(struct str id, const char *want)
{
	struct plan *p = plan_new(&src);
	struct buf diff = BUF_INIT;

	ok(history_diff(h, "/r", id, p, &diff, &e));
	assert_string_equal(diff.n ? diff.p : "", want);
	buf_release(&diff);
	plan_free(p);
}

static const char ONE[] = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-B\n+xB\n";

/* Later changes of the same file are gone back over; those by others cannot be. */
static void shown_as_they_were(void **state)
{
	struct buf one = BUF_INIT, two = BUF_INIT, all = BUF_INIT;
	struct plan *p;

	(void)state;
	small("one", &one);
	small("two", &two);
	expect_diff(buf_str(&one), ONE);
	expect_diff(buf_str(&two), "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-xB\n+xxB\n");
	go(STR(""), false);
	expect_diff(buf_str(&two), "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-xB\n+xxB\n");
	expect_diff(buf_str(&one), ONE);
	large(&all);
	expect_diff(buf_str(&one), ONE);
	memfs_put(&m, "/r/c", "by hand\n", 0644);
	expect_diff(buf_str(&one),
		    "# b was edited since; what this changed there is not known any more\n");
	p = plan_new(&src);
	assert_false(history_diff(h, "/r", STR("no"), p, NULL, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	plan_free(p);
	buf_release(&one);
	buf_release(&two);
	buf_release(&all);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all_kinds_of_changes),
		T(in_the_order_in_which_they_came),
		T(what_was_undone_last),
		T(not_over_what_was_edited),
		T(without_a_record),
		T(behind_one_without_a_record),
		T(the_rest_of_what_is_undone_in_part),
		T(pruned_with_their_changes),
		T(shown_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
