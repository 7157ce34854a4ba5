#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "text/diff.h"

static void hunks(const char *old, const char *new, const char *want)
{
	struct buf got = BUF_INIT;
	struct diff d;

	diff_lines(&d, str_of(old), str_of(new));
	for (size_t i = 0; i < d.n; i++)
		buf_addf(&got, "%s%zu,%zu>%zu,%zu", i ? " " : "", d.v[i].old_at, d.v[i].old_n,
			 d.v[i].new_at, d.v[i].new_n);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	diff_release(&d);
}

static void hunks_name_the_lines(void **state)
{
	(void)state;
	hunks("", "", "");
	hunks("a\nb\n", "a\nb\n", "");
	hunks("", "a\n", "0,0>0,1");
	hunks("a\n", "", "0,1>0,0");
	hunks("a\nb\nc\n", "a\nc\n", "1,1>1,0");
	hunks("a\nb\nc\nd\n", "a\nB\nc\nD\n", "1,1>1,1 3,1>3,1");
	hunks("a", "a\n", "0,1>0,1");
	hunks("a\r\n", "a\n", "0,1>0,1");
	hunks("\xef\xbb\xbf"
	      "a\n",
	      "a\n", "0,1>0,1");
	/* what may stand in several places stands in the last */
	hunks("{\n}\nx\n", "{\n}\n{\n}\nx\n", "2,0>2,2");
	hunks("p\n{\n}\nx\ny\n", "q\n{\n}\n{\n}\nx\nz\n", "0,1>0,1 3,0>3,2 4,1>6,1");
}

static void unified(const char *old_name, const char *new_name, const char *old, const char *new,
		    size_t context, const char *want)
{
	struct buf got = BUF_INIT;

	diff_unified(&got, old_name, new_name, str_of(old), str_of(new), context);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void unified_output_is_what_diff_prints(void **state)
{
	(void)state;
	unified("f", "f", "a\n", "a\n", 3, "");
	unified("f", "f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", 3,
		"--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
	unified("f", "f", "1\n2\n3\n4\n5\n6\n7\n", "0\n1\n2\n3\n4\n5\n6\n", 1,
		"--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n+0\n 1\n@@ -6,2 +7 @@\n 6\n-7\n");
	/* unchanged lines up to twice the context join two changes */
	unified("f", "f", "a\n1\n2\nb\n", "A\n1\n2\nB\n", 1,
		"--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
	unified("f", "f", "a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1,
		"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
	unified("f", "f", "a\nb\nc\n", "a\nx\nc\n", 0, "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+x\n");
	unified("f", "f", "a\nb\n", "a\nnew\nb\n", 0, "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+new\n");
}

static void unified_output_tells_missing_line_ends(void **state)
{
	static const char *const none = "\\ No newline at end of file\n";
	char want[200];

	(void)state;
	snprintf(want, sizeof(want), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n%s+a\n", none);
	unified("f", "f", "a", "a\n", 3, want);
	snprintf(want, sizeof(want), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n+y\n a\n%s", none);
	unified("f", "f", "x\na", "y\na", 3, want);
	snprintf(want, sizeof(want), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+b\n%s", none);
	unified("f", "f", "a\r\n", "b", 3, want);
}

static void unified_output_names_files(void **state)
{
	(void)state;
	unified(NULL, "n", "", "a\n", 3, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n");
	unified("n", NULL, "a\nb\n", "", 3, "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n");
	unified(NULL, "n", "", "", 3, "diff --git a/n b/n\nnew file mode 100644\n");
	unified("n", NULL, "", "", 3, "diff --git a/n b/n\ndeleted file mode 100644\n");
	unified("a b", "c", "x\n", "x\n", 3,
		"diff --git a/a b b/c\nrename from a b\nrename to c\n");
	unified("o", "n", "x\n", "y\n", 3,
		"diff --git a/o b/n\nrename from o\nrename to n\n"
		"--- a/o\n+++ b/n\n@@ -1 +1 @@\n-x\n+y\n");
	unified("\t\"\\\x01", "\n\xc3\xa9", "", "", 3,
		"diff --git \"a/\\t\\\"\\\\\\001\" \"b/\\n\xc3\xa9\"\n"
		"rename from \"\\t\\\"\\\\\\001\"\nrename to \"\\n\xc3\xa9\"\n");
}

/* What readers of patches would take for a time, or drop. */
static void unified_output_quotes_names_that_are_misread(void **state)
{
	(void)state;
	unified("a 2024-01-01 00:00:00", "b ", "x\n", "x\n", 3,
		"diff --git \"a/a 2024-01-01 00:00:00\" \"b/b \"\n"
		"rename from \"a 2024-01-01 00:00:00\"\nrename to \"b \"\n");
	unified("my file", " a", "x\n", "x\n", 3,
		"diff --git a/my file b/ a\nrename from my file\nrename to  a\n");
}

static void counts_are_of_lines(void **state)
{
	struct buf out = BUF_INIT;
	struct diff_counts c =
		diff_unified(&out, "f", "f", STR("a\nb\nc\nd\ne\n"), STR("A\nB\nb\nc\nd\n"), 0);

	(void)state;
	assert_int_equal(c.hunks, 2);
	assert_int_equal(c.added, 2);
	assert_int_equal(c.removed, 2);
	c = diff_unified(&out, "f", "f", STR("a\nb\nc\nd\ne\n"), STR("A\nB\nb\nc\nd\n"), 3);
	assert_int_equal(c.hunks, 1);
	assert_int_equal(c.added, 2);
	assert_int_equal(c.removed, 2);
	buf_release(&out);
}

/* The line of the text, with its end. */
static struct str nth(struct str text, size_t n)
{
	for (;; n--) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t len = lf ? (size_t)(lf - text.p) + 1 : text.n;

		if (!n)
			return str_sub(text, 0, len);
		text = str_sub(text, len, text.n);
	}
}

static size_t line_count(struct str text)
{
	size_t n = 0;

	while (nth(text, n).n)
		n++;
	return n;
}

#define MOST 40

/* How many lines the texts have in common at most, by the table. */
static size_t common_lines(struct str a, struct str b)
{
	size_t best[MOST + 1][MOST + 1] = { { 0 } }, n = line_count(a), m = line_count(b);

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			size_t skip =
				best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];

			best[i][j] = str_eq(nth(a, i - 1), nth(b, j - 1)) ? best[i - 1][j - 1] + 1
									  : skip;
		}
	return best[n][m];
}

static void assert_hunks(const struct diff *d, struct str a, struct str b, bool shortest)
{
	size_t old_end = 0, new_end = 0, cost = 0, old_line = 0, new_line = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_hunk *h = &d->v[i];

		assert_true(h->old_n || h->new_n);
		assert_int_equal(h->old_at - old_line, h->new_at - new_line);
		assert_true(!i || h->old_at > old_line);
		assert_int_equal(line_count(str_sub(a, 0, h->old_bytes.at)), h->old_at);
		assert_true(!h->old_bytes.at || a.p[h->old_bytes.at - 1] == '\n');
		assert_text(str_sub(a, old_end, h->old_bytes.at),
			    str_sub(b, new_end, h->new_bytes.at));
		assert_int_equal(line_count(str_sub(a, h->old_bytes.at, h->old_bytes.end)),
				 h->old_n);
		assert_int_equal(line_count(str_sub(b, h->new_bytes.at, h->new_bytes.end)),
				 h->new_n);
		old_end = h->old_bytes.end;
		new_end = h->new_bytes.end;
		old_line = h->old_at + h->old_n;
		new_line = h->new_at + h->new_n;
		cost += h->old_n + h->new_n;
	}
	assert_text(str_sub(a, old_end, a.n), str_sub(b, new_end, b.n));
	if (shortest)
		assert_int_equal(cost, line_count(a) + line_count(b) - 2 * common_lines(a, b));
}

static void assert_edits(struct str a, struct str b)
{
	struct edits set = EDITS_INIT;
	struct buf out = BUF_INIT;

	diff_edits(&set, a, b);
	edits_apply(&set, a, &out);
	assert_text(buf_str(&out), b);
	buf_release(&out);
	edits_release(&set);
}

/* A patch program that knows nothing of diff.c: follows the "@@" lines. */
static void patch(struct str old, struct str diff, struct buf *out)
{
	struct str line;
	size_t at = 0, no = 0;

	for (; diff.n; diff = str_sub(diff, line.n, diff.n)) {
		line = nth(diff, 0);
		if (line.p[0] == '@') {
			size_t from = (size_t)strtoul(line.p + 4, NULL, 10), n = 1;
			char *comma = memchr(line.p, ',', line.n);

			if (comma && comma < strchr(line.p, '+'))
				n = (size_t)strtoul(comma + 1, NULL, 10);
			for (; no + (n ? 1 : 0) < from; no++) {
				buf_add(out, nth(str_sub(old, at, old.n), 0));
				at += nth(str_sub(old, at, old.n), 0).n;
			}
		} else if (line.p[0] == '\\') {
			if (out->n && out->p[out->n - 1] == '\n' && diff.p[-1] == '\n' &&
			    at == old.n)
				out->n--;
		} else if (line.p[0] == '+') {
			if (!str_starts(line, STR("+++ ")))
				buf_add(out, str_sub(line, 1, line.n));
		} else if (!str_starts(line, STR("--- "))) {
			size_t n = nth(str_sub(old, at, old.n), 0).n;

			if (line.p[0] == ' ')
				buf_add(out, str_sub(old, at, at + n));
			at += n;
			no++;
		}
	}
	buf_add(out, str_sub(old, at, old.n));
}

static void assert_patches(struct str a, struct str b, size_t context)
{
	struct buf diff = BUF_INIT, out = BUF_INIT;

	diff_unified(&diff, "f", "f", a, b, context);
	patch(a, buf_str(&diff), &out);
	assert_text(buf_str(&out), b);
	buf_release(&diff);
	buf_release(&out);
}

static const char *const pieces[] = { "a\n",   "b\n",	     "c\n",	   "\n",   "}\n",
				      "a\r\n", "\xc3\xa9\n", "\xc3\xa8\n", "ab\n", "abc\n" };

/* b is a with lines changed, or another text. */
static void random_pair(struct gen *g, struct buf *a, struct buf *b)
{
	size_t of = 2 + gen_below(g, 9), n = gen_below(g, MOST - 10);

	gen_text(g, a, pieces, of, n);
	if (gen_below(g, 2)) {
		gen_text(g, b, pieces, of, gen_below(g, MOST - 10));
	} else {
		for (size_t i = 0; i < n; i++) {
			size_t what = gen_below(g, 12);

			if (what < 2)
				gen_text(g, b, pieces, of, what);
			else
				buf_add(b, nth(buf_str(a), i));
		}
	}
}

static void random_texts(void **state)
{
	struct gen g = { 77 };

	(void)state;
	for (int round = 0; round < 6000; round++) {
		struct buf a = BUF_INIT, b = BUF_INIT;
		struct diff d;

		random_pair(&g, &a, &b);
		assert_patches(buf_str(&a), buf_str(&b), gen_below(&g, 4));
		if (!gen_below(&g, 3))
			buf_addc(&a, 'x');
		if (!gen_below(&g, 3))
			buf_addc(&b, 'x');
		diff_lines(&d, buf_str(&a), buf_str(&b));
		assert_hunks(&d, buf_str(&a), buf_str(&b), true);
		diff_release(&d);
		assert_edits(buf_str(&a), buf_str(&b));
		buf_release(&a);
		buf_release(&b);
	}
}

/* Edits anywhere, also within lines, at the end, and next to each other. */
static void random_edits(struct gen *g, struct str text, struct edits *set)
{
	struct edit_clash why;
	size_t at = 0;

	while (gen_below(g, 8) && at <= text.n) {
		struct span span = { at + gen_below(g, 9), 0 };
		struct buf with = BUF_INIT;

		span.end = span.at + gen_below(g, 4) * gen_below(g, 4);
		if (span.end > text.n)
			break;
		GEN_TEXT(g, &with, pieces, gen_below(g, 3));
		with.n -= with.n && gen_below(g, 2);
		edits_add(set, span, buf_str(&with), 0);
		buf_release(&with);
		at = span.end;
	}
	assert_true(edits_check(set, text.n, &why));
}

/* What is put in by the hunks of an edited text lies apart: as hunks of the whole new text. */
static void find_in_whole(struct diff *d, struct str lines, struct str b)
{
	size_t grown = 0;

	for (size_t i = 0; i < d->n; i++) {
		struct diff_hunk *h = &d->v[i];
		struct str now = str_sub(lines, h->new_bytes.at, h->new_bytes.end);
		size_t at = h->old_bytes.at + grown;

		h->new_bytes = (struct span){ at, at + now.n };
		assert_text(str_sub(b, h->new_bytes.at, h->new_bytes.end), now);
		grown += now.n - (h->old_bytes.end - h->old_bytes.at);
	}
}

static void print(struct buf *out, const struct diff *d, struct str a, struct str b)
{
	struct diff_side was = { "f", 0, a }, now = { "f", 0, b };

	diff_sides(out, &was, &now, d, 1);
}

static void what_edits_touch_is_compared(void **state)
{
	struct gen g = { 770 };

	(void)state;
	for (int round = 0; round < 6000; round++) {
		struct buf a = BUF_INIT, b = BUF_INIT, lines = BUF_INIT, part = BUF_INIT;
		struct buf want = BUF_INIT, got = BUF_INIT;
		struct edits set = EDITS_INIT;
		struct diff d, whole;

		GEN_TEXT(&g, &a, pieces, gen_below(&g, MOST - 10));
		if (!gen_below(&g, 3))
			buf_addc(&a, 'x');
		random_edits(&g, buf_str(&a), &set);
		edits_apply(&set, buf_str(&a), &b);
		diff_edited(&d, buf_str(&a), &set, &lines);
		diff_edited(&whole, buf_str(&a), &set, &part);
		find_in_whole(&whole, buf_str(&lines), buf_str(&b));
		assert_hunks(&whole, buf_str(&a), buf_str(&b), false);
		print(&want, &whole, buf_str(&a), buf_str(&b));
		buf_clear(&part);
		diff_excerpt(&d, buf_str(&a), 1, &part);
		print(&got, &d, buf_str(&part), buf_str(&lines));
		assert_text(buf_str(&got), buf_str(&want));
		diff_release(&d);
		diff_release(&whole);
		edits_release(&set);
		buf_release(&a);
		buf_release(&b);
		buf_release(&lines);
		buf_release(&part);
		buf_release(&want);
		buf_release(&got);
	}
}

/* A reduced set of edits leads to the diff that looking at all lines finds. */
static void edits_lead_to_the_same_diff(void **state)
{
	static const char *const distinct[] = { "one\n", "two\n", "three\n", "four\n" };
	struct buf a = BUF_INIT, b = BUF_INIT, lines = BUF_INIT;
	struct edits set = EDITS_INIT;
	struct diff want, got;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		buf_addf(&a, "%s{\n}\n", distinct[i]);
		buf_addf(&b, "%s{\n}\n%s", distinct[i], i == 1 ? "{\n}\n" : "");
	}
	diff_lines(&want, buf_str(&a), buf_str(&b));
	diff_edits(&set, buf_str(&a), buf_str(&b));
	diff_edited(&got, buf_str(&a), &set, &lines);
	find_in_whole(&got, buf_str(&lines), buf_str(&b));
	assert_int_equal(got.n, 1);
	assert_int_equal(want.n, 1);
	assert_memory_equal(got.v, want.v, sizeof(*got.v));
	diff_release(&want);
	diff_release(&got);
	edits_release(&set);
	buf_release(&a);
	buf_release(&b);
	buf_release(&lines);
}

/* Two long texts of the same few lines in another order: more steps than DIFF_COST. */
static void texts_past_the_bound_are_still_right(void **state)
{
	struct gen g = { 5 };
	struct buf a = BUF_INIT, b = BUF_INIT;

	(void)state;
	GEN_TEXT(&g, &a, pieces, 30000);
	GEN_TEXT(&g, &b, pieces, 25000);
	assert_edits(buf_str(&a), buf_str(&b));
	buf_release(&a);
	buf_release(&b);
}

/* Thousands of changed lines all over a text are each found: they cost no steps. */
static void spread_changes_stay_apart(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct diff d;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		buf_addf(&a, "line %d\n", i);
		buf_addf(&b, "%s %d\n", i % 10 ? "line" : "changed", i);
	}
	diff_lines(&d, buf_str(&a), buf_str(&b));
	assert_int_equal(d.n, 5000);
	for (size_t i = 0; i < d.n; i++) {
		assert_int_equal(d.v[i].old_at, i * 10);
		assert_int_equal(d.v[i].old_n, 1);
		assert_int_equal(d.v[i].new_n, 1);
	}
	diff_release(&d);
	buf_release(&a);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hunks_name_the_lines),
		cmocka_unit_test(unified_output_is_what_diff_prints),
		cmocka_unit_test(unified_output_tells_missing_line_ends),
		cmocka_unit_test(unified_output_names_files),
		cmocka_unit_test(unified_output_quotes_names_that_are_misread),
		cmocka_unit_test(counts_are_of_lines),
		cmocka_unit_test(random_texts),
		cmocka_unit_test(what_edits_touch_is_compared),
		cmocka_unit_test(edits_lead_to_the_same_diff),
		cmocka_unit_test(texts_past_the_bound_are_still_right),
		cmocka_unit_test(spread_changes_stay_apart),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
