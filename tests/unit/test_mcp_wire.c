#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mcp_rig.h"

#define PING(id) "{\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"id\":" id ",\"result\":{}}"

/* After anything at all the next message is answered. */
static void refuses(const char *line, const char *code, const char *id)
{
	struct buf want = BUF_INIT;
	struct rig g;
	json *v;

	rig_start(&g);
	v = rig_answer(&g, line);
	json_print(&want, json_get(v, "error.code"));
	assert_string_equal(want.p, code);
	buf_clear(&want);
	json_each(member, v)
		if (!strcmp(json_key(member), "id"))
			json_print(&want, member);
	assert_string_equal(want.p, id);
	assert_true(json_get_str(v, "error.message").n > 0);
	says(&g, PING("9"), PONG("9"));
	buf_release(&want);
	json_free(v);
	rig_stop(&g);
}

static void what_cannot_be_read_is_answered(void **state)
{
	(void)state;
	refuses("{bad", "-32700", "null");
	refuses("{\"id\":4,\"method\":\"ping\",}", "-32700", "4");
	refuses("nonsense", "-32700", "null");
	refuses("\"text\"", "-32600", "null");
	refuses("{\"id\":5}", "-32600", "5");
	refuses("{\"id\":1.5,\"method\":\"ping\"}", "-32600", "null");
	refuses("{\"id\":null,\"method\":\"ping\"}", "-32600", "null");
	refuses("{\"id\":6,\"method\":\"ping\",\"params\":[1]}", "-32602", "6");
	refuses("{\"id\":7,\"method\":\"ping\",\"params\":{\"a\":nope}}", "-32700", "7");
	refuses("{\"id\":\"\xc3\xa4\",\"method\":\"p\xffng\"}", "-32700", "\"\xc3\xa4\"");
	refuses("{\"id\":8,\"method\":\"ping\",\"x\":\"\xed\xa0\x80\"}", "-32700", "8");
}

static void what_is_too_deep_is_answered(void **state)
{
	struct buf line = BUF_INIT;

	(void)state;
	buf_adds(&line, "{\"id\":1,\"method\":\"ping\",\"params\":{\"a\":");
	for (int i = 0; i < 600; i++)
		buf_addc(&line, '[');
	for (int i = 0; i < 600; i++)
		buf_addc(&line, ']');
	buf_adds(&line, "}}");
	refuses(line.p, "-32700", "1");
	buf_release(&line);
}

static void what_is_too_long_is_skipped(void **state)
{
	static const char *const begins[][2] = {
		{ "{\"id\":3,\"method\":\"ping\",\"x\":\"", "3" },
		{ "{\"method\":\"ping\",\"x\":\"", "null" },
		/* an answer has an id of ours */
		{ "{\"id\":3,\"result\":{\"x\":\"", "null" },
		{ "{\"result\":{},\"id\":3,\"x\":\"", "null" },
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct buf want = BUF_INIT;
		struct rig g;

		rig_start(&g);
		buf_addf(&want,
			 "{\"id\":%s,\"error\":{\"code\":-32600,\"message\":\"the message "
			 "exceeds the limit of 2000 bytes, and was ignored\"}}",
			 begins[i][1]);
		rig_feed(&g, begins[i][0]);
		for (int n = 0; n < 5000; n++)
			rig_feed(&g, "x");
		sends(&g, want.p);
		rig_feed(&g, "\"}\n" PING("2") "\n");
		sends(&g, PONG("2"));
		buf_release(&want);
		rig_stop(&g);
	}
}

/* Of an id that crosses the limit nobody knows the end. */
static void an_id_that_the_limit_cuts_is_not_answered(void **state)
{
	static const char begin[] = "{\"id\":", end[] = ",\"method\":\"ping\",\"x\":\"";

	(void)state;
	for (size_t cut = 0; cut <= 4; cut++) {
		struct buf line = BUF_INIT, want = BUF_INIT;
		struct rig g;

		rig_start(&g);
		buf_adds(&line, begin);
		while (line.n < 2000 - cut) /* as much as is read at once */
			buf_addc(&line, ' ');
		buf_adds(&line, "123");
		buf_adds(&line, end);
		mcp_feed(g.mcp, str_sub(buf_str(&line), 0, 2000), 0);
		mcp_feed(g.mcp, str_sub(buf_str(&line), 2000, line.n), 0);
		for (int n = 0; n < 3000; n++)
			rig_feed(&g, "x");
		rig_feed(&g, "\"}\n");
		buf_addf(&want,
			 "{\"id\":%s,\"error\":{\"code\":-32600,\"message\":\"the message "
			 "exceeds the limit of 2000 bytes, and was ignored\"}}",
			 cut > 3 ? "123" : "null");
		sends(&g, want.p);
		buf_release(&line);
		buf_release(&want);
		rig_stop(&g);
	}
}

static void lines_may_come_in_any_pieces(void **state)
{
	static const char stream[] = PING("1") "\n\r\n" PING("2") "\r\n   \n{bad\n" PING("3") "\n";
	static const char want[] = PONG("1") " " PONG(
		"2") " {\"id\":null,\"error\":{\"code\":-32700,\"message\":\"JSON: expected a "
		     "string at byte 1 of 4\"}} " PONG("3");

	(void)state;
	for (size_t cut = 0; cut < sizeof(stream); cut++) {
		struct rig g;

		rig_start(&g);
		mcp_feed(g.mcp, str_sub(str_of(stream), 0, cut), 0);
		for (size_t i = cut; i < sizeof(stream) - 1; i++)
			mcp_feed(g.mcp, str_sub(str_of(stream), i, i + 1), 0);
		sends(&g, want);
		rig_stop(&g);
	}
}

static void a_batch_is_answered_on_one_line(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-03-26", ""));
	says(&g, "[" PING("1") ",{\"method\":\"notifications/x\"}," PING("2") "]",
	     "[" PONG("1") "," PONG("2") "]");
	says(&g, "[{\"method\":\"notifications/x\"}]", "");
	says(&g, "[1," PING("3") "]",
	     "[{\"id\":null,\"error\":{\"code\":-32600,\"message\":\"JSON: expected an object "
	     "at byte 0 of 1\"}}," PONG("3") "]");
	rig_feed(&g, "[{\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}," PING(
			     "5") "]\n");
	sends(&g, "");
	says(&g, PING("6"), PONG("6"));
	rig_done(g.kept[0], "now");
	sends(&g, "[" PONG("5") ",{\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
				"\"now\"}],\"isError\":false}}]");
	rig_stop(&g);
}

static void a_batch_can_be_wrong_in_all_ways(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	refuses("[" PING("1") "]", "-32600", "null");
	refuses("[" PING("1"), "-32700", "null");
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-03-26", ""));
	says(&g, "[]",
	     "{\"id\":null,\"error\":{\"code\":-32600,\"message\":\"the batch is empty\"}}");
	v = rig_answer(&g, "[" INITIALIZE("2025-06-18", "") "]");
	assert_int_equal(json_get_int(json_first(v), "error.code", 0), -32600);
	json_free(v);
	/* an end in the middle */
	rig_feed(&g, "[{\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}]\n");
	rig_stop(&g);
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	v = rig_answer(&g, "[" PING("1") "]");
	assert_int_equal(json_get_int(v, "error.code", 0), -32600);
	json_free(v);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_read_is_answered),
		cmocka_unit_test(what_is_too_deep_is_answered),
		cmocka_unit_test(what_is_too_long_is_skipped),
		cmocka_unit_test(an_id_that_the_limit_cuts_is_not_answered),
		cmocka_unit_test(lines_may_come_in_any_pieces),
		cmocka_unit_test(a_batch_is_answered_on_one_line),
		cmocka_unit_test(a_batch_can_be_wrong_in_all_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
