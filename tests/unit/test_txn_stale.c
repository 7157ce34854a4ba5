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

/* Changes that are refused, because the files are not as they were read or cannot be written, and
 * other programs' texts, which stay. */

static void one(struct memfs *m, const struct txn_file *f, size_t n, enum err_code code,
		const char *message)
{
	struct buf before = BUF_INIT;
	struct err e = ERR_INIT;
	struct txn *t = txn_new(&m->fs, MEMFS_HOME, "/r", f, n, NULL, 0);

	dump(m, &before);
	assert_false(txn_prepare(t, &e));
	assert_int_equal(e.code, code);
	assert_string_equal(e.msg, message);
	same(m, &before);
	assert_true(txn_abort(t, &e));
	txn_free(t);
	buf_release(&before);
}

static void refused_at_the_start(void **state)
{
	struct memfs m;
	struct txn_file f = { "/r/a", true, true, hash("text of a\n"), .now = STR("x") };
	struct txn_file two[2] = { { "/r/hard", true, true, hash("both names\n"), .now = STR("x") },
				   { "/r/d2", true, true, hash("both names\n"), .now = STR("y") } };

	(void)state;
	fill(&m);
	one(&m, two, 2, ERR_CONFLICT, "hard and d2 are the same file");
	f.was_hash++;
	one(&m, &f, 1, ERR_STALE, "a: has changed on disk since it was read; try again");
	f.was_hash--;
	memfs_put(&m, "/r/a", "text of a\n", 0444);
	one(&m, &f, 1, ERR_DENIED, "a: is read-only; make it writable first");
	f.exists = false;
	one(&m, &f, 1, ERR_DENIED, "a: is read-only; make it writable first");
	f.path = "/r/none";
	one(&m, &f, 1, ERR_STALE, "none: was deleted since it was read");
	f.path = "/r/d";
	one(&m, &f, 1, ERR_STALE, "d: is no longer a regular file");
	f = (struct txn_file){ "/r/b", false, true, 0, .now = STR("x") };
	one(&m, &f, 1, ERR_STALE, "b: exists now, but did not when the change was computed");
	f.path = "/r/a/below";
	one(&m, &f, 1, ERR_CONFLICT, "a/below: /r/a: is not a directory");
	memfs_release(&m);
}

/* Where a and A are one name, nothing gets lost by it. */
static void capital_letters_are_small_ones(void **state)
{
	struct txn_file both[2] = { { "/r/mod", true, true, hash("old\n"), .now = STR("1") },
				    { "/r/MOD", true, true, hash("old\n"), .now = STR("2") } };
	struct txn_file made[2] = { { "/r/n", false, true, 0, .now = STR("1") },
				    { "/r/N", false, true, 0, .now = STR("2") } };
	struct txn_file moved[2] = { { "/r/mod", true, false, hash("old\n"), .now = STR("") },
				     { "/r/Mod", false, true, 0, STR("old\n"), .like = "/r/mod" } };
	struct buf before = BUF_INIT;
	struct memfs m;
	struct err e;
	struct txn *t;

	(void)state;
	fill(&m);
	m.fold = true;
	one(&m, both, 2, ERR_CONFLICT, "mod and MOD are the same file");
	one(&m, moved, 2, ERR_STALE, "Mod: exists now, but did not when the change was computed");
	dump(&m, &before);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", made, 2, NULL, 0);
	assert_true(txn_prepare(t, &e));
	assert_false(txn_commit(t, &e));
	assert_string_equal(e.msg, "N: was created by another program just now");
	assert_true(txn_abort(t, &e));
	same(&m, &before);
	txn_free(t);
	memfs_release(&m);
	buf_release(&before);
}

static const char *moment; /* the call before which somebody else writes */

static void meddle(struct memfs *m, const char *call, const char *path)
{
	if (!moment || strcmp(call, moment) != 0 || !strstr(path, m->arg))
		return;
	moment = NULL;
	memfs_put(m, m->arg, "by somebody else\n", 0644);
}

/* Another program writes to `path` right before `call`, while the txn changes a and mod. */
static void meddled(const char *call, const char *path, enum fs_sort sort)
{
	struct txn_file f[2] = { { "/r/a", true, true, hash("text of a\n"), .now = STR("new a\n") },
				 { "/r/mod", true, true, hash("old\n"), .now = STR("new mod\n") } };
	struct buf want = BUF_INIT;
	struct err e = ERR_INIT;
	struct memfs m;
	struct txn *t;

	prepare_fs(&m, sort);
	memfs_put(&m, path, "by somebody else\n", 0644);
	dump(&m, &want);
	memfs_put(&m, "/r/a", "text of a\n", 0644);
	memfs_put(&m, "/r/mod", "old\n", 0600);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", f, 2, NULL, 0);
	assert_true(txn_prepare(t, &e));
	moment = call;
	m.arg = (void *)path;
	m.before = meddle;
	assert_false(txn_commit(t, &e));
	assert_null(moment);
	assert_int_equal(e.code, ERR_STALE);
	assert_non_null(strstr(e.msg, path + 3));
	assert_true(txn_abort(t, &e));
	same(&m, &want);
	txn_free(t);
	memfs_release(&m);
	buf_release(&want);
}

static void foreign_text_stays(void **state)
{
	(void)state;
	meddled("stat", "/r/a", SWAPS);
	meddled("stat", "/r/mod", SWAPS);
	meddled("exchange", "/r/a", SWAPS);
	meddled("exchange", "/r/mod", SWAPS);
	meddled("exchange", "/r/mod", LINKS);
	meddled("exchange", "/r/mod", NEITHER);
	meddled("exchange", "/r/a", APART);
	meddled("exchange", "/r/mod", APART);
}

/* Changed after it became visible: abort leaves that text, and says where the old one is. */
static void foreign_text_after_commit(void **state)
{
	struct txn_file v[9];
	struct err e;
	struct memfs m;
	struct txn *t;
	struct buf old = BUF_INIT;
	const char *temp;

	(void)state;
	fill(&m);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e));
	assert_true(txn_commit(t, &e));
	memfs_put(&m, "/r/mod", "by somebody else\n", 0600);
	assert_false(txn_abort(t, &e));
	assert_int_equal(e.code, ERR_STALE);
	assert_string_equal(node_at(&m, "/r/mod")->text.p, "by somebody else\n");
	assert_string_equal(node_at(&m, "/r/a")->text.p, "text of a\n");
	temp = strstr(e.msg, MEMFS_HOME "/kept-");
	assert_non_null(temp);
	assert_true(m.fs.read(&m, temp, &old, NULL, &e));
	assert_string_equal(old.p, "old\n");
	assert_true(txn_abort(t, &e));
	txn_free(t);
	assert_int_equal(recover(&m), 0);
	memfs_release(&m);
	buf_release(&old);
}

static unsigned texts_read;

static void count_texts(struct memfs *m, const char *call, const char *path)
{
	(void)m;
	texts_read += !strcmp(call, "read") && path_below(STR("/r"), str_of(path));
}

/* The file as it was when its text was read for the plan. */
static struct txn_file seen_file(struct memfs *m, const char *path, const char *now)
{
	struct txn_file f = { path, true, true, .now = str_of(now) };
	struct buf text = BUF_INIT;
	struct err e;

	assert_true(m->fs.read(m, path, &text, &f.seen, &e));
	f.was_hash = hash_of(buf_str(&text));
	buf_release(&text);
	return f;
}

/* Carries it out; how many texts of the workspace were read for that. */
static unsigned texts_read_by(struct memfs *m, const struct txn_file *f, size_t n)
{
	struct txn *t = txn_new(&m->fs, MEMFS_HOME, "/r", f, n, NULL, 0);
	struct err e;

	texts_read = 0;
	m->before = count_texts;
	assert_true(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	m->before = NULL;
	txn_free(t);
	for (size_t i = 0; i < n; i++)
		assert_true(str_eq(buf_str(&node_at(m, f[i].path)->text), f[i].now));
	return texts_read;
}

/* Read when its new text is made of it, and then held against what was edited. */
static void edited_text_is_read_once(void **state)
{
	for (int coarse = 0; coarse < 2; coarse++) {
		struct memfs m;
		struct txn_file f[2];

		(void)state;
		fill(&m);
		m.coarse = coarse;
		f[0] = seen_file(&m, "/r/a", "text of b\n");
		f[1] = seen_file(&m, "/r/lent", "lengthy\n");
		tell_by_edits(&f[0], "text of a\n", false);
		tell_by_edits(&f[1], "lent\n", true);
		assert_int_equal(texts_read_by(&m, f, 2), coarse ? 2 : 1);
		memfs_put(&m, "/r/a", "text of c\n", 0644);
		one(&m, f, 1, ERR_STALE, "a: has changed on disk since it was read; try again");
		memfs_release(&m);
	}
}

static void settled_text_is_not_read_again(void **state)
{
	for (int coarse = 0; coarse < 2; coarse++) {
		struct memfs m;
		struct txn_file f[2];

		(void)state;
		fill(&m);
		m.coarse = coarse;
		f[0] = seen_file(&m, "/r/a", "new a\n");
		f[1] = seen_file(&m, "/r/hard", "new hard\n"); /* its old text is needed */
		assert_int_equal(texts_read_by(&m, f, 2), coarse ? 2 : 1);
		memfs_release(&m);
	}
}

/* As long as before: a stamp that moved tells, and where stamps may stand still the text does. */
static void another_text_is_found(void **state)
{
	for (int coarse = 0; coarse < 2; coarse++) {
		struct memfs m;
		struct txn_file f;

		(void)state;
		fill(&m);
		m.coarse = coarse;
		f = seen_file(&m, "/r/a", "new a\n");
		memfs_put(&m, "/r/a", "text of b\n", 0644);
		one(&m, &f, 1, ERR_STALE, "a: has changed on disk since it was read; try again");
		memfs_put(&m, "/r/a", "text of a\n", 0644);
		memfs_take(&m, "/r/a"); /* another file of the same text is none to worry about */
		memfs_put(&m, "/r/a", "text of a\n", 0644);
		assert_int_equal(texts_read_by(&m, &f, 1), 1);
		memfs_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_at_the_start),
		cmocka_unit_test(capital_letters_are_small_ones),
		cmocka_unit_test(foreign_text_stays),
		cmocka_unit_test(foreign_text_after_commit),
		cmocka_unit_test(edited_text_is_read_once),
		cmocka_unit_test(settled_text_is_not_read_again),
		cmocka_unit_test(another_text_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
