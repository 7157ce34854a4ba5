#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen.h"
#include "text/pos.h"

static void lines(struct str text, enum line_rule rule, const char *want)
{
	struct line_table t;
	struct buf got = BUF_INIT;

	lines_init(&t, text, rule);
	for (size_t i = 0; i < t.n; i++) {
		struct span s = lines_span(&t, text, i);

		buf_addf(&got, "%s%zu-%zu", i ? " " : "", s.at, s.end);
		assert_int_equal(lines_find(&t, s.at), i);
		assert_int_equal(lines_find(&t, s.end), i);
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	lines_release(&t);
}

static void line_ends_follow_the_rule(void **state)
{
	(void)state;
	for (int rule = LINES_VIM; rule <= LINES_LSP; rule++) {
		lines(STR(""), rule, "0-0");
		lines((struct str){ NULL, 0 }, rule, "0-0");
		lines(STR("a"), rule, "0-1");
		lines(STR("a\n"), rule, "0-1 2-2");
		lines(STR("a\r\nbc\n\n"), rule, "0-1 3-5 6-6 7-7");
		lines(STR("\r\n"), rule, "0-0 2-2");
		lines(STR("\xef\xbb\xbf"), rule, "3-3");
		lines(STR("\xef\xbb\xbf\na"), rule, "3-3 4-5");
		lines(STR("\xef\xbb"
			  "a"),
		      rule, "0-3");
		lines(STR("a\0\nb"), rule, "0-2 3-4");
	}
	lines(STR("a\rb\r"), LINES_VIM, "0-4");
	lines(STR("a\rb\r"), LINES_LSP, "0-1 2-3 4-4");
	lines(STR("\r\r\n\r"), LINES_VIM, "0-1 3-4");
	lines(STR("\r\r\n\r"), LINES_LSP, "0-0 1-1 3-3 4-4");
	lines(STR("\n\r"), LINES_LSP, "0-0 1-1 2-2");
}

/* Wherever it lies to the blocks that are read in one go. */
static void a_line_ends_at_any_byte(void **state)
{
	char text[200];

	(void)state;
	for (size_t at = 0; at < sizeof(text); at++)
		for (size_t from = 0; from < 3; from++) {
			struct str s = { text + from, sizeof(text) - from };
			struct line_table t;

			memset(text, 'x', sizeof(text));
			text[at] = '\n';
			text[sizeof(text) - 1] = '\n';
			lines_init(&t, s, LINES_VIM);
			assert_int_equal(t.n, 2 + (at >= from && at + 1 < sizeof(text)));
			assert_int_equal(t.at[0], 0);
			if (t.n == 3)
				assert_int_equal(t.at[1], at - from + 1);
			assert_int_equal(t.at[t.n - 1], s.n);
			lines_release(&t);
		}
}

static size_t byte_of(struct str text, uint32_t line, uint32_t col, enum pos_enc enc)
{
	struct line_table t;
	size_t at;

	lines_init(&t, text, LINES_LSP);
	at = pos_to_byte(&t, text, (struct pos){ line, col }, enc);
	lines_release(&t);
	return at;
}

static void positions_clamp(void **state)
{
	(void)state;
	assert_int_equal(byte_of(STR("ab\ncd"), 0, 2, POS_UTF16), 2);
	assert_int_equal(byte_of(STR("ab\ncd"), 0, 3, POS_UTF16), 2);
	assert_int_equal(byte_of(STR("ab\ncd"), 0, UINT32_MAX, POS_UTF8), 2);
	assert_int_equal(byte_of(STR("ab\ncd"), 2, 0, POS_UTF16), 5);
	assert_int_equal(byte_of(STR("ab\ncd"), UINT32_MAX, UINT32_MAX, POS_UTF32), 5);
	assert_int_equal(byte_of(STR("ab\r\ncd"), 0, 9, POS_UTF16), 2);
	assert_int_equal(byte_of(STR(""), 0, 5, POS_UTF16), 0);
	assert_int_equal(byte_of(STR("\xef\xbb\xbf"
				     "a"),
				 0, 0, POS_UTF16),
			 3);
}

static void columns_count_units_of_the_encoding(void **state)
{
	/* é, 汉, 😀, a byte that is no UTF-8, x; at bytes 0, 2, 5, 9, 10 */
	struct str text = STR("\xc3\xa9\xe6\xb1\x89\xf0\x9f\x98\x80\xffx");

	(void)state;
	assert_int_equal(byte_of(text, 0, 1, POS_UTF16), 2);
	assert_int_equal(byte_of(text, 0, 2, POS_UTF16), 5);
	assert_int_equal(byte_of(text, 0, 3, POS_UTF16), 5); /* inside the pair */
	assert_int_equal(byte_of(text, 0, 4, POS_UTF16), 9);
	assert_int_equal(byte_of(text, 0, 5, POS_UTF16), 10);
	assert_int_equal(byte_of(text, 0, 3, POS_UTF32), 9);
	assert_int_equal(byte_of(text, 0, 4, POS_UTF32), 10);
	assert_int_equal(byte_of(text, 0, 1, POS_UTF8), 0);
	assert_int_equal(byte_of(text, 0, 8, POS_UTF8), 5);
	assert_int_equal(byte_of(text, 0, 9, POS_UTF8), 9);
	assert_int_equal(byte_of(text, 0, 11, POS_UTF8), 9); /* inside U+FFFD */
	assert_int_equal(byte_of(text, 0, 12, POS_UTF8), 10);
}

/* The naive model: one walk from the start, a character at a time, decoding on its own. */
struct walk {
	struct pos pos;
	size_t at; /* start of the character */
};

static unsigned char byte(struct str s, size_t at)
{
	return at < s.n ? (unsigned char)s.p[at] : 0;
}

static unsigned naive_char(struct str s, size_t at)
{
	unsigned a = byte(s, at), b = byte(s, at + 1), c = byte(s, at + 2), d = byte(s, at + 3);
	bool tail2 = b >> 6 == 2, tail3 = tail2 && c >> 6 == 2, tail4 = tail3 && d >> 6 == 2;

	if (a >= 0xc2 && a <= 0xdf && tail2)
		return 2;
	if (a >= 0xe0 && a <= 0xef && tail3 && !(a == 0xe0 && b < 0xa0) && !(a == 0xed && b > 0x9f))
		return 3;
	if (a >= 0xf0 && a <= 0xf4 && tail4 && !(a == 0xf0 && b < 0x90) && !(a == 0xf4 && b > 0x8f))
		return 4;
	return 1;
}

static uint32_t naive_units(struct str s, size_t at, unsigned n, enum pos_enc enc)
{
	if (enc == POS_UTF32 || (enc == POS_UTF16 && n < 4))
		return 1;
	if (enc == POS_UTF16)
		return 2;
	return n == 1 && byte(s, at) >= 0x80 ? 3 : n;
}

static bool ends_line(struct str s, size_t at)
{
	return byte(s, at) == '\n' || (byte(s, at) == '\r' && byte(s, at + 1) != '\n');
}

static struct walk naive_pos(struct str s, size_t to, enum pos_enc enc)
{
	struct walk w = { { 0, 0 }, str_starts(s, STR("\xef\xbb\xbf")) ? 3 : 0 };

	while (w.at < s.n) {
		unsigned n = naive_char(s, w.at);
		bool crlf = byte(s, w.at) == '\r' && byte(s, w.at + 1) == '\n';

		if (w.at + n + (crlf ? 1 : 0) > to)
			break;
		w.pos.col += naive_units(s, w.at, n, enc);
		if (crlf || ends_line(s, w.at))
			w.pos = (struct pos){ w.pos.line + 1, 0 };
		w.at += n + (crlf ? 1 : 0);
	}
	return w;
}

static void assert_every_byte(struct str text, enum pos_enc enc)
{
	struct line_table t;

	lines_init(&t, text, LINES_LSP);
	for (size_t at = 0; at <= text.n + 2; at++) {
		struct walk want = naive_pos(text, at, enc);
		struct pos got = pos_from_byte(&t, text, at, enc);

		assert_int_equal(got.line, want.pos.line);
		assert_int_equal(got.col, want.pos.col);
		assert_int_equal(pos_to_byte(&t, text, got, enc), want.at);
	}
	lines_release(&t);
}

static const char *const nasty[] = {
	"a",
	"\n",
	"\r",
	"\r\n",
	"\xef\xbb\xbf",
	"\xc3\xa9",
	"\xe6\xb1\x89",
	"\xf0\x9f\x98\x80",
	"e\xcc\x81",
	"\xff",
	"\xc3",
	"\xe6\xb1",
	"\xf0\x9f\x98",
	"\xed\xa0\x80",
	"\xc0\x80",
	"\xf4\x90\x80\x80",
	"\x80",
	"\t",
	"abcdefghijk",
};

static void every_byte_has_its_position(void **state)
{
	struct gen g = { 99 };
	struct buf text = BUF_INIT;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		buf_clear(&text);
		GEN_TEXT(&g, &text, nasty, gen_below(&g, 20));
		for (int enc = POS_UTF8; enc <= POS_UTF32; enc++)
			assert_every_byte(buf_str(&text), (enum pos_enc)enc);
	}
	buf_release(&text);
}

/* Any position gives a byte whose own position is not behind it. */
static void any_position_is_accepted(void **state)
{
	struct gen g = { 3 };
	struct buf text = BUF_INIT;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct line_table t;

		buf_clear(&text);
		GEN_TEXT(&g, &text, nasty, gen_below(&g, 20));
		lines_init(&t, buf_str(&text), LINES_LSP);
		for (uint32_t i = 0; i < 3 * 20 * 30; i++) {
			enum pos_enc enc = (enum pos_enc)(i % 3);
			struct pos p = { i / 3 / 30, i / 3 % 30 };
			size_t at = pos_to_byte(&t, buf_str(&text), p, enc);
			struct pos q = pos_from_byte(&t, buf_str(&text), at, enc);

			assert_true(at <= text.n);
			assert_true(q.line < p.line || (q.line == p.line && q.col <= p.col));
			assert_int_equal(pos_to_byte(&t, buf_str(&text), q, enc), at);
		}
		lines_release(&t);
	}
	buf_release(&text);
}

static void assert_same_table(const struct line_table *t, struct str text, enum line_rule rule)
{
	struct line_table want;

	lines_init(&want, text, rule);
	assert_int_equal(t->n, want.n);
	assert_memory_equal(t->at, want.at, want.n * sizeof(*want.at));
	lines_release(&want);
}

static void a_table_follows_splices(void **state)
{
	struct gen g = { 1234 };

	(void)state;
	for (int round = 0; round < 4000; round++) {
		enum line_rule rule = round % 2 ? LINES_LSP : LINES_VIM;
		struct buf text = BUF_INIT, with = BUF_INIT, next = BUF_INIT;
		struct line_table t;

		GEN_TEXT(&g, &text, nasty, gen_below(&g, 20));
		lines_init(&t, buf_str(&text), rule);
		for (int i = 0; i < 4; i++) {
			size_t at = gen_below(&g, text.n + 1), most = text.n - at;
			size_t len = gen_below(&g, (most < 9 ? most : 9) + 1);

			buf_clear(&with);
			GEN_TEXT(&g, &with, nasty, gen_below(&g, 5));
			buf_add(&next, str_sub(buf_str(&text), 0, at));
			buf_add(&next, buf_str(&with));
			buf_add(&next, str_sub(buf_str(&text), at + len, text.n));
			buf_release(&text);
			text = next;
			next = (struct buf)BUF_INIT;
			lines_splice(&t, buf_str(&text), rule, (struct span){ at, at + len },
				     with.n);
			assert_same_table(&t, buf_str(&text), rule);
		}
		lines_release(&t);
		buf_release(&text);
		buf_release(&with);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_ends_follow_the_rule),
		cmocka_unit_test(a_line_ends_at_any_byte),
		cmocka_unit_test(positions_clamp),
		cmocka_unit_test(columns_count_units_of_the_encoding),
		cmocka_unit_test(every_byte_has_its_position),
		cmocka_unit_test(any_position_is_accepted),
		cmocka_unit_test(a_table_follows_splices),
	};

	return cmocka_run_group_tests_name("pos", tests, NULL, NULL);
}
