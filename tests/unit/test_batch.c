/* Batches against a naive model: an array of lines that each operation changes in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "edit/batch.h"
#include "gen.h"
#include "memfs.c"

static struct memfs m;
static struct plan_source src;
static struct operations ops;
static struct err e;

static bool allowed(void *self, const char *path, bool itself, struct err *why)
{
	(void)self;
	(void)itself;
	(void)path;
	(void)why;
	return true;
}

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	src = (struct plan_source){ &m,	       "/r",	m.fs.stat,    m.fs.read,
				    m.fs.list, allowed, m.fs.readlink };
	ops = (struct operations){ 0 };
	e = (struct err)ERR_INIT;
	return 0;
}

static int end(void **state)
{
	(void)state;
	operations_release(&ops);
	memfs_release(&m);
	return 0;
}

static struct operation *add(enum operation_kind kind, const char *path, size_t line, size_t count,
			     const char *with)
{
	struct operation *op = operations_add(&ops, kind, path);

	op->of = (int)ops.n - 1;
	op->line = line;
	op->count = count;
	op->with = arena_str(&ops.parts, str_of(with));
	return op;
}

static void replace(const char *path, const char *find, const char *with)
{
	add(OPERATION_REPLACE, path, 0, 0, with)->find = arena_str(&ops.parts, str_of(find));
}

static struct batch *run(unsigned flags, struct plan **p)
{
	struct batch *b = batch_new(&ops, flags);

	e = (struct err)ERR_INIT;
	*p = batch_run(b, &src, &e);
	return b;
}

static void gives(const char *path, const char *want)
{
	struct plan *p;
	struct batch *b = run(BATCH_CONFLICTS, &p);
	struct str got = STR("");

	if (!p)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < plan_files(p); i++)
		if (!strcmp(plan_file(p, i)->path, path)) {
			assert_true(plan_want(p, i, &e));
			got = plan_file(p, i)->now;
		}
	assert_text(got, str_of(want));
	plan_free(p);
	batch_free(b);
}

static void refused(enum err_code code, const char *message)
{
	struct plan *p;
	struct batch *b = run(BATCH_CONFLICTS, &p);

	assert_null(p);
	if (e.code != code || !strstr(e.msg, message))
		fail_msg("\"%s\" (%s) does not say \"%s\"", e.msg, err_name(e.code), message);
	batch_free(b);
}

static void lines_are_those_before_the_batch(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n4\n5\n", 0644);
	add(OPERATION_INSERT, "/r/a", 4, 0, "x");
	add(OPERATION_INSERT, "/r/a", 2, 0, "y\nz");
	add(OPERATION_LINES, "/r/a", 5, 1, "five");
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	gives("/r/a", "y\nz\n2\n3\nx\n4\nfive\n");
}

static void strings_are_sought_in_what_is_there_by_then(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "one two\n", 0644);
	replace("/r/a", "one", "three");
	replace("/r/a", "three two", "four");
	gives("/r/a", "four\n");
	replace("/r/a", "five", "six");
	refused(ERR_NOT_FOUND, "operation 3 of 3 (replace): a: old_string is not there");
}

static void a_string_that_two_edits_make_is_seen(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "abXc abc\n", 0644);
	replace("/r/a", "X", "");
	replace("/r/a", "abc", "!"); /* by now it stands there twice */
	refused(ERR_AMBIGUOUS, "2 times");
}

static void the_end_of_the_text_is_kept(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2", 0644);
	add(OPERATION_INSERT, "/r/a", 3, 0, "3\n");
	gives("/r/a", "1\n2\n3");
	operations_release(&ops);
	add(OPERATION_DELETE, "/r/a", 2, 1, "");
	gives("/r/a", "1");
	operations_release(&ops);
	memfs_put(&m, "/r/crlf", "1\r\n2\r\n", 0644);
	add(OPERATION_LINES, "/r/crlf", 1, 1, "a\nb");
	add(OPERATION_INSERT, "/r/crlf", 3, 0, "c");
	gives("/r/crlf", "a\r\nb\r\n2\r\nc\r\n");
	operations_release(&ops);
	memfs_put(&m, "/r/empty", "", 0644);
	add(OPERATION_INSERT, "/r/empty", 1, 0, "x");
	gives("/r/empty", "x\n");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 1, 1, "");
	gives("/r/a", "\n2");
}

static void conflicts_are_found_before_anything_runs(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n4\n5\n", 0644);
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	add(OPERATION_LINES, "/r/a", 4, 1, "x");
	refused(ERR_CONFLICT, "operations 0 and 1 both change line 4");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 3, 0, "x");
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	refused(ERR_CONFLICT, "operations 0 and 1");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 2, 0, "x"); /* at the edge */
	add(OPERATION_DELETE, "/r/a", 2, 3, "");
	gives("/r/a", "1\nx\n5\n");
	operations_release(&ops);
	replace("/r/a", "3", "three");
	add(OPERATION_DELETE, "/r/a", 3, 1, "");
	refused(ERR_CONFLICT, "line 3");
}

static void every_failure_is_told(void **state)
{
	struct plan *p;
	struct batch *b;

	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n", 0644);
	memfs_put(&m, "/r/b", "x\n", 0644);
	replace("/r/a", "nowhere", "x");
	add(OPERATION_DELETE, "/r/a", 9, 1, "");
	replace("/r/b", "x", "y");
	replace("/r/absent", "x", "y");
	b = run(BATCH_CONFLICTS, &p);
	assert_null(p);
	assert_int_equal(batch_failures(b), 3);
	assert_int_equal(batch_outcome(b, 0)->why->code, ERR_NOT_FOUND);
	assert_int_equal(batch_outcome(b, 1)->why->code, ERR_INVALID);
	assert_null(batch_outcome(b, 2)->why);
	assert_int_equal(batch_outcome(b, 3)->why->code, ERR_NOT_FOUND);
	batch_free(b);
	b = run(BATCH_CONFLICTS | BATCH_KEEP_GOOD, &p);
	assert_non_null(p);
	assert_int_equal(plan_files(p), 1);
	assert_string_equal(plan_file(p, 0)->path, "/r/b");
	assert_int_equal(batch_failures(b), 3);
	plan_free(p);
	batch_free(b);
}

static void lines_that_moved_are_followed(void **state)
{
	struct plan *p;
	struct batch *b;
	struct operation *op;

	(void)state;
	memfs_put(&m, "/r/a", "new\none\ntwo\n", 0644);
	op = add(OPERATION_LINES, "/r/a", 1, 1, "ONE");
	op->expect = STR("one");
	b = run(0, &p);
	assert_non_null(p);
	assert_int_equal(batch_outcome(b, 0)->match, MATCH_RELOCATED);
	assert_int_equal(batch_outcome(b, 0)->moved_to, 2);
	assert_true(plan_want(p, 0, &e));
	assert_text(plan_file(p, 0)->now, STR("new\nONE\ntwo\n"));
	plan_free(p);
	batch_free(b);
	ops.v[0].expect = STR("gone");
	refused(ERR_STALE, "line 1");
}

static void numbers_that_come_back_are_taken_off(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2\n3\n", 0644);
	add(OPERATION_LINES, "/r/a", 2, 1, "2: two\n3: more");
	gives("/r/a", "1\ntwo\nmore\n3\n");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 2, 1, "7: two");
	gives("/r/a", "1\n7: two\n3\n");
}

/* The line end of the only line: no line is behind it to be taken away. */
static void the_last_line_end_may_be_replaced(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "int a;\n", 0644);
	replace("/r/a", "\n", "x\n");
	add(OPERATION_DELETE, "/r/a", 9, 1, "");
	refused(ERR_INVALID, "line 9 is past the end");
	operations_release(&ops);
	replace("/r/a", "\n", "x\n");
	replace("/r/a", "x\n", "y");
	add(OPERATION_INSERT, "/r/a", 2, 0, "z");
	gives("/r/a", "int a;y\nz");
}

static void a_line_end_is_sought_in_crlf_as_one(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "int a;\r\n", 0644);
	replace("/r/a", "\n", "x\n");
	gives("/r/a", "int a;x\r\n");
	operations_release(&ops);
	memfs_put(&m, "/r/a", "one\r\ntwo\r\nthree\r\n", 0644);
	add(OPERATION_LINES, "/r/a", 1, 1, "two");
	replace("/r/a", "two\n", "2\n"); /* by now it stands there twice */
	refused(ERR_AMBIGUOUS, "2 times");
}

static void lines_at_an_end_without_a_line_end(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "1\n2", 0644);
	add(OPERATION_DELETE, "/r/a", 2, 1, ""); /* does not touch line 1 */
	add(OPERATION_LINES, "/r/a", 1, 1, "one");
	gives("/r/a", "one");
	operations_release(&ops);
	add(OPERATION_LINES, "/r/a", 2, 1, "two");
	add(OPERATION_INSERT, "/r/a", 3, 0, "three");
	gives("/r/a", "1\ntwo\nthree");
	operations_release(&ops);
	add(OPERATION_INSERT, "/r/a", 3, 0, "");
	gives("/r/a", "1\n2\n\n");
	operations_release(&ops);
	memfs_put(&m, "/r/a", "1\n\n3", 0644);
	add(OPERATION_DELETE, "/r/a", 3, 1, "");
	gives("/r/a", "1\n\n");
}

/* What joins a line is a change of it. */
static void a_line_that_is_joined_is_changed(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "ab\ncd\nef\n", 0644);
	replace("/r/a", "b\n", "X");
	add(OPERATION_DELETE, "/r/a", 2, 1, "");
	refused(ERR_CONFLICT, "both change line 2");
}

static const char *in_root(void *arg, struct arena *a, struct str path, struct err *why)
{
	struct buf full = BUF_INIT;
	const char *kept;

	(void)arg;
	(void)why;
	buf_addf(&full, "/r/%.*s", STR_ARG(path));
	kept = arena_str(a, buf_str(&full)).p;
	buf_release(&full);
	return kept;
}

static void patch_of_a(const char *text)
{
	if (!operations_from_patch(&ops, str_of(text), (int)ops.n, "/r/a", in_root, NULL, &e))
		fail_msg("%s", e.msg);
}

#define REMOVE_A "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"

/* A name may stand for one text after another. */
static void a_file_goes_and_comes_in_a_batch(void **state)
{
	(void)state;
	memfs_put(&m, "/r/a", "one\ntwo\n", 0644);
	replace("/r/a", "one", "1");
	patch_of_a(REMOVE_A);
	replace("/r/a", "two", "2");
	refused(ERR_NOT_FOUND, "operation 3 of 3 (replace): a: there is no such file");
	operations_release(&ops);
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	replace("/r/a", "two", "2");
	patch_of_a(REMOVE_A);
	patch_of_a("*** Begin Patch\n*** Add File: a\n+three\n+four\n*** End Patch\n");
	add(OPERATION_DELETE, "/r/a", 1, 1, "");
	replace("/r/a", "four", "4");
	gives("/r/a", "4\n");
}

/* The model. */
struct row {
	int original; /* -1: put in */
	char text[40];
};

struct rows {
	struct row v[400];
	size_t n;
};

static void rows_splice(struct rows *r, size_t at, size_t removed, size_t added)
{
	memmove(&r->v[at + added], &r->v[at + removed], (r->n - at - removed) * sizeof(*r->v));
	r->n += added - removed;
}

static size_t rows_at(const struct rows *r, size_t original, size_t lines)
{
	if (original == lines)
		return r->n;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].original == (int)original)
			return i;
	return SIZE_MAX;
}

#define LINES 30

/* Takes one operation that touches lines nobody has touched; the model changes at once. */
static void random_operation(struct gen *g, struct rows *r, bool *used, int serial)
{
	size_t line = gen_below(g, LINES), at = rows_at(r, line, LINES);
	char text[24], find[24];

	snprintf(text, sizeof(text), "new %d", serial);
	if (used[line])
		return;
	switch (gen_below(g, 4)) {
	case 0: /* before a line, which itself stays */
		add(OPERATION_INSERT, "/r/a", line + 1, 0, text);
		rows_splice(r, at, 0, 1);
		r->v[at].original = -1;
		strcpy(r->v[at].text, text);
		return;
	case 1:
		add(OPERATION_DELETE, "/r/a", line + 1, 1, "");
		rows_splice(r, at, 1, 0);
		break;
	case 2:
		add(OPERATION_LINES, "/r/a", line + 1, 1, text);
		r->v[at].original = -1;
		strcpy(r->v[at].text, text);
		break;
	default:
		snprintf(find, sizeof(find), "<%zu>", line);
		snprintf(text, sizeof(text), "<%zu>", (line * 7 + (size_t)serial) % LINES + 100);
		replace("/r/a", find, text);
		snprintf(r->v[at].text, sizeof(r->v[at].text), "line %s", text);
	}
	used[line] = true;
}

static void batches_against_lines(void **state)
{
	struct gen g = { 7 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct rows r = { .n = LINES };
		bool used[LINES] = { false };
		struct buf text = BUF_INIT;

		for (int i = 0; i < LINES; i++) {
			r.v[i].original = i;
			snprintf(r.v[i].text, sizeof(r.v[i].text), "line <%d>", i);
			buf_addf(&text, "line <%d>\n", i);
		}
		memfs_put(&m, "/r/a", text.p, 0644);
		for (int i = 0; i < 25; i++)
			random_operation(&g, &r, used, i);
		buf_clear(&text);
		for (size_t i = 0; i < r.n; i++)
			buf_addf(&text, "%s\n", r.v[i].text);
		gives("/r/a", text.p);
		operations_release(&ops);
		buf_release(&text);
	}
}

/* Strings that look alike, so that what one operation puts in, or joins, is what another seeks. */
static void random_replacements(struct gen *g, const char *const *pieces, size_t n_pieces)
{
	size_t n = 1 + gen_below(g, 7);

	for (size_t i = 0; i < n; i++) {
		struct buf find = BUF_INIT, with = BUF_INIT;

		gen_text(g, &find, pieces, n_pieces, 1 + gen_below(g, 3));
		gen_text(g, &with, pieces, n_pieces, gen_below(g, 3));
		replace("/r/a", buf_str(&find).p, buf_str(&with).p);
		ops.v[i].all = !gen_below(g, 6);
		buf_release(&find);
		buf_release(&with);
	}
}

/* Each operation as a batch of its own, on what those before it left. */
static void in_turn(struct buf *text, struct err *why)
{
	const struct operations all = ops;

	for (size_t i = 0; i < all.n; i++) {
		struct plan *p;
		struct batch *b;

		memfs_put(&m, "/r/a", buf_str(text).p, 0644);
		ops.v = &all.v[i];
		ops.n = 1;
		b = run(0, &p);
		why[i] =
			batch_outcome(b, 0)->why ? *batch_outcome(b, 0)->why : (struct err)ERR_INIT;
		if (p && plan_files(p)) {
			assert_true(plan_want(p, 0, &e));
			buf_clear(text);
			buf_add(text, plan_file(p, 0)->now);
		}
		plan_free(p);
		batch_free(b);
	}
	ops = all;
}

static void check_against_turns(struct str text)
{
	struct buf want = BUF_INIT;
	struct err why[8];
	struct plan *p;
	struct batch *b;

	buf_add(&want, text);
	in_turn(&want, why);
	memfs_put(&m, "/r/a", text.p, 0644);
	b = run(0, &p);
	for (size_t i = 0; i < ops.n; i++) {
		const struct err *got = batch_outcome(b, i)->why;

		if (strcmp(got ? got->msg : "", why[i].msg) != 0)
			fail_msg("operation %zu of %zu on \"%s\": \"%s\", alone \"%s\"", i, ops.n,
				 text.p, got ? got->msg : "", why[i].msg);
	}
	if (p && plan_files(p))
		assert_true(plan_want(p, 0, &e));
	if (p)
		assert_text(plan_files(p) ? plan_file(p, 0)->now : text, buf_str(&want));
	plan_free(p);
	batch_free(b);
	buf_release(&want);
}

static void strings_as_if_each_came_alone(void **state)
{
	/* shorter than a window of the search, and longer */
	static const char *const short_pieces[] = { "a", "b", "ab", "c" };
	static const char *const long_pieces[] = { "first, ", "second, ", "third.", "\n" };
	struct gen g = { 11 };

	(void)state;
	for (int round = 0; round < 6000; round++) {
		const char *const *pieces = round % 2 ? short_pieces : long_pieces;
		struct buf text = BUF_INIT;

		gen_text(&g, &text, pieces, 4, 1 + gen_below(&g, 14));
		random_replacements(&g, pieces, 4);
		check_against_turns(buf_str(&text));
		operations_release(&ops);
		buf_release(&text);
	}
}

/* Its edits begin before the first line, where the mark is. */
static void a_patch_changes_line_1_behind_a_byte_order_mark(void **state)
{
	static const char *const patches[] = {
		"--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n-\xef\xbb\xbfone\n+\xef\xbb\xbfONE\n+1.5\n two\n",
		"--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n+\xef\xbb\xbfONE\n-\xef\xbb\xbfone\n+1.5\n two\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		memfs_put(&m, "/r/a", "\xef\xbb\xbfone\ntwo\nthree\n", 0644);
		assert_true(operations_from_patch(&ops, str_of(patches[i]), 0, NULL, in_root, NULL,
						  &e));
		add(OPERATION_DELETE, "/r/a", 2, 1, "");
		gives("/r/a", "\xef\xbb\xbfONE\n1.5\nthree\n");
		operations_release(&ops);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(lines_are_those_before_the_batch),
		T(strings_are_sought_in_what_is_there_by_then),
		T(a_string_that_two_edits_make_is_seen),
		T(the_end_of_the_text_is_kept),
		T(conflicts_are_found_before_anything_runs),
		T(every_failure_is_told),
		T(lines_that_moved_are_followed),
		T(numbers_that_come_back_are_taken_off),
		T(the_last_line_end_may_be_replaced),
		T(a_line_end_is_sought_in_crlf_as_one),
		T(lines_at_an_end_without_a_line_end),
		T(a_line_that_is_joined_is_changed),
		T(a_file_goes_and_comes_in_a_batch),
		T(a_patch_changes_line_1_behind_a_byte_order_mark),
		T(batches_against_lines),
		T(strings_as_if_each_came_alone),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
