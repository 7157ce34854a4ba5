// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tool/answer_text.h"

static json *parsed(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	assert_non_null(v);
	return v;
}

static void reads(const char *answer, const char *want)
{
	struct buf out = BUF_INIT;
	json *v = parsed(answer);

	answer_text_result(&out, v);
	assert_string_equal(buf_str(&out).p, want);
	buf_release(&out);
	json_free(v);
}

static void what_is_short_comes_first_and_texts_last(void **state)
{
	(void)state;
	reads("{}", "");
	reads("{\"diff\":\"-a\\n+b\",\"success\":true,\"n\":3,\"note\":\"one line\"}",
	      "success: true, n: 3, note: one line\ndiff:\n-a\n+b\n");
	reads("{\"list\":[],\"names\":[\"a\",\"b\"],\"counts\":{\"error\":1}}",
	      "list: [], names: [\"a\",\"b\"], counts: {\"error\":1}\n");
}

static void a_row_begins_with_its_place(void **state)
{
	(void)state;
	reads("{\"rows\":[{\"message\":\"m\",\"file\":\"a.c\",\"line\":3,\"column\":5,"
	      "\"end_line\":3,\"end_column\":9,\"fixes\":[{\"title\":\"t\"}]},{\"file\":\"b.c\","
	      "\"line\":4,\"character\":7},{\"file\":\"c.c\"},{\"line\":1,\"text\":\"x\\ny\"}]}",
	      "rows:\na.c:3:5-3:9 message: m, fixes: [{\"title\":\"t\"}]\nb.c line: 4, "
	      "character: 7\nc.c\nline: 1, text: \"x\\ny\"\n");
}

static void lists_that_are_still_text_are_opened(void **state)
{
	struct buf raw = BUF_INIT, out = BUF_INIT;
	json *v = json_object();

	(void)state;
	buf_adds(&raw, "[{\"line\":1}]");
	json_put(v, "candidates", json_raw(&raw));
	answer_text_result(&out, v);
	assert_string_equal(out.p, "candidates:\nline: 1\n");
	buf_release(&out);
	json_free(v);
}

static void an_error_says_what_it_says_besides(void **state)
{
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	json *v = parsed("{\"error\":{\"code\":\"stale\",\"message\":\"m\",\"line\":2},"
			 "\"success\":false}");

	(void)state;
	err_set(&e, ERR_STALE, "it has changed");
	answer_text_error(&out, &e, v);
	assert_string_equal(out.p, "error: it has changed (stale)\nline: 2\nsuccess: false\n");
	buf_clear(&out);
	answer_text_error(&out, &e, NULL);
	assert_string_equal(out.p, "error: it has changed (stale)\n");
	buf_release(&out);
	json_free(v);
}

static void cut_to(const char *text, size_t most, const char *want)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, text);
	answer_text_cut(&out, most, "ask again");
	assert_string_equal(out.p, want);
	buf_release(&out);
}

static void a_long_text_is_cut_at_a_line(void **state)
{
	(void)state;
	cut_to("one\ntwo\n", 8, "one\ntwo\n");
	cut_to("one\ntwo\n", 7, "one\n[cut here: 1 of 2 lines, 4 of 8 bytes; ask again]\n");
	cut_to("one\ntwo\n", 4, "one\n[cut here: 1 of 2 lines, 4 of 8 bytes; ask again]\n");
	cut_to("\xc3\xa4\xc3\xa4\n", 3,
	       "\xc3\xa4\n[cut here: 0 of 1 lines, 2 of 5 bytes; ask again]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_short_comes_first_and_texts_last),
		cmocka_unit_test(a_row_begins_with_its_place),
		cmocka_unit_test(lists_that_are_still_text_are_opened),
		cmocka_unit_test(an_error_says_what_it_says_besides),
		cmocka_unit_test(a_long_text_is_cut_at_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
