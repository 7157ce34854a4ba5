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

/* What is read back is trusted in nothing: a journal that is cut short or changed in any place
 * changes no file in a way that is neither all old nor all new. */

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

/* Between the head and its copy nothing lies: some places there stand for all. */
static size_t next(size_t at)
{
	return at + (at >= JOURNAL_HEAD && at < JOURNAL_COPY - 101 ? 101 : 1);
}

static void cut_short_anywhere(void **state)
{
	bool is_old, is_new;

	(void)state;
	for (size_t n = 0; n < raw.n; n = next(n)) {
		int said = recovered((struct str){ raw.p, n }, &is_old, &is_new, NULL, 0);

		assert_true(is_old);
		assert_int_equal(said, n ? RECOVER_DROPPED : -1);
	}
}

/* As long as the head is whole, nobody asks for its copy. */
static void flipped(struct str bad, size_t at, int bit)
{
	bool is_old, is_new;
	int said = recovered(bad, &is_old, &is_new, NULL, 0);

	/* The mark itself may only say which way it goes. */
	if ((at >= JOURNAL_HEAD && at < JOURNAL_BODY) || (at == 8 && bit < 3))
		assert_true(is_old || is_new);
	else if (!is_old || said == RECOVER_COMPLETED)
		fail_msg("bit %d of byte %zu: %d", bit, at, said);
}

static void flipped_anywhere(void **state)
{
	struct buf bad = BUF_INIT;

	(void)state;
	for (int mark = MARK_WRITTEN; mark <= MARK_BEGUN; mark++)
		for (size_t at = 0; at < raw.n; at = next(at))
			for (int bit = 0; bit < 8; bit++) {
				buf_clear(&bad);
				buf_add(&bad, buf_str(&raw));
				bad.p[8] = (char)mark;
				bad.p[at] ^= (char)(1 << bit);
				flipped(buf_str(&bad), at, bit);
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

#define SECOND MEMFS_HOME "/0.head"

/* Whether it is carried out with any part of it overwritten: by another head, if that was all. */
static void overwritten(const struct memfs *half, const struct buf *whole)
{
	const size_t sizes[] = { 1, 8, 16, JOURNAL_HEAD, 64, 512 };
	struct buf bad = BUF_INIT;

	for (size_t k = 0; k < 2 * sizeof(sizes) / sizeof(*sizes); k++)
		for (size_t at = 0; at < whole->n; at = next(at)) {
			size_t n = whole->n - at < sizes[k / 2] ? whole->n - at : sizes[k / 2];

			buf_clear(&bad);
			buf_add(&bad, buf_str(whole));
			memset(bad.p + at, k % 2 ? 0xff : 0, n);
			/* From the magic's last byte on: as if of another version. */
			assert_true(made_whole(half, &bad, "overwritten", at) || at == 7 ||
				    at + n > JOURNAL_BODY);
		}
	buf_release(&bad);
}

static void cut_from(const struct memfs *half, const struct buf *whole, size_t n)
{
	struct buf bad = BUF_INIT;

	for (; n < whole->n; n = next(n)) {
		buf_clear(&bad);
		buf_add(&bad, str_sub(buf_str(whole), 0, n));
		assert_false(made_whole(half, &bad, "truncated", n));
	}
	buf_release(&bad);
}

static void blanked(const struct memfs *half, const struct buf *whole)
{
	struct buf bad = BUF_INIT;

	buf_add(&bad, buf_str(whole));
	memset(bad.p, 0, bad.n);
	assert_false(made_whole(half, &bad, "all zeros", 0));
	buf_release(&bad);
}

/* Once something may be visible, a journal that has lost any part of it, or all, is never taken for
 * one that was not finished: by another head it is carried out, or told. */
static void damaged_after_it_has_begun(void **state)
{
	struct memfs half;

	stop_half_way(&half);
	/* Also once the machine was restarted. */
	for (int restarts = 0; restarts < 2; restarts++, half.boot++) {
		struct buf whole = BUF_INIT;

		(void)state;
		buf_add(&whole, buf_str(&node_at(&half, J)->text));
		assert_true(made_whole(&half, &whole, "as it was", 0));
		assert_false(made_whole(&half, NULL, "removed", 0));
		cut_from(&half, &whole, 0);
		overwritten(&half, &whole);
		blanked(&half, &whole);
		buf_release(&whole);
	}
	memfs_release(&half);
}

/* Takes its mark from a journal, and from the copy of its head. */
static void unmark(struct buf *whole, uint64_t boot)
{
	char mark[8], second[JOURNAL_SECOND];
	uint64_t at = journal_mark(mark, MARK_WRITTEN);

	memcpy(whole->p + at, mark, sizeof(mark));
	journal_second(second, whole->p, boot);
	memcpy(whole->p + JOURNAL_COPY, second, sizeof(second));
}

/* When the machine stops, what was not synced goes: the second head, and the marks. */
static void damaged_without_what_was_not_synced(void **state)
{
	struct buf whole = BUF_INIT;
	struct memfs half;

	(void)state;
	stop_half_way(&half);
	half.boot++;
	memfs_take(&half, SECOND);
	buf_add(&whole, buf_str(&node_at(&half, J)->text));
	cut_from(&half, &whole, JOURNAL_HEAD);
	overwritten(&half, &whole);
	unmark(&whole, half.boot - 1);
	assert_true(made_whole(&half, &whole, "unmarked", 0));
	memset(whole.p, 0, 512);
	assert_true(made_whole(&half, &whole, "unmarked, without a head", 0));
	memset(whole.p, 0xff, 512);
	assert_true(made_whole(&half, &whole, "unmarked, its head damaged", 0));
	memfs_release(&half);
	buf_release(&whole);
}

/* By a second head that is older than the machine's start it is known that it has begun. */
static void only_the_second_head_has_its_mark(void **state)
{
	struct buf whole = BUF_INIT;
	struct memfs half;

	(void)state;
	stop_half_way(&half);
	half.boot++;
	buf_add(&whole, buf_str(&node_at(&half, J)->text));
	unmark(&whole, half.boot - 1);
	assert_true(made_whole(&half, &whole, "unmarked", 0));
	cut_from(&half, &whole, JOURNAL_HEAD);
	whole.p[JOURNAL_BODY] ^= 1;
	assert_false(made_whole(&half, &whole, "unmarked and damaged", 0));
	memset(whole.p, 0, JOURNAL_HEAD);
	assert_false(made_whole(&half, &whole, "the same without a head", 0));
	memfs_release(&half);
	buf_release(&whole);
}

/* Nothing is said of a second head that was left when its change was over. */
static void a_second_head_of_old_is_passed_over(void **state)
{
	struct recover_report r = { 0 };
	struct buf second = BUF_INIT;
	struct memfs m;

	(void)state;
	stop_half_way(&m);
	buf_add(&second, buf_str(&node_at(&m, SECOND)->text));
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	assert_int_equal(r.notes, 1);
	recover_report_release(&r);
	m.boot++;
	buf_clear(&node_at(&m, SECOND)->text);
	buf_add(&node_at(&m, SECOND)->text, buf_str(&second));
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	assert_int_equal(r.notes, 0);
	assert_int_equal(r.hot, 0);
	recover_report_release(&r);
	buf_release(&second);
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
		cmocka_unit_test(damaged_without_what_was_not_synced),
		cmocka_unit_test(only_the_second_head_has_its_mark),
		cmocka_unit_test(a_second_head_of_old_is_passed_over),
	};

	return cmocka_run_group_tests(tests, start, end);
}
