#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session_rig.h"

#define GREETED	      RIG_GREETED("{\"hoverProvider\":true,\"renameProvider\":true}")
#define HOVER(id, of) RIG_ASKED(id, "textDocument/hover", of)

static void test_greeting(void **state)
{
	struct rig r = { 0 };
	json *options = rig_parse("{\"x\":[1]}"), *m;

	(void)state;
	r.spec.init_options = options;
	rig_init(&r);
	assert_int_equal(session_state(r.s), SESSION_COLD);
	assert_int_equal(session_deadline(r.s), UINT64_MAX);
	session_start(r.s, 42, r.now, 5000);
	assert_int_equal(session_state(r.s), SESSION_GREETING);
	assert_int_equal(session_deadline(r.s), 6000);
	rig_drain(&r);
	assert_int_equal(strncmp(r.trace.p, "> ", 2), 0);
	m = rig_parse(r.trace.p + 2);
	assert_text(json_get_str(m, "method"), STR("initialize"));
	assert_int_equal(json_get_int(m, "params.processId", 0), 42);
	assert_text(json_get_str(m, "params.clientInfo.name"), STR("oxide"));
	assert_text(json_get_str(m, "params.rootUri"), STR("file:///w/my%20project"));
	assert_text(json_get_str(m, "params.rootPath"), STR("/w/my project"));
	assert_text(json_get_str(json_first(json_get(m, "params.workspaceFolders")), "name"),
		    STR("my project"));
	assert_int_equal(json_len(json_get(m, "params.initializationOptions.x")), 1);
	assert_true(json_is(json_get(m, "params.capabilities.textDocument"), JSON_OBJECT));
	assert_null(json_get(m, "params.locale"));
	json_free(m);
	buf_clear(&r.trace);
	rig_say(&r, GREETED);
	assert_int_equal(session_state(r.s), SESSION_READY);
	assert_true(session_can(r.s, LSP_HOVER));
	assert_false(session_can(r.s, LSP_FORMAT));
	RIG_SAW(&r, "ready\n> {\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}\n");
	rig_release(&r);
	json_free(options);
}

static void greeting_fails(const char *answer, const char *want)
{
	struct rig r = { 0 };

	rig_init(&r);
	session_start(r.s, 1, r.now, 5000);
	rig_ask(&r, "hover", LSP_HOVER, 9000);
	rig_tick(&r);
	buf_clear(&r.trace);
	if (answer)
		rig_say(&r, answer);
	else
		r.now += 5000;
	rig_tick(&r);
	assert_int_equal(session_state(r.s), SESSION_DEAD);
	assert_false(session_can(r.s, LSP_HOVER));
	RIG_SAW(&r, want);
	rig_release(&r);
}

static void test_greeting_fails(void **state)
{
	(void)state;
	greeting_fails(
		REFUSAL(1, -32603),
		"failed peer: srv could not be initialized: no\nreply hover no_server: srv is "
		"not running: srv could not be initialized: no\n");
	greeting_fails(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		"failed protocol: srv could not be initialized: the answer to initialize has "
		"no capabilities\nreply hover no_server: srv is not running: srv could not be "
		"initialized: the answer to initialize has no capabilities\n");
	greeting_fails(
		RIG_GREETED("{\"positionEncoding\":\"ebcdic\"}"),
		"failed protocol: srv could not be initialized: the position encoding "
		"\"ebcdic\" was not offered\nreply hover no_server: srv is not running: srv "
		"could not be initialized: the position encoding \"ebcdic\" was not offered\n");
	greeting_fails(NULL,
		       "failed timeout: srv could not be initialized: initialize: no answer within "
		       "5000 ms\nreply hover no_server: srv is not running: srv could not be "
		       "initialized: initialize: no answer within 5000 ms\n" GIVEN_UP(1));
}

static void test_queue(void **state)
{
	struct rig r = { 0 };
	int64_t id;

	(void)state;
	rig_init(&r);
	rig_ask(&r, "early", LSP_HOVER, 0);
	session_start(r.s, 1, r.now, 5000);
	rig_ask(&r, "late", LSP_HOVER, 100);
	id = rig_ask(&r, "dropped", LSP_HOVER, 0);
	rig_ask(&r, "format", LSP_FORMAT, 0);
	request_cancel(&r.requests, id);
	assert_int_equal(session_deadline(r.s), 0);
	buf_clear(&r.trace);
	rig_tick(&r);
	RIG_SAW(&r, "reply dropped cancelled: textDocument/hover was cancelled\n");
	assert_int_equal(session_deadline(r.s), 1100);
	r.now = 1099;
	rig_tick(&r);
	RIG_SAW(&r, "");
	r.now = 1100;
	rig_tick(&r);
	RIG_SAW(&r, "reply late timeout: textDocument/hover: srv was not ready within 100 ms\n");
	rig_say(&r, GREETED);
	RIG_SAW(&r,
		"ready\nreply format unsupported: srv does not support formatting (textDocument/formatting)\n"
		"> {\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}\n" HOVER(
			2, "early"));
	rig_say(&r, ANSWER(2, "{\"contents\":\"x\"}"));
	RIG_SAW(&r, "reply early {\"contents\":\"x\"}\n");
	rig_release(&r);
}

static void test_ask(void **state)
{
	struct rig r = { 0 };
	int64_t id;

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "a", LSP_HOVER, 100);
	id = rig_ask(&r, "b", LSP_HOVER, 100);
	rig_ask(&r, "c", LSP_HOVER, 0);
	RIG_SAW(&r, HOVER(2, "a") HOVER(3, "b") HOVER(4, "c"));
	rig_say(&r, ANSWER(4, "null"));
	request_cancel(&r.requests, id);
	request_cancel(&r.requests, id);
	request_cancel(&r.requests, 999);
	RIG_SAW(&r, "reply c null\n");
	rig_tick(&r);
	RIG_SAW(&r, "reply b cancelled: textDocument/hover was cancelled\n" GIVEN_UP(3));
	r.now += 100;
	rig_tick(&r);
	RIG_SAW(&r, "reply a timeout: textDocument/hover: no answer within 100 ms\n" GIVEN_UP(2));
	/* answers that come too late harm nobody */
	rig_say(&r, ANSWER(2, "null"));
	rig_say(&r, REFUSAL(3, -32800));
	assert_int_equal(session_state(r.s), SESSION_READY);
	rig_ask(&r, "d", LSP_FORMAT, 100);
	RIG_SAW(&r, "");
	assert_int_equal(session_deadline(r.s), 0);
	rig_tick(&r);
	RIG_SAW(&r,
		"reply d unsupported: srv does not support formatting (textDocument/formatting)\n");
	rig_ask(&r, "e", LSP_HOVER, 100);
	rig_say(&r, REFUSAL(5, -32602));
	RIG_SAW(&r, HOVER(5, "e") "reply e invalid: no\n");
	rig_release(&r);
}

static void test_retry(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "a", LSP_HOVER, 1000);
	rig_say(&r, REFUSAL(2, -32801)); /* asked again at once */
	RIG_SAW(&r, HOVER(2, "a") HOVER(3, "a"));
	rig_say(&r, REFUSAL(3, -32802)); /* after a pause from now on */
	RIG_SAW(&r, "");
	assert_int_equal(session_deadline(r.s), 1050);
	r.now = 1050;
	rig_tick(&r);
	rig_say(&r, REFUSAL(4, -32801));
	assert_int_equal(session_deadline(r.s), 1250);
	r.now = 1250;
	rig_tick(&r);
	rig_say(&r, REFUSAL(5, -32801));
	RIG_SAW(&r, HOVER(4, "a") HOVER(5, "a") "reply a peer: no\n");
	/* inside its time only */
	rig_ask(&r, "b", LSP_HOVER, 30);
	rig_say(&r, REFUSAL(6, -32801));
	rig_say(&r, REFUSAL(7, -32801));
	assert_int_equal(session_deadline(r.s), 1280);
	r.now = 1280;
	rig_tick(&r);
	RIG_SAW(&r, HOVER(6, "b")
			    HOVER(7, "b") "reply b timeout: textDocument/hover: srv gave no final "
					  "answer within 30 ms\n");
	rig_ask(&r, "c", LSP_HOVER, 1000);
	rig_say(&r, REFUSAL(8, -32801));
	rig_say(&r, ANSWER(9, "null"));
	RIG_SAW(&r, HOVER(8, "c") HOVER(9, "c") "reply c null\n");
	rig_release(&r);
}

/* Of diagnostics a server may say whether it wants to be asked again. */
static void test_retrigger(void **state)
{
#define CANCELLED(id, again)                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id                                                         \
	",\"error\":{\"code\":-32802,\"message\":\"no\",\"data\":"                                 \
	"{\"retriggerRequest\":" again "}}}"
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "a", LSP_HOVER, 1000);
	rig_say(&r, CANCELLED(2, "true"));
	rig_say(&r, CANCELLED(3, "false"));
	RIG_SAW(&r, HOVER(2, "a") HOVER(3, "a") "reply a cancelled: no\n");
	rig_release(&r);
}

static void test_stop(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "asked", LSP_HOVER, 0);
	session_stop(r.s, r.now, 300);
	assert_int_equal(session_state(r.s), SESSION_LEAVING);
	rig_ask(&r, "late", LSP_HOVER, 0);
	rig_tick(&r);
	RIG_SAW(&r,
		HOVER(2,
		      "asked") "> {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"shutdown\"}\nreply late "
			       "no_server: srv is shutting down\n");
	assert_false(session_left(r.s));
	rig_say(&r, ANSWER(3, "null"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n");
	assert_true(session_left(r.s));
	session_died(r.s, NULL);
	rig_tick(&r);
	RIG_SAW(&r, "reply asked io: textDocument/hover: it has ended\n");
	rig_release(&r);
}

static void test_stop_unanswered(void **state)
{
	struct rig r = { 0 }, early = { 0 }, cold = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	session_stop(r.s, r.now, 300);
	session_stop(r.s, r.now, 300);
	r.now += 300;
	rig_tick(&r);
	assert_true(session_left(r.s));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}\n" GIVEN_UP(
			    2) "> {\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n");
	rig_release(&r);
	/* before it was ready: nothing but exit may be sent, and the greeting counts no more */
	rig_init(&early);
	session_start(early.s, 1, early.now, 5000);
	rig_tick(&early);
	buf_clear(&early.trace);
	session_stop(early.s, early.now, 300);
	assert_true(session_left(early.s));
	rig_say(&early, GREETED);
	RIG_SAW(&early, "> {\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n");
	assert_int_equal(session_state(early.s), SESSION_LEAVING);
	rig_release(&early);
	rig_init(&cold);
	session_stop(cold.s, cold.now, 300);
	assert_true(session_left(cold.s));
	rig_tick(&cold);
	RIG_SAW(&cold, "");
	rig_release(&cold);
}

static void test_death(void **state)
{
	struct rig r = { 0 };
	struct err why = { ERR_IO, "exit code 3" };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "a", LSP_HOVER, 0);
	rig_ask(&r, "b", LSP_HOVER, 0);
	buf_clear(&r.trace);
	session_died(r.s, &why);
	session_died(r.s, NULL);
	assert_int_equal(session_deadline(r.s), 0);
	r.then = "again"; /* from inside a reply: it waits for the next tick */
	peer_tick(session_peer(r.s), r.now);
	RIG_SAW(&r, "reply a io: textDocument/hover: exit code 3\n"
		    "reply b io: textDocument/hover: exit code 3\n");
	rig_tick(&r);
	RIG_SAW(&r, "reply again no_server: srv is not running: exit code 3\n");
	r.then = "once more";
	rig_ask(&r, "c", LSP_HOVER, 0);
	RIG_SAW(&r, "");
	rig_tick(&r);
	RIG_SAW(&r, "reply c no_server: srv is not running: exit code 3\n");
	rig_tick(&r);
	RIG_SAW(&r, "reply once more no_server: srv is not running: exit code 3\n");
	assert_int_equal(session_deadline(r.s), UINT64_MAX);
	rig_release(&r);
}

/* Whatever waits is told when the session is freed: on the wire, in line, and asked meanwhile. */
static void test_freed(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask(&r, "wire", LSP_HOVER, 0);
	rig_ask(&r, "cannot", LSP_FORMAT, 0);
	buf_clear(&r.trace);
	r.then = "meanwhile";
	session_free(r.s);
	r.s = NULL;
	RIG_SAW(&r,
		"reply wire io: textDocument/hover: it has ended\n"
		"reply cannot no_server: srv has exited\nreply meanwhile no_server: srv has exited\n");
	rig_release(&r);
	session_free(NULL);
}

/* What real servers send beside their answers: it is told, and the conversation goes on. */
static void test_nonsense_is_passed_over(void **state)
{
#define ODD "a response to an unknown request: id "
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	session_tolerate(r.s, 7);
	rig_ask(&r, "a", LSP_HOVER, 0);
	rig_ask(&r, "b", LSP_HOVER, 0);
	buf_clear(&r.trace);
	rig_say(&r, ANSWER(77, "null"));
	rig_say(&r, ANSWER("x", "null"));
	rig_say(&r, REFUSAL(null, -32700));
	RIG_SAW(&r, "odd " ODD "77\nodd " ODD "\"x\"\nodd " ODD "null\n");
	rig_say(&r, "{}");
	rig_say(&r, "7");
	rig_say(&r, "{\"id\":");
	buf_clear(&r.trace);
	rig_say(&r, "{\"jsonrpc\":\"2.0\",\"id\":2}"); /* meant for a, and no answer */
	RIG_SAW(&r,
		"reply a protocol: textDocument/hover: the response has neither a result nor an error\n"
		"odd the response has neither a result nor an error\n");
	rig_say(&r, ANSWER(3, "null"));
	RIG_SAW(&r, "reply b null\n");
	assert_int_equal(session_state(r.s), SESSION_READY);
	rig_release(&r);
}

static void test_nonsense_without_end(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	session_tolerate(r.s, 2);
	rig_ask(&r, "a", LSP_HOVER, 0);
	rig_ask(&r, "b", LSP_HOVER, 0);
	rig_say(&r, "{}");
	rig_say(&r, ANSWER(77, "null"));
	rig_say(&r, ANSWER(2, "null")); /* an answer: counted from the start again */
	rig_say(&r, ANSWER(77, "null"));
	rig_say(&r, "{}");
	assert_int_equal(session_state(r.s), SESSION_READY);
	buf_clear(&r.trace);
	rig_say(&r, ANSWER(77, "null"));
	assert_int_equal(session_state(r.s), SESSION_DEAD);
	assert_int_equal(r.broken.code, ERR_PROTOCOL);
	rig_tick(&r);
	RIG_SAW(&r, "odd " ODD "77\nreply b io: textDocument/hover: " ODD "77\n");
	rig_release(&r);
}

static void test_pull_identifier(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{\"diagnosticProvider\":{\"identifier\":\"me\"}}"));
	rig_ask(&r, "p", LSP_PULL_DIAGNOSTICS, 0);
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/diagnostic\","
		    "\"params\":{\"of\":\"p\",\"identifier\":\"me\"}}\n");
	rig_release(&r);
}

/* One conversation with everything in it; the same trace however the bytes are cut. */
static void converse(struct rig *r)
{
	struct doc *d = doc_new("/w/a.c", STR("int a;\n"));

	rig_init(r);
	session_open(r->s, d, "c");
	session_start(r->s, 1, r->now, 5000);
	rig_ask(r, "early", LSP_RENAME, 0);
	rig_say(r, TELL("window/logMessage", "{\"type\":3,\"message\":\"hello\"}"));
	rig_say(r, RIG_GREETED("{\"renameProvider\":true,\"textDocumentSync\":2}"));
	rig_say(r, REQ(1, "window/workDoneProgress/create", "{\"token\":\"t\"}"));
	rig_say(r, TELL("$/progress",
			"{\"token\":\"t\",\"value\":{\"kind\":\"begin\",\"title\":\"\\u00e9\"}}"));
	rig_say(r,
		TELL("textDocument/publishDiagnostics",
		     "{\"uri\":\"file:///w/a.c\",\"diagnostics\":[{\"message\":\"\xc3\xa9 {[\"}]}"));
	rig_say(r, REFUSAL(2, -32801));
	doc_splice(d, (struct span){ 4, 5 }, STR("b"));
	rig_ask(r, "second", LSP_RENAME, 0);
	rig_say(r, ANSWER(3, "{\"changes\":{}}"));
	rig_say(r, REQ("q", "workspace/applyEdit", "{\"edit\":{\"changes\":{}}}"));
	session_applied(r->s, r->edit_id, true, NULL);
	rig_say(r, ANSWER(4, "null"));
	rig_say(r, TELL("$/progress", "{\"token\":\"t\",\"value\":{\"kind\":\"end\"}}"));
	session_close(r->s, d);
	session_stop(r->s, r->now, 100);
	rig_say(r, ANSWER(5, "null"));
	session_died(r->s, NULL);
	rig_tick(r);
	doc_free(d);
}

static void test_cut(void **state)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64 };
	struct rig whole = { 0 };

	(void)state;
	converse(&whole);
	assert_non_null(strstr(whole.trace.p, "textDocument/didOpen"));
	assert_non_null(strstr(whole.trace.p, "\"contentChanges\":[{\"range\""));
	assert_non_null(strstr(whole.trace.p, "reply early {\"changes\":{}}"));
	assert_non_null(strstr(whole.trace.p, "\"method\":\"exit\""));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct rig cut = { .step = steps[i] };

		converse(&cut);
		assert_text(buf_str(&cut.trace), buf_str(&whole.trace));
		rig_release(&cut);
	}
	rig_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_greeting),
		cmocka_unit_test(test_greeting_fails),

		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_ask),
		cmocka_unit_test(test_retry),
		cmocka_unit_test(test_retrigger),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_unanswered),
		cmocka_unit_test(test_death),
		cmocka_unit_test(test_freed),
		cmocka_unit_test(test_nonsense_is_passed_over),
		cmocka_unit_test(test_nonsense_without_end),
		cmocka_unit_test(test_pull_identifier),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
