#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/txn.h>

#include "by_edits.h"
#include "memfs.c" /* a unit test is built from one file */

#include "txn_rig.h"

static const char *root = "/r";
static bool backwards; /* as memfs.h has it */

/* Runs all with the n-th call failing. Returns false once there is no n-th call. */
static bool run_failing(enum fs_sort sort, enum err_code code, bool torn, unsigned n)
{
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct txn_file v[9];
	struct memfs m;
	struct txn *t;
	struct err e = ERR_INIT;
	unsigned calls;

	prepare_fs(&m, sort);
	dump(&m, &before);
	wanted(&after);
	m.fail_at = n;
	m.fail_code = code;
	m.fail_torn = torn;
	m.backwards = backwards;
	t = txn_new(&m.fs, MEMFS_HOME, root, v, files(v), dirs, 1);
	if (!txn_prepare(t, &e)) {
		assert_int_equal(e.code, code);
		same(&m, &before);
	} else if (!txn_commit(t, &e)) {
		assert_int_equal(e.code, code);
		assert_true(txn_abort(t, &e));
		same(&m, &before);
	} else if (!txn_seal(t, &e)) {
		assert_non_null(strstr(e.msg, "will be finished"));
		assert_int_equal(recover(&m), 1);
		same(&m, &after);
	} else {
		assert_int_equal(e.code, ERR_OK);
		same(&m, &after);
	}
	calls = m.calls;
	txn_free(t);
	assert_int_equal(recover(&m), 0);
	home_is_clean(&m);
	memfs_release(&m);
	buf_release(&before);
	buf_release(&after);
	return calls >= n;
}

static void all_or_nothing(void **state)
{
	const enum err_code codes[] = { ERR_IO, ERR_LIMIT, ERR_DENIED };

	(void)state;
	for (enum fs_sort sort = SWAPS; sort <= APART; sort++)
		for (size_t c = 0; c < 3; c++) {
			unsigned n = 1;

			while (run_failing(sort, codes[c], n % 2, n))
				n++;
			assert_in_range(n, 50, 1000);
		}
}

static void all_or_nothing_in_any_order(void **state)
{
	backwards = true;
	all_or_nothing(state);
	backwards = false;
}

/* One of several projects has the directory above them as its root. */
static void all_or_nothing_of_several(void **state)
{
	(void)state;
	root = "/";
	for (enum fs_sort sort = SWAPS; sort <= APART; sort++)
		for (unsigned n = 1; run_failing(sort, ERR_IO, n % 2, n); n++)
			;
	root = "/r";
}

/* Each in its own directory, or the very file, where links lead too. */
static void lies_where_it_says(void **state)
{
	const struct txn_file v[] = {
		{ "/r/a", true, true, hash("text of a\n"), STR("x"), .within = "/r" },
		{ "/s/e", true, true, hash("elsewhere\n"), STR("y"), .within = "/s/e" },
	};

	(void)state;
	for (int to = 0; to < 3; to++) {
		struct err e = ERR_INIT;
		struct memfs m;
		struct txn *t;
		bool ok;

		fill(&m);
		memfs_put_dir(&m, "/s");
		memfs_put_dir(&m, "/t");
		memfs_put(&m, "/s/e", "elsewhere\n", 0644);
		memfs_put(&m, "/t/e", "elsewhere\n", 0644);
		memfs_put(&m, "/t/a", "text of a\n", 0644);
		if (to)
			memfs_take(&m, to == 1 ? "/s/e" : "/r/a");
		if (to == 1)
			memfs_put_symlink(&m, "/s/e", "/t/e");
		else if (to == 2)
			memfs_put_symlink(&m, "/r/a", "/t/a");
		t = txn_new(&m.fs, MEMFS_HOME, "/", v, 2, NULL, 0);
		ok = txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e);
		assert_int_equal(ok, !to);
		assert_int_equal(e.code, to ? ERR_DENIED : ERR_OK);
		txn_free(t);
		home_is_clean(&m);
		memfs_release(&m);
	}
}

/* A file system that stops being able to swap half-way is no failure. */
static void swap_is_refused_once(void **state)
{
	(void)state;
	for (unsigned n = 1; run_failing(SWAPS, ERR_UNSUPPORTED, false, n); n++)
		;
}

static bool abort_failing(enum fs_sort sort, unsigned n)
{
	struct buf before = BUF_INIT;
	struct txn_file v[9];
	struct memfs m;
	struct txn *t;
	struct err e;
	bool ok, reached;

	prepare_fs(&m, sort);
	dump(&m, &before);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e));
	assert_true(txn_commit(t, &e));
	m.calls = 0;
	m.fail_at = n;
	ok = txn_abort(t, &e);
	if (!ok) {
		assert_int_equal(e.code, ERR_IO);
		if (!txn_abort(t, &e))
			fail_msg("%s", e.msg);
	}
	reached = m.calls >= n;
	same(&m, &before);
	txn_free(t);
	home_is_clean(&m);
	memfs_release(&m);
	buf_release(&before);
	return reached;
}

static void abort_can_be_repeated(void **state)
{
	(void)state;
	for (enum fs_sort sort = SWAPS; sort <= APART; sort++) {
		unsigned n = 1;

		while (abort_failing(sort, n))
			n++;
		assert_true(n > 10);
	}
}

/* Two failures in a row: the txn is given up, and recovery does the rest. */
static void twice(enum fs_sort sort, unsigned n, unsigned gap)
{
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct txn_file v[9];
	struct memfs m;
	struct txn *t;
	struct err e;
	bool done;

	prepare_fs(&m, sort);
	dump(&m, &before);
	wanted(&after);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e));
	m.calls = 0;
	m.fail_at = n;
	done = txn_commit(t, &e);
	m.calls = 0;
	m.fail_at = gap;
	if (done)
		txn_seal(t, &e);
	else
		txn_abort(t, &e);
	txn_free(t);
	recover(&m);
	same(&m, done ? &after : &before);
	home_is_clean(&m);
	memfs_release(&m);
	buf_release(&before);
	buf_release(&after);
}

static void two_failures_in_a_row(void **state)
{
	(void)state;
	for (enum fs_sort sort = SWAPS; sort <= APART; sort++)
		for (unsigned n = 1; n < 80; n++)
			for (unsigned gap = 1; gap < 50; gap++)
				twice(sort, n, gap);
}

static void nothing_to_do(void **state)
{
	struct memfs m;
	struct err e;
	struct txn *t;

	(void)state;
	fill(&m);
	memfs_take(&m, "/r/d/gone");
	t = txn_new(&m.fs, MEMFS_HOME, "/r", NULL, 0, dirs, 1);
	assert_true(txn_prepare(t, &e));
	assert_true(txn_commit(t, &e));
	assert_true(txn_seal(t, &e));
	txn_free(t);
	assert_null(find(&m, STR("/r/d")));
	memfs_release(&m);
	txn_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_or_nothing),
		cmocka_unit_test(all_or_nothing_in_any_order),
		cmocka_unit_test(swap_is_refused_once),
		cmocka_unit_test(abort_can_be_repeated),
		cmocka_unit_test(two_failures_in_a_row),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(all_or_nothing_of_several),
		cmocka_unit_test(lies_where_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
