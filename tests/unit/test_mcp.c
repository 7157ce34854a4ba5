#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mcp_rig.h"

#define DONE(id, text)                                                                             \
	"{\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text              \
	"\"}],\"isError\":false}}"

static void a_client_gets_the_revision_it_asks_for(void **state)
{
	static const char *const asked[][2] = {
		{ "2024-11-05", "2024-11-05" }, { "2025-03-26", "2025-03-26" },
		{ "2025-06-18", "2025-06-18" }, { "2025-11-25", "2025-11-25" },
		{ "2026-07-28", "2025-11-25" }, { "1999-01-01", "2025-11-25" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct buf line = BUF_INIT;
		struct rig g;
		json *v;

		rig_start(&g);
		buf_addf(&line, INITIALIZE("%s", ""), asked[i][0]);
		v = rig_answer(&g, line.p);
		assert_string_equal(json_get_str(v, "result.protocolVersion").p, asked[i][1]);
		assert_string_equal(json_get_str(v, "result.serverInfo.name").p, "rig");
		assert_string_equal(json_get_str(v, "result.instructions").p, "be good");
		assert_non_null(json_get(v, "result.capabilities.tools"));
		assert_non_null(json_get(v, "result.capabilities.prompts"));
		assert_true(json_get_bool(v, "result.capabilities.resources.subscribe", false));
		json_free(v);
		buf_release(&line);
		rig_stop(&g);
	}
}

static void nothing_but_ping_is_answered_before_initialize(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	rig_start(&g);
	says(&g, "{\"id\":1,\"method\":\"ping\"}", "{\"id\":1,\"result\":{}}");
	v = rig_answer(&g, "{\"id\":2,\"method\":\"tools/list\"}");
	assert_int_equal(json_get_int(v, "error.code", 0), -32602);
	json_free(v);
	says(&g, "{\"id\":3,\"method\":\"initialize\",\"params\":{}}",
	     "{\"id\":3,\"error\":{\"code\":-32602,\"message\":\"initialize needs a "
	     "protocolVersion\"}}");
	rig_stop(&g);
}

static void what_is_not_there_is_said(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	says(&g, "{\"id\":1,\"method\":\"nope/nope\"}",
	     "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"unknown method nope/nope\"}}");
	says(&g, "{\"id\":2,\"method\":\"server/discover\"}",
	     "{\"id\":2,\"error\":{\"code\":-32601,\"message\":\"unknown method "
	     "server/discover\"}}");
	says(&g, "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"none\"}}",
	     "{\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no such tool\"}}");
	says(&g, "{\"id\":4,\"method\":\"resources/read\",\"params\":{\"uri\":\"x:y\"}}",
	     "{\"id\":4,\"error\":{\"code\":-32002,\"message\":\"no such resource\",\"data\":{\"uri\":\"x:y\"}}}");
	says(&g, "{\"method\":\"notifications/nope\"}", "");
	says(&g, "{\"id\":77,\"result\":{}}", "");
	rig_stop(&g);
}

static void a_call_brings_its_arguments_as_they_are(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-06-18", ""));
	says(&g,
	     "{\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"arguments\":{\"x\" : [1, "
	     "{}]},\"name\":\"t\"}}",
	     "{\"id\":\"a\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],"
	     "\"isError\":false}}");
	saw(&g, "call t {\"x\" : [1, {}]}\n");
	rig_feed(&g, "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n"
		     "{\"id\":3,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\","
		     "\"arguments\":null}}\n");
	saw(&g, "call t {}\nprompt p {}\n");
	rig_stop(&g);
}

static void calls_are_answered_in_any_order(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	for (int i = 1; i <= 4; i++) {
		struct buf line = BUF_INIT;

		buf_addf(&line,
			 "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
			 "\"wait\"}}\n",
			 i);
		rig_feed(&g, line.p);
		buf_release(&line);
	}
	sends(&g, "");
	assert_int_equal(mcp_waiting(g.mcp), 4);
	says(&g, "{\"id\":5,\"method\":\"ping\"}",
	     "{\"id\":5,\"error\":{\"code\":-32603,\"message\":\"too many requests are in progress; "
	     "wait for a response\"}}");
	rig_done(g.kept[2], "third");
	sends(&g, "{\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"third\"}],"
		  "\"isError\":false}}");
	says(&g, "{\"id\":1,\"method\":\"ping\"}",
	     "{\"id\":1,\"error\":{\"code\":-32600,\"message\":\"a request with this id is in "
	     "progress\"}}");
	says(&g, "{\"id\":\"1\",\"method\":\"ping\"}", "{\"id\":\"1\",\"result\":{}}");
	rig_done(g.kept[0], "first");
	rig_done(g.kept[1], "second");
	rig_done(g.kept[3], "fourth");
	rig_stop(&g);
}

static void a_cancelled_call_is_not_answered(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	rig_feed(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}\n");
	says(&g, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}", "");
	saw(&g, "call wait {}\ncancel\n");
	assert_int_equal(mcp_waiting(g.mcp), 0);
	says(&g, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}", "");
	says(&g, "{\"method\":\"notifications/cancelled\"}", "");
	saw(&g, "");
	rig_stop(&g);
}

static void the_end_cancels_what_is_under_way(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", "\"roots\":{}"));
	rig_feed(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}\n"
		     "{\"method\":\"notifications/initialized\"}\n"
		     "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n");
	mcp_end(g.mcp);
	saw(&g, "call wait {}\ncancel\n");
	assert_int_equal(mcp_waiting(g.mcp), 0);
	rig_feed(&g, "{\"id\":3,\"method\":\"ping\"}\n");
	sends(&g, "{\"id\":1,\"method\":\"roots/list\"}");
	mcp_free(g.mcp);
	buf_release(&g.seen);
}

static void a_list_comes_in_pages(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	says(&g, "{\"id\":1,\"method\":\"tools/list\"}",
	     "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"row0\"},{\"name\":\"row1\"}]}}");
	g.rows = 7;
	says(&g, "{\"id\":2,\"method\":\"resources/list\"}",
	     "{\"id\":2,\"result\":{\"resources\":[{\"name\":\"row0\"},{\"name\":\"row1\"},"
	     "{\"name\":\"row2\"}],\"nextCursor\":\"3\"}}");
	says(&g, "{\"id\":3,\"method\":\"resources/templates/list\",\"params\":{\"cursor\":\"6\"}}",
	     "{\"id\":3,\"result\":{\"resourceTemplates\":[{\"name\":\"row6\"}]}}");
	for (const char *const *bad =
		     (const char *const[]){ "\"7\"", "\"-1\"", "\"x\"", "\"\"", "3",
					    "\"99999999999999999999999\"", NULL };
	     *bad; bad++) {
		struct buf line = BUF_INIT;
		json *v;

		buf_addf(&line, "{\"id\":4,\"method\":\"prompts/list\",\"params\":{\"cursor\":%s}}",
			 *bad);
		v = rig_answer(&g, line.p);
		assert_int_equal(json_get_int(v, "error.code", 0), -32602);
		json_free(v);
		buf_release(&line);
	}
	rig_stop(&g);
}

static void progress_goes_to_who_asked_for_it(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	rig_feed(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\",\"_meta\":{"
		     "\"progressToken\":\"p\"}}}\n"
		     "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}\n");
	for (size_t i = 0; i < 2; i++)
		mcp_progress(g.kept[i], STR("half"));
	mcp_progress(g.kept[0], STR("whole"));
	sends(&g, "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\","
		  "\"progress\":1,\"message\":\"half\"}} "
		  "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\","
		  "\"progress\":2,\"message\":\"whole\"}}");
	rig_done(g.kept[0], "");
	rig_done(g.kept[1], "");
	rig_stop(&g);
}

static void the_log_has_the_level_that_was_set(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	mcp_log(g.mcp, MCP_ERROR, STR("nobody is there"));
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	mcp_log(g.mcp, MCP_INFO, STR("below"));
	sends(&g, "");
	says(&g, "{\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}",
	     "{\"id\":1,\"result\":{}}");
	mcp_log(g.mcp, MCP_INFO, STR("heard"));
	sends(&g, "{\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"logger\":"
		  "\"rig\",\"data\":\"heard\"}}");
	rig_feed(&g,
		 "{\"id\":2,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"loud\"}}\n");
	sends(&g,
	      "{\"id\":2,\"error\":{\"code\":-32602,\"message\":\"level must be one of debug, info, "
	      "notice, warning, error, critical, alert, emergency\"}}");
	rig_stop(&g);
}

static void calls_wait_until_the_folders_are_known(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-06-18", "\"roots\":{\"listChanged\":true}"));
	says(&g, "{\"method\":\"notifications/initialized\"}",
	     "{\"id\":1,\"method\":\"roots/list\"}");
	says(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}", "");
	rig_feed(&g, "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"u\"}}\n"
		     "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n");
	saw(&g, "");
	rig_feed(&g, "{\"id\":1,\"result\":{\"roots\":[{\"uri\":\"file:///p\"}]}}\n");
	saw(&g, "roots [{\"uri\":\"file:///p\"}]\ncall t {}\n");
	sends(&g, "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],"
		  "\"isError\":false}}");
	/* a client that does not answer holds nothing up for long */
	says(&g, "{\"method\":\"notifications/roots/list_changed\"}",
	     "{\"id\":2,\"method\":\"roots/list\"}");
	rig_feed(&g, "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"v\"}}\n");
	saw(&g, "");
	mcp_tick(g.mcp, 501);
	saw(&g, "call v {}\n");
	rig_stop(&g);
}

static void who_subscribed_is_told(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	says(&g, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"x:a\"}}",
	     "{\"id\":1,\"result\":{}}");
	mcp_updated(g.mcp, STR("x:b"));
	sends(&g, "");
	mcp_updated(g.mcp, STR("x:a"));
	sends(&g, "{\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"x:a\"}}");
	says(&g, "{\"id\":2,\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":\"x:a\"}}",
	     "{\"id\":2,\"result\":{}}");
	mcp_updated(g.mcp, STR("x:a"));
	sends(&g, "");
	rig_stop(&g);
}

#define WATCH(id, uri)                                                                             \
	"{\"id\":" id ",\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"" uri "\"}}"

static void nobody_subscribes_to_everything(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", ""));
	says(&g, WATCH("1", "x:a"), "{\"id\":1,\"result\":{}}");
	says(&g, WATCH("2", "x:b"), "{\"id\":2,\"result\":{}}");
	says(&g, WATCH("3", "x:c"),
	     "{\"id\":3,\"error\":{\"code\":-32603,\"message\":\"too many subscriptions; cancel one "
	     "first\"}}");
	says(&g, WATCH("4", "x:a"), "{\"id\":4,\"result\":{}}");
	rig_stop(&g);
}

static void a_person_is_asked_by_way_of_the_client(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-06-18", "\"elicitation\":{}"));
	says(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"}}",
	     "{\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":\"sure?\","
	     "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
	says(&g, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{}}}",
	     "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"accept\"}],"
	     "\"isError\":false}}");
	rig_feed(&g, "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"}}\n");
	sends(&g, "{\"id\":2,\"method\":\"elicitation/create\",\"params\":{\"message\":\"sure?\","
		  "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
	says(&g, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}",
	     "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}");
	says(&g, "{\"id\":2,\"result\":{\"action\":\"accept\"}}", "");
	rig_stop(&g);
}

static void what_was_asked_is_answered_after_the_input_has_ended(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-11-25", "\"elicitation\":{}"));
	rig_feed(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}\n"
		     "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"}}\n");
	sends(&g, "{\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":\"sure?\","
		  "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
	/* the last line has no end, and what is asked from here on has nobody to ask */
	rig_feed(&g, "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}");
	sends(&g, "");
	mcp_input_ended(g.mcp, 0);
	sends(&g, DONE("3", "done") " {\"method\":\"notifications/cancelled\",\"params\":{"
				    "\"requestId\":1}} " DONE("2", "cancel"));
	assert_int_equal(mcp_waiting(g.mcp), 1);
	rig_ask(g.kept[0], STR(""));
	sends(&g, DONE("1", "later"));
	assert_int_equal(mcp_waiting(g.mcp), 0);
	rig_stop(&g);
}

static void folders_are_not_waited_for_after_the_input_has_ended(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-06-18", "\"roots\":{}"));
	says(&g, "{\"method\":\"notifications/initialized\"}",
	     "{\"id\":1,\"method\":\"roots/list\"}");
	says(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}", "");
	mcp_input_ended(g.mcp, 0);
	sends(&g, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}} " DONE(
			  "1", "done"));
	rig_stop(&g);
}

static void a_client_that_cannot_ask_is_not_asked(void **state)
{
	static const char *const lines[] = { INITIALIZE("2025-11-25", ""),
					     INITIALIZE("2025-11-25",
							"\"elicitation\":{\"url\":{}}") };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig g;

		rig_start(&g);
		rig_initialize(&g, lines[i]);
		says(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"}}",
		     "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"later\"}],"
		     "\"isError\":false}}");
		rig_stop(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_gets_the_revision_it_asks_for),
		cmocka_unit_test(nothing_but_ping_is_answered_before_initialize),
		cmocka_unit_test(what_is_not_there_is_said),
		cmocka_unit_test(a_call_brings_its_arguments_as_they_are),
		cmocka_unit_test(calls_are_answered_in_any_order),
		cmocka_unit_test(a_cancelled_call_is_not_answered),
		cmocka_unit_test(the_end_cancels_what_is_under_way),
		cmocka_unit_test(a_list_comes_in_pages),
		cmocka_unit_test(progress_goes_to_who_asked_for_it),
		cmocka_unit_test(the_log_has_the_level_that_was_set),
		cmocka_unit_test(calls_wait_until_the_folders_are_known),
		cmocka_unit_test(who_subscribed_is_told),
		cmocka_unit_test(nobody_subscribes_to_everything),
		cmocka_unit_test(a_person_is_asked_by_way_of_the_client),
		cmocka_unit_test(what_was_asked_is_answered_after_the_input_has_ended),
		cmocka_unit_test(folders_are_not_waited_for_after_the_input_has_ended),
		cmocka_unit_test(a_client_that_cannot_ask_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
