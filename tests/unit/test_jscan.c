#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/jscan.h"
#include "base/json.h"
#include "gen.h"

/* Reads any value with the scanner and prints it as json_print() does. */
static void reprint(struct jscan *s, struct buf *out, int depth)
{
	struct buf text = BUF_INIT;
	struct str key;
	bool more = false;

	switch (depth > 30 ? 0 : jscan_peek(s)) {
	case '{':
		buf_addc(out, '{');
		for (jscan_object(s); jscan_member(s, &key); more = true) {
			buf_addf(out, "%s\"%.*s\":", more ? "," : "", STR_ARG(key));
			reprint(s, out, depth + 1);
		}
		buf_addc(out, '}');
		break;
	case '[':
		buf_addc(out, '[');
		for (jscan_array(s); jscan_item(s); more = true) {
			buf_adds(out, more ? "," : "");
			reprint(s, out, depth + 1);
		}
		buf_addc(out, ']');
		break;
	case '"':
		jscan_str(s, &text);
		json_quote(out, buf_str(&text));
		break;
	case '0':
		buf_addf(out, "%lld", (long long)jscan_int(s));
		break;
	case 't':
		buf_adds(out, jscan_bool(s) ? "true" : "false");
		break;
	default:
		buf_add(out, jscan_raw(s));
	}
	buf_release(&text);
}

/* In memory of just that size, so that a byte too far shows. */
static bool scan(struct str text, struct buf *out, struct err *e)
{
	char *exact = malloc(text.n + 1);
	struct jscan s;
	bool ok;

	memcpy(exact + 1, text.p, text.n);
	s = jscan_of((struct str){ exact + 1, text.n }, e);
	reprint(&s, out, 0);
	ok = jscan_ok(&s);
	assert_true(ok || e->code == ERR_PROTOCOL);
	free(exact);
	return ok;
}

static const char sample[] =
	" { \"changes\" : { \"file:///a\" : [ { \"range\" : { \"start\" : { \"line\" : 1 ,\t"
	"\"character\":20 }, \"end\":{\"line\":-3,\"character\":0} } , \"newText\" : "
	"\"a\\\"b\\\\\\u00e9\\ud83d\\ude00\\r\\n\" } , [ ] , { } , null , true , false ] } } \r\n";

static void reads_as_the_tree_does(void **state)
{
	struct err e = ERR_INIT;
	struct buf got = BUF_INIT, want = BUF_INIT;
	json *v = json_parse(str_of(sample), &e);

	(void)state;
	json_print(&want, v);
	assert_true(scan(str_of(sample), &got, &e));
	assert_text(buf_str(&got), buf_str(&want));
	json_free(v);
	buf_release(&got);
	buf_release(&want);
}

static void cut_at_any_byte_it_is_an_error(void **state)
{
	size_t whole = (size_t)(strrchr(sample, '}') - sample) + 1;

	(void)state;
	for (size_t n = 0; n < whole; n++) {
		struct err e = ERR_INIT;
		struct buf out = BUF_INIT;
		struct jscan s = jscan_of((struct str){ sample, n }, &e);

		assert_false(jscan_skip(&s));
		assert_false(jscan_ok(&s));
		e = (struct err)ERR_INIT;
		assert_false(scan((struct str){ sample, n }, &out, &e));
		assert_non_null(strstr(e.msg, "JSON: "));
		buf_release(&out);
	}
}

static void garbage_ends(void **state)
{
	static const char *const pieces[] = {
		"{",	"}",	"[",	"]",	",",	  ":",	  "\"",
		"\\",	"\\u",	"d83d", "1",	"-",	  "e",	  ".",
		"true", "null", " ",	"\xff", "\"a\":", "fals", "99999999999999999999"
	};
	struct gen g = { 50 };

	(void)state;
	for (int i = 0; i < 60000; i++) {
		struct err e = ERR_INIT, e2 = ERR_INIT;
		struct buf text = BUF_INIT, out = BUF_INIT, want = BUF_INIT;
		struct jscan s;
		json *v;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 9));
		v = json_parse(buf_str(&text), &e2);
		s = jscan_of(buf_str(&text), &e);
		/* what is JSON is skipped whole */
		assert_true(jscan_skip(&s) || !v);
		e = (struct err)ERR_INIT;
		scan(buf_str(&text), &out, &e);
		json_free(v);
		buf_release(&text);
		buf_release(&out);
		buf_release(&want);
	}
}

static void a_changed_byte_does_no_harm(void **state)
{
	struct gen g = { 51 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct err e = ERR_INIT;
		struct buf text = BUF_INIT, out = BUF_INIT;

		buf_adds(&text, sample);
		for (size_t n = 1 + gen_below(&g, 3); n; n--)
			text.p[gen_below(&g, text.n)] = (char)gen_below(&g, 256);
		scan(buf_str(&text), &out, &e);
		buf_release(&text);
		buf_release(&out);
	}
}

static void string_is(const char *quoted, const char *want)
{
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	struct jscan s = jscan_of(str_of(quoted), &e);

	assert_int_equal(jscan_str(&s, &out), !!want);
	if (want)
		assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
}

static void strings_are_decoded(void **state)
{
	(void)state;
	string_is("\"\"", "");
	string_is("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
	string_is("\"\\u0041\\u00E9\\u6c49\"", "A\xc3\xa9\xe6\xb1\x89");
	string_is("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
	string_is("\"\\ud83d\"", "\xef\xbf\xbd");
	string_is("\"\\ud83dx\"", "\xef\xbf\xbdx");
	string_is("\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd");
	string_is("\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
					"A");
	string_is("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80");
	string_is("\"\\u12\"", NULL);
	string_is("\"\\u12g4\"", NULL);
	string_is("\"\\x\"", NULL);
	string_is("\"a", NULL);
	string_is("\"a\\\"", NULL);
	string_is("1", NULL);
}

static void number_is(const char *text, bool ok, int64_t want)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(str_of(text), &e);

	assert_int_equal(jscan_int(&s), want);
	assert_int_equal(jscan_ok(&s), ok);
}

static void numbers_are_read(void **state)
{
	(void)state;
	number_is("0", true, 0);
	number_is(" -17 ", true, -17);
	number_is("2.9", true, 2);
	number_is("4294967295", true, 4294967295);
	number_is("9007199254740993", true, 9007199254740993);
	number_is("99999999999999999999", false, 0);
	number_is("-", false, 0);
	number_is("x", false, 0);
	number_is("\"1\"", false, 0);
}

static void what_is_skipped_may_be_anything(void **state)
{
	static const char *const values[] = {
		"18446744073709551615",	   "1e400", "-0.5E-7", "\"\\\"\"",
		"[[],[{}],{\"a\":[1,2]}]", "null",  "false"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct err e = ERR_INIT;
		struct buf text = BUF_INIT;
		struct jscan s;
		struct str key;

		buf_addf(&text, "{\"data\": %s , \"line\": 4}", values[i]);
		s = jscan_of(buf_str(&text), &e);
		assert_true(jscan_object(&s));
		assert_true(jscan_member(&s, &key));
		assert_text(jscan_raw(&s), str_of(values[i]));
		assert_true(jscan_member(&s, &key));
		assert_text(key, STR("line"));
		assert_int_equal(jscan_int(&s), 4);
		assert_false(jscan_member(&s, &key));
		assert_true(jscan_ok(&s));
		buf_release(&text);
	}
}

static void deep_nesting_takes_no_stack(void **state)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct jscan s;

	(void)state;
	for (int i = 0; i < 2000000; i++)
		buf_addc(&text, '[');
	for (int i = 0; i < 2000000; i++)
		buf_addc(&text, ']');
	s = jscan_of(buf_str(&text), &e);
	assert_true(jscan_skip(&s));
	s = jscan_of(str_sub(buf_str(&text), 1, text.n), &e);
	assert_true(jscan_skip(&s));
	s = jscan_of(str_sub(buf_str(&text), 0, text.n - 1), &e);
	assert_false(jscan_skip(&s));
	buf_release(&text);
}

static void an_error_sticks(void **state)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(STR("[1, 2]"), &e);
	struct str key;
	struct buf out = BUF_INIT;

	(void)state;
	assert_false(jscan_object(&s));
	assert_string_equal(e.msg, "JSON: expected an object at byte 0 of 6");
	assert_false(jscan_array(&s));
	assert_false(jscan_item(&s));
	assert_false(jscan_member(&s, &key));
	assert_false(jscan_str(&s, &out));
	assert_int_equal(jscan_int(&s), 0);
	assert_false(jscan_bool(&s));
	assert_false(jscan_skip(&s));
	assert_int_equal(jscan_raw(&s).n, 0);
	assert_int_equal(jscan_peek(&s), 0);
	assert_string_equal(e.msg, "JSON: expected an object at byte 0 of 6");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_as_the_tree_does),
		cmocka_unit_test(cut_at_any_byte_it_is_an_error),
		cmocka_unit_test(garbage_ends),
		cmocka_unit_test(a_changed_byte_does_no_harm),
		cmocka_unit_test(strings_are_decoded),
		cmocka_unit_test(numbers_are_read),
		cmocka_unit_test(what_is_skipped_may_be_anything),
		cmocka_unit_test(deep_nesting_takes_no_stack),
		cmocka_unit_test(an_error_sticks),
	};

	return cmocka_run_group_tests_name("jscan", tests, NULL, NULL);
}
