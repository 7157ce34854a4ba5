#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf.h"
#include "gen.h"

#define E9  "\xf4\x8f\xbb\xa9" /* U+10FEE9 */
#define X80 "\xf4\x8f\xba\x80"

static void shows(struct str text, struct str want)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, "before ");
	bytes_show(&out, text);
	assert_text(str_sub(buf_str(&out), 7, out.n), want);
	out.n = 7;
	buf_add(&out, text);
	bytes_show_from(&out, 7);
	assert_text(str_sub(buf_str(&out), 7, out.n), want);
	bytes_read(&out);
	assert_text(str_sub(buf_str(&out), 7, out.n), text);
	buf_release(&out);
}

static void bytes_that_are_no_text_are_shown(void **state)
{
	(void)state;
	shows(STR(""), STR(""));
	shows(STR("plain \xc3\xa9 \xf0\x9f\x98\x80"), STR("plain \xc3\xa9 \xf0\x9f\x98\x80"));
	shows(STR("caf\xe9"), STR("caf" E9));
	shows(STR("\x80\xc3\xa9"), STR(X80 "\xc3\xa9"));
	shows(STR("a\0b"), STR("a\0b"));
	/* the end of one character alone, and the beginning */
	shows(STR("\xa9"), STR("\xf4\x8f\xba\xa9"));
	shows(STR("\xe2\x82"), STR("\xf4\x8f\xbb\xa2\xf4\x8f\xba\x82"));
	/* a text that has one of these characters of its own */
	shows(STR(E9), STR("\xf4\x8f\xbb\xb4\xf4\x8f\xba\x8f\xf4\x8f\xba\xbb\xf4\x8f\xba\xa9"));
	shows(STR("\xf4\x8f\xb9\xbf"), STR("\xf4\x8f\xb9\xbf")); /* U+10FE7F is none */
}

static void reads(struct str text, struct str want)
{
	struct buf b = BUF_INIT;

	buf_add(&b, text);
	bytes_read_json(&b);
	assert_text(buf_str(&b), want);
	buf_release(&b);
}

static void escapes_are_read_too(void **state)
{
	(void)state;
	reads(STR("\"caf" E9 "\""), STR("\"caf\xe9\""));
	reads(STR("\"caf\\udbff\\udee9\""), STR("\"caf\xe9\""));
	reads(STR("\"caf\\uDBFF\\uDEE9\""), STR("\"caf\xe9\""));
	reads(STR("\"caf\\udce9\\udc80\""), STR("\"caf\xe9\x80\""));
	/* other characters, and what only looks like an escape */
	reads(STR("\"\\ud83d\\ude00 \\u00e9 \\n \\\\udce9\""),
	      STR("\"\\ud83d\\ude00 \\u00e9 \\n \\\\udce9\""));
	reads(STR("\"\\ud83d\\udce9\""), STR("\"\\ud83d\\udce9\"")); /* U+1F4E9 */
	reads(STR("\"\\udbff\\udffd\""), STR("\"\\udbff\\udffd\""));
	/* half a character stays, to be refused */
	reads(STR("\"\\ud800 \\udc7f \\udbff\""), STR("\"\\ud800 \\udc7f \\udbff\""));
	reads(STR("\"\\udce"), STR("\"\\udce"));
	reads(STR("\\"), STR("\\"));
}

static void any_bytes_come_back_through_json(void **state)
{
	static const char *const pieces[] = { "a",    "\"",   "\\", "\n",      "\xc3\xa9",
					      "\xe9", "\xc3", E9,   X80,       "\xf4",
					      "\x8f", "\xbb", "u",  "\\udce9", "\xa9" };
	struct gen g = { 11 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct buf text = BUF_INIT, out = BUF_INIT;
		struct err e = ERR_INIT;
		json *v;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 12));
		buf_add(&text, STR("\0\xff"));
		json_quote(&out, buf_str(&text));
		bytes_show_from(&out, 0);
		assert_true(utf_clean(buf_str(&out)));
		bytes_read_json(&out);
		v = json_parse(buf_str(&out), &e);
		assert_non_null(v);
		assert_text(json_text(v), buf_str(&text));
		json_free(v);
		buf_release(&text);
		buf_release(&out);
	}
}

static void servers_get_a_replacement_for_each(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	buf_adds(&out, "\xe9 \xe9\xe2\x82 " E9);
	bytes_mend_from(&out, 1);
	assert_text(buf_str(&out), STR("\xe9 " UTF_BAD UTF_BAD UTF_BAD " " E9));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_that_are_no_text_are_shown),
		cmocka_unit_test(escapes_are_read_too),
		cmocka_unit_test(any_bytes_come_back_through_json),
		cmocka_unit_test(servers_get_a_replacement_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
