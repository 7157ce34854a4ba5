#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "gen.h"

static void prints(const char *text, const char *want)
{
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	json *v = json_parse(str_of(text), &e), *copy = json_copy(v);

	assert_non_null(v);
	json_print(&out, copy);
	assert_text(buf_str(&out), str_of(want));
	json_free(v);
	json_free(copy);
	buf_release(&out);
}

static void prints_what_it_parsed(void **state)
{
	(void)state;
	prints(" { \"a\" : [ 1 , -2.5 , true , false , null , \"x\" ] , \"b\" : { } } \n",
	       "{\"a\":[1,-2.5,true,false,null,\"x\"],\"b\":{}}");
	prints("9007199254740991", "9007199254740991");
	prints("-0.125", "-0.125");
	prints("1e3", "1000");
	prints("\"\\u00e9\\ud83d\\ude00\\n\\/\"", "\"\xc3\xa9\xf0\x9f\x98\x80\\n/\"");
	prints("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}");
}

static void refuses(struct str text, enum err_code code)
{
	struct err e = ERR_INIT;

	assert_null(json_parse(text, &e));
	assert_int_equal(e.code, code);
	assert_true(e.msg[0] != '\0');
}

static void refuses_what_is_no_json(void **state)
{
	(void)state;
	refuses(STR(""), ERR_PROTOCOL);
	refuses(STR("  "), ERR_PROTOCOL);
	refuses(STR("{"), ERR_PROTOCOL);
	refuses(STR("[1,]"), ERR_PROTOCOL);
	refuses(STR("{\"a\"}"), ERR_PROTOCOL);
	refuses(STR("\"open"), ERR_PROTOCOL);
	refuses(STR("\"\\ud800\""), ERR_PROTOCOL);
	refuses(STR("nul"), ERR_PROTOCOL);
	refuses(STR("1 2"), ERR_PROTOCOL);
	refuses(STR("{} x"), ERR_PROTOCOL);
	refuses(STR("{\"a\\u0000b\": 1}"), ERR_INVALID);
	refuses(STR("\"a\0b\""), ERR_INVALID);
	prints("\"\\\\u0000\"", "\"\\\\u0000\"");
	refuses(STR("\"a\\u00e$b\""), ERR_PROTOCOL);
	refuses(STR("\"a\\u+0e4b\""), ERR_PROTOCOL);
	refuses(STR("\"a\\u00"), ERR_PROTOCOL);
}

static void nesting_is_bounded(void **state)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	json *v;

	(void)state;
	for (int i = 0; i < JSON_DEPTH; i++)
		buf_addc(&b, '[');
	for (int i = 0; i < JSON_DEPTH; i++)
		buf_addc(&b, ']');
	v = json_parse(buf_str(&b), &e);
	assert_non_null(v);
	json_free(v);
	for (int i = 0; i < 1000000; i++)
		buf_addc(&b, '[');
	refuses(str_sub(buf_str(&b), JSON_DEPTH * 2, b.n), ERR_LIMIT);
	buf_clear(&b);
	buf_addc(&b, '"');
	for (int i = 0; i < 2 * JSON_DEPTH; i++)
		buf_adds(&b, "[\\\"");
	buf_addc(&b, '"');
	v = json_parse(buf_str(&b), &e);
	assert_non_null(v);
	json_free(v);
	buf_release(&b);
}

static void lists_of_an_outermost_object_stay_text(void **state)
{
	struct err e = ERR_INIT;
	json *v =
		json_parse_outer(STR(" {\"s\" : \"a\\n\xff\", \"l\\u0031\": [1, {\"a\": [2]}] ,"
				     "\"o\":{\"l\":[3]},\"n\":-1.5, \"e\":\"\", \"null\":null}\n"),
				 &e);
	struct buf out = BUF_INIT;

	(void)state;
	assert_non_null(v);
	assert_text(json_get_str(v, "s"), STR("a\n\xff"));
	assert_text(json_raw_text(json_get(v, "l1")), STR("[1, {\"a\": [2]}]"));
	assert_true(json_is(json_get(v, "l1"), JSON_ARRAY));
	assert_int_equal(json_number(json_first(json_get(v, "o.l"))), 3);
	assert_true(json_is(json_get(v, "e"), JSON_STRING));
	assert_null(json_get(v, "null"));
	json_drop(v, "s");
	json_print(&out, v);
	assert_text(buf_str(&out), STR("{\"l1\":[1, {\"a\": [2]}],\"o\":{\"l\":[3]},\"n\":-1.5,"
				       "\"e\":\"\",\"null\":null}"));
	buf_release(&out);
	json_free(v);
	v = json_parse_outer(STR("[1,[2]]"), &e);
	assert_int_equal(json_len(v), 2);
	json_free(v);
}

static void refuses_outer(struct str text, enum err_code code, const char *says)
{
	struct err e = ERR_INIT;

	assert_null(json_parse_outer(text, &e));
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, says))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, says);
}

static void outermost_objects_that_are_none(void **state)
{
	(void)state;
	refuses_outer(STR(""), ERR_PROTOCOL, "expected a value at byte 0");
	refuses_outer(STR("{"), ERR_PROTOCOL, "expected a string at byte 1");
	refuses_outer(STR("{\"a\" 1}"), ERR_PROTOCOL, "expected a colon at byte 5");
	refuses_outer(STR("{\"a\":nul}"), ERR_PROTOCOL, "expected a value");
	refuses_outer(STR("{\"a\":{\"b\"}}"), ERR_PROTOCOL, "expected a colon at byte 4 of 5");
	refuses_outer(STR("{\"a\":1} x"), ERR_PROTOCOL,
		      "unexpected text after the value at byte 8");
	refuses_outer(STR("{\"a\":\"\\ud800\"}"), ERR_PROTOCOL, "a lone surrogate");
	refuses_outer(STR("{\"\\ud800\":1}"), ERR_PROTOCOL, "a lone surrogate");
	refuses_outer(STR("{\"\\u0000\":1}"), ERR_INVALID, "NUL");
	refuses_outer(STR("{\"a\":\"\0\"}"), ERR_INVALID, "NUL");
	refuses_outer(STR("{\"a\":[1,2}"), ERR_PROTOCOL, "at byte");
}

static void members_stand_there_once(void **state)
{
	static const char *const fine[] = { "{}", "{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]},\"A\":2}",
					    "{\"a\":[{\"b\":1,\"b\"}]}" /* not JSON */ };
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
		json *v = json_parse_outer(str_of(fine[i]), &e);

		assert_non_null(v);
		json_free(v);
	}
	refuses_outer(STR("{\"a\":1,\"b\":2,\"a\":1}"), ERR_INVALID, "two members \"a\"");
	refuses_outer(STR("{\"a\":null,\"\\u0061\":1}"), ERR_INVALID, "two members \"a\"");
	refuses_outer(STR("{\"a\":{\"b\":{\"c\":1,\"c\":2}}}"), ERR_INVALID, "two members \"c\"");
	refuses_outer(STR("{\"a\":[1,[{\"b\":[],\"b\":[]}]]}"), ERR_INVALID, "two members \"b\"");
}

static void getters_find_members(void **state)
{
	struct err e = ERR_INIT;
	json *v = json_parse(STR("{\"a\":{\"b\":{\"c\":\"x\"}},\"n\":7,\"f\":1.5,\"t\":true,"
				 "\"null\":null,\"l\":[1,2]}"),
			     &e);

	(void)state;
	assert_text(json_get_str(v, "a.b.c"), STR("x"));
	assert_text(json_get_str(v, "a.b"), STR(""));
	assert_text(json_get_str(v, "a.b.c.d"), STR(""));
	assert_int_equal(json_get_int(v, "n", 1), 7);
	assert_int_equal(json_get_int(v, "f", 1), 1);
	assert_int_equal(json_get_int(v, "none", 3), 3);
	assert_true(json_get_bool(v, "t", false));
	assert_true(json_get_bool(v, "n", true));
	assert_null(json_get(v, "null"));
	assert_null(json_get(NULL, "a"));
	assert_ptr_equal(json_get(v, ""), v);
	assert_int_equal(json_len(json_get(v, "l")), 2);
	assert_int_equal(json_len(json_get(v, "n")), 0);
	assert_true(json_is(json_get(v, "l"), JSON_ARRAY));
	assert_false(json_is(NULL, JSON_NULL));
	assert_string_equal(json_key(json_first(v)), "a");
	json_free(v);
}

static void literals_leave_out_what_is_null(void **state)
{
	json *v = json_of({ "a", json_int(1) }, { "b", NULL },
			  { "c", json_list(json_strz("x"), json_of({ "d", json_null() })) });
	struct buf out = BUF_INIT;

	(void)state;
	json_print(&out, v);
	assert_text(buf_str(&out), STR("{\"a\":1,\"c\":[\"x\",{\"d\":null}]}"));
	buf_release(&out);
	json_free(v);
}

static void builds_trees(void **state)
{
	struct buf out = BUF_INIT, raw = BUF_INIT;
	json *o = json_object(), *l = json_put(o, "l", json_array());

	(void)state;
	json_put(o, "s", json_strz("old"));
	json_put(o, "s", json_strf("%s-%d", "new", 1));
	json_push(l, json_int(-3));
	json_push(l, json_num(0.5));
	json_push(l, json_bool(true));
	json_push(l, json_null());
	buf_adds(&raw, "{\"raw\":[]}");
	json_push(l, json_raw(&raw));
	assert_null(raw.p);
	json_push(l, json_str((struct str){ NULL, 0 }));
	json_push(l, json_str(STR("a\0b\xff")));
	json_put(o, "gone", json_int(1));
	json_drop(o, "gone");
	json_drop(o, "never");
	json_print(&out, o);
	assert_text(buf_str(&out),
		    STR("{\"l\":[-3,0.5,true,null,{\"raw\":[]},\"\",\"a\\u0000b\xff\"],"
			"\"s\":\"new-1\"}"));
	buf_release(&out);
	json_free(o);
	json_free(NULL);
}

static void long_strings_are_whole(void **state)
{
	char text[3000];
	json *v;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	v = json_strf("<%s>", text);
	assert_int_equal(json_text(v).n, sizeof(text) + 1);
	json_free(v);
}

static void numbers_keep_their_kind(void **state)
{
	struct err e = ERR_INIT;
	json *v = json_parse(STR("[1,1.5,1e30,-9007199254740993]"), &e);
	const json *i = json_first(v);

	(void)state;
	assert_true(json_is_int(i));
	assert_false(json_is_int(json_next(i)));
	assert_int_equal(json_number(json_next(i)), 1);
	i = json_next(json_next(i));
	assert_false(json_is_int(i));
	assert_int_equal(json_number(i), 0);
	assert_true(json_is_int(json_next(i)));
	assert_null(json_next(json_next(i)));
	assert_false(json_is_int(NULL));
	json_free(v);
}

/* Quoted bytes come back as they were, whatever they are. */
static void quotes_round_trip(void **state)
{
	static const char *const pieces[] = {
		"a",	"\"",	    "\\",	    "\n",
		"\x01", "\x7f",	    "\xc3\xa9",	    "\xf0\x9f\x98\x80",
		"/",	"\b\f\r\t", "\xe2\x80\xa8", "\xff",
		"\xe2"
	};
	struct gen g = { 6 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct buf text = BUF_INIT, out = BUF_INIT;
		struct err e = ERR_INIT;
		json *v;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 12));
		json_quote(&out, buf_str(&text));
		v = json_parse(buf_str(&out), &e);
		assert_non_null(v);
		assert_text(json_text(v), buf_str(&text));
		json_free(v);
		buf_release(&text);
		buf_release(&out);
	}
}

static void any_byte_is_quoted_wherever_it_is(void **state)
{
	char text[40];

	(void)state;
	for (int c = 1; c < 0x80; c++)
		for (size_t at = 0; at < sizeof(text); at++) {
			bool plain = c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
			struct str s = { text, sizeof(text) };
			struct buf out = BUF_INIT;
			struct err e;
			json *v;

			memset(text, 'x', sizeof(text));
			text[at] = (char)c;
			json_quote(&out, s);
			assert_int_equal(out.n == s.n + 2, plain);
			v = json_parse(buf_str(&out), &e);
			assert_non_null(v);
			assert_true(str_eq(json_text(v), s));
			json_free(v);
			buf_release(&out);
		}
}

static void a_nul_is_a_byte_like_others(void **state)
{
	struct err e = ERR_INIT;
	json *v = json_parse(STR("{\"a\":\"x\\u0000y\\u0000\",\"l\":[\"\\u0000\"]}"), &e), *copy;
	struct buf out = BUF_INIT;

	(void)state;
	assert_text(json_get_str(v, "a"), STR("x\0y\0"));
	copy = json_copy(v);
	json_print(&out, copy);
	assert_text(buf_str(&out), STR("{\"a\":\"x\\u0000y\\u0000\",\"l\":[\"\\u0000\"]}"));
	json_free(v);
	json_free(copy);
	buf_release(&out);
}

static void gather(void *arg, struct str part)
{
	assert_true(part.n > 0);
	buf_add(arg, part);
}

/* In parts or as a whole, and whether a text is copied or taken: the same bytes. */
static void long_texts_come_in_parts(void **state)
{
	static const char *const pieces[] = { "plain text ", "\n",	 "\"",
					      "\\",	     "\xc3\xa9", "\xe2\x82\xac",
					      "\xff",	     "\x01",	 "\xf0\x9f\x98\x80" };
	struct gen g = { 64 };

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct buf text = BUF_INIT, whole = BUF_INIT, parts = BUF_INIT;
		json *v = json_object();

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 60000));
		json_put(v, "copied", json_str(buf_str(&text)));
		json_put(v, "taken", json_take(&text));
		assert_null(text.p);
		assert_text(json_get_str(v, "taken"), json_get_str(v, "copied"));
		json_print(&whole, v);
		json_stream(v, gather, &parts);
		assert_text(buf_str(&parts), buf_str(&whole));
		json_free(v);
		buf_release(&whole);
		buf_release(&parts);
	}
}

static void garbage_is_refused_or_parsed(void **state)
{
	static const char *const pieces[] = { "{",    "}",    "[",    "]",    ",",	 ":", "\"",
					      "\\",   "\\u",  "d83d", "1",    "-",	 "e", ".",
					      "true", "null", " ",    "\xff", "\xc3\xa9" };
	struct gen g = { 21 };

	(void)state;
	for (int i = 0; i < 30000; i++) {
		struct buf text = BUF_INIT;
		struct err e = ERR_INIT;
		char *exact;
		json *v;

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 10));
		exact = malloc(text.n + 1); /* one byte more: malloc(0) may be NULL */
		memcpy(exact + 1, buf_str(&text).p, text.n);
		v = json_parse((struct str){ exact + 1, text.n }, &e);
		assert_true(v ? e.code == ERR_OK : e.code != ERR_OK);
		json_free(v);
		free(exact);
		buf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_it_parsed),
		cmocka_unit_test(refuses_what_is_no_json),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(lists_of_an_outermost_object_stay_text),
		cmocka_unit_test(outermost_objects_that_are_none),
		cmocka_unit_test(members_stand_there_once),
		cmocka_unit_test(getters_find_members),
		cmocka_unit_test(literals_leave_out_what_is_null),
		cmocka_unit_test(builds_trees),
		cmocka_unit_test(long_strings_are_whole),
		cmocka_unit_test(numbers_keep_their_kind),
		cmocka_unit_test(quotes_round_trip),
		cmocka_unit_test(any_byte_is_quoted_wherever_it_is),
		cmocka_unit_test(a_nul_is_a_byte_like_others),
		cmocka_unit_test(long_texts_come_in_parts),
		cmocka_unit_test(garbage_is_refused_or_parsed),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
