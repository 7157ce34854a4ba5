#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/txn.h>

#include "memfs.c" /* a unit test is built from one file */

#include "journal_rig.h"

/* Several changes at once, or one after another that was cut short. */

/* While somebody holds it, it is his; then it is not. */
static void a_live_journal_is_let_be(void **state)
{
	struct recover_report r = { 0 };
	struct txn_file f = { "/r/a", true, true, hash_of(STR("old text of a\n")),
			      .now = STR("2") };
	struct memfs m;
	struct err e;
	struct txn *t, *u;

	(void)state;
	fill(&m);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", &f, 1, NULL, 0);
	assert_true(txn_prepare(t, &e));
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	assert_int_equal(r.notes, 0);
	u = txn_new(&m.fs, MEMFS_HOME, "/r", &f, 1, NULL, 0);
	assert_false(txn_prepare(u, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "another Oxide"));
	assert_true(txn_commit(t, &e));
	assert_true(txn_seal(t, &e));
	assert_false(txn_prepare(u, &e));
	assert_int_equal(e.code, ERR_STALE);
	txn_free(t);
	txn_free(u);
	memfs_release(&m);
}

/* Two at once on different files, step by step in every order. */
static void disjoint_changes_do_not_meet(void **state)
{
	struct txn_file f[2] = {
		{ "/r/a", true, true, hash_of(STR("old text of a\n")), .now = STR("2") },
		{ "/r/hard", true, true, hash_of(STR("hard\n")), .now = STR("3") },
	};

	(void)state;
	for (unsigned order = 0; order < 64; order++) {
		struct memfs m;
		struct err e;
		struct txn *t[2];
		unsigned step[2] = { 0, 0 };

		fill(&m);
		for (int i = 0; i < 2; i++)
			t[i] = txn_new(&m.fs, MEMFS_HOME, "/r", &f[i], 1, NULL, 0);
		for (unsigned n = 0; step[0] < 3 || step[1] < 3; n++) {
			unsigned i = order >> n & 1;

			i = step[i] < 3 ? i : !i;
			assert_true(!step[i]	   ? txn_prepare(t[i], &e)
				    : step[i] == 1 ? txn_commit(t[i], &e)
						   : txn_seal(t[i], &e));
			step[i]++;
		}
		assert_string_equal(node_at(&m, "/r/a")->text.p, "2");
		assert_string_equal(node_at(&m, "/r/second")->text.p, "3");
		assert_int_equal(m.n_locks, 0);
		txn_free(t[0]);
		txn_free(t[1]);
		memfs_release(&m);
	}
}

/* A dead one's change is finished by the next one to come near it; and if that cannot be, the next
 * one keeps off. */
static void the_next_one_recovers(void **state)
{
	struct txn_file f = { "/r/a", true, true, hash_of(STR("new a\n")), .now = STR("2") };
	struct memfs m;
	struct err e;
	struct txn *t;

	(void)state;
	memfs_copy(&m, &made);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", &f, 1, NULL, 0);
	assert_true(txn_prepare(t, &e));
	assert_int_equal(txn_recovered(t)->notes, 1);
	assert_true(txn_commit(t, &e) && txn_seal(t, &e));
	assert_string_equal(node_at(&m, "/r/a")->text.p, "2");
	txn_free(t);
	memfs_release(&m);

	memfs_copy(&m, &made);
	m.other_dev = "/r/d"; /* so that nothing can be made beside it */
	memfs_take(&m, "/r/d/gone");
	memfs_take(&m, "/r/d");
	memfs_put(&m, "/r/n", "in the way of a folder\n", 0644);
	f.was_hash = hash_of(STR("old text of a\n"));
	t = txn_new(&m.fs, MEMFS_HOME, "/r", &f, 1, NULL, 0);
	assert_false(txn_prepare(t, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "oxide recover"));
	txn_free(t);
	f = (struct txn_file){ "/r/other", false, true, 0, .now = STR("x") };
	t = txn_new(&m.fs, MEMFS_HOME, "/r", &f, 1, NULL, 0);
	assert_true(txn_prepare(t, &e));
	assert_true(txn_abort(t, &e));
	txn_free(t);
	memfs_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_live_journal_is_let_be),
		cmocka_unit_test(disjoint_changes_do_not_meet),
		cmocka_unit_test(the_next_one_recovers),
	};

	return cmocka_run_group_tests(tests, start, end);
}
