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

/* Links, modes, and files and folders in each other's place. */

static bool leads(const char *path, const char *to, bool over)
{
	return plan_add(p,
			&(struct op){ .kind = OP_LINK,
				      .path = path,
				      .leads_to = str_of(to),
				      .overwrite = over },
			&e);
}

static bool mode(const char *path, unsigned to)
{
	return plan_add(p, &(struct op){ .kind = OP_MODE, .path = path, .mode = to }, &e);
}

static void preview_is(const char *want)
{
	struct buf out = BUF_INIT;

	plan_preview(p, &out);
	assert_string_equal(buf_str(&out).p, want);
	buf_release(&out);
}

static void links_are_files_of_their_own(void **state)
{
	(void)state;
	memfs_put_symlink(&m, "/r/gone", "nowhere");
	memfs_put_symlink(&m, "/r/to-a", "a");
	memfs_put_symlink(&m, "/r/to-d", "d");
	ok(drop("/r/gone", 0));
	ok(leads("/r/to-a", "b", true));
	ok(move("/r/to-d", "/r/moved", 0));
	ok(leads("/r/e", "d/f", false));
	refused(leads("/r/b", "a", true), ERR_CONFLICT, "b: already exists");
	refused(leads("/r/e", "a", false), ERR_CONFLICT, "e: already exists");
	finish();
	preview_is(
		"diff --git a/e b/e\nnew file mode 120000\n--- /dev/null\n+++ b/e\n"
		"@@ -0,0 +1 @@\n+d/f\n\\ No newline at end of file\n"
		"diff --git a/gone b/gone\ndeleted file mode 120000\n--- a/gone\n+++ /dev/null\n"
		"@@ -1 +0,0 @@\n-nowhere\n\\ No newline at end of file\n"
		"diff --git a/to-a b/to-a\nindex 2e65efe..63d8dbd 120000\n--- a/to-a\n+++ b/to-a\n"
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n"
		"+b\n\\ No newline at end of file\n"
		"diff --git a/to-d b/moved\nrename from to-d\nrename to moved\n");
}

static void a_text_through_a_link_is_not_the_link(void **state)
{
	(void)state;
	memfs_put_symlink(&m, "/r/to-a", "a");
	ok(edit("/r/to-a", 0, 3, "1"));
	assert_false(drop("/r/to-a", 0));
	assert_int_equal(e.code, ERR_UNSUPPORTED);
	ok(leads("/r/new", "a", false));
	assert_false(edit("/r/new", 0, 0, "x"));
	assert_int_equal(e.code, ERR_UNSUPPORTED);
}

static void files_turn_into_links_and_back(void **state)
{
	(void)state;
	memfs_put_symlink(&m, "/r/to-a", "a");
	ok(drop("/r/to-a", 0));
	ok(create("/r/to-a", 0));
	ok(drop("/r/b", 0));
	ok(leads("/r/b", "a", false));
	finish();
	preview_is("diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n"
		   "@@ -1 +0,0 @@\n-B\n"
		   "diff --git a/b b/b\nnew file mode 120000\n--- /dev/null\n+++ b/b\n"
		   "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
		   "diff --git a/to-a b/to-a\ndeleted file mode 120000\n--- a/to-a\n+++ /dev/null\n"
		   "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"
		   "diff --git a/to-a b/to-a\nnew file mode 100644\n");
}

static void modes(void **state)
{
	(void)state;
	memfs_put(&m, "/r/run", "run\n", 0750);
	ok(mode("/r/a", MODE_EXEC));
	ok(mode("/r/run", MODE_EXEC));
	ok(mode("/r/b", 0100600));
	ok(create("/r/c", 0) && mode("/r/c", MODE_EXEC));
	finish();
	assert_int_equal(plan_files(p), 3);
	assert_int_equal(plan_file(p, 0)->now_mode, 0100755);
	assert_int_equal(plan_file(p, 1)->now_mode, 0100600);
	preview_is("diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"
		   "diff --git a/c b/c\nnew file mode 100755\n");
}

static void files_and_folders_change_places(void **state)
{
	const struct txn_file *v;
	const char *const *dirs;
	size_t n;

	(void)state;
	ok(move("/r/a", "/r/a/x/y", 0));
	refused(create("/r/d", 0), ERR_CONFLICT, "d: is a directory");
	refused(create("/r/empty", 0), ERR_CONFLICT, "empty: is a directory");
	ok(drop("/r/d/e/g", 0));
	ok(move("/r/d/f", "/r/d", 0));
	finish();
	files("a>a/x/y d/e/g- d/f>d");
	assert_int_equal(plan_made_dirs(p, &dirs), 2);
	assert_string_equal(dirs[0], "/r/a/x");
	assert_string_equal(dirs[1], "/r/a");
	assert_int_equal(plan_empty_dirs(p, &dirs), 2);
	assert_string_equal(dirs[0], "/r/d/e");
	assert_string_equal(dirs[1], "/r/d");
	v = plan_states(p, &n);
	assert_int_equal(n, 5);
	assert_string_equal(v[2].path, "/r/d");
	assert_true(!v[2].existed && v[2].exists);
}

static void what_lies_beyond_a_link(void **state)
{
	struct op op = { .kind = OP_CREATE, .path = "/r/to-d/new", .straight = true };

	(void)state;
	memfs_put_symlink(&m, "/r/to-d", "d");
	refused(plan_add(p, &op, &e), ERR_DENIED, "to-d/new: is inside the symbolic link to-d");
	ok(drop("/r/to-d", 0));
	refused(drop("/r/to-d/f", 0), ERR_NOT_FOUND, "to-d/f: no such file or directory");
	op.straight = false;
	ok(plan_add(p, &op, &e));
	finish();
	files("to-d- to-d/new+");
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(links_are_files_of_their_own),    T(a_text_through_a_link_is_not_the_link),
		T(files_turn_into_links_and_back),  T(modes),
		T(files_and_folders_change_places), T(what_lies_beyond_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
