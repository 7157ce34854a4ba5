#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "text/alignment.h"

/* "0 - 2": where each old line is, and "-" where nobody knows. */
static void assert_aligned(const char *was, const char *now, const char *want)
{
	struct alignment al;
	struct buf got = BUF_INIT;

	align_lines(&al, str_of(was), str_of(now));
	for (size_t i = 0; i < al.n; i++) {
		buf_adds(&got, i ? " " : "");
		if (al.to[i] == ALIGN_NONE)
			buf_addc(&got, '-');
		else
			buf_addn(&got, al.to[i]);
	}
	assert_int_equal(al.to[al.n], al.m);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	alignment_release(&al);
}

static void lines_are_where_they_have_to_be(void **state)
{
	(void)state;
	assert_aligned("", "", "");
	assert_aligned("", "a\n", "");
	assert_aligned("a\nb\n", "", "- -");
	assert_aligned("a\nb\nc\n", "a\nb\nc\n", "0 1 2");
	assert_aligned("a\nb\nc\n", "x\ny\na\nb\nc\n", "2 3 4");
	assert_aligned("a\nb\nc\n", "a\nc\n", "0 - 1");
	assert_aligned("a\nb\nc\n", "a\nB\nc\n", "0 - 2");
	assert_aligned("a\nb\nc\nd\n", "x\na\nc\nd\ny\n", "1 - 2 3");
}

static void other_line_ends_change_nothing(void **state)
{
	(void)state;
	assert_aligned("a\r\nb\r\nc", "x\na\nb\nc\n", "1 2 3");
	assert_aligned("\xef\xbb\xbf"
		       "a\nb\n",
		       "a\nb\n", "0 1");
}

static void what_may_be_either_line_is_not_known(void **state)
{
	(void)state;
	/* one of three has gone */
	assert_aligned("a\n}\n}\n}\nb\n", "a\n}\n}\nb\n", "0 - - - 3");
	/* one has come, before or behind */
	assert_aligned("a\n}\nb\n", "a\n}\n}\nb\n", "0 - 3");
	/* the second may be the old one, with more before it */
	assert_aligned("}\np\n", "}\nq\n}\n", "- -");
	/* two lines have changed places: either of them may have been moved */
	assert_aligned("a\nb\n", "b\na\n", "- -");
	/* what is alike elsewhere is no doubt about this one */
	assert_aligned("f {\n}\ng {\n}\n", "f {\n}\ng {\nx\n}\n", "0 1 2 4");
}

/* Every longest common subsequence, by the textbook. */
#define MOST 24
struct model {
	char a[MOST], b[MOST];
	size_t n, m;
	unsigned head[MOST + 1][MOST + 1], tail[MOST + 1][MOST + 1];
};

static unsigned larger(unsigned x, unsigned y)
{
	return x > y ? x : y;
}

static void measure(struct model *t)
{
	memset(t->head, 0, sizeof(t->head));
	memset(t->tail, 0, sizeof(t->tail));
	for (size_t i = 1; i <= t->n; i++)
		for (size_t j = 1; j <= t->m; j++)
			t->head[i][j] =
				larger(larger(t->head[i - 1][j], t->head[i][j - 1]),
				       t->head[i - 1][j - 1] + (t->a[i - 1] == t->b[j - 1]));
	for (size_t i = t->n; i--;)
		for (size_t j = t->m; j--;)
			t->tail[i][j] = larger(larger(t->tail[i + 1][j], t->tail[i][j + 1]),
					       t->tail[i + 1][j + 1] + (t->a[i] == t->b[j]));
}

static size_t where(const struct model *t, size_t i)
{
	size_t at = ALIGN_NONE, places = 0;

	for (size_t j = 0; j < t->m; j++)
		if (t->a[i] == t->b[j] &&
		    t->head[i][j] + 1 + t->tail[i + 1][j + 1] == t->tail[0][0]) {
			at = j;
			places++;
		}
	for (size_t j = 0; j <= t->m; j++) /* or it has gone */
		places += t->head[i][j] + t->tail[i + 1][j] == t->tail[0][0];
	return places == 1 ? at : ALIGN_NONE;
}

static size_t some_lines(struct gen *g, char *v, size_t kinds, struct buf *out)
{
	size_t n = gen_below(g, MOST + 1);

	for (size_t i = 0; i < n; i++)
		v[i] = (char)('a' + gen_below(g, kinds));
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%c\n", v[i]);
	return n;
}

/* The same lines with some taken out and put in. */
static size_t edited(struct gen *g, const char *a, size_t n, char *v, size_t kinds, struct buf *out)
{
	size_t m = 0;

	for (size_t i = 0; i <= n; i++) {
		if (!gen_below(g, 6) && m < MOST)
			v[m++] = (char)('a' + gen_below(g, kinds));
		if (i < n && gen_below(g, 6) && m < MOST)
			v[m++] = a[i];
	}
	for (size_t i = 0; i < m; i++)
		buf_addf(out, "%c\n", v[i]);
	return m;
}

static void as_every_shortest_difference_has_it(void **state)
{
	struct gen g = { 20261124 };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf was = BUF_INIT, now = BUF_INIT;
		size_t kinds = 1 + gen_below(&g, 26);
		struct alignment al;
		struct model t;

		t.n = some_lines(&g, t.a, kinds, &was);
		t.m = round % 3 ? edited(&g, t.a, t.n, t.b, kinds, &now)
				: some_lines(&g, t.b, kinds, &now);
		measure(&t);
		align_lines(&al, buf_str(&was), buf_str(&now));
		assert_int_equal(al.n, t.n);
		assert_int_equal(al.m, t.m);
		for (size_t i = 0; i < t.n; i++)
			if (al.to[i] != where(&t, i))
				fail_msg("round %d, line %zu: %zd, not %zd\n%s---\n%s", round, i,
					 (ssize_t)al.to[i], (ssize_t)where(&t, i), was.p, now.p);
		alignment_release(&al);
		buf_release(&was);
		buf_release(&now);
	}
}

static void a_large_text_with_changes_at_both_ends(void **state)
{
	struct buf was = BUF_INIT, now = BUF_INIT;
	struct alignment al;

	(void)state;
	buf_adds(&now, "first\n");
	for (size_t i = 0; i < 100000; i++) {
		buf_addf(&was, "%zu\n}\n", i);
		buf_addf(&now, i == 99990 ? "new\n}\n" : "%zu\n}\n", i);
	}
	align_lines(&al, buf_str(&was), buf_str(&now));
	assert_int_equal(al.to[0], 1);
	assert_int_equal(al.to[50001], 50002);
	assert_true(al.to[2 * 99990] == ALIGN_NONE);
	assert_int_equal(al.to[199999], 200000);
	alignment_release(&al);
	/* all of it is new: nothing is known, in reasonable time */
	buf_clear(&now);
	for (size_t i = 0; i < 100000; i++)
		buf_addf(&now, "-%zu\n}\n", i);
	align_lines(&al, buf_str(&was), buf_str(&now));
	assert_true(al.to[1] == ALIGN_NONE);
	alignment_release(&al);
	buf_release(&was);
	buf_release(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_where_they_have_to_be),
		cmocka_unit_test(other_line_ends_change_nothing),
		cmocka_unit_test(what_may_be_either_line_is_not_known),
		cmocka_unit_test(as_every_shortest_difference_has_it),
		cmocka_unit_test(a_large_text_with_changes_at_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
