#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/history.h>
#include <edit/plan.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#include "history_rig.h"

/* Modes, links, and no folder more. */
static void tree_is_as_before(void)
{
	struct buf now = BUF_INIT;

	dump(&now);
	assert_string_equal(now.p, before.p);
	buf_release(&now);
}

static void more_files(void)
{
	memfs_put_dir(&m, "/state/oxide");
	memfs_put_dir(&m, DIR_PATH);
	memfs_put_dir(&m, "/r/e");
	memfs_put(&m, "/r/e/secret", "s\n", 0600);
	memfs_put(&m, "/r/file", "f\n", 0750);
	memfs_put_symlink(&m, "/r/to-a", "a");
	memfs_put_symlink(&m, "/r/to-e", "e");
	memfs_put_symlink(&m, "/r/gone", "nowhere");
}

static void links_modes_and_folders(struct buf *id)
{
	const struct op v[] = {
		{ .kind = OP_REMOVE, .path = "/r/d", .recursive = true },
		{ .kind = OP_LINK, .path = "/r/d", .leads_to = STR("b") },
		{ .kind = OP_REMOVE, .path = "/r/e/secret" },
		{ .kind = OP_RENAME, .path = "/r/a", .new_path = "/r/a/x/y" },
		{ .kind = OP_MODE, .path = "/r/b", .mode = MODE_EXEC },
		{ .kind = OP_LINK, .path = "/r/to-a", .leads_to = STR("b"), .overwrite = true },
		{ .kind = OP_REMOVE, .path = "/r/gone" },
		{ .kind = OP_RENAME, .path = "/r/to-e", .new_path = "/r/n/to-e" },
		{ .kind = OP_REMOVE, .path = "/r/file" },
		{ .kind = OP_LINK, .path = "/r/file", .leads_to = STR("c") },
		{ .kind = OP_CREATE, .path = "/r/n/e/w" },
	};
	struct plan *p = plan_new(&src);

	more_files();
	dump(&before);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		ok(plan_add(p, &v[i], &e));
	record(p, "links, modes and folders", id);
}

static void undoes_links_modes_and_folders(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	links_modes_and_folders(&id);
	assert_string_equal(node_at(&m, "/r/d")->leads_to, "b");
	assert_int_equal(node_at(&m, "/r/b")->mode, 0755);
	assert_non_null(node_at(&m, "/r/a/x/y"));
	ok(undo(STR(""), p));
	apply(p);
	plan_free(p);
	tree_is_as_before();
	buf_release(&id);
}

static void a_link_that_leads_elsewhere_is_stale(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	links_modes_and_folders(&id);
	memfs_take(&m, "/r/to-a");
	memfs_put_symlink(&m, "/r/to-a", "c");
	assert_false(undo(STR(""), p));
	assert_int_equal(e.code, ERR_STALE);
	assert_non_null(strstr(e.msg, "to-a"));
	plan_free(p);
	buf_release(&id);
}

static void undoes_everything(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	memfs_put_dir(&m, "/state/oxide");
	memfs_put_dir(&m, DIR_PATH);
	dump(&before);
	large(&id);
	assert_null(find(&m, STR("/r/d")));
	ok(undo(STR(""), p));
	assert_string_equal(found.p, id.p);
	assert_int_equal(plan_edits(p), 6);
	apply(p);
	plan_free(p);
	ok(history_mark(h, buf_str(&id), true, &e));
	p = plan_new(&src);
	assert_false(undo(STR(""), p));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_string_equal(e.msg, "nothing to undo in /r");
	assert_false(undo(buf_str(&id), p));
	assert_int_equal(e.code, ERR_CONFLICT);
	plan_free(p);
	tree_is_as_before();
	buf_release(&id);
}

static void lists_newest_first(void **state)
{
	const struct history_entry *v;
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	assert_int_equal(listed(&v), 0);
	small("first \"quoted\" \xff", &one);
	large(&two);
	assert_int_equal(listed(&v), 2);
	assert_true(str_eq(v[0].id, buf_str(&two)) && str_eq(v[1].id, buf_str(&one)));
	assert_true(str_ends(v[0].id, STR("-2")) && str_ends(v[1].id, STR("-1")));
	assert_true(str_eq(v[0].title, STR("of everything")) && str_eq(v[0].origin, STR("nvim")));
	assert_true(str_eq(v[1].title, STR("first \"quoted\" \xff")));
	assert_true(v[0].time_ms == NOON && str_eq(v[0].root, STR("/r")) && !v[0].undone);
	assert_int_equal(v[0].files, 5);
	assert_true(str_eq(v[0].file[0].path, STR("/r/a")));
	assert_true(v[0].file[0].lines_added == 3 && v[0].file[0].lines_removed == 2);
	assert_true(str_eq(v[0].file[1].new_path, STR("/r/c")));
	assert_true(v[0].file[3].existed && !v[0].file[3].exists);
	assert_true(str_eq(history_last(h, "/r")->id, buf_str(&two)));
	assert_null(history_last(h, "/other"));
	ok(history_mark(h, buf_str(&two), true, &e));
	assert_true(str_eq(history_last(h, "/r")->id, buf_str(&one)));
	assert_true(str_eq(history_last(h, "/r")->title, v[1].title));
	assert_int_equal(listed(&v), 2);
	assert_true(v[0].undone && !v[1].undone);
	assert_int_equal(history_damaged(h), 0);
	assert_false(history_mark(h, STR("no-such"), true, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	buf_release(&one);
	buf_release(&two);
}

static void bounded(void **state)
{
	const struct history_entry *v;
	struct buf id = BUF_INIT;
	struct plan *p;
	char *big = mem_new(200001);

	(void)state;
	for (int i = 0; i < 12; i++)
		small("x", &id);
	assert_int_equal(listed(&v), 5);
	assert_true(str_ends(v[0].id, STR("-12")) && str_ends(v[4].id, STR("-8")));
	/* What is put in does not count for a change, what is removed does. */
	memset(big, 'x', 60000);
	for (int i = 0; i < 2; i++) {
		memfs_put(&m, "/r/big", big, 0644);
		p = plan_new(&src);
		ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/big" }, &e));
		record(p, "big", &id);
	}
	assert_int_equal(listed(&v), 1);
	memset(big, 'x', 200000);
	memfs_put(&m, "/r/big", big, 0644);
	p = plan_new(&src);
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/big" }, &e));
	apply(p);
	assert_false(add(p, "cli", "too big", &id));
	assert_int_equal(e.code, ERR_LIMIT);
	plan_free(p);
	assert_int_equal(listed(&v), 1);
	free(big);
	buf_release(&id);
}

static void removed(void **state)
{
	const struct history_entry *v;
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	small("made", &one);
	small("refused", &two);
	ok(history_remove(h, buf_str(&two), &e));
	assert_int_equal(listed(&v), 1);
	assert_true(str_eq(v[0].id, buf_str(&one)));
	assert_false(history_remove(h, buf_str(&two), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	buf_release(&one);
	buf_release(&two);
}

static void names_all_that_are_stale(void **state)
{
	struct buf id = BUF_INIT, now = BUF_INIT;
	struct plan *p;

	(void)state;
	large(&id);
	memfs_put(&m, "/r/a", "changed\n", 0644);
	memfs_take(&m, "/r/new");
	memfs_put_dir(&m, "/r/d");
	memfs_put(&m, "/r/d/f", "there again\n", 0644);
	memfs_dump(&m, &before);
	p = plan_new(&src);
	assert_false(undo(buf_str(&id), p));
	assert_int_equal(e.code, ERR_STALE);
	assert_string_equal(e.msg, "3 files are no longer as the change left them, so nothing was "
				   "undone: a, d/f, new");
	memfs_dump(&m, &now);
	assert_string_equal(now.p, before.p);
	plan_free(p);
	buf_release(&id);
	buf_release(&now);
}

static void roots_are_apart(void **state)
{
	const struct history_entry *v;
	struct buf id = BUF_INIT;
	size_t n;

	(void)state;
	small("x", &id);
	ok(history_list(h, "/other", &v, &n, &e));
	assert_int_equal(n, 0);
	assert_int_equal(listed(&v), 1);
	buf_release(&id);
}

/* Found under each of its projects, and under no other; damage is not another's. */
static void of_several_projects(void **state)
{
	const struct str projects[] = { STR("/r/d"), STR("/r/x") };
	struct history_about about = { "/r", "chat", "both", "t1", NOON, projects, 2 };
	struct buf record = BUF_INIT, id = BUF_INIT, one = BUF_INIT;
	const struct history_entry *v;
	struct plan *p = plan_new(&src);
	size_t n;

	(void)state;
	small("before", &one);
	plan_allow(p, "/r/a");
	spans(p, "/r/b", 0, 0, "y");
	spans(p, "/r/a", 0, 3, "ONE");
	apply(p);
	history_record(&record, p, &about);
	ok(history_add(h, buf_str(&record), "/r/d", NOON, &id, &e));
	plan_free(p);
	for (size_t i = 0; i < 2; i++) {
		ok(history_list(h, projects[i].p, &v, &n, &e));
		assert_int_equal(n, 1);
		assert_true(str_eq(v->title, STR("both")));
		assert_true(str_eq(history_last(h, projects[i].p)->id, buf_str(&id)));
	}
	assert_null(history_last(h, "/other"));
	ok(history_list(h, "/r", &v, &n, &e));
	assert_int_equal(n, 2); /* where all of it lies, as recovery asks */
	p = plan_new(&src);
	assert_false(history_undo(h, "/other", buf_str(&id), p, &found, &its_title, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	e = (struct err)ERR_INIT;
	ok(history_undo(h, "/r/x", STR(""), p, &found, &its_title, &e));
	assert_true(str_eq(buf_str(&found), buf_str(&id)));
	ok(plan_finish(p, &e));
	plan_free(p);
	buf_release(&record);
	buf_release(&id);
	buf_release(&one);
}

/* What was looked at ahead counts for as long as nobody else has added any. */
static void looked_at_ahead(void **state)
{
	struct history *other = history_new(&m.fs, DIR_PATH, 5, 100000);
	struct buf first = BUF_INIT, id = BUF_INIT, last = BUF_INIT;
	const struct history_entry *v;
	struct history *ours = h;

	(void)state;
	small("first", &first);
	history_look(h);
	h = other;
	small("of another", &id);
	h = ours;
	small("last", &last);
	assert_int_equal(listed(&v), 3);
	assert_true(str_eq(v[0].id, buf_str(&last)));
	assert_true(str_eq(v[1].id, buf_str(&id)));
	assert_true(str_eq(v[2].id, buf_str(&first)));
	history_free(other);
	buf_release(&first);
	buf_release(&id);
	buf_release(&last);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(looked_at_ahead),
		T(of_several_projects),
		T(undoes_everything),
		T(undoes_links_modes_and_folders),
		T(a_link_that_leads_elsewhere_is_stale),
		T(lists_newest_first),
		T(bounded),
		T(removed),
		T(names_all_that_are_stale),
		T(roots_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
