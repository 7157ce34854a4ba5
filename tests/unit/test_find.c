#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "text/diff.h"
#include "text/find.h"
#include "text/patch.h"

static struct str with_lf(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
			buf_addc(out, s.p[i]);
	return buf_str(out);
}

/* Everywhere, one byte after the other, in texts whose line ends were made LF. */
static size_t count_plainly(struct str text, struct str needle, bool overlapping)
{
	size_t n = 0;

	for (size_t i = 0; needle.n && i + needle.n <= text.n;)
		if (!memcmp(text.p + i, needle.p, needle.n)) {
			n++;
			i += overlapping ? 1 : needle.n;
		} else {
			i++;
		}
	return n;
}

static void as_found_plainly(void **state)
{
	static const char *const pieces[] = { "a", "a", "b", "\n", "\r\n", "ab", " " };
	struct gen g = { 5 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct buf text = BUF_INIT, needle = BUF_INIT, t = BUF_INIT, n = BUF_INIT;
		struct str plain_text, plain_needle;
		struct span *all;
		struct found f;
		size_t apart, over;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 25));
		GEN_TEXT(&g, &needle, pieces, gen_below(&g, 5));
		plain_text = with_lf(buf_str(&text), &t);
		plain_needle = with_lf(buf_str(&needle), &n);
		apart = count_plainly(plain_text, plain_needle, false);
		over = count_plainly(plain_text, plain_needle, true);
		f = find_text(buf_str(&text), buf_str(&needle));
		assert_int_equal(f.how == MATCH_EXACT, over == 1);
		assert_int_equal(f.times, apart == 1 && over > 1 ? 2 : apart);
		assert_int_equal(find_all(buf_str(&text), buf_str(&needle), &all), apart);
		if (f.how == MATCH_EXACT) {
			assert_int_equal(all[0].at, f.span.at);
			assert_int_equal(all[0].end, f.span.end);
		}
		free(all);
		buf_release(&text);
		buf_release(&needle);
		buf_release(&t);
		buf_release(&n);
	}
}

static struct str line_at(struct str text, const struct line_table *t, size_t line)
{
	struct span s = lines_span(t, text, line);

	return str_sub(text, s.at, s.end);
}

/* A V4A patch that makes `b` of `a`, with up to two lines of context around each change. False
 * where a hunk would have new lines alone, which are for the end. */
static bool write_v4a(struct gen *g, struct str a, struct str b, struct buf *out)
{
	struct diff d = { 0 };
	struct line_table ta, tb;
	size_t told = 0, lines;
	bool ok = true;

	diff_lines(&d, a, b);
	lines_init(&ta, a, LINES_VIM);
	lines_init(&tb, b, LINES_VIM);
	lines = ta.n - (ta.at[ta.n - 1] == a.n);
	buf_adds(out, "*** Begin Patch\n*** Update File: f\n");
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_hunk *h = &d.v[i];
		size_t next = i + 1 < d.n ? d.v[i + 1].old_at : lines;
		size_t from = h->old_at - gen_below(g, 3), to = h->old_at + h->old_n;

		if (from < told || from > h->old_at)
			from = told;
		if (h->old_at - from > 2)
			from = h->old_at - 2;
		if (!h->old_n && from == h->old_at && from > told)
			from--;
		buf_adds(out, "@@\n");
		for (size_t k = from; k < h->old_at; k++)
			buf_addf(out, " %.*s\n", STR_ARG(line_at(a, &ta, k)));
		for (size_t k = h->old_at; k < to; k++)
			buf_addf(out, "-%.*s\n", STR_ARG(line_at(a, &ta, k)));
		for (size_t k = h->new_at; k < h->new_at + h->new_n; k++)
			buf_addf(out, "+%.*s\n", STR_ARG(line_at(b, &tb, k)));
		for (size_t n = gen_below(g, 3) + (from == to); n-- && to + (i + 1 < d.n) < next;
		     to++)
			buf_addf(out, " %.*s\n", STR_ARG(line_at(a, &ta, to)));
		ok = ok && (to > from || to == lines);
		told = to;
		if (to == lines && gen_below(g, 2))
			buf_adds(out, "*** End of File\n");
	}
	buf_adds(out, "*** End Patch\n");
	diff_release(&d);
	lines_release(&ta);
	lines_release(&tb);
	return ok;
}

enum outcome { RIGHT, REFUSED };

static enum outcome apply_v4a(struct str patch, struct str a, struct str b)
{
	struct edits set = EDITS_INIT;
	struct patch_failure why = { 0 };
	struct edit_clash clash;
	struct err e = ERR_INIT;
	struct buf got = BUF_INIT;
	enum match how;
	struct patch p;
	bool ok;

	if (!patch_parse(&p, patch, &e))
		fail_msg("%s", e.msg);
	ok = patch_locate(&p, &p.file[0], a, &set, &how, &why, &e);
	if (ok) {
		assert_int_equal(how, MATCH_EXACT);
		assert_true(edits_check(&set, a.n, &clash));
		edits_apply(&set, a, &got);
		if (!str_eq(buf_str(&got), b))
			print_error("%.*s", STR_ARG(patch));
		assert_text(buf_str(&got), b);
	} else {
		assert_int_equal(e.code, ERR_AMBIGUOUS);
	}
	buf_release(&got);
	candidates_release(&why.near);
	edits_release(&set);
	patch_release(&p);
	return ok ? RIGHT : REFUSED;
}

/* Whatever context a patch gives: it does what was meant, or it is refused. */
static void v4a_is_right_or_refused(void **state)
{
	static const char *const ends[] = { "\n", "\n", "\r\n" };
	static const char *const pieces[] = { "a", "b", "c", "}", "x = 1", "" };
	struct gen g = { 17 };
	size_t count[2] = { 0 };

	(void)state;
	for (int i = 0; i < 6000; i++) {
		struct buf a = BUF_INIT, b = BUF_INIT, patch = BUF_INIT;
		const char *end = ends[gen_below(&g, 3)];
		size_t kinds = 2 + gen_below(&g, 200);

		for (size_t n = 1 + gen_below(&g, 30); n--;) {
			struct buf line = BUF_INIT;
			size_t kind = gen_below(&g, kinds);

			if (kind < 6)
				buf_adds(&line, pieces[kind]);
			else
				buf_addf(&line, "line %zu", kind);
			buf_adds(&line, end);
			if (gen_below(&g, 8))
				buf_add(&a, buf_str(&line));
			if (gen_below(&g, 8))
				buf_add(&b, buf_str(&line));
			buf_release(&line);
		}
		if (a.n && b.n && !str_eq(buf_str(&a), buf_str(&b)) &&
		    write_v4a(&g, buf_str(&a), buf_str(&b), &patch))
			count[apply_v4a(buf_str(&patch), buf_str(&a), buf_str(&b))]++;
		buf_release(&a);
		buf_release(&b);
		buf_release(&patch);
	}
	assert_true(count[RIGHT] > 1000);
	assert_true(count[REFUSED] > 300);
}

/* Whatever bytes come: an answer, and no fault. */
static void any_bytes(void **state)
{
	static const char *const pieces[] = {
		"*** Begin Patch\n",
		"*** End Patch\n",
		"*** Update File: a\n",
		"*** Add File: b\n",
		"*** Move to: c\n",
		"*** End of File\n",
		"@@\n",
		"@@ x\n",
		"@@ -1,2 +1,2 @@\n",
		"@@ -1 +0,0 @@\n",
		"-x\n",
		"+y\n",
		" x\n",
		"\n",
		"\\ No newline\n",
		"x",
		"\r\n",
		"diff --git a/a b/a\n",
		"diff --git \"a/\\3",
		"--- a/a\n",
		"+++ b/a\n",
		"--- /dev/null\n",
		"rename from q\n",
		"rename to r\n",
		"old mode 100644\n",
		"index 1..2 100755\n",
		"\"",
		"new file mode 100644\n",
		"deleted file mode 1\n",
		"<<EOF\n",
		"```\n",
		"EOF\n",
		"\xef\xbb\xbf",
		"--- x\t1970-01-01 00:00:00 +0000\n",
		"--- ",
		"diff --git ",
	};
	struct gen g = { 23 };

	(void)state;
	for (int i = 0; i < 60000; i++) {
		struct buf text = BUF_INIT, old = BUF_INIT;
		struct err e = ERR_INIT;
		struct patch p;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 14));
		GEN_TEXT(&g, &old, pieces, gen_below(&g, 6));
		if (text.n && !gen_below(&g, 4)) /* also what is cut off anywhere */
			text.n = gen_below(&g, text.n);
		if (patch_parse(&p, buf_str(&text), &e)) {
			for (size_t k = 0; k < p.files; k++) {
				struct edits set = EDITS_INIT;
				struct patch_failure why = { 0 };
				struct edit_clash clash;
				enum match how;

				if (patch_locate(&p, &p.file[k], buf_str(&old), &set, &how, &why,
						 &e))
					assert_true(edits_check(&set, old.n, &clash));
				candidates_release(&why.near);
				edits_release(&set);
			}
			patch_release(&p);
		} else {
			assert_true(e.msg[0]);
		}
		buf_release(&text);
		buf_release(&old);
	}
}

static void put_lines(struct gen *g, struct buf *out, size_t n, const char *end)
{
	while (n--)
		buf_addf(out, "%s%s", gen_below(g, 40) ? "x = 1;" : "y", end);
}

/* Long runs of lines, and long strings, as their places are found one by one. */
static void long_runs_are_found_as_short_ones(void **state)
{
	struct gen g = { 5 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct buf text = BUF_INIT;
		struct str run[200], rest;
		size_t n = 64 + gen_below(&g, 30), count = 0, first = 0, where = 0, lines = 0;
		struct lookup l;

		put_lines(&g, &text, 150, round % 2 ? "\r\n" : " \n");
		lookup_init(&l, buf_str(&text), LINES_VIM);
		rest = buf_str(&text);
		for (size_t skip = gen_below(&g, 60); skip--;)
			str_line(&rest, &run[0]);
		while (lines < n && str_line(&rest, &run[lines]))
			lines++;
		for (size_t i = 0; i + lines <= l.n && count < 2; i++)
			if (lookup_fits(&l, i, run, lines, MATCH_TRAILING_SPACE) && !count++)
				first = i;
		assert_int_equal(lookup_run(&l, run, lines, MATCH_TRAILING_SPACE, &where), count);
		assert_int_equal(where, first);
		lookup_release(&l);
		buf_release(&text);
	}
}

static void long_strings_are_found_across_line_ends(void **state)
{
	struct gen g = { 6 };

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct buf text = BUF_INIT, find = BUF_INIT, want = BUF_INIT;
		struct span *v = NULL;

		put_lines(&g, &text, 1 + gen_below(&g, 100), "\n");
		buf_adds(&text, "begin\r\n");
		for (int i = 0; i < 2500; i++)
			buf_addf(&want, "%d;%s", i % 7, i % 3 ? "\n" : "\r\n");
		for (size_t i = 0; i < want.n; i++)
			if (want.p[i] != '\r')
				buf_addc(&find, want.p[i]);
		assert_true(find.n > 4096);
		buf_add(&text, buf_str(&want));
		put_lines(&g, &text, 5, "\r\n");
		assert_int_equal(find_all(buf_str(&text), buf_str(&find), &v), 1);
		assert_int_equal(v[0].end - v[0].at, want.n);
		assert_text(str_sub(buf_str(&text), v[0].at - 2, v[0].at), STR("\r\n"));
		free(v);
		buf_release(&text);
		buf_release(&find);
		buf_release(&want);
	}
}

/* What is tried place by place takes minutes here. */
static void equal_lines_do_not_take_long(void **state)
{
	struct buf text = BUF_INIT, find = BUF_INIT;
	struct candidates near = { .n = 0 };

	(void)state;
	for (int i = 0; i < 90000; i++)
		buf_adds(&text, "x = 1;\n");
	for (int i = 0; i < 30000; i++)
		buf_adds(&find, "x = 1;\n");
	for (int kind = 0; kind < 3; kind++) {
		struct found f;

		buf_adds(&find, kind == 0 ? "x = 1; \n" : kind == 1 ? "y\n" : "\t x  = 1;\n");
		f = find_text(buf_str(&text), buf_str(&find));
		assert_int_equal(f.how, MATCH_NONE);
		find_candidates(buf_str(&text), buf_str(&find), &near);
		assert_true(near.n);
		find_lines_candidates(buf_str(&text), 10, buf_str(&find), &near);
		f = find_lines(buf_str(&text), 10, buf_str(&find));
		assert_int_equal(f.how, kind ? MATCH_NONE : MATCH_TRAILING_SPACE);
		candidates_release(&near);
	}
	buf_release(&text);
	buf_release(&find);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_found_plainly),
		cmocka_unit_test(v4a_is_right_or_refused),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(long_runs_are_found_as_short_ones),
		cmocka_unit_test(long_strings_are_found_across_line_ends),
		cmocka_unit_test(equal_lines_do_not_take_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
