#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "text/edit.h"

static void add(struct edits *set, size_t at, size_t end, const char *with, int tag)
{
	edits_add(set, (struct span){ at, end }, str_of(with), tag);
}

static void assert_result(struct edits *set, const char *text, const char *want)
{
	struct edit_clash why;
	struct buf out = BUF_INIT;

	assert_true(edits_check(set, strlen(text), &why));
	edits_apply(set, str_of(text), &out);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
}

static void order_at_one_place_is_kept(void **state)
{
	struct edits set = EDITS_INIT;

	(void)state;
	add(&set, 2, 2, "C", 0);
	add(&set, 1, 1, "A", 1);
	add(&set, 1, 1, "B", 2);
	add(&set, 2, 2, "D", 3);
	assert_result(&set, "xyz", "xAByCDz");
	edits_release(&set);
}

static void insertion_goes_before_a_replacement_that_starts_there(void **state)
{
	struct edits set = EDITS_INIT;

	(void)state;
	add(&set, 0, 3, "bar", 0);
	add(&set, 0, 0, "X", 1);
	add(&set, 3, 3, "Y", 2);
	assert_result(&set, "foo", "XbarY");
	edits_release(&set);
}

static void clash(size_t at, size_t end, size_t at2, size_t end2, bool expected)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why = { -1, -1 };

	add(&set, at, end, "x", 7);
	add(&set, at2, end2, "y", 8);
	assert_int_equal(!edits_check(&set, 10, &why), expected);
	if (expected) {
		assert_int_equal(why.a + why.b, 15);
		assert_true(at == at2 || why.a == (at < at2 ? 7 : 8));
	}
	edits_release(&set);
}

static void overlaps_are_found(void **state)
{
	(void)state;
	clash(0, 4, 3, 6, true);
	clash(3, 6, 0, 4, true);
	clash(0, 9, 3, 4, true);
	clash(2, 5, 2, 5, true);
	clash(2, 5, 3, 3, true);
	clash(2, 5, 2, 3, true);
	clash(2, 5, 5, 8, false);
	clash(2, 5, 2, 2, false);
	clash(2, 5, 5, 5, false);
	clash(4, 4, 4, 4, false);
}

static void a_long_edit_clashes_past_short_ones(void **state)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why;

	(void)state;
	add(&set, 0, 2, "", 1);
	add(&set, 2, 2, "x", 2);
	add(&set, 2, 8, "", 3);
	add(&set, 8, 9, "", 4);
	assert_true(edits_check(&set, 10, &why));
	add(&set, 7, 7, "x", 5);
	assert_false(edits_check(&set, 10, &why));
	assert_int_equal(why.a, 3);
	assert_int_equal(why.b, 5);
	edits_release(&set);
}

static void reduced(const char *text, size_t at, size_t end, const char *with, const char *want)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	struct buf got = BUF_INIT;

	add(&set, at, end, with, 0);
	assert_true(edits_check(&set, strlen(text), &why));
	edits_reduce(&set, str_of(text));
	for (size_t i = 0; i < set.n; i++)
		buf_addf(&got, "%s%zu-%zu %.*s", i ? "; " : "", set.v[i].span.at, set.v[i].span.end,
			 STR_ARG(set.v[i].with));
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	edits_release(&set);
}

static void reduces_to_what_differs(void **state)
{
	(void)state;
	reduced("hello", 0, 5, "hello", "");
	reduced("hello", 0, 5, "help", "3-5 p");
	reduced("a = foo;", 0, 8, "a = bar;", "4-7 bar");
	reduced("aaa", 0, 3, "aa", "2-3 ");
	reduced("aa", 0, 2, "aaa", "2-2 a");
	reduced("1\n2\n3\n4\n", 0, 8, "1\nb\n3\nd\n", "2-3 b; 6-7 d");
	reduced("1\n2\n3\n", 0, 6, "1\n3\n", "2-4 ");
	/* whole characters: these share bytes with what replaces them */
	reduced("\xc3\xa9", 0, 2, "\xc3\xa8", "0-2 \xc3\xa8");
	reduced("\xc3\xa9", 0, 2, "\xc4\xa9", "0-2 \xc4\xa9");
	reduced("x\xf0\x9f\x98\x80y", 0, 6, "x\xf0\x9f\x98\x81y", "1-5 \xf0\x9f\x98\x81");
	/* a CRLF is one thing too */
	reduced("a\r\n", 0, 3, "a\n", "1-3 \n");
	reduced("a\n", 0, 2, "a\r\n", "1-2 \r\n");
	reduced("a\r\nb", 0, 4, "a\rb", "1-3 \r");
	reduced("a\r\nb\r\n", 0, 6, "a\r\nc\r\n", "3-4 c");
}

static void map_follows_the_bytes(void **state)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why;

	(void)state;
	add(&set, 2, 2, "++", 0);
	add(&set, 4, 6, "x", 0);
	assert_true(edits_check(&set, 8, &why));
	assert_int_equal(edits_map(&set, 1), 1);
	assert_int_equal(edits_map(&set, 2), 4);
	assert_int_equal(edits_map(&set, 4), 6);
	assert_int_equal(edits_map(&set, 5), 6);
	assert_int_equal(edits_map(&set, 6), 7);
	assert_int_equal(edits_map(&set, 8), 9);
	edits_release(&set);
}

/* Bytes are kept where no edit replaces one of them or comes in between. */
static void assert_keeps(const struct edits *set, struct str text, struct str made)
{
	for (size_t at = 0; at < text.n; at++)
		for (size_t end = at + 1; end <= text.n; end++) {
			bool touched = false;
			struct span now;

			for (size_t i = 0; i < set->n; i++)
				touched |= set->v[i].span.at < end && set->v[i].span.end > at;
			assert_int_equal(edits_keep(set, (struct span){ at, end }, &now), !touched);
			if (!touched)
				assert_text(str_sub(made, now.at, now.end), str_sub(text, at, end));
		}
}

/* The naive model: for each byte, every edit. */
static bool naive_clash(const struct edits *set, int a, int b)
{
	struct span s = set->v[a].span, t = set->v[b].span;

	if (s.at == s.end)
		return t.at < s.at && s.at < t.end;
	if (t.at == t.end)
		return s.at < t.at && t.at < s.end;
	return s.at < t.end && t.at < s.end;
}

static bool naive_clashes(const struct edits *set)
{
	for (size_t a = 0; a < set->n; a++)
		for (size_t b = 0; b < a; b++)
			if (naive_clash(set, (int)a, (int)b))
				return true;
	return false;
}

static void naive_apply(const struct edits *set, struct str text, struct buf *out, size_t *map)
{
	for (size_t at = 0; at <= text.n; at++) {
		const struct edit *over = NULL;

		for (size_t i = 0; i < set->n; i++) {
			const struct edit *e = &set->v[i];

			if (e->span.at == at && e->span.end == at)
				buf_add(out, e->with);
			if (e->span.at <= at && at < e->span.end)
				over = e;
		}
		map[at] = over && at > over->span.at ? map[at - 1] : out->n;
		if (over && over->span.at == at)
			buf_add(out, over->with);
		else if (!over && at < text.n)
			buf_addc(out, text.p[at]);
	}
}

static const char *const pieces[] = {
	"a",  "b",    "\n",	      "\r\n", "\xc3\xa9", "\xc3\xa8",	 "\xf0\x9f\x98\x80",
	"\t", "\x80", "\xe6\xb1\x89", "ab\n", "\r",	  "\xef\xbb\xbf"
};

static void random_edits(struct gen *g, struct edits *set, size_t text_len)
{
	size_t n = gen_below(g, 7);
	struct buf with = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		size_t at = gen_below(g, text_len + 1), most = text_len - at;
		size_t len = gen_below(g, 3) ? gen_below(g, (most < 12 ? most : 12) + 1) : 0;

		buf_clear(&with);
		GEN_TEXT(g, &with, pieces, gen_below(g, 5));
		edits_add(set, (struct span){ at, at + len }, buf_str(&with), (int)i);
	}
	buf_release(&with);
}

static void assert_applies(const struct edits *set, struct str text, struct str want)
{
	struct buf out = BUF_INIT;

	edits_apply(set, text, &out);
	assert_text(buf_str(&out), want);
	buf_clear(&out);
	buf_add(&out, text);
	edits_carry_out(set, &out);
	assert_text(buf_str(&out), want);
	buf_release(&out);
}

static void what_is_put_in_may_be_in_the_text_itself(void **state)
{
	struct edits set = EDITS_INIT;
	struct buf text = BUF_INIT;
	struct edit_clash why;

	(void)state;
	buf_adds(&text, "one two");
	edits_lend(&set, (struct span){ 0, 3 }, str_sub(buf_str(&text), 4, 7), 0);
	edits_lend(&set, (struct span){ 4, 7 }, str_sub(buf_str(&text), 0, 3), 1);
	assert_true(edits_check(&set, text.n, &why));
	edits_carry_out(&set, &text);
	assert_text(buf_str(&text), STR("two one"));
	edits_release(&set);
	buf_release(&text);
}

static void assert_numbered(const struct edits *set, struct str result)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];

		assert_text(str_sub(result, e->new_at, e->new_at + e->with.n), e->with);
		if (i)
			assert_true(set->v[i - 1].span.end <= e->span.at);
	}
}

static void assert_lines_follow(const struct edits *set, struct str text, struct str result)
{
	for (int rule = LINES_VIM; rule <= LINES_LSP; rule++) {
		struct line_table got, want;

		lines_init(&got, text, (enum line_rule)rule);
		lines_edit(&got, result, (enum line_rule)rule, set);
		lines_init(&want, result, (enum line_rule)rule);
		assert_int_equal(got.n, want.n);
		assert_memory_equal(got.at, want.at, want.n * sizeof(*want.at));
		lines_release(&got);
		lines_release(&want);
	}
}

static void random_edits_do_as_the_naive_model(void **state)
{
	struct gen g = { 20240917 };
	size_t accepted = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct edits set = EDITS_INIT, back = EDITS_INIT;
		struct buf text = BUF_INIT, want = BUF_INIT;
		struct edit_clash why;
		size_t map[200];
		bool bad;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 30));
		random_edits(&g, &set, text.n);
		naive_apply(&set, buf_str(&text), &want, map);
		bad = naive_clashes(&set);
		if (bad) {
			struct edits list = { .n = set.n };

			list.v = malloc(set.n * sizeof(*list.v));
			memcpy(list.v, set.v, set.n * sizeof(*list.v));
			assert_false(edits_check(&set, text.n, &why));
			assert_true(naive_clash(&list, why.a, why.b));
			free(list.v);
		} else {
			accepted++;
			assert_true(edits_check(&set, text.n, &why));
			assert_applies(&set, buf_str(&text), buf_str(&want));
			assert_numbered(&set, buf_str(&want));
			assert_lines_follow(&set, buf_str(&text), buf_str(&want));
			for (size_t at = 0; at <= text.n; at++)
				assert_int_equal(edits_map(&set, at), map[at]);
			assert_keeps(&set, buf_str(&text), buf_str(&want));
			edits_invert(&set, buf_str(&text), &back);
			assert_applies(&back, buf_str(&want), buf_str(&text));
			edits_reduce(&set, buf_str(&text));
			assert_applies(&set, buf_str(&text), buf_str(&want));
			assert_numbered(&set, buf_str(&want));
			assert_lines_follow(&set, buf_str(&text), buf_str(&want));
			/* checking again changes nothing */
			assert_true(edits_check(&set, text.n, &why));
			assert_applies(&set, buf_str(&text), buf_str(&want));
		}
		buf_release(&text);
		buf_release(&want);
		edits_release(&set);
		edits_release(&back);
	}
	assert_in_range(accepted, 2000, 18000);
}

static void many_edits_in_a_long_text(void **state)
{
	struct edits set = EDITS_INIT, back = EDITS_INIT;
	struct buf text = BUF_INIT, out = BUF_INIT;
	struct edit_clash why;
	size_t lines = 20000;

	(void)state;
	for (size_t i = 0; i < lines; i++)
		buf_addf(&text, "line %05zu\n", i);
	/* from the last to the first, each also keeping the word before the number */
	for (size_t i = lines; i-- > 0;)
		add(&set, i * 11, i * 11 + 10, "line", (int)i);
	assert_true(edits_check(&set, text.n, &why));
	edits_reduce(&set, buf_str(&text));
	assert_int_equal(set.n, lines);
	assert_int_equal(set.v[3].span.at, 3 * 11 + 4);
	edits_apply(&set, buf_str(&text), &out);
	assert_int_equal(out.n, lines * 5);
	edits_invert(&set, buf_str(&text), &back);
	assert_applies(&back, buf_str(&out), buf_str(&text));
	buf_release(&text);
	buf_release(&out);
	edits_release(&set);
	edits_release(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_at_one_place_is_kept),
		cmocka_unit_test(insertion_goes_before_a_replacement_that_starts_there),
		cmocka_unit_test(overlaps_are_found),
		cmocka_unit_test(a_long_edit_clashes_past_short_ones),
		cmocka_unit_test(reduces_to_what_differs),
		cmocka_unit_test(map_follows_the_bytes),
		cmocka_unit_test(what_is_put_in_may_be_in_the_text_itself),
		cmocka_unit_test(random_edits_do_as_the_naive_model),
		cmocka_unit_test(many_edits_in_a_long_text),
	};

	return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}
