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

/* What is read back is trusted in nothing: a journal that is cut short, changed in one bit, forged,
 * or somebody else's changes no file in a way that is neither all old nor all new. */

#define J MEMFS_HOME "/0.journal"

static const char *const dirs[] = { "/r/d" };
static struct memfs made;	 /* with a journal in force, right after the point of no return */
static struct buf old, new, raw; /* the tree before and after, and that journal */

static void fill(struct memfs *m)
{
	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put_dir(m, "/r/d");
	memfs_put(m, "/r/a", "old text of a\n", 0644);
	memfs_put(m, "/r/d/gone", "gone\n", 0644);
	memfs_put(m, "/r/hard", "hard\n", 0644);
	memfs_put_link(m, "/r/hard", "/r/second");
	memfs_put_dir(m, "/etc");
	memfs_put(m, "/etc/passwd", "root\n", 0644);
}

static size_t files(struct txn_file *v)
{
	const struct txn_file all[] = {
		{ "/r/a", true, true, hash_of(STR("old text of a\n")), .now = STR("new a\n") },
		{ "/r/d/gone", true, false, hash_of(STR("gone\n")), .now = STR("") },
		{ "/r/hard", true, true, hash_of(STR("hard\n")), .now = STR("harder\n") },
		{ "/r/n/new", false, true, 0, STR("made\n"), .like = "/r/a" },
	};

	memcpy(v, all, sizeof(all));
	return 4;
}

static int start(void **state)
{
	struct txn_file v[4];
	struct memfs m;
	struct err e;
	struct txn *t;

	(void)state;
	fill(&made);
	memfs_dump(&made, &old);
	memfs_record(&made);
	t = txn_new(&made.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e));
	buf_add(&raw, buf_str(&node_at(&made, J)->text));
	memfs_copy(&m, &made);
	assert_true(txn_abort(t, &e));
	txn_free(t);
	memfs_release(&made);
	made = m;
	made.fs.self = &made;
	fill(&m);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
	memfs_dump(&m, &new);
	memfs_release(&m);
	return 0;
}

static int end(void **state)
{
	(void)state;
	memfs_release(&made);
	buf_release(&old);
	buf_release(&new);
	buf_release(&raw);
	return 0;
}

static void dump(struct memfs *m, struct buf *out)
{
	buf_clear(out);
	memfs_dump(m, out);
}

/* Recovers with this as the journal. Returns what was said first, -1: nothing. */
static int recovered(struct str journal, bool *is_old, bool *is_new, char *why, size_t room)
{
	struct recover_report r = { 0 };
	struct buf is = BUF_INIT;
	struct memfs m;
	int first;

	memfs_copy(&m, &made);
	buf_clear(&node_at(&m, J)->text);
	buf_add(&node_at(&m, J)->text, journal);
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	dump(&m, &is);
	*is_old = !strcmp(is.p, old.p);
	*is_new = !strcmp(is.p, new.p);
	first = r.notes ? (int)r.note[0].is : -1;
	if (why)
		snprintf(why, room, "%s", r.notes && r.note[0].why ? r.note[0].why : "");
	recover_report_release(&r);
	buf_release(&is);
	memfs_release(&m);
	return first;
}

/* A recovery that fails says so, whatever it was, and the next one does it all. */
static bool recovers_after(unsigned n, enum err_code code)
{
	struct recover_report r = { 0 }, then = { 0 };
	struct buf is = BUF_INIT;
	struct memfs m;
	bool done, reached;

	memfs_copy(&m, &made);
	m.calls = 0;
	m.fail_at = n;
	m.fail_code = code;
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	reached = m.calls >= n;
	dump(&m, &is);
	done = r.notes == 1 && r.note[0].is == RECOVER_COMPLETED && !strcmp(is.p, new.p);
	if (!done && (!r.notes || r.note[r.notes - 1].is != RECOVER_LEFT))
		fail_msg("call %u: %zu notes\n%s", n, r.notes, is.p);
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &then);
	dump(&m, &is);
	if (strcmp(is.p, new.p) != 0)
		fail_msg("call %u: %s\n%s", n, r.note[0].why, is.p);
	recover_report_release(&r);
	recover_report_release(&then);
	buf_release(&is);
	memfs_release(&m);
	return reached;
}

static void failures_are_told(void **state)
{
	const enum err_code codes[] = { ERR_IO, ERR_LIMIT, ERR_DENIED };

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		unsigned n = 1;

		while (recovers_after(n, codes[c]))
			n++;
		assert_true(n > 50);
	}
}

static void comes_back(void **state)
{
	bool is_old, is_new;

	(void)state;
	assert_int_equal(recovered(buf_str(&raw), &is_old, &is_new, NULL, 0), RECOVER_COMPLETED);
	assert_true(is_new);
}

static void cut_short_anywhere(void **state)
{
	bool is_old, is_new;

	(void)state;
	for (size_t n = 0; n < raw.n; n++) {
		int said = recovered((struct str){ raw.p, n }, &is_old, &is_new, NULL, 0);

		assert_true(is_old);
		assert_int_equal(said, n ? RECOVER_DROPPED : -1);
	}
}

static void flipped_anywhere(void **state)
{
	struct buf bad = BUF_INIT;
	bool is_old, is_new;

	(void)state;
	for (int mark = MARK_WRITTEN; mark <= MARK_BEGUN; mark++)
		for (size_t i = 0; i < raw.n * 8; i++) {
			int said;

			buf_clear(&bad);
			buf_add(&bad, buf_str(&raw));
			bad.p[8] = (char)mark;
			bad.p[i / 8] ^= (char)(1 << i % 8);
			said = recovered(buf_str(&bad), &is_old, &is_new, NULL, 0);
			/* The mark itself may only say which way it goes. */
			if (i / 8 == 8 && i % 8 < 3)
				assert_true(is_old || is_new);
			else if (!is_old || said == RECOVER_COMPLETED)
				fail_msg("bit %zu: %d", i, said);
		}
	buf_release(&bad);
}

/* The process was killed in the middle of the commit, so that the tree is neither old nor new. */
static void stop_half_way(struct memfs *m)
{
	struct buf is = BUF_INIT;
	struct txn_file v[4];
	struct err e;

	for (unsigned at = 1;; at++) {
		struct txn *t;

		fill(m);
		t = txn_new(&m->fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
		assert_true(txn_prepare(t, &e));
		m->calls = 0;
		m->stop_at = at;
		assert_false(txn_commit(t, &e));
		txn_abort(t, &e);
		txn_free(t);
		memfs_kill(m);
		dump(m, &is);
		if (strcmp(is.p, old.p) != 0 && strcmp(is.p, new.p) != 0)
			break;
		memfs_release(m);
	}
	buf_release(&is);
}

/* Recovers with this as the journal, NULL: with none. Whether all is old or new; else it is told.
 */
static bool made_whole(const struct memfs *half, const struct buf *journal, const char *what,
		       size_t at)
{
	struct recover_report r = { 0 };
	struct buf is = BUF_INIT;
	bool whole, told = false;
	struct memfs m;

	memfs_copy(&m, half);
	if (journal) {
		buf_clear(&node_at(&m, J)->text);
		buf_add(&node_at(&m, J)->text, buf_str(journal));
	} else {
		memfs_take(&m, J);
	}
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	for (size_t i = 0; i < r.notes; i++)
		told = told || r.note[i].is == RECOVER_LEFT;
	dump(&m, &is);
	whole = !strcmp(is.p, old.p) || !strcmp(is.p, new.p);
	if (whole == told || told != (r.hot == 1))
		fail_msg("%s at %zu: %s, %s\n%s", what, at, whole ? "whole" : "mixed",
			 r.notes ? r.note[0].why : "nothing said", is.p);
	recover_report_release(&r);
	buf_release(&is);
	memfs_release(&m);
	return whole;
}

/* Once something may be visible, a journal that has lost any part of it, or all, is never taken for
 * one that was not finished: by the second head it is carried out, or told. */
static void damaged_after_it_has_begun(void **state)
{
	const size_t sizes[] = { 1, 8, 16, JOURNAL_HEAD, 64, 512 };
	struct buf whole = BUF_INIT, bad = BUF_INIT;
	struct memfs half;

	(void)state;
	stop_half_way(&half);
	buf_add(&whole, buf_str(&node_at(&half, J)->text));
	assert_true(made_whole(&half, &whole, "as it was", 0));
	assert_false(made_whole(&half, NULL, "removed", 0));
	for (size_t n = 0; n < whole.n; n++) {
		buf_clear(&bad);
		buf_add(&bad, str_sub(buf_str(&whole), 0, n));
		assert_false(made_whole(&half, &bad, "cut short", n));
	}
	for (size_t k = 0; k < 2 * sizeof(sizes) / sizeof(*sizes); k++)
		for (size_t at = 0; at < whole.n; at++) {
			size_t n = whole.n - at < sizes[k / 2] ? whole.n - at : sizes[k / 2];

			buf_clear(&bad);
			buf_add(&bad, buf_str(&whole));
			memset(bad.p + at, k % 2 ? 0xff : 0, n);
			/* From the magic's last byte on: as if of another version. */
			assert_true(made_whole(&half, &bad, "overwritten", at) || at == 7 ||
				    at + n > JOURNAL_HEAD);
		}
	memfs_release(&half);
	buf_release(&whole);
	buf_release(&bad);
}

/* A journal as if it were ours, with one thing wrong. */
static void forged(void (*wrong)(struct journal *j), int want, const char *why)
{
	struct journal j;
	struct arena a = { 0 };
	enum journal_mark mark;
	struct buf bad = BUF_INIT, meta = BUF_INIT;
	struct err e;
	char head[JOURNAL_HEAD], said[500];
	uint64_t images = 0;
	bool is_old, is_new;

	assert_int_equal(journal_decode(&j, buf_str(&raw), &a, &mark, &e), JOURNAL_LIVE);
	wrong(&j);
	journal_meta(&meta, &j);
	for (size_t i = 0; i < j.files; i++)
		images += j.file[i].was.n + j.file[i].now.n;
	journal_head(head, MARK_WRITTEN, buf_str(&meta), images);
	head[8] = MARK_BEGUN;
	buf_add(&bad, (struct str){ head, sizeof(head) });
	buf_add(&bad, buf_str(&meta));
	for (size_t i = 0; i < j.files; i++) {
		buf_add(&bad, j.file[i].was);
		buf_add(&bad, j.file[i].now);
	}
	assert_int_equal(recovered(buf_str(&bad), &is_old, &is_new, said, sizeof(said)), want);
	assert_true(is_old);
	if (!strstr(said, why))
		fail_msg("%s", said);
	arena_release(&a);
	buf_release(&bad);
	buf_release(&meta);
}

static void names_passwd(struct journal *j)
{
	j->file[0].path = STR("/etc/passwd");
}

static void climbs(struct journal *j)
{
	j->file[0].path = STR("../etc/passwd");
}

static void climbs_inside(struct journal *j)
{
	j->file[0].path = STR("d/../../etc/passwd");
}

static void names_itself(struct journal *j)
{
	j->file[0].path = STR("");
}

static void has_a_nul(struct journal *j)
{
	j->file[0].path = STR("a\0b");
}

static void removes_outside(struct journal *j)
{
	j->gone[0].path = STR("../etc");
}

static void makes_outside(struct journal *j)
{
	j->made[0].path = STR("../etc/x");
}

static void is_like_nothing(struct journal *j)
{
	j->file[3].like_file = 99;
}

static void is_like_shadow(struct journal *j)
{
	j->file[3].like_file = 0;
	j->file[3].like_path = STR("../etc/shadow");
}

static void lies_about_a_text(struct journal *j)
{
	j->file[0].now_hash++;
}

static void has_an_unknown_bit(struct journal *j)
{
	j->file[0].mode |= 010000;
}

static void has_no_root(struct journal *j)
{
	j->root = STR("r");
}

static void of_somebody_else(struct journal *j)
{
	j->here.user++;
}

static void of_a_lost_root(struct journal *j)
{
	j->root = STR("/mnt/unplugged");
}

static void forgeries_are_refused(void **state)
{
	(void)state;
	forged(names_passwd, RECOVER_LEFT, "outside of its root");
	forged(climbs, RECOVER_LEFT, "outside of its root");
	forged(climbs_inside, RECOVER_LEFT, "outside of its root");
	forged(names_itself, RECOVER_LEFT, "outside of its root");
	forged(has_a_nul, RECOVER_LEFT, "outside of its root");
	forged(removes_outside, RECOVER_LEFT, "outside of its root");
	forged(makes_outside, RECOVER_LEFT, "outside of its root");
	forged(is_like_nothing, RECOVER_LEFT, "is damaged");
	forged(is_like_shadow, RECOVER_LEFT, "outside of its root");
	forged(lies_about_a_text, RECOVER_LEFT, "is damaged");
	forged(has_an_unknown_bit, RECOVER_LEFT, "is damaged");
	forged(has_no_root, RECOVER_LEFT, "is damaged");
	forged(of_somebody_else, RECOVER_LEFT, "another user's");
	forged(of_a_lost_root, RECOVER_LEFT, "is not there");
}

/* One that is not this user's alone counts for nothing. */
static void others_may_write_to_it(void **state)
{
	struct recover_report r = { 0 };
	struct buf is = BUF_INIT;
	struct memfs m;

	(void)state;
	memfs_copy(&m, &made);
	node_at(&m, J)->mode = 0622;
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	assert_int_equal(r.notes, 1);
	assert_int_equal(r.note[0].is, RECOVER_LEFT);
	assert_int_equal(r.hot, 1);
	dump(&m, &is);
	assert_string_equal(is.p, old.p);
	recover_report_release(&r);
	buf_release(&is);
	memfs_release(&m);
}

/* Meddles with the tree, recovers, and gives what is told. */
static void foreign(const char *path, const char *text, const char *want)
{
	struct recover_report r = { 0 };
	struct memfs m;
	bool told = false;

	memfs_copy(&m, &made);
	memfs_put(&m, path, text, 0644);
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	for (size_t i = 0; i < r.notes; i++)
		told = told || (r.note[i].is == RECOVER_LEFT && !strcmp(r.note[i].what, path));
	assert_true(told);
	assert_int_equal(r.hot, 0);
	assert_string_equal(node_at(&m, path)->text.p, text);
	if (want)
		assert_string_equal(node_at(&m, "/r/a")->text.p, want);
	recover_report_release(&r);
	memset(&r, 0, sizeof(r));
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	assert_int_equal(r.notes, 0);
	recover_report_release(&r);
	memfs_release(&m);
}

static void foreign_texts_stay(void **state)
{
	(void)state;
	foreign("/r/a", "by somebody else\n", NULL);
	foreign("/r/a", "new",
		NULL); /* a beginning of the new text, but the machine did not stop */
	foreign("/r/d/gone", "wanted again\n", "new a\n");
	foreign("/r/hard", "by somebody else\n", "new a\n");
}

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
		cmocka_unit_test(comes_back),
		cmocka_unit_test(failures_are_told),
		cmocka_unit_test(cut_short_anywhere),
		cmocka_unit_test(flipped_anywhere),
		cmocka_unit_test(damaged_after_it_has_begun),
		cmocka_unit_test(forgeries_are_refused),
		cmocka_unit_test(others_may_write_to_it),
		cmocka_unit_test(foreign_texts_stay),
		cmocka_unit_test(a_live_journal_is_let_be),
		cmocka_unit_test(disjoint_changes_do_not_meet),
		cmocka_unit_test(the_next_one_recovers),
	};

	return cmocka_run_group_tests(tests, start, end);
}
