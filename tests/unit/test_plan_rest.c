#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/history.h>
#include <edit/plan.h>

#include "gen.h"
#include "memfs.c" /* a unit test is built from one file */

#include "plan_rig.h"

/* Files that give up their texts: what is told of them, and done with them, stays the same. */

#define LINES	400
#define LINE_AT (40 * 12) /* the first byte of line 41 */

static struct buf before, after;

static void long_file(void)
{
	buf_clear(&before);
	buf_clear(&after);
	for (int i = 0; i < LINES; i++)
		buf_addf(&before, "line %05d\r\n", i);
	memfs_put(&m, "/r/long", before.p, 0644);
}

/* A line that becomes two, and one at the end that goes. */
static void change(bool rest)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = "/r/long", .spans = &set };

	long_file();
	edits_add(&set, (struct span){ LINE_AT + 5, LINE_AT + 10 }, STR("one\nline two"), 0);
	edits_add(&set, (struct span){ before.n - 12, before.n }, STR(""), 0);
	ok(plan_add(p, &op, &e));
	buf_add(&after, str_sub(buf_str(&before), 0, LINE_AT));
	buf_adds(&after, "line one\r\nline two\r\n");
	buf_add(&after, str_sub(buf_str(&before), LINE_AT + 12, before.n - 12));
	if (rest)
		plan_rest(p, "/r/long");
}

static void start_over(void)
{
	plan_free(p);
	p = plan_new(&src);
}

static void told(struct buf *diff, struct buf *record)
{
	plan_preview(p, diff);
	history_record(record, p, &(struct history_about){ "/r", "cli", "test", NULL, 0, NULL, 0 });
}

static void texts_are_whole(void)
{
	const struct plan_file *f = plan_file(p, 0);

	assert_null(f->rested);
	assert_text(f->was, buf_str(&before));
	assert_text(f->now, buf_str(&after));
	assert_true(f->was_hash == hash_of(f->was) && f->now_hash == hash_of(f->now));
}

static void the_same_is_told(void **state)
{
	struct buf diff[2] = { BUF_INIT, BUF_INIT }, record[2] = { BUF_INIT, BUF_INIT };

	(void)state;
	for (int rest = 0; rest < 2; rest++) {
		start_over();
		change(rest);
		finish();
		assert_int_equal(plan_file(p, 0)->part, rest);
		files("long:-2+2");
		told(&diff[rest], &record[rest]);
	}
	assert_text(buf_str(&diff[1]), buf_str(&diff[0]));
	assert_text(buf_str(&record[1]), buf_str(&record[0]));
	ok(plan_want(p, 0, &e));
	texts_are_whole();
	buf_clear(&diff[1]);
	plan_preview(p, &diff[1]);
	assert_text(buf_str(&diff[1]), buf_str(&diff[0]));
	for (int i = 0; i < 2; i++) {
		buf_release(&diff[i]);
		buf_release(&record[i]);
	}
}

static void apply(void)
{
	size_t n;
	const struct txn_file *v = plan_states(p, &n);
	struct txn *t = txn_new(&m.fs, MEMFS_HOME, "/r", v, n, NULL, 0);

	ok(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
}

static void is_applied(const char *path, struct str want)
{
	struct node *v = node_at(&m, path);

	assert_non_null(v);
	assert_text(buf_str(&v->text), want);
}

static void it_is_carried_out(void **state)
{
	(void)state;
	change(true);
	finish();
	apply();
	is_applied("/r/long", buf_str(&after));
}

/* Of a short one most would have to be kept. */
static void a_short_text_is_kept(void **state)
{
	(void)state;
	ok(edit("/r/a", 0, 3, "ONE"));
	plan_rest(p, "/r/a");
	finish();
	assert_non_null(plan_file(p, 0)->rested);
	assert_false(plan_file(p, 0)->part);
	assert_text(plan_file(p, 0)->was, STR("one\ntwo\nthree\n"));
	apply();
	is_applied("/r/a", STR("ONE\ntwo\nthree\n"));
}

static void operations_may_follow(void **state)
{
	(void)state;
	change(true);
	ok(edit("/r/long", 0, 4, "LINE"));
	memcpy(after.p, "LINE", 4);
	ok(move("/r/long", "/r/moved", 0));
	finish();
	files("long>moved:-3+3");
	texts_are_whole();
	apply();
	is_applied("/r/moved", buf_str(&after));

	start_over();
	change(true);
	ok(move("/r/long", "/r/again", 0));
	finish();
	texts_are_whole();

	start_over();
	change(true);
	ok(create("/r/long", OVER));
	ok(edit("/r/long", 0, 0, "new\n"));
	finish();
	files("long:-400+1");
	assert_text(plan_file(p, 0)->was, buf_str(&before));

	start_over();
	change(true);
	ok(drop("/r/long", 0));
	finish();
	files("long-");
	assert_text(plan_file(p, 0)->was, buf_str(&before));
}

static void hunks_may_be_left_out(void **state)
{
	bool keep[2] = { true, false };

	(void)state;
	change(true);
	finish();
	ok(plan_keep_hunks(p, 0, keep, 2, &e));
	files("long:-1+2");
	buf_add(&after, str_sub(buf_str(&before), before.n - 12, before.n));
	texts_are_whole();
}

static void another_text_is_refused(void **state)
{
	static const char *const message = "long: changed while the change was computed; try again";

	(void)state;
	change(true);
	memfs_put(&m, "/r/long", "short\n", 0644);
	refused(edit("/r/long", 0, 4, "LINE"), ERR_STALE, message);

	start_over();
	change(true);
	finish();
	memfs_put(&m, "/r/long", "short\n", 0644);
	refused(plan_want(p, 0, &e), ERR_STALE, message);
	assert_true(plan_file(p, 0)->part);

	start_over();
	change(true);
	ok(move("/r/long", "/r/moved", 0));
	memfs_put(&m, "/r/long", "short\n", 0644);
	refused(plan_finish(p, &e), ERR_STALE, message);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_same_is_told),	  T(it_is_carried_out),	    T(a_short_text_is_kept),
		T(operations_may_follow), T(hunks_may_be_left_out), T(another_text_is_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_release(&before);
	buf_release(&after);
	return failed;
}
