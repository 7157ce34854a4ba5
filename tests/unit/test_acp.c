#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "acp_rig.h"

/* The client's end of ACP, by single messages; test_acp_dialogues.c plays whole dialogues. */

static void open_session(struct rig *g, const char *agent, const char *session)
{
	static const struct acp_client client = { "t", "T", "1", true, true };

	acp_initialize(g->acp, &client, 0, on_reply, g);
	says(g, agent);
	acp_new_session(g->acp, STR("/p"), json_array(), on_reply, g);
	says(g, session);
	buf_clear(&g->seen);
	buf_clear(peer_out(acp_peer(g->acp)));
}

#define V1	"{\"id\":1,\"result\":{\"protocolVersion\":1}}"
#define SESSION "{\"id\":2,\"result\":{\"sessionId\":\"s\"}}"

static void test_authentication(void **state)
{
	static const struct acp_client client = { "t", "T", "1", true, true };
	struct rig g;

	(void)state;
	rig_start(&g, 5);
	acp_initialize(g.acp, &client, 0, on_reply, &g);
	says(&g, "{\"id\":1,\"result\":{\"protocolVersion\":1,\"authMethods\":[{\"id\":\"key\","
		 "\"name\":\"A key\"}]}}");
	assert_int_equal(json_len(acp_agent(g.acp)->auth), 1);
	buf_clear(&g.seen);
	acp_new_session(g.acp, STR("/p"), json_array(), on_reply, &g);
	says(&g, "{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"Authentication required\"}}");
	saw(&g, "reply denied Authentication required\n");
	buf_clear(peer_out(acp_peer(g.acp)));
	acp_authenticate(g.acp, STR("key"), on_reply, &g);
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"authenticate\","
		 "\"params\":{\"methodId\":\"key\"}}\n");
	rig_stop(&g);
}

static void test_version(void **state)
{
	static const struct acp_client client = { "t", "T", "1", true, true };
	struct rig g;

	(void)state;
	rig_start(&g, 100);
	acp_initialize(g.acp, &client, 0, on_reply, &g);
	says(&g, "{\"id\":1,\"result\":{\"protocolVersion\":7}}");
	saw(&g, "reply unsupported the agent speaks version 7 of the protocol; 1 is needed\n");
	rig_stop(&g);
}

/* The draft of version 2: the answer to a prompt is not its end. */
static void test_draft_of_2(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g, 9);
	open_session(&g,
		     "{\"id\":1,\"result\":{\"protocolVersion\":2,\"info\":{\"name\":\"x\"},"
		     "\"capabilities\":{\"session\":{\"prompt\":{\"embeddedContext\":{}}}}}}",
		     SESSION);
	assert_true(acp_agent(g.acp)->embeds);
	assert_true(acp_agent(g.acp)->resumes);
	acp_prompt(g.acp, json_array(), on_reply, &g);
	says(&g, "{\"id\":3,\"result\":{}}");
	says(&g, "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{"
		 "\"sessionUpdate\":\"agent_message\",\"messageId\":\"m\",\"content\":[{\"type\":"
		 "\"text\",\"text\":\"hi\"}]}}}");
	says(&g, "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{"
		 "\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"title\":\"t\"}}}");
	says(&g, "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{"
		 "\"sessionUpdate\":\"state_update\",\"state\":\"running\"}}}");
	saw(&g, "text hi\ncall c - t 0 0 0 ``\n");
	says(&g, "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{"
		 "\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":"
		 "\"end_turn\"}}}");
	saw(&g, "reply ok {\"stopReason\":\"end_turn\"}\n");
	acp_prompt(g.acp, json_array(), on_reply, &g);
	says(&g, "{\"id\":4,\"result\":{}}");
	acp_end(g.acp, NULL);
	saw(&g, "reply io the connection is closed\n");
	rig_stop(&g);
}

#define SAYS(kind, id, words)                                                                           \
	"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":" \
	"\"" kind "\",\"messageId\":" id ",\"content\":{\"type\":\"text\",\"text\":\"" words            \
	"\"}}}}"

/* Two messages that come one right behind the other are not one. */
static void test_messages_apart(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g, 9);
	open_session(&g, V1, SESSION);
	acp_prompt(g.acp, json_array(), on_reply, &g);
	says(&g, SAYS("agent_message_chunk", "\"1\"", "Rea"));
	says(&g, SAYS("agent_message_chunk", "\"1\"", "ding."));
	says(&g, SAYS("agent_message_chunk", "\"2\"", "Done"));
	saw(&g, "text Rea\ntext ding.\ntext \n\n\ntext Done\n");
	says(&g, SAYS("agent_thought_chunk", "\"3\"", "hm"));
	says(&g, SAYS("agent_message_chunk", "\"4\"", "a"));
	says(&g, SAYS("agent_message_chunk", "null", "b"));
	says(&g, SAYS("agent_message_chunk", "7", "c"));
	saw(&g, "thought hm\ntext a\ntext b\ntext c\n");
	says(&g, SAYS("agent_message_chunk", "\"5\"", "d"));
	says(&g, "{\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}");
	acp_prompt(g.acp, json_array(), on_reply, &g);
	says(&g, SAYS("agent_message_chunk", "\"6\"", "e"));
	saw(&g, "text d\nreply ok {\"stopReason\":\"end_turn\"}\ntext e\n");
	rig_stop(&g);
}

static void test_options(void **state)
{
	struct rig g;
	struct err e = ERR_INIT;

	(void)state;
	rig_start(&g, 11);
	open_session(&g, V1,
		     "{\"id\":2,\"result\":{\"sessionId\":\"s\",\"modes\":{\"currentModeId\":\"a\","
		     "\"availableModes\":[{\"id\":\"a\",\"name\":\"A\"},{\"id\":\"b\"}]},"
		     "\"configOptions\":[{\"id\":\"m\",\"category\":\"model\",\"type\":\"select\","
		     "\"currentValue\":\"x\",\"options\":[{\"group\":\"g\",\"options\":[{\"value\":"
		     "\"x\"},{\"value\":\"y\"}]}]}]}}");
	assert_int_equal(json_len(acp_options(g.acp)), 2);
	assert_true(acp_set_option(g.acp, STR("mode"), STR("b"), on_reply, &g, &e));
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/set_mode\",\"params\":"
		 "{\"sessionId\":\"s\",\"modeId\":\"b\"}}\n");
	says(&g, "{\"id\":3,\"result\":{}}");
	assert_string_equal(json_get_str(json_next(json_first(acp_options(g.acp))), "value").p,
			    "b");
	assert_true(acp_set_option(g.acp, STR("model"), STR("y"), on_reply, &g, &e));
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/set_config_option\","
		 "\"params\":{\"sessionId\":\"s\",\"configId\":\"m\",\"value\":\"y\"}}\n");
	assert_false(acp_set_option(g.acp, STR("model"), STR("z"), on_reply, &g, &e));
	assert_string_equal(e.msg, "m must be one of x, y, not z");
	assert_false(acp_set_option(g.acp, STR("speed"), STR("z"), on_reply, &g, &e));
	assert_string_equal(e.msg, "the agent has no option speed; there are: m, mode");
	rig_stop(&g);
}

/* What is not asked for well, by whom, and too often. */
static void test_requests(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g, 13);
	open_session(&g, V1, SESSION);
	says(&g, "{\"id\":0,\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":\"s\"}}");
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,\"message\":"
		 "\"fs/read_text_file needs the member path\"}}\n");
	says(&g, "{\"id\":\"q\",\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":\"t\","
		 "\"path\":\"/p/a\"}}");
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"error\":{\"code\":-32602,\"message\":"
		 "\"session not found\"}}\n");
	says(&g, "{\"id\":2,\"method\":\"elicitation/create\",\"params\":{}}");
	assert_non_null(strstr(peer_out(acp_peer(g.acp))->p, "unknown method elicitation/create"));
	buf_clear(peer_out(acp_peer(g.acp)));
	for (int i = 0; i < 8; i++)
		says(&g, "{\"id\":3,\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":"
			 "\"s\",\"path\":\"/p/a\"}}");
	assert_int_equal(g.n, 8);
	sent(&g, "");
	says(&g, "{\"id\":4,\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":\"s\","
		 "\"path\":\"/p/a\"}}");
	assert_int_equal(g.n, 8);
	assert_non_null(strstr(peer_out(acp_peer(g.acp))->p, "too many requests"));
	buf_clear(peer_out(acp_peer(g.acp)));
	says(&g, "{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":3}}");
	assert_int_equal(g.n, 7);
	sent(&g, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32800,\"message\":"
		 "\"cancelled\"}}\n");
	rig_stop(&g); /* the others are cancelled */
}

static void test_garbage(void **state)
{
	struct err e = ERR_INIT;
	struct buf line = BUF_INIT;
	struct rig g;

	(void)state;
	rig_start(&g, 1000);
	open_session(&g, V1, SESSION);
	for (int i = 0; i < 50000; i++)
		buf_addc(&line, 'x');
	assert_true(feed(&g, buf_str(&line), &e));
	says(&g, "");
	says(&g, "Loading ...");
	says(&g, "{\"id\":77,\"result\":{}}"); /* answered twice, or never asked */
	says(&g, "[1, 2]");
	says(&g, "{\"jsonrpc\":");
	says(&g, "\xff\xfe");
	saw(&g, "odd 40000\nodd 11\nodd 6\nodd 11\nodd 2\n");
	assert_false(feed(&g, STR("and again\n"), &e));
	assert_string_equal(e.msg, "4 lines in a row are not messages; the last one: and again");
	rig_stop(&g);
	buf_release(&line);
}

static void test_many_calls(void **state)
{
	struct rig g;

	(void)state;
	rig_start(&g, 1000);
	open_session(&g, V1, SESSION);
	for (int i = 0; i < 40; i++) {
		char line[300];

		snprintf(line, sizeof(line),
			 "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","
			 "\"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c%d\"}}}",
			 i);
		says(&g, line);
	}
	assert_non_null(acp_call_at(g.acp, 31));
	assert_null(acp_call_at(g.acp, 32));
	acp_forget_calls(g.acp);
	assert_null(acp_call_at(g.acp, 0));
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_authentication), cmocka_unit_test(test_version),
		cmocka_unit_test(test_draft_of_2),     cmocka_unit_test(test_options),
		cmocka_unit_test(test_requests),       cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_many_calls),     cmocka_unit_test(test_messages_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
