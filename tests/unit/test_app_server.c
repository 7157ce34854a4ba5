/* The dialogue that a client had with the real app server of Codex is played as one in ACP: what
 * the server said goes in, in pieces of each length, and what the client answered has to come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "acp_rig.h"

#define DIALOGUE "tests/cases/agents/codex/app-server.dialogue.jsonl"

static json *parse(struct str text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(text, &e);

	if (!v)
		fail_msg("%s: %.*s", e.msg, STR_ARG(text));
	return v;
}

/* Takes away what was sent; whether the last line has it. */
static void must_send(struct rig *g, const char *want)
{
	struct buf *out = peer_out(acp_peer(g->acp));

	if (!strstr(buf_str(out).p, want))
		fail_msg("sent %s instead of %s", buf_str(out).p, want);
	buf_clear(out);
}

static void agent_says(struct rig *g, const json *msg)
{
	struct buf text = BUF_INIT;

	json_print(&text, msg);
	says(g, text.p);
	buf_release(&text);
}

static void ask(struct rig *g, struct str method)
{
	static const struct acp_client c = { "oxide_neovim", "Oxide", "1.0.0", true, true };
	json *args = json_list(json_strz("mcp"));

	if (str_eq(method, STR("initialize"))) {
		acp_initialize(g->acp, &c, 0, on_reply, g);
		must_send(g, "\"experimentalApi\":true");
	} else if (str_eq(method, STR("thread/start"))) {
		acp_new_session(g->acp, STR("/home/project"),
				json_list(json_of({ "name", json_strz("oxide") },
						  { "command", json_strz("/bin/oxide") },
						  { "args", json_copy(args) })),
				on_reply, g);
		must_send(g,
			  "\"config\":{\"mcp_servers.oxide\":{\"command\":\"/bin/oxide\",\"args\":"
			  "[\"mcp\"],");
	} else if (str_eq(method, STR("turn/start"))) {
		acp_prompt(g->acp,
			   json_list(json_of({ "type", json_strz("text") },
					     { "text", json_strz("Do it") })),
			   on_reply, g);
		must_send(g, "\"input\":[{\"type\":\"text\",\"text\":\"Do it\"}]");
	} else if (str_eq(method, STR("turn/interrupt"))) {
		acp_cancel(g->acp);
		must_send(g, "\"turnId\":\"00000000-0000-4000-8000-000000000006\"");
	}
	json_free(args);
}

static void answer(struct rig *g, const json *msg)
{
	struct str decision = json_get_str(msg, "result.decision"),
		   action = json_get_str(msg, "result.action");
	struct buf want = BUF_INIT;
	struct acp_request *r;

	if (!decision.n && !action.n) {
		must_send(g, "\"error\""); /* a tool of the client's own: it has none here */
		return;
	}
	assert_int_equal(g->n, 1);
	r = g->kept[0];
	forget(g, r);
	acp_answer(r, acp_selected(decision.n ? decision : action));
	buf_addf(&want, "\"%s\":\"%.*s\"", decision.n ? "decision" : "action",
		 STR_ARG(decision.n ? decision : action));
	must_send(g, want.p);
	buf_release(&want);
}

/* Ids of the client's requests are counted from 1 there, and its own requests are fewer. */
static void play_line(struct rig *g, struct str line, int64_t *id, int64_t *ids)
{
	json *v = parse(line), *msg = (json *)json_get(v, "msg");
	bool is_agent = str_eq(json_get_str(v, "dir"), STR("agent"));
	struct str method = json_get_str(msg, "method");
	int64_t given = json_get_int(msg, "id", -1);

	if (is_agent && method.n) {
		agent_says(g, msg);
	} else if (is_agent) {
		json_put(msg, "id", json_int(ids[given]));
		if (ids[given] >= 0)
			agent_says(g, msg);
	} else if (!method.n) {
		answer(g, msg);
	} else {
		bool known = !str_eq(method, STR("turn/steer"));

		if (given >= 0)
			ids[given] = known ? (*id)++ : -1;
		ask(g, method);
	}
	json_free(v);
}

static void play(size_t cut, struct buf *seen)
{
	FILE *f = fopen(DIALOGUE, "rb");
	int64_t id = 1, ids[64] = { 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct rig g;

	assert_non_null(f);
	rig_start_app_server(&g, cut);
	while ((n = getline(&line, &cap, f)) > 0)
		play_line(&g, (struct str){ line, (size_t)n }, &id, ids);
	assert_int_equal(g.n, 0);
	*seen = g.seen;
	g.seen = (struct buf)BUF_INIT;
	rig_stop(&g);
	free(line);
	fclose(f);
}

static void a_real_dialogue_is_one_in_acp(void **state)
{
	static const size_t cuts[] = { 1, 3, 64, 1000 };
	static const char *const has[] = {
		"thought Look f\nthought irst.\ntext Rea\n",
		"asks 0 call_0102\n",
		"call call_0200 apply_patch edit notes.txt 2 ",
		"asks 0 call_0200\n",
		"delete README.md, move calc.py",
		"`touch made.txt && echo made`",
		"call call_0700 demo.echo_upper",
		"{\"stopReason\":\"end_turn\",\"usage\":{\"input\":",
		"{\"stopReason\":\"cancelled\"",
	};
	struct buf whole = BUF_INIT;

	(void)state;
	play(SIZE_MAX, &whole);
	for (size_t i = 0; i < sizeof(has) / sizeof(*has); i++)
		if (!strstr(whole.p, has[i]))
			fail_msg("%s is not in:\n%s", has[i], whole.p);
	assert_null(strstr(whole.p, "\nodd"));
	for (size_t k = 0; k < sizeof(cuts) / sizeof(cuts[0]); k++) {
		struct buf pieces = BUF_INIT;

		play(cuts[k], &pieces);
		assert_string_equal(pieces.p, whole.p);
		buf_release(&pieces);
	}
	buf_release(&whole);
}

/* A rig whose thread is open, with nothing to be seen yet. */
static void open_thread(struct rig *g)
{
	rig_start_app_server(g, SIZE_MAX);
	ask(g, STR("initialize"));
	says(g, "{\"id\":1,\"result\":{\"userAgent\":\"oxide/0.169.0 (x)\"}}");
	must_send(g, "\"method\":\"initialized\"");
	ask(g, STR("thread/start"));
	says(g, "{\"id\":2,\"result\":{\"thread\":{\"id\":\"t\"}}}");
	assert_string_equal(acp_session(g->acp).p, "t");
	assert_true(str_eq(acp_agent(g->acp)->release, STR("0.169.0")));
	buf_clear(&g->seen);
}

static void a_turn_that_fails_says_why(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	ask(&g, STR("turn/start"));
	says(&g, "{\"id\":3,\"result\":{\"turn\":{\"id\":\"u\"}}}");
	says(&g,
	     "{\"method\":\"turn/completed\",\"params\":{\"threadId\":\"other\",\"turn\":{\"status\":"
	     "\"completed\"}}}");
	saw(&g, "");
	says(&g,
	     "{\"method\":\"turn/completed\",\"params\":{\"threadId\":\"t\",\"turn\":{\"status\":"
	     "\"failed\",\"error\":{\"message\":\"no access\",\"codexErrorInfo\":\"unauthorized\"}}}}");
	saw(&g, "reply peer no access; `codex login` in a terminal gives it access\n");
	ask(&g, STR("turn/start"));
	says(&g, "{\"id\":4,\"error\":{\"code\":-32600,\"message\":\"busy\"}}");
	saw(&g, "reply peer busy\n");
	rig_stop(&g);
}

static void a_turn_is_interrupted_once_it_has_a_number(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	ask(&g, STR("turn/start"));
	acp_cancel(g.acp);
	sent(&g, "");
	says(&g, "{\"id\":3,\"result\":{\"turn\":{\"id\":\"u\"}}}");
	must_send(&g,
		  "\"method\":\"turn/interrupt\",\"params\":{\"threadId\":\"t\",\"turnId\":\"u\"}");
	rig_stop(&g);
}

static void what_is_resolved_elsewhere_is_taken_back(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	says(&g,
	     "{\"id\":9,\"method\":\"item/fileChange/requestApproval\",\"params\":{\"threadId\":"
	     "\"t\",\"itemId\":\"i\"}}");
	saw(&g, "asks 0 i\n");
	says(&g,
	     "{\"method\":\"serverRequest/resolved\",\"params\":{\"threadId\":\"t\",\"requestId\":"
	     "9}}");
	saw(&g, "cancelled\n");
	sent(&g, "");
	says(&g,
	     "{\"id\":10,\"method\":\"item/fileChange/requestApproval\",\"params\":{\"threadId\":"
	     "\"other\",\"itemId\":\"i\"}}");
	must_send(&g, "\"error\"");
	rig_stop(&g);
}

static void its_threads_are_listed_as_sessions(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	assert_true(acp_agent(g.acp)->lists && acp_agent(g.acp)->loads);
	acp_list_sessions(g.acp, STR("/p"), STR(""), on_reply, &g);
	must_send(&g, "\"method\":\"thread/list\",\"params\":{\"cwd\":\"/p\",\"sourceKinds\":[");
	says(&g, "{\"id\":3,\"result\":{\"data\":[{\"id\":\"a\",\"cwd\":\"/p\",\"name\":\"Greek\","
		 "\"preview\":\"x\",\"updatedAt\":1772359200},{\"id\":\"b\",\"name\":null,"
		 "\"preview\":\"hello\",\"cwd\":\"/p\"}],\"nextCursor\":\"more\"}}");
	saw(&g, "reply ok {\"sessions\":[{\"sessionId\":\"a\",\"cwd\":\"/p\",\"title\":\"Greek\","
		"\"updatedAt\":1772359200000},{\"sessionId\":\"b\",\"cwd\":\"/p\","
		"\"title\":\"hello\"}],\"nextCursor\":\"more\"}\n");
	acp_list_sessions(g.acp, STR("/p"), STR("more"), on_reply, &g);
	must_send(&g, "\"cursor\":\"more\"");
	says(&g, "{\"id\":4,\"error\":{\"code\":-32600,\"message\":\"broken index\"}}");
	saw(&g, "reply peer broken index\n");
	rig_stop(&g);
}

/* By pages; what is no item that we know is passed over. */
static void what_was_said_in_a_thread_is_told_by_turns(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	acp_load_session(g.acp, STR("old"), true, STR("/p"), json_array(), on_reply, &g);
	must_send(&g, "\"method\":\"thread/resume\",\"params\":{\"threadId\":\"old\","
		      "\"excludeTurns\":true,");
	says(&g, "{\"id\":3,\"result\":{\"thread\":{\"id\":\"old\"}}}");
	must_send(&g, "\"method\":\"thread/turns/list\",\"params\":{\"threadId\":\"old\",");
	says(&g,
	     "{\"id\":4,\"result\":{\"data\":[{\"id\":\"t1\",\"items\":[{\"type\":\"userMessage\","
	     "\"id\":\"u\",\"content\":[{\"type\":\"text\",\"text\":\"Look\"},{\"type\":\"image\","
	     "\"url\":\"x\"},{\"type\":\"text\",\"text\":\"there\"}]},{\"type\":\"reasoning\","
	     "\"id\":\"r\",\"summary\":[\"One\",\"Two\"]},{\"type\":\"contextCompaction\","
	     "\"id\":\"x\"},7,{\"type\":\"agentMessage\",\"id\":\"m1\",\"text\":\"Yes\"},"
	     "{\"type\":\"agentMessage\",\"id\":\"m2\",\"text\":\"Done\"}]}],"
	     "\"nextCursor\":\"more\"}}");
	saw(&g, "user Look\nuser \n\n\nuser there\nthought One\nthought \n\n\nthought Two\n"
		"text Yes\ntext \n\n\ntext Done\n");
	must_send(&g, "\"cursor\":\"more\"");
	says(&g, "{\"id\":5,\"result\":{\"data\":[{\"id\":\"t2\",\"items\":[{\"type\":"
		 "\"commandExecution\",\"id\":\"c\",\"command\":\"ls\",\"status\":\"completed\","
		 "\"exitCode\":0,\"aggregatedOutput\":\"a\"}]}],\"nextCursor\":null}}");
	saw(&g,
	    "call c shell ls 6 2 1 `ls`\nreply ok {\"data\":[{\"id\":\"t2\",\"items\":[{\"type\":"
	    "\"commandExecution\",\"id\":\"c\",\"command\":\"ls\",\"status\":\"completed\","
	    "\"exitCode\":0,\"aggregatedOutput\":\"a\"}]}],\"nextCursor\":null}\n");
	assert_string_equal(acp_session(g.acp).p, "old");
	rig_stop(&g);
}

static void a_thread_that_cannot_be_read_says_why(void **state)
{
	struct rig g;

	(void)state;
	open_thread(&g);
	acp_load_session(g.acp, STR("old"), true, STR("/p"), json_array(), on_reply, &g);
	says(&g, "{\"id\":3,\"error\":{\"code\":-32600,\"message\":\"no rollout found\"}}");
	saw(&g, "reply peer no rollout found\n");
	acp_load_session(g.acp, STR("old"), true, STR("/p"), json_array(), on_reply, &g);
	says(&g, "{\"id\":4,\"result\":{\"thread\":{\"id\":\"old\"}}}");
	acp_end(g.acp, NULL); /* while a page is waited for */
	saw(&g, "reply io thread/turns/list: the connection is closed\n");
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_dialogue_is_one_in_acp),
		cmocka_unit_test(a_turn_that_fails_says_why),
		cmocka_unit_test(a_turn_is_interrupted_once_it_has_a_number),
		cmocka_unit_test(what_is_resolved_elsewhere_is_taken_back),
		cmocka_unit_test(its_threads_are_listed_as_sessions),
		cmocka_unit_test(what_was_said_in_a_thread_is_told_by_turns),
		cmocka_unit_test(a_thread_that_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
