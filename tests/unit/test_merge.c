#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <text/merge.h>

#include "gen.h"

/* The result, or "clash: lines ...". */
static void expect(const char *base, const char *target, const char *now, const char *want)
{
	struct merge m = MERGE_INIT;
	struct buf got = BUF_INIT;

	if (merge_texts(&m, str_of(base), str_of(target), str_of(now))) {
		edits_apply(&m.edits, str_of(now), &got);
	} else {
		buf_adds(&got, "clash: ");
		merge_describe(&m, &got);
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	merge_release(&m);
}

static void other_lines_stay(void **state)
{
	(void)state;
	expect("1\n2\n3\n", "1\nb\n3\n", "1\n2\n3\n", "1\nb\n3\n");
	expect("1\n2\n3\n", "1\nb\n3\n", "a\n2\n3\n", "a\nb\n3\n");
	expect("1\n2\n3\n", "1\nb\n3\n", "0\n1\n2\n3\n4\n", "0\n1\nb\n3\n4\n");
	expect("1\n2\n3\n4\n", "1\n3\n4\n", "1\n2\n3\nd\n", "1\n3\nd\n");
	expect("1\n2\n3\n4\n", "0\n1\n2\n3\n4\n", "1\n2\n3\n", "0\n1\n2\n3\n");
	expect("1\n2\n", "1\n2", "a\n2\n", "a\n2");
	expect("1\r\n2\r\n", "1\r\nb\r\n", "a\r\n2\r\n", "a\r\nb\r\n");
	expect("", "a\n", "", "a\n");
	expect("1\n2\n", "1\nx\n2\n", "1\nb\n", "1\nx\nb\n");
	expect("1\n2\n", "1\nx\n2\n", "a\n2\n", "a\nx\n2\n");
	expect("1\n2\n", "1\nx\n2\n", "2\n", "x\n2\n");
	expect("1\n2\n3\n", "1\nb\n3\n", "1\nx\n2\n3\n", "1\nx\nb\n3\n");
	expect("1\n2\n3\n", "1\n2\n3\n", "x\n", "x\n");
}

static void what_is_there_already_is_left(void **state)
{
	(void)state;
	expect("1\n2\n3\n", "1\nb\n3\n", "1\nb\n3\n4\n", "1\nb\n3\n4\n");
	expect("1\n2\n3\n4\n5\n", "1\nb\n3\n4\ne\n", "1\nb\n3\n4\n5\n", "1\nb\n3\n4\ne\n");
	expect("1\n", "1\n2\n", "1\n2\n", "1\n2\n");
}

static void the_same_lines_clash(void **state)
{
	(void)state;
	expect("1\n2\n3\n", "1\nb\n3\n", "1\nB\n3\n", "clash: line 2");
	expect("1\n2\n3\n", "1\nb\n3\n", "1\n3\n", "clash: line 2");
	expect("1\n2\n3\n", "1\n3\n", "1\nX\nY\nZ\n3\n", "clash: lines 2-4");
	expect("1\n2\n3\n4\n5\n", "a\n2\n3\n4\ne\n", "A\n2\n3\n4\nE\n", "clash: lines 1, 5");
	expect("1\n2\n", "1\nx\n2\n", "1\ny\n2\n", "clash: line 2");
	expect("1\n2\n", "1\nx\n2\n", "1\nb\nc\n", "clash: lines 2-3");
	expect("1\n2\n3\n", "1\nx\ny\nz\n3\n", "1\n2\n\n3\n", "clash: line 3");
	expect("1\n2\n3\n4\n", "x\ny\n", "A\n2\n3\nD\n", "clash: lines 1, 4");
	/* of two changes one would do: all or nothing */
	expect("1\n2\n3\n", "a\n2\nc\n", "1\n2\nC\n", "clash: line 3");
}

static void expect_marked(const char *base, const char *target, const char *now, const char *want)
{
	static const struct merge_labels labels = { "yours", "claude" };
	struct merge m = MERGE_INIT;
	struct buf got = BUF_INIT;

	merge_marked(&m, str_of(base), str_of(target), str_of(now), &labels);
	edits_apply(&m.edits, str_of(now), &got);
	if (m.clashes) {
		buf_adds(&got, "clash: ");
		merge_describe(&m, &got);
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	merge_release(&m);
}

static void clashes_are_marked(void **state)
{
	(void)state;
	expect_marked("1\n2\n3\n", "1\nb\n3\n", "a\n2\n3\n", "a\nb\n3\n");
	expect_marked("1\n2\n3\n", "1\nb\n3\n4\n", "1\nB\n3\n",
		      "1\n<<<<<<< yours\nB\n=======\nb\n>>>>>>> claude\n3\n4\nclash: lines 2-6");
	expect_marked("1\n2\n3\n", "0\n1\nb\n3\n", "1\n3\n",
		      "0\n1\n<<<<<<< yours\n=======\nb\n>>>>>>> claude\n3\nclash: lines 3-6");
	expect_marked("1\n2", "1\nb", "1\nB",
		      "1\n<<<<<<< yours\nB\n=======\nb\n>>>>>>> claude\nclash: lines 2-6");
	expect_marked("1\n2\n", "", "1\nB\n",
		      "<<<<<<< yours\n1\nB\n=======\n>>>>>>> claude\nclash: lines 1-5");
	expect_marked("1\n2\n", "x\n1\n2\n", "a\n2\n", "x\na\n2\n");
	expect_marked("1\n2\n3\n", "1\nb\n3\n", "1\nb\n3\n", "1\nb\n3\n");
}

/* Without what the other side has in the blocks. */
static void resolve(struct str text, struct buf *out)
{
	bool theirs = false;
	struct str line;

	while (str_line(&text, &line)) {
		if (str_eq(line, STR("=======")) || str_eq(line, STR(">>>>>>> claude")))
			theirs = line.p[0] == '=';
		else if (!theirs && !str_eq(line, STR("<<<<<<< yours")))
			buf_addf(out, "%.*s\n", STR_ARG(line));
	}
}

/* Lines that are in `now` and not in the base are all there, in their order. */
static void assert_kept(struct str now, struct str merged)
{
	struct str line, have;

	while (str_line(&now, &line)) {
		if (!str_starts(line, STR("t")))
			continue;
		do
			assert_true(str_line(&merged, &have));
		while (!str_eq(have, line));
	}
}

static void change_text(struct gen *g, struct str base, const char *who, struct buf *out)
{
	struct str line;
	size_t n = 0;

	while (str_line(&base, &line)) {
		size_t what = gen_below(g, 8);

		if (what == 0)
			buf_addf(out, "%s%zu\n", who, n++);
		if (what == 1)
			continue;
		if (what == 2)
			buf_addf(out, "%s%zu\n", who, n++);
		else
			buf_addf(out, "%.*s\n", STR_ARG(line));
	}
}

static void random_changes_are_never_lost(void **state)
{
	static const struct merge_labels labels = { "yours", "claude" };
	struct gen g = { 5 };
	size_t merged = 0, clashed = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf base = BUF_INIT, target = BUF_INIT, now = BUF_INIT, got = BUF_INIT,
			   clean = BUF_INIT;
		struct merge m = MERGE_INIT, plain = MERGE_INIT;

		for (size_t i = 0; i < 1 + gen_below(&g, 10); i++)
			buf_addf(&base, "l%zu\n", i);
		change_text(&g, buf_str(&base), "o", &target);
		change_text(&g, buf_str(&base), "t", &now);
		merge_marked(&m, buf_str(&base), buf_str(&target), buf_str(&now), &labels);
		edits_apply(&m.edits, buf_str(&now), &got);
		assert_kept(buf_str(&now), buf_str(&got));
		if (merge_texts(&plain, buf_str(&base), buf_str(&target), buf_str(&now))) {
			edits_apply(&plain.edits, buf_str(&now), &clean);
			assert_int_equal(m.clashes, 0);
			assert_text(buf_str(&got), buf_str(&clean));
			merged++;
		} else {
			assert_true(m.clashes > 0);
			assert_int_equal(str_count(buf_str(&got), '<') / 7, m.clashes);
			resolve(buf_str(&got), &clean);
			assert_kept(buf_str(&now), buf_str(&clean));
			clashed++;
		}
		merge_release(&m);
		merge_release(&plain);
		buf_release(&base);
		buf_release(&target);
		buf_release(&now);
		buf_release(&got);
		buf_release(&clean);
	}
	assert_true(merged > 1000 && clashed > 1000);
}

static void put_line(struct buf *out, const char *who, size_t i)
{
	buf_addf(out, "%s%zu\n", who, i);
}

static void random_changes_of_either(void **state)
{
	struct gen g = { 11 };
	size_t merged = 0, clashed = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf base = BUF_INIT, ours = BUF_INIT, theirs = BUF_INIT, want = BUF_INIT,
			   got = BUF_INIT;
		struct merge m = MERGE_INIT;
		size_t lines = 1 + gen_below(&g, 12), odds = 2 + gen_below(&g, 8);
		bool clash = false, done;

		for (size_t i = 0; i < lines; i++) {
			bool our = !gen_below(&g, odds), their = !gen_below(&g, odds);

			put_line(&base, "l", i);
			put_line(&ours, our ? "o" : "l", i);
			put_line(&theirs, their ? "t" : "l", i);
			put_line(&want, our ? "o" : their ? "t" : "l", i);
			clash |= our && their;
		}
		done = merge_texts(&m, buf_str(&base), buf_str(&ours), buf_str(&theirs));
		assert_int_equal(done, !clash);
		*(done ? &merged : &clashed) += 1;
		if (done)
			edits_apply(&m.edits, buf_str(&theirs), &got);
		if (done)
			assert_text(buf_str(&got), buf_str(&want));
		assert_int_equal(m.edits.n > 0 && !done, false);
		merge_release(&m);
		buf_release(&base);
		buf_release(&ours);
		buf_release(&theirs);
		buf_release(&want);
		buf_release(&got);
	}
	assert_true(merged > 1000 && clashed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_lines_stay),
		cmocka_unit_test(what_is_there_already_is_left),
		cmocka_unit_test(the_same_lines_clash),
		cmocka_unit_test(random_changes_of_either),
		cmocka_unit_test(clashes_are_marked),
		cmocka_unit_test(random_changes_are_never_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
