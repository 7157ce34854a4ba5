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

/* A journal that is forged, or that others may write to, changes nothing; and what others have
 * written stays. */

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
	buf_add(&bad, str_sub(buf_str(&raw), JOURNAL_HEAD, JOURNAL_BODY));
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
	forged(of_somebody_else, RECOVER_LEFT, "another user");
	forged(of_a_lost_root, RECOVER_LEFT, "is missing");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forgeries_are_refused),
		cmocka_unit_test(others_may_write_to_it),
		cmocka_unit_test(foreign_texts_stay),
	};

	return cmocka_run_group_tests(tests, start, end);
}
