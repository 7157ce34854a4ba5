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

/* Applying the edits to the old text must give the new one, and the hashes theirs. */
static void consistent(void)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);
		struct buf out = BUF_INIT;

		if (f->existed)
			assert_true(f->was_hash == hash_of(f->was));
		if (f->exists)
			assert_true(f->now_hash == hash_of(f->now));
		if (f->existed && f->exists) {
			edits_apply(&f->edits, f->was, &out);
			assert_true(str_eq(buf_str(&out), f->now));
		}
		buf_release(&out);
	}
}

/* Carries the final states out and compares with "path=text" for each file. */
static void tree(const char *want)
{
	struct buf out = BUF_INIT, text = BUF_INIT;
	size_t n;
	const struct txn_file *v = plan_states(p, &n);
	const char *const *dirs;
	size_t n_dirs = plan_empty_dirs(p, &dirs);
	struct txn *t = txn_new(&m.fs, MEMFS_HOME, "/r", v, n, dirs, n_dirs);

	ok(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
	memfs_dump(&m, &out);
	for (struct str rest = buf_str(&out), line; str_line(&rest, &line);) {
		struct node *v_node;
		char *sp = memchr(line.p, ' ', line.n);

		if (!sp || line.p[0] != '/')
			continue;
		*sp = '\0';
		v_node = node_at(&m, line.p);
		if (v_node && v_node->kind == FS_FILE)
			buf_addf(&text, "%s=%s", line.p + 3,
				 v_node->text.n ? v_node->text.p : "\n");
		else if (v_node && strlen(line.p) > 2)
			buf_addf(&text, "%s/\n", line.p + 3);
	}
	assert_string_equal(text.p, want);
	buf_release(&out);
	buf_release(&text);
}

#define REST "b=B\ncrlf=1\r\n2\r\n3\nd/\nd/e/\nd/e/g=g\nd/f=f\nempty/\n"

static void edits_alone(void **state)
{
	(void)state;
	ok(edit("/r/a", 4, 7, "TWO"));
	finish();
	files("a:-1+1");
	assert_int_equal(plan_file(p, 0)->edits.n, 1);
	assert_int_equal(plan_edits(p), 1);
	consistent();
	tree("a=one\nTWO\nthree\n" REST);
}

static void edits_of_several_operations(void **state)
{
	struct str text;

	(void)state;
	ok(edit("/r/a", 4, 7, "TWO"));
	ok(plan_text(p, "/r/a", &text, &e));
	assert_true(str_eq(text, STR("one\nTWO\nthree\n")));
	ok(edit("/r/a", 0, 0, "zero\n"));
	ok(edit("/r/a", 5, 8, "one")); /* changes nothing */
	finish();
	files("a:-1+2");
	assert_int_equal(plan_edits(p), 3);
	consistent();
}

static void what_changes_nothing_is_dropped(void **state)
{
	(void)state;
	ok(edit("/r/a", 0, 3, "one"));
	ok(edit("/r/b", 0, 1, "C"));
	ok(edit("/r/b", 0, 1, "B"));
	ok(move("/r/d/f", "/r/x", 0));
	ok(move("/r/x", "/r/d/f", 0));
	ok(create("/r/new", 0));
	ok(drop("/r/new", 0));
	finish();
	files("");
	assert_int_equal(asked.n, 0);
}

static void swap_through_a_third_name(void **state)
{
	struct buf diff = BUF_INIT;

	(void)state;
	ok(edit("/r/b", 0, 0, "new "));
	ok(move("/r/a", "/r/t", 0));
	ok(move("/r/b", "/r/a", 0));
	ok(move("/r/t", "/r/b", 0));
	ok(edit("/r/b", 0, 3, "1"));
	finish();
	files("a>b:-1+1 b>a:-1+1");
	assert_string_equal(asked.p, "/r/a /r/b ");
	consistent();
	plan_preview(p, &diff);
	assert_string_equal(diff.p, "diff --git a/a b/b\nrename from a\nrename to b\n"
				    "--- a/a\n+++ b/b\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n"
				    "diff --git a/b b/a\nrename from b\nrename to a\n"
				    "--- a/b\n+++ b/a\n@@ -1 +1 @@\n-B\n+new B\n");
	buf_release(&diff);
	tree("a=new B\nb=1\ntwo\nthree\ncrlf=1\r\n2\r\n3\nd/\nd/e/\nd/e/g=g\nd/f=f\nempty/\n");
}

static void remove_then_create_is_a_change(void **state)
{
	(void)state;
	ok(drop("/r/a", 0));
	refused(edit("/r/a", 0, 0, "x"), ERR_NOT_FOUND, "a: no such file");
	ok(create("/r/a", 0));
	ok(edit("/r/a", 0, 0, "one\nthree\n"));
	finish();
	files("a:-1+0");
	consistent();
	tree("a=one\nthree\n" REST);
}

/* Else git, and our own reader, would take the next file's "---" for a part of it. */
static void a_header_alone_stands_apart(void **state)
{
	struct buf diff = BUF_INIT;

	(void)state;
	ok(move("/r/a", "/r/c", 0));
	ok(edit("/r/b", 0, 1, "C"));
	finish();
	plan_preview(p, &diff);
	assert_string_equal(diff.p, "diff --git a/a b/c\nrename from a\nrename to c\n\n"
				    "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-B\n+C\n");
	buf_release(&diff);
}

static void new_files(void **state)
{
	struct buf diff = BUF_INIT;

	(void)state;
	ok(create("/r/n/m/new", 0));
	ok(edit("/r/n/m/new", 0, 0, "x\r\ny\n")); /* no line ends yet: as it comes */
	ok(create("/r/o", 0));
	ok(move("/r/o", "/r/n/o", 0));
	finish();
	files("n/m/new+ n/o+");
	assert_string_equal(asked.p, "/r/n/m/new /r/n/o ");
	plan_preview(p, &diff);
	assert_string_equal(diff.p, "--- /dev/null\n+++ b/n/m/new\n@@ -0,0 +1,2 @@\n+x\r\n+y\n"
				    "diff --git a/n/o b/n/o\nnew file mode 100644\n");
	buf_release(&diff);
	tree("a=one\ntwo\nthree\n" REST "n/\nn/m/\nn/m/new=x\r\ny\nn/o=\n");
}

static void a_new_file_takes_the_place(void **state)
{
	(void)state;
	ok(move("/r/a", "/r/old", 0));
	ok(create("/r/a", 0));
	ok(edit("/r/a", 0, 0, "fresh\n"));
	ok(edit("/r/old", 0, 3, "ONE"));
	ok(move("/r/old", "/r/older", 0));
	finish();
	files("a>older:-1+1 a+");
	consistent();
	tree("a=fresh\n" REST "older=ONE\ntwo\nthree\n");
}

static void over_what_exists(void **state)
{
	(void)state;
	ok(create("/r/a", IGNORE));
	ok(create("/r/a", OVER | IGNORE));
	ok(move("/r/d/f", "/r/b", IGNORE));
	ok(move("/r/d/f", "/r/b", OVER));
	finish();
	files("a:-3+0 b- d/f>b");
	assert_int_equal(plan_edits(p), 4);
	tree("a=\nb=f\ncrlf=1\r\n2\r\n3\nd/\nd/e/\nd/e/g=g\nempty/\n");
}

static void refusals(void **state)
{
	(void)state;
	refused(create("/r/a", 0), ERR_CONFLICT, "a: already exists");
	refused(create("/r/d", IGNORE), ERR_CONFLICT, "d: is a directory");
	refused(create("/r/a/x", 0), ERR_CONFLICT, "a/x: a is not a directory");
	refused(move("/r/a", "/r/b", 0), ERR_CONFLICT, "b: already exists");
	refused(move("/r/a", "/r/d", OVER), ERR_CONFLICT, "d: is a directory");
	refused(move("/r/none", "/r/b", IGNORE), ERR_NOT_FOUND, "none: no such file or directory");
	refused(move("/r/d", "/r/d/e/x", 0), ERR_INVALID, "d: cannot be moved into itself");
	refused(drop("/r/none", 0), ERR_NOT_FOUND, "none: no such file or directory");
	refused(drop("/r/d", 0), ERR_CONFLICT, "d: the directory is not empty");
	refused(edit("/r/d", 0, 0, "x"), ERR_UNSUPPORTED, "d: is a directory");
	refused(edit("/r/none", 0, 0, "x"), ERR_NOT_FOUND, "none: no such file");
	ok(drop("/r/none", IGNORE));
	ok(move("/r/a", "/r/a", 0));
	finish();
	files("");
}

static void overlapping_edits(void **state)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = "/r/a", .spans = &set };

	(void)state;
	edits_add(&set, (struct span){ 4, 9 }, STR("x"), 7);
	edits_add(&set, (struct span){ 0, 2 }, STR("y"), 8);
	edits_add(&set, (struct span){ 8, 10 }, STR("z"), 9);
	refused(plan_add(p, &op, &e), ERR_CONFLICT,
		"a: two edits overlap at line 3, so none was made");
	edits_release(&set);
}

static void folders(void **state)
{
	const char *const *dirs;

	(void)state;
	ok(create("/r/d/e/n", 0));
	ok(edit("/r/d/f", 0, 1, "F"));
	ok(move("/r/d", "/r/to/k", 0));
	refused(drop("/r/d", 0), ERR_NOT_FOUND, "d: no such file or directory");
	ok(edit("/r/to/k/e/g", 0, 1, "G"));
	ok(drop("/r/empty", 0));
	finish();
	files("d/e/g>to/k/e/g:-1+1 d/f>to/k/f:-1+1 to/k/e/n+");
	assert_int_equal(plan_empty_dirs(p, &dirs), 3);
	assert_string_equal(dirs[0], "/r/empty");
	assert_string_equal(dirs[1], "/r/d/e");
	assert_string_equal(dirs[2], "/r/d");
	tree("a=one\ntwo\nthree\nb=B\ncrlf=1\r\n2\r\n3\nto/\nto/k/\nto/k/e/\nto/k/e/g=G\n"
	     "to/k/e/n=\nto/k/f=F\n");
}

static void removed_folders(void **state)
{
	const char *const *dirs;

	(void)state;
	ok(create("/r/d/n", 0));
	ok(drop("/r/d", DEEP));
	ok(create("/r/d/again", 0));
	finish();
	files("d/again+ d/e/g- d/f-");
	assert_int_equal(plan_empty_dirs(p, &dirs), 1);
	assert_string_equal(dirs[0], "/r/d/e");
	tree("a=one\ntwo\nthree\nb=B\ncrlf=1\r\n2\r\n3\nd/\nd/again=\nempty/\n");
}

static void too_many_files(void **state)
{
	(void)state;
	/* The listing is what counts, so the files need no texts of their own. */
	memfs_put_dir(&m, "/r/many");
	for (int i = 0; i <= PLAN_FOLDER_FILES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/r/many/%d", i);
		add_name(&m, path, node_at(&m, "/r/b"));
	}
	refused(drop("/r/many", DEEP), ERR_LIMIT, "many: more than 10000 files");
}

static void ends(const char *path, size_t at, size_t to, const char *with, const char *want)
{
	struct str text;

	ok(edit(path, at, to, with));
	ok(plan_text(p, path, &text, &e));
	if (!str_eq(text, str_of(want)))
		fail_msg("%.*s is not %s", STR_ARG(text), want);
}

static void line_ends(void **state)
{
	(void)state;
	ends("/r/b", 0, 0, "x\r\ny\rz\n", "x\ny\rz\nB\n");
	ends("/r/b", 8, 8, "\r\n", "x\ny\rz\nB\n\n");
	memfs_put(&m, "/r/lf", "a\nb\n", 0644);
	ends("/r/lf", 1, 1, "x\r", "ax\nb\n"); /* the CR of a CRLF whose LF stands there */
	ends("/r/crlf", 0, 0, "x\ny\r\n", "x\r\ny\r\n1\r\n2\r\n3\n");
	memfs_put(&m, "/r/crlf2", "a\r\nb\r\n", 0644);
	ends("/r/crlf2", 2, 3, "\nz\n", "a\r\nz\r\nb\r\n"); /* its CR stands there */
	memfs_put(&m, "/r/none", "a", 0644);
	ends("/r/none", 1, 1, "\r\nb\n", "a\r\nb\n");
	finish();
	consistent();
}

static void exact_bytes(void **state)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = "/r/crlf", .spans = &set, .exact = true };
	struct str text;

	(void)state;
	edits_add(&set, (struct span){ 0, 0 }, STR("x\n"), 0);
	ok(plan_add(p, &op, &e));
	assert_int_equal(set.n, 0);
	ok(plan_text(p, "/r/crlf", &text, &e));
	assert_true(str_eq(text, STR("x\n1\r\n2\r\n3\n")));
}

static void denied_paths(void **state)
{
	(void)state;
	denied = "/r/b";
	ok(edit("/r/b", 0, 0, "x"));
	assert_false(plan_finish(p, &e));
	assert_int_equal(e.code, ERR_DENIED);
	assert_non_null(strstr(e.msg, "b: may not be written"));
}

static void exempt_paths(void **state)
{
	struct exemptions x = EXEMPTIONS_INIT, used = EXEMPTIONS_INIT;
	size_t n;

	(void)state;
	denied = "/r/b";
	src.exempt = &x;
	for (int i = 0; i < 2; i++) {
		plan_free(p);
		p = plan_new(&src);
		ok(edit("/r/b", 0, 0, "x"));
		ok(edit("/r/a", 0, 0, "x"));
		assert_int_equal(plan_finish(p, &e), i);
		if (!i)
			exempt_add(&x, exempt_refused(&x));
	}
	assert_null(exempt_refused(&x));
	assert_string_equal(plan_exempt(p, "/r/b"), "/r/b");
	assert_null(plan_exempt(p, "/r/a"));
	assert_null(plan_states(p, &n)[0].within);
	assert_string_equal(plan_states(p, &n)[1].within, "/r/b");
	plan_exempt_put(p, &used);
	assert_true(exempt_has(&used, "/r/b"));
	assert_false(exempt_has(&used, "/r/a"));
	exempt_release(&used);
	exempt_release(&x);
}

static void counts(const char *was, const char *now, size_t removed, size_t added)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = "/r/t", .spans = &set };
	const struct plan_file *f;

	memfs_put(&m, "/r/t", was, 0644);
	plan_free(p);
	p = plan_new(&src);
	edits_add(&set, (struct span){ 0, strlen(was) }, str_of(now), 0);
	ok(plan_add(p, &op, &e));
	finish();
	f = plan_file(p, 0);
	if (f->lines_removed != removed || f->lines_added != added)
		fail_msg("%s -> %s: -%zu +%zu", was, now, f->lines_removed, f->lines_added);
	consistent();
}

static void counts_lines_as_a_diff_does(void **state)
{
	(void)state;
	counts("a\nb\nc\n", "a\nc\n", 1, 0);
	counts("a\nc\n", "a\nb\nc\n", 0, 1);
	counts("a\nb\n", "a\nb\nc\nd\n", 0, 2);
	counts("a\nb\nc\n", "A\nb\nC\n", 2, 2);
	counts("x1\nx2\n", "x0\nx1\nx2\n", 0, 1);
	counts("a", "a\n", 1, 1);
	counts("a\nb", "a", 2, 1);
	counts("a\nb\n", "", 2, 0);
	counts("", "a\nb", 0, 2);
	counts("one two three\n", "1 two 3\n", 1, 1);
}

static void leaving_files_out(void **state)
{
	bool keep[5] = { true, false, true, true, true };
	const char *const *dirs;

	(void)state;
	ok(move("/r/a", "/r/t", 0));
	ok(move("/r/b", "/r/a", 0));
	ok(move("/r/t", "/r/b", 0));
	ok(edit("/r/crlf", 0, 0, "x"));
	ok(drop("/r/d", DEEP));
	finish();
	files("a>b b>a crlf:-1+1 d/e/g- d/f-");
	refused(plan_keep(p, keep, &e), ERR_INVALID,
		"a and b belong together, because one takes the other's name: accept both or "
		"neither");
	assert_int_equal(plan_files(p), 5);
	keep[0] = keep[4] = false;
	ok(plan_keep(p, keep, &e));
	files("crlf:-1+1 d/e/g-");
	assert_int_equal(plan_empty_dirs(p, &dirs), 1);
	tree("a=one\ntwo\nthree\nb=B\ncrlf=x1\r\n2\r\n3\nd/\nd/f=f\nempty/\n");
}

static const char *const twelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc\n";

static void change_both_ends(void)
{
	memfs_put(&m, "/r/t", twelve, 0644);
	ok(edit("/r/t", 0, 1, "one"));
	ok(edit("/r/t", 24, 25, "C\nD"));
	finish();
	files("t:-2+3");
}

static void leaving_hunks_out(void **state)
{
	bool keep[2] = { false, true }, none[2] = { false, false };

	(void)state;
	change_both_ends();
	refused(plan_keep_hunks(p, 0, keep, 1, &e), ERR_INVALID,
		"/r/t has 2 hunks, but the review covers 1");
	files("t:-2+3");
	ok(plan_keep_hunks(p, 0, keep, 2, &e));
	files("t:-1+2");
	consistent();
	assert_memory_equal(plan_file(p, 0)->now.p, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nC\nD\n", 26);
	keep[0] = true;
	ok(plan_keep_hunks(p, 0, none, 1, &e)); /* one is left to leave out */
	assert_int_equal(plan_file(p, 0)->edits.n, 0);
	assert_true(str_eq(plan_file(p, 0)->now, str_of(twelve)));
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(edits_alone),
		T(edits_of_several_operations),
		T(what_changes_nothing_is_dropped),
		T(swap_through_a_third_name),
		T(remove_then_create_is_a_change),
		T(a_header_alone_stands_apart),
		T(new_files),
		T(a_new_file_takes_the_place),
		T(over_what_exists),
		T(refusals),
		T(overlapping_edits),
		T(folders),
		T(removed_folders),
		T(too_many_files),
		T(line_ends),
		T(exact_bytes),
		T(denied_paths),
		T(exempt_paths),
		T(counts_lines_as_a_diff_does),
		T(leaving_files_out),
		T(leaving_hunks_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
