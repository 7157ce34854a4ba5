#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "text/line_numbers.h"

static void numbered(const char *text, size_t first, const char *want)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, ">");
	number_lines(&out, str_of(text), first);
	assert_text(str_sub(buf_str(&out), 1, out.n), str_of(want));
	buf_release(&out);
}

static void numbers_stand_before_each_line(void **state)
{
	(void)state;
	numbered("", 1, "");
	numbered("\n", 1, "1: \n");
	numbered("const x = 1;", 1, "1: const x = 1;");
	numbered("# Title\n\nconst x = 1;\n", 1, "1: # Title\n2: \n3: const x = 1;\n");
	numbered("a\r\nb\r\n\r\n", 9, "9: a\n10: b\n11: \n");
	numbered("a\rb\n\r\r\n", 1, "1: a\rb\n2: \r\n");
	numbered("a\nb\r", 99, "99: a\n100: b\r");
	numbered("\xc3\xa9\n\xef\xbf\xbd", 1, "1: \xc3\xa9\n2: \xef\xbf\xbd");
}

/* Plainly: a line at a time, with printf. */
static void number_plainly(struct buf *out, struct str text, size_t first)
{
	struct str line;

	for (size_t n = first; text.n; n++) {
		const char *lf = memchr(text.p, '\n', text.n);

		str_line(&text, &line);
		buf_addf(out, "%zu: ", n);
		buf_add(out, lf ? line : (struct str){ line.p, (size_t)(text.p - line.p) });
		if (lf)
			buf_addc(out, '\n');
	}
}

static size_t lines_in(struct str text)
{
	struct str line;
	size_t n = 0;

	while (str_line(&text, &line))
		n++;
	return n;
}

/* Often one that gets another digit soon. */
static size_t first_number(struct gen *g)
{
	size_t power = 1;

	for (size_t n = gen_below(g, 18); n; n--)
		power *= 10;
	return power > 50 ? power - gen_below(g, 50) : power;
}

static void as_done_plainly(void **state)
{
	static const char *const pieces[] = {
		"a",
		"\n",
		"\n",
		"\r\n",
		"\r",
		"some words",
		"a line that is longer than a block, to be sure of it: 0123456789",
	};
	struct gen g = { 7 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct buf text = BUF_INIT, got = BUF_INIT, want = BUF_INIT;
		size_t first = first_number(&g), next;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, i % 50 ? 60 : 3000));
		next = number_lines(&got, buf_str(&text), first);
		assert_int_equal(next, first + lines_in(buf_str(&text)));
		number_plainly(&want, buf_str(&text), first);
		assert_text(buf_str(&got), buf_str(&want));
		buf_release(&text);
		buf_release(&got);
		buf_release(&want);
	}
}

static void stripped(const char *text, size_t first, const char *want)
{
	struct buf out = BUF_INIT;
	bool ok;

	buf_adds(&out, ">");
	ok = number_strip(&out, str_of(text), first);
	assert_int_equal(ok, want != NULL);
	assert_text(str_sub(buf_str(&out), 1, out.n), str_of(want));
	buf_release(&out);
}

static void numbers_are_taken_off_where_all_lines_have_theirs(void **state)
{
	(void)state;
	stripped("4: a\n5: \n6:   b\n", 4, "a\n\n  b\n");
	stripped("4: a\n5:\n6: b", 4, "a\n\nb");
	stripped("9: a\r\n10:\r\n", 9, "a\r\n\r\n");
	stripped("7: a\n8: b\n", 0, "a\nb\n");
	stripped("1: 1: a\n", 1, "1: a\n");
}

static void digits_of_the_text_stay(void **state)
{
	(void)state;
	stripped("", 1, NULL);
	stripped("4: a\n6: b\n", 4, NULL);
	stripped("4: a\nb\n", 4, NULL);
	stripped("4: a\n", 5, NULL);
	stripped("4:a\n", 4, NULL);
	stripped("04: a\n", 4, NULL);
	stripped("0: a\n", 0, NULL);
	stripped(" 4: a\n", 4, NULL);
	stripped("4 : a\n", 4, NULL);
	stripped("4", 4, NULL);
	stripped("4: a\n5", 4, NULL);
	stripped("99999999999999999999: a\n", 0, NULL);
}

static void there_and_back(void **state)
{
	static const char *const pieces[] = { "a", "\n", "1: ", "\n\n", " ", "\xe2\x82\xac" };
	struct gen g = { 11 };

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct buf text = BUF_INIT, there = BUF_INIT, back = BUF_INIT;

		buf_adds(&text, "x");
		GEN_TEXT(&g, &text, pieces, gen_below(&g, 80));
		number_lines(&there, buf_str(&text), 95);
		assert_true(number_strip(&back, buf_str(&there), 95));
		assert_text(buf_str(&back), buf_str(&text));
		buf_release(&text);
		buf_release(&there);
		buf_release(&back);
	}
}

static void a_hash_tells_lines_apart(void **state)
{
	char a[LINE_HASH_SIZE], b[LINE_HASH_SIZE];

	(void)state;
	line_hash(a, STR("int x;"));
	line_hash(b, STR("int x;"));
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), 8);
	line_hash(b, STR("int x; "));
	assert_string_not_equal(a, b);
	line_hash(b, STR(""));
	assert_int_equal(strlen(b), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_stand_before_each_line),
		cmocka_unit_test(as_done_plainly),
		cmocka_unit_test(numbers_are_taken_off_where_all_lines_have_theirs),
		cmocka_unit_test(digits_of_the_text_stay),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(a_hash_tells_lines_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
