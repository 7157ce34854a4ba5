#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mcp_rig.h"

static void every_answer_says_what_it_is(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	rig_start(&g);
	v = rig_answer(&g, MODERN("1", "server/discover", "", ""));
	assert_string_equal(json_get_str(v, "result.resultType").p, "complete");
	assert_string_equal(json_text(json_first(json_get(v, "result.supportedVersions"))).p,
			    "2026-07-28");
	assert_string_equal(json_get_str(v, "result.instructions").p, "be good");
	assert_int_equal(json_get_int(v, "result.ttlMs", -1), 60000);
	assert_string_equal(json_get_str(v, "result.cacheScope").p, "private");
	json_free(v);
	says(&g, MODERN("2", "tools/call", "", ",\"name\":\"t\""),
	     "{\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"isError\":"
	     "false,\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"
	     "\"name\":\"rig\",\"title\":\"Rig\",\"version\":\"1\"}}}}");
	v = rig_answer(&g, MODERN("3", "tools/list", "", ""));
	assert_int_equal(json_len(json_get(v, "result.tools")), 2);
	assert_int_equal(json_get_int(v, "result.ttlMs", -1), 60000);
	json_free(v);
	v = rig_answer(&g, MODERN("4", "resources/read", "", ",\"uri\":\"x:y\""));
	assert_int_equal(json_get_int(v, "error.code", 0), -32602);
	json_free(v);
	rig_stop(&g);
}

static void refused(struct rig *g, const char *line, int64_t code)
{
	json *v = rig_answer(g, line);

	assert_int_equal(json_get_int(v, "error.code", 0), code);
	json_free(v);
}

static void a_request_without_its_metadata_is_refused(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	rig_start(&g);
	refused(&g, "{\"id\":1,\"method\":\"tools/list\",\"params\":{}}", -32602);
	refused(&g,
		"{\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
		-32602);
	refused(&g,
		"{\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		"\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		-32602);
	v = rig_answer(&g, "{\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
			   "\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
			   "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
	assert_int_equal(json_get_int(v, "error.code", 0), -32022);
	assert_string_equal(json_get_str(v, "error.data.requested").p, "1900-01-01");
	assert_string_equal(json_text(json_first(json_get(v, "error.data.supported"))).p,
			    "2026-07-28");
	json_free(v);
	for (const char *const *gone =
		     (const char *const[]){
			     MODERN("2", "ping", "", ""), MODERN("2", "initialize", "", ""),
			     MODERN("2", "logging/setLevel", "", ""),
			     MODERN("2", "resources/subscribe", "", ",\"uri\":\"x:y\""), NULL };
	     *gone; gone++)
		refused(&g, *gone, -32601);
	rig_stop(&g);
}

static void both_eras_go_together(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	rig_start(&g);
	rig_initialize(&g, INITIALIZE("2025-06-18", "\"roots\":{}"));
	says(&g, "{\"method\":\"notifications/initialized\"}",
	     "{\"id\":1,\"method\":\"roots/list\"}");
	v = rig_answer(&g, MODERN("2", "tools/call", "", ",\"name\":\"t\""));
	assert_string_equal(json_get_str(v, "result.resultType").p, "complete");
	json_free(v);
	rig_feed(&g, "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n");
	says(&g, "{\"id\":3,\"method\":\"ping\"}", "{\"id\":3,\"result\":{}}");
	rig_stop(&g);
}

static const char asked[] =
	"{\"id\":1,\"result\":{\"inputRequests\":{\"confirm\":{\"method\":\"elicitation/create\","
	"\"params\":{\"message\":\"sure?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
	"{}},\"mode\":\"form\"}}},\"requestState\":\"1\",\"resultType\":\"input_required\","
	"\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"rig\",\"title\":\"Rig\","
	"\"version\":\"1\"}}}}";

#define CALL	",\"name\":\"ask\",\"arguments\":{\"x\":1}"
#define ASK(id) MODERN(id, "tools/call", "\"elicitation\":{}", CALL)
#define AGAIN(id, state, action)                                                                   \
	MODERN(id, "tools/call", "\"elicitation\":{}",                                             \
	       CALL ",\"requestState\":\"" state                                                   \
		    "\",\"inputResponses\":{\"confirm\":{\"action\":\"" action "\"}}")

static void answer_is(struct rig *g, const char *line, const char *text)
{
	json *v = rig_answer(g, line);

	assert_string_equal(json_get_str(json_first(json_get(v, "result.content")), "text").p,
			    text);
	json_free(v);
}

static void a_question_ends_the_request(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	says(&g, ASK("1"), asked);
	assert_int_equal(mcp_waiting(g.mcp), 0);
	answer_is(&g, AGAIN("2", "1", "accept"), "accept");
	/* an answer counts once */
	refused(&g, AGAIN("3", "1", "accept"), -32602);
	json_free(rig_answer(&g, ASK("4")));
	answer_is(&g, AGAIN("5", "2", "decline"), "decline");
	answer_is(&g, MODERN("6", "tools/call", "", CALL), "later");
	rig_stop(&g);
}

static void an_answer_to_something_else_does_not_count(void **state)
{
	struct rig g;
	json *v;

	(void)state;
	rig_start(&g);
	says(&g, ASK("1"), asked);
	refused(&g, AGAIN("2", "7", "accept"), -32602);
	refused(&g, AGAIN("2", "1x", "accept"), -32602);
	refused(&g, AGAIN("2", "", "accept"), -32602);
	refused(&g,
		MODERN("2", "tools/call", "\"elicitation\":{}",
		       ",\"name\":\"ask\",\"arguments\":{\"x\":2},\"requestState\":\"1\","
		       "\"inputResponses\":{\"confirm\":{\"action\":\"accept\"}}"),
		-32602);
	/* without the answer it is asked anew, with another state */
	v = rig_answer(&g,
		       MODERN("3", "tools/call", "\"elicitation\":{}",
			      CALL ",\"requestState\":\"1\",\"inputResponses\":{\"other\":{}}"));
	assert_string_equal(json_get_str(v, "result.resultType").p, "input_required");
	assert_string_equal(json_get_str(v, "result.requestState").p, "2");
	json_free(v);
	answer_is(&g, AGAIN("4", "2", "accept"), "accept");
	rig_stop(&g);
}

static void old_questions_are_forgotten(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	for (int i = 0; i < 65; i++)
		json_free(rig_answer(&g, ASK("1")));
	refused(&g, AGAIN("2", "1", "accept"), -32602);
	answer_is(&g, AGAIN("3", "2", "accept"), "accept");
	rig_stop(&g);
}

static void a_subscription_stays_open(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	says(&g,
	     MODERN("\"s\"", "subscriptions/listen", "",
		    ",\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":["
		    "\"x:a\",\"x:b\"]}"),
	     "{\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
	     "\"notifications\":{\"resourceSubscriptions\":[\"x:a\",\"x:b\"]},\"_meta\":{"
	     "\"io.modelcontextprotocol/subscriptionId\":\"s\"}}}");
	mcp_updated(g.mcp, STR("x:c"));
	sends(&g, "");
	mcp_updated(g.mcp, STR("x:b"));
	sends(&g, "{\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"x:b\","
		  "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"}}}");
	says(&g, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"s\"}}", "");
	saw(&g, "");
	mcp_updated(g.mcp, STR("x:b"));
	sends(&g, "");
	refused(&g, MODERN("2", "subscriptions/listen", "", ""), -32602);
	rig_stop(&g);
}

static void a_subscription_ends_with_the_input(void **state)
{
	struct rig g;
	struct buf greeting = BUF_INIT;

	(void)state;
	rig_start(&g);
	rig_feed(&g, MODERN("1", "subscriptions/listen", "",
			    ",\"notifications\":{}") "\n" MODERN("2", "subscriptions/listen", "",
								 ",\"notifications\":{}"));
	rig_sent(&g, &greeting);
	mcp_input_ended(g.mcp, 0);
	assert_int_equal(mcp_waiting(g.mcp), 0);
	buf_release(&greeting);
	rig_stop(&g);
}

static void a_request_hears_the_log_it_asked_for(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g);
	rig_feed(&g, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\",\"_meta\":{"
		     "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		     "\"io.modelcontextprotocol/clientCapabilities\":{},"
		     "\"io.modelcontextprotocol/logLevel\":\"notice\"}}}\n");
	mcp_log(g.mcp, MCP_INFO, STR("less"));
	sends(&g, "");
	mcp_log(g.mcp, MCP_NOTICE, STR("more"));
	sends(&g, "{\"method\":\"notifications/message\",\"params\":{\"level\":\"notice\","
		  "\"logger\":\"rig\",\"data\":\"more\"}}");
	rig_done(g.kept[0], "");
	json_free(rig_answer(&g, ""));
	json_free(rig_answer(&g, MODERN("2", "tools/list", "", "")));
	mcp_log(g.mcp, MCP_ERROR, STR("nobody listens"));
	sends(&g, "");
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_answer_says_what_it_is),
		cmocka_unit_test(a_request_without_its_metadata_is_refused),
		cmocka_unit_test(both_eras_go_together),
		cmocka_unit_test(a_question_ends_the_request),
		cmocka_unit_test(an_answer_to_something_else_does_not_count),
		cmocka_unit_test(old_questions_are_forgotten),
		cmocka_unit_test(a_subscription_stays_open),
		cmocka_unit_test(a_subscription_ends_with_the_input),
		cmocka_unit_test(a_request_hears_the_log_it_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
