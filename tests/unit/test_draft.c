#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/draft.h>
#include <edit/txn.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#include "gen.h"

static struct memfs m, other; /* other: where each step is made at once */
static struct plan_source src, other_src;
static struct draft *d;
static struct err e;

static void put_tree(struct memfs *to)
{
	memfs_init(to);
	memfs_put_dir(to, "/r");
	memfs_put_dir(to, "/r/d");
	memfs_put(to, "/r/a", "one\ntwo\nthree\n", 0644);
	memfs_put(to, "/r/b", "B\n", 0755);
	memfs_put(to, "/r/d/c", "C\n", 0644);
}

static int start(void **state)
{
	(void)state;
	put_tree(&m);
	put_tree(&other);
	src = memfs_source(&m);
	other_src = memfs_source(&other);
	d = draft_new(&src);
	return 0;
}

static int end(void **state)
{
	(void)state;
	draft_free(d);
	memfs_release(&m);
	memfs_release(&other);
	return 0;
}

static void ok(bool done)
{
	if (!done)
		fail_msg("%s", e.msg);
}

static bool spans(struct plan *p, const char *path, size_t at, size_t to, const char *with)
{
	struct edits set = EDITS_INIT;
	bool done;

	edits_add(&set, (struct span){ at, to }, str_of(with), 0);
	done = plan_add(p, &(struct op){ .kind = OP_SPANS, .path = path, .spans = &set }, &e);
	edits_release(&set);
	return done;
}

static void keep(struct plan *p)
{
	struct draft *next;

	ok(plan_finish(p, &e));
	next = draft_with(d, p, &e);
	ok(next);
	plan_free(p);
	draft_take(d, next);
}

static void apply(struct memfs *to, struct plan *p)
{
	size_t n, n_dirs;
	const struct txn_file *v = plan_states(p, &n);
	const char *const *dirs;
	struct txn *t;

	n_dirs = plan_empty_dirs(p, &dirs);
	t = txn_new(&to->fs, MEMFS_HOME, "/r", v, n, dirs, n_dirs);
	ok(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
	plan_free(p);
}

static struct plan *whole(json *clashes)
{
	return draft_plan(d, "/r", clashes, &e);
}

static void make(void)
{
	json *clashes = json_array();
	struct plan *p = whole(clashes);

	ok(p);
	apply(&m, p);
	json_free(clashes);
}

static const char *text_of(const char *path)
{
	struct node *n = node_at(&m, path);

	return n ? n->text.p : NULL;
}

static void edit(const char *path, size_t at, size_t to, const char *with)
{
	struct plan *p = plan_new(draft_source(d, "/r"));

	ok(spans(p, path, at, to, with));
	keep(p);
}

static void later_steps_see_the_steps_before(void **state)
{
	bool gone;

	(void)state;
	edit("/r/a", 4, 7, "2");
	edit("/r/a", 4, 5, "zwei");
	assert_string_equal(text_of("/r/a"), "one\ntwo\nthree\n");
	assert_text(doc_text(draft_doc(d, "/r/a", &gone)), STR("one\nzwei\nthree\n"));
	assert_null(draft_doc(d, "/r/b", &gone));
	assert_false(gone);
	assert_int_equal(draft_files(d), 1);
	make();
	assert_string_equal(text_of("/r/a"), "one\nzwei\nthree\n");
}

static void what_comes_to_nothing_is_no_change(void **state)
{
	struct plan *p;

	(void)state;
	edit("/r/a", 4, 7, "2");
	edit("/r/a", 4, 5, "two");
	assert_int_equal(draft_files(d), 0);
	p = plan_new(draft_source(d, "/r"));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/new" }, &e));
	keep(p);
	assert_int_equal(draft_files(d), 1);
	p = plan_new(draft_source(d, "/r"));
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/new" }, &e));
	keep(p);
	assert_int_equal(draft_files(d), 0);
}

static void other_lines_are_taken_over(void **state)
{
	(void)state;
	edit("/r/a", 4, 7, "2");
	memfs_put(&m, "/r/a", "zero\none\ntwo\nthree\n", 0644);
	draft_refresh(d);
	edit("/r/a", 5, 8, "eins");
	memfs_put(&m, "/r/a", "zero\none\ntwo\nthree\nfour\n", 0644);
	make();
	assert_string_equal(text_of("/r/a"), "zero\neins\n2\nthree\nfour\n");
}

static void the_same_lines_are_refused(void **state)
{
	json *clashes = json_array();

	(void)state;
	edit("/r/a", 4, 7, "2");
	edit("/r/b", 0, 1, "beta");
	memfs_put(&m, "/r/a", "one\nTWO\nthree\n", 0644);
	draft_refresh(d);
	assert_null(whole(clashes));
	assert_int_equal(e.code, ERR_STALE);
	assert_non_null(strstr(e.msg, "a (line 2)"));
	assert_int_equal(json_len(clashes), 1);
	json_free(clashes);
	memfs_put(&m, "/r/a", "one\ntwo\nthree\n", 0644); /* taken back: nothing is lost */
	make();
	assert_string_equal(text_of("/r/a"), "one\n2\nthree\n");
	assert_string_equal(text_of("/r/b"), "beta\n");
}

/* /r/l is a link to /r/d, /r/d/k to c, and /r/h one more name of /r/b. */
static void put_names(void)
{
	memfs_put_symlink(&m, "/r/l", "/r/d");
	memfs_put_symlink(&m, "/r/d/k", "c");
	memfs_put_link(&m, "/r/b", "/r/h");
}

static void a_file_is_one_by_all_its_names(void **state)
{
	bool gone;

	(void)state;
	put_names();
	edit("/r/d/c", 0, 1, "12");
	edit("/r/l/c", 0, 1, "x");
	edit("/r/d/k", 3, 3, "k\n");
	edit("/r/l/k", 4, 4, "4");
	edit("/r/b", 0, 1, "b");
	edit("/r/h", 1, 1, "h");
	assert_int_equal(draft_files(d), 2);
	assert_text(doc_text(draft_doc(d, "/r/l/k", &gone)), STR("x2\nk4\n"));
	make();
	assert_string_equal(text_of("/r/d/c"), "x2\nk4\n");
	assert_string_equal(text_of("/r/b"), "bh\n");
	assert_int_equal(node_at(&m, "/r/b") == node_at(&m, "/r/h"), true);
	assert_text(doc_text(draft_doc(d, "/r/d/c", &gone)), STR("x2\nk4\n"));
}

static void add_op(struct op op)
{
	struct plan *p = plan_new(draft_source(d, "/r"));

	ok(plan_add(p, &op, &e));
	keep(p);
}

static void names_go_by_all_their_names(void **state)
{
	const struct plan_source *s = draft_source(d, "/r");
	struct fs_stat st;
	bool gone;

	(void)state;
	put_names();
	edit("/r/l/c", 0, 1, "x");
	add_op((struct op){ .kind = OP_RENAME, .path = "/r/d/c", .new_path = "/r/l/new" });
	assert_null(draft_doc(d, "/r/l/c", &gone));
	assert_true(gone);
	assert_text(doc_text(draft_doc(d, "/r/d/new", &gone)), STR("x\n"));
	ok(s->stat(s->self, "/r/l/c", &st, &e));
	assert_int_equal(st.kind, FS_NONE);
	add_op((struct op){ .kind = OP_REMOVE, .path = "/r/l/k" });
	assert_int_equal(draft_files(d), 2);
	make();
	assert_null(text_of("/r/d/c"));
	assert_string_equal(text_of("/r/d/new"), "x\n");
	assert_null(node_at(&m, "/r/d/k"));
}

static void two_names_in_one_step_are_refused(void **state)
{
	struct plan *p = plan_new(draft_source(d, "/r"));

	(void)state;
	put_names();
	ok(spans(p, "/r/d/c", 0, 1, "x"));
	ok(spans(p, "/r/l/c", 0, 1, "y"));
	ok(plan_finish(p, &e));
	assert_null(draft_with(d, p, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_string_equal(e.msg, "/r/d/c and /r/l/c are the same file");
	plan_free(p);
	e = (struct err)ERR_INIT;
	p = plan_new(draft_source(d, "/r"));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/d/new" }, &e));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/l/new" }, &e));
	ok(plan_finish(p, &e));
	assert_null(draft_with(d, p, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	plan_free(p);
}

static void links_and_directories(void **state)
{
	struct buf names = BUF_INIT;
	const struct plan_source *s = draft_source(d, "/r");
	struct plan *p = plan_new(s);
	struct fs_stat st;

	(void)state;
	ok(plan_add(p, &(struct op){ .kind = OP_LINK, .path = "/r/l", .leads_to = STR("a") }, &e));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/n/e/w" }, &e));
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/d", .recursive = true }, &e));
	keep(p);
	ok(s->list(s->self, "/r", &names, &e));
	assert_memory_equal(names.p, "a\0b\0d\0l\0n\0", names.n);
	ok(s->stat(s->self, "/r/n/e", &st, &e));
	assert_int_equal(st.kind, FS_DIR);
	ok(s->stat(s->self, "/r/d/c", &st, &e));
	assert_int_equal(st.kind, FS_NONE);
	edit("/r/l", 0, 3, "1"); /* through the link */
	make();
	assert_string_equal(text_of("/r/a"), "1\ntwo\nthree\n");
	assert_string_equal(node_at(&m, "/r/l")->leads_to, "a");
	assert_null(node_at(&m, "/r/d"));
	buf_release(&names);
}

static const char *const names[] = { "/r/a", "/r/b", "/r/d/c", "/r/x", "/r/d/y", "/r/z/q" };

/* But for directories that came and have nothing left in them. */
static void dump_files(struct memfs *of, struct buf *out)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct node *n = node_at(of, names[i]);

		if (n)
			buf_addf(out, "%s %o\n%s\n", names[i], n->mode, n->text.p);
	}
}

/* What many steps come to is what they do one by one. */
static bool random_op(struct gen *g, struct plan *p, struct plan *q, size_t seed)
{
	const char *path = names[gen_below(g, 6)], *to = names[gen_below(g, 6)];
	struct op op = { .kind = OP_CREATE, .path = path, .new_path = to };
	char with[24];
	struct err why;

	snprintf(with, sizeof(with), "text %zu\n", seed);
	switch (gen_below(g, 6)) {
	case 0:
		op.kind = OP_CREATE;
		break;
	case 1:
		op.kind = OP_REMOVE;
		break;
	case 2:
		op.kind = OP_RENAME;
		op.overwrite = gen_below(g, 2);
		break;
	case 3:
		op.kind = OP_MODE;
		op.mode = gen_below(g, 2) ? MODE_FILE : MODE_EXEC;
		break;
	default:
		return spans(p, path, 0, 0, with) && spans(q, path, 0, 0, with);
	}
	return plan_add(p, &op, &why) && plan_add(q, &op, &why);
}

static void random_steps(void **state)
{
	struct gen g = { 3 };
	size_t kept = 0;

	(void)state;
	for (size_t round = 0; round < 1500; round++) {
		struct buf got = BUF_INIT, want = BUF_INIT;

		for (size_t k = 0; k < 8; k++) {
			struct plan *p = plan_new(draft_source(d, "/r")), *q = plan_new(&other_src);
			bool done = true;

			for (size_t ops = 1 + gen_below(&g, 3); ops-- && done;)
				done = random_op(&g, p, q, round * 100 + k * 10 + ops);
			if (done && plan_finish(q, &e)) {
				apply(&other, q);
				keep(p);
				kept++;
			} else {
				plan_free(p);
				plan_free(q);
			}
		}
		make();
		dump_files(&m, &got);
		dump_files(&other, &want);
		assert_text(buf_str(&got), buf_str(&want));
		buf_release(&got);
		buf_release(&want);
		end(NULL);
		start(NULL);
	}
	assert_true(kept > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(later_steps_see_the_steps_before, start, end),
		cmocka_unit_test_setup_teardown(what_comes_to_nothing_is_no_change, start, end),
		cmocka_unit_test_setup_teardown(other_lines_are_taken_over, start, end),
		cmocka_unit_test_setup_teardown(the_same_lines_are_refused, start, end),
		cmocka_unit_test_setup_teardown(links_and_directories, start, end),
		cmocka_unit_test_setup_teardown(a_file_is_one_by_all_its_names, start, end),
		cmocka_unit_test_setup_teardown(names_go_by_all_their_names, start, end),
		cmocka_unit_test_setup_teardown(two_names_in_one_step_are_refused, start, end),
		cmocka_unit_test_setup_teardown(random_steps, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
