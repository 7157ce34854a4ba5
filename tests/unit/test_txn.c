#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/txn.h>

#include "memfs.c" /* a unit test is built from one file */

static uint64_t hash(const char *s)
{
	return hash_of(str_of(s));
}

/* One of everything: a swap, a change, a move, a creation in new folders, a removal with its
 * folder, and a file with two names. */
static void fill(struct memfs *m)
{
	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put_dir(m, "/r/d");
	memfs_put(m, "/r/a", "text of a\n", 0644);
	memfs_put(m, "/r/b", "b, longer\n", 0755);
	memfs_put(m, "/r/mod", "old\n", 0600);
	memfs_put(m, "/r/from", "moves\n", 0751);
	memfs_put(m, "/r/d/gone", "gone\n", 0644);
	memfs_put(m, "/r/hard", "both names\n", 0640);
	memfs_put_link(m, "/r/hard", "/r/d2");
	memfs_put(m, "/r/other", "untouched\n", 0644);
}

static const char *const dirs[] = { "/r/d" };

static size_t files(struct txn_file *v)
{
	const struct txn_file all[] = {
		{ "/r/a", true, true, hash("text of a\n"), STR("b, longer\n"), .like = "/r/b" },
		{ "/r/b", true, true, hash("b, longer\n"), STR("text of a\n"), .like = "/r/a" },
		{ "/r/mod", true, true, hash("old\n"), .now = STR("new and longer\n") },
		{ "/r/from", true, false, hash("moves\n"), .now = STR("") },
		{ "/r/to", false, true, 0, STR("moves\n"), .like = "/r/from" },
		{ "/r/x/y/n", false, true, 0, .now = STR("new\n") },
		{ "/r/d/gone", true, false, hash("gone\n"), .now = STR("") },
		{ "/r/hard", true, true, hash("both names\n"), .now = STR("changed, longer\n") },
	};

	memcpy(v, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static void dump(struct memfs *m, struct buf *out)
{
	buf_clear(out);
	memfs_dump(m, out);
}

static void wanted(struct buf *out)
{
	struct memfs m;

	fill(&m);
	memfs_put(&m, "/r/a", "b, longer\n", 0755);
	memfs_put(&m, "/r/b", "text of a\n", 0644);
	memfs_put(&m, "/r/mod", "new and longer\n", 0600);
	memfs_put(&m, "/r/to", "moves\n", 0751);
	memfs_take(&m, "/r/from");
	memfs_put_dir(&m, "/r/x");
	memfs_put_dir(&m, "/r/x/y");
	memfs_put(&m, "/r/x/y/n", "new\n", 0644);
	memfs_take(&m, "/r/d/gone");
	memfs_take(&m, "/r/d");
	memfs_put(&m, "/r/hard", "changed, longer\n", 0640);
	dump(&m, out);
	memfs_release(&m);
}

/* No journal in force, no text kept, no lock held. */
static void home_is_clean(const struct memfs *m)
{
	assert_int_equal(m->n_locks, 0);
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->name[i].path;

		if (!path_below(STR(MEMFS_HOME), str_of(path)))
			continue;
		if (strstr(path, ".pool/"))
			assert_true(memfs_is_blank(buf_str(&m->name[i].node->text)));
		else if (str_ends(str_of(path), STR(".journal")))
			assert_true(journal_is_free(buf_str(&m->name[i].node->text)));
		assert_null(strstr(path, "kept-"));
	}
}

/* Recovers; how many journals were in force. */
static size_t recover(struct memfs *m)
{
	struct recover_report r = { 0 };
	size_t n;

	m->fail_at = 0;
	recover_all(&m->fs, MEMFS_HOME, true, NULL, &r);
	n = r.notes;
	for (size_t i = 0; i < n; i++)
		if (r.note[i].is == RECOVER_LEFT)
			fail_msg("%s: %s", r.note[i].what, r.note[i].why);
	recover_report_release(&r);
	return n;
}

enum fs_sort { SWAPS, LINKS, NEITHER };

static void prepare_fs(struct memfs *m, enum fs_sort sort)
{
	fill(m);
	m->no_exchange = sort != SWAPS;
	m->no_link = sort == NEITHER;
}

static void same(struct memfs *m, const struct buf *want)
{
	struct buf is = BUF_INIT;

	dump(m, &is);
	assert_string_equal(is.p, want->p);
	buf_release(&is);
}

/* Runs all with the n-th call failing. Returns false once there is no n-th call. */
static bool run_failing(enum fs_sort sort, enum err_code code, bool torn, unsigned n)
{
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct txn_file v[8];
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
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
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
	for (enum fs_sort sort = SWAPS; sort <= NEITHER; sort++)
		for (size_t c = 0; c < 3; c++) {
			unsigned n = 1;

			while (run_failing(sort, codes[c], n % 2, n))
				n++;
			assert_in_range(n, 50, 1000);
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
	struct txn_file v[8];
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
	for (enum fs_sort sort = SWAPS; sort <= NEITHER; sort++) {
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
	struct txn_file v[8];
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
	for (enum fs_sort sort = SWAPS; sort <= NEITHER; sort++)
		for (unsigned n = 1; n < 80; n++)
			for (unsigned gap = 1; gap < 50; gap++)
				twice(sort, n, gap);
}

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
	one(&m, two, 2, ERR_CONFLICT, "hard and d2 lead to the same file");
	f.was_hash++;
	one(&m, &f, 1, ERR_STALE, "a: has changed on disk since it was read; try again");
	f.was_hash--;
	memfs_put(&m, "/r/a", "text of a\n", 0444);
	one(&m, &f, 1, ERR_DENIED, "a: is read-only; make it writable first");
	f.exists = false;
	one(&m, &f, 1, ERR_DENIED, "a: is read-only; make it writable first");
	f.path = "/r/none";
	one(&m, &f, 1, ERR_STALE, "none: is gone since it was read");
	f.path = "/r/d";
	one(&m, &f, 1, ERR_STALE, "d: is no longer a regular file");
	f = (struct txn_file){ "/r/b", false, true, 0, .now = STR("x") };
	one(&m, &f, 1, ERR_STALE, "b: is there now, and was not when the change was worked out");
	f.path = "/r/a/below";
	one(&m, &f, 1, ERR_CONFLICT, "a/below: /r/a: is no folder");
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
	one(&m, both, 2, ERR_CONFLICT, "mod and MOD lead to the same file");
	one(&m, moved, 2, ERR_STALE,
	    "Mod: is there now, and was not when the change was worked out");
	dump(&m, &before);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", made, 2, NULL, 0);
	assert_true(txn_prepare(t, &e));
	assert_false(txn_commit(t, &e));
	assert_string_equal(e.msg, "N: was made by another program at this moment");
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
}

/* Changed after it became visible: abort leaves that text, and says where the old one is. */
static void foreign_text_after_commit(void **state)
{
	struct txn_file v[8];
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
		cmocka_unit_test(swap_is_refused_once),
		cmocka_unit_test(abort_can_be_repeated),
		cmocka_unit_test(two_failures_in_a_row),
		cmocka_unit_test(refused_at_the_start),
		cmocka_unit_test(capital_letters_are_small_ones),
		cmocka_unit_test(foreign_text_stays),
		cmocka_unit_test(foreign_text_after_commit),
		cmocka_unit_test(settled_text_is_not_read_again),
		cmocka_unit_test(another_text_is_found),
		cmocka_unit_test(nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
