#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "lsp/proto.h"
#include "session_rig.h"

/* What a session does by itself when the server asks and tells. */

static void test_settings(void **state)
{
	struct rig r = { 0 };
	json *settings = rig_parse("{\"a\":{\"b\":{\"c\":[1]},\"n\":null},\"x.y\":5}");

	(void)state;
	r.spec.settings = settings;
	rig_init(&r);
	session_start(r.s, 1, r.now, 5000);
	rig_tick(&r);
	buf_clear(&r.trace);
	rig_say(&r, RIG_GREETED("{}"));
	RIG_SAW(&r,
		"ready\n> {\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}\n"
		"> {\"jsonrpc\":\"2.0\",\"method\":\"workspace/didChangeConfiguration\",\"params\":"
		"{\"settings\":{\"a\":{\"b\":{\"c\":[1]},\"n\":null},\"x.y\":5}}}\n");
	rig_say(&r,
		REQ(7, "workspace/configuration",
		    "{\"items\":[{\"section\":\"a.b\"},{\"section\":\"a.b.c\"},{\"section\":"
		    "\"a.none\"},{\"section\":\"a.n\"},{\"section\":\"a.b.c.d\"},{},{\"scopeUri\":"
		    "\"file:///w\",\"section\":\"\"},{\"section\":\"a..b\"}]}"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":[{\"c\":[1]},[1],null,null,null,"
		    "{\"a\":{\"b\":{\"c\":[1]},\"n\":null},\"x.y\":5},"
		    "{\"a\":{\"b\":{\"c\":[1]},\"n\":null},\"x.y\":5},null]}\n");
	rig_release(&r);
	json_free(settings);
}

/* A section's name is the server's: any length will do. */
static void test_long_section(void **state)
{
	struct rig r = { 0 };
	struct buf q = BUF_INIT;
	json *settings = rig_parse("{\"a\":1}");

	(void)state;
	r.spec.settings = settings;
	rig_start(&r, RIG_GREETED("{}"));
	buf_adds(&q, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"workspace/configuration\","
		     "\"params\":{\"items\":[{\"section\":\"");
	for (int i = 0; i < 500; i++)
		buf_addc(&q, 'a');
	buf_adds(&q, "\"}]}}");
	rig_say(&r, q.p);
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":[null]}\n");
	buf_release(&q);
	rig_release(&r);
	json_free(settings);
}

static void test_served(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_say(&r, REQ(1, "workspace/workspaceFolders", "null"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[{\"uri\":"
		    "\"file:///w/my%20project\",\"name\":\"my project\"}]}\n");
	rig_say(&r, REQ(2, "window/showMessageRequest",
			"{\"type\":2,\"message\":\"sure?\",\"actions\":[{\"title\":\"yes\"}]}"));
	RIG_SAW(&r, "show 2 sure?\n> {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}\n");
	assert_false(session_can(r.s, LSP_RENAME));
	rig_say(&r, REQ(3, "client/registerCapability",
			"{\"registrations\":[{\"id\":\"r\",\"method\":\"textDocument/rename\"}]}"));
	assert_true(session_can(r.s, LSP_RENAME));
	rig_say(&r,
		REQ(4, "client/unregisterCapability",
		    "{\"unregisterations\":[{\"id\":\"r\",\"method\":\"textDocument/rename\"}]}"));
	assert_false(session_can(r.s, LSP_RENAME));
	rig_say(&r, REQ(5, "workspace/diagnostic/refresh", "null"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}\n"
		    "> {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":null}\n"
		    "refresh\n"
		    "> {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":null}\n");
	rig_say(&r, REQ(6, "workspace/unheardOf", "{}"));
	RIG_SAW(&r,
		"> {\"jsonrpc\":\"2.0\",\"id\":6,\"error\":{\"code\":-32601,\"message\":"
		"\"unknown method workspace/unheardOf\",\"data\":{\"code\":\"unsupported\"}}}\n");
	rig_say(&r, REQ(7, "workspace/configuration", "{}"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,\"message\":"
		    "\"member \\\"items\\\" is missing\",\"data\":{\"code\":\"invalid\"}}}\n");
	rig_say(&r, TELL("window/showMessage", "{\"type\":1,\"message\":\"a\\nb\"}"));
	rig_say(&r, TELL("window/logMessage", "{\"message\":\"l\",\"type\":4}"));
	rig_say(&r, TELL("telemetry/event", "{\"any\":1}"));
	rig_say(&r, TELL("window/showMessage", "{\"type\":\"x\",\"message\":\"a\"}"));
	RIG_SAW(&r, "show 1 a\nb\nlog 4 l\nodd window/showMessage from srv is malformed: JSON: "
		    "expected a number at byte 8 of 26\n");
	rig_release(&r);
}

static void test_diagnostics(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_say(&r, TELL("textDocument/publishDiagnostics",
			 "{\"diagnostics\":[{\"message\":\"m\"}],\"version\":3,\"uri\":"
			 "\"file:///w/\\u0061.c\"}"));
	rig_say(&r, TELL("textDocument/publishDiagnostics",
			 "{\"uri\":\"file:///w/b.c\",\"version\":null,\"diagnostics\":[]}"));
	RIG_SAW(&r, "diag file:///w/a.c 3 [{\"message\":\"m\"}]\ndiag file:///w/b.c -1 []\n");
	rig_say(&r, TELL("textDocument/publishDiagnostics", "{\"uri\":\"file:///w/b.c\"}"));
	RIG_SAW(&r, "odd textDocument/publishDiagnostics from srv is malformed: the diagnostics "
		    "are missing\n");
	rig_release(&r);
}

static void test_apply_edit(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_say(&r, REQ("e", "workspace/applyEdit", "{\"label\":\"l\",\"edit\":{\"changes\":{}}}"));
	RIG_SAW(&r, "edit {\"changes\":{}}\n");
	session_applied(r.s, r.edit_id, false, "stale");
	rig_tick(&r);
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":\"e\",\"result\":{\"applied\":false,"
		    "\"failureReason\":\"stale\"}}\n");
	rig_say(&r, REQ(8, "workspace/applyEdit", "{\"edit\":{}}"));
	session_applied(r.s, r.edit_id, true, NULL);
	rig_tick(&r);
	RIG_SAW(&r, "edit {}\n> {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"applied\":true}}\n");
	rig_say(&r, REQ(9, "workspace/applyEdit", "{\"label\":\"x\"}"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32602,\"message\":"
		    "\"member \\\"edit\\\" is missing\",\"data\":{\"code\":\"invalid\"}}}\n");
	rig_release(&r);
}

static void test_progress(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	assert_null(session_busy(r.s));
	rig_say(&r, REQ(1, "window/workDoneProgress/create", "{\"token\":7}"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n");
	assert_string_equal(session_busy(r.s), "preparing");
	rig_say(&r, TELL("$/progress", "{\"value\":{\"title\":\"index\",\"kind\":\"begin\"},"
				       "\"token\":7}"));
	assert_string_equal(session_busy(r.s), "index");
	rig_say(&r, TELL("$/progress", "{\"token\":\"7\",\"value\":{\"kind\":\"begin\",\"title\":"
				       "\"other\",\"percentage\":0,\"cancellable\":false}}"));
	rig_say(&r, TELL("$/progress", "{\"token\":7,\"value\":{\"kind\":\"report\",\"message\":"
				       "\"1/2\",\"percentage\":50}}"));
	rig_say(&r, TELL("$/progress", "{\"token\":9,\"value\":{\"kind\":\"report\"}}"));
	rig_say(&r, TELL("$/progress", "{\"token\":7,\"value\":[1,2]}"));
	rig_say(&r, TELL("$/progress", "{\"token\":7,\"value\":{\"kind\":\"end\"}}"));
	assert_string_equal(session_busy(r.s), "other");
	rig_say(&r, TELL("$/progress", "{\"token\":\"7\",\"value\":{\"kind\":\"end\",\"message\":"
				       "\"bye\"}}"));
	assert_null(session_busy(r.s));
	RIG_SAW(&r, "progress index| -1\nprogress other| 0\nprogress index|1/2 50\n"
		    "progress index| -1 done\nprogress other|bye -1 done\n");
	/* a server that ends nothing it began cannot fill the memory */
	for (int i = 0; i < 2000; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 TELL("$/progress",
			      "{\"token\":%d,\"value\":{\"kind\":\"begin\",\"title\":\"t%d\"}}"),
			 i, i);
		rig_say(&r, text);
	}
	assert_string_equal(session_busy(r.s), "t1744");
	session_died(r.s, NULL);
	assert_null(session_busy(r.s));
	rig_release(&r);
}

/* Its own word counts, where it gives one, and no work that it tells of. */
static void test_settled(void **state)
{
	struct rig r = { .spec = { .ready_on_status = true } };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	assert_false(session_settled(r.s));
	rig_say(&r, TELL("experimental/serverStatus", "{\"health\":\"ok\",\"quiescent\":true}"));
	rig_say(&r, TELL("$/progress", "{\"token\":1,\"value\":{\"kind\":\"begin\",\"title\":"
				       "\"t\"}}"));
	assert_true(session_settled(r.s));
	rig_say(&r, TELL("experimental/serverStatus", "{\"quiescent\":false,\"message\":null}"));
	RIG_SAW(&r, "settled\nprogress t| -1\nunsettled\n");
	assert_null(session_health_error(r.s));
	rig_say(&r, TELL("experimental/serverStatus",
			 "{\"health\":\"error\",\"quiescent\":true,\"message\":\"no cargo\\n\"}"));
	assert_string_equal("no cargo", session_health_error(r.s));
	rig_say(&r, TELL("experimental/serverStatus", "{\"health\":\"ok\",\"quiescent\":true}"));
	assert_null(session_health_error(r.s));
	rig_release(&r);

	r = (struct rig){ 0 };
	rig_start(&r, RIG_GREETED("{}"));
	assert_true(session_settled(r.s));
	rig_say(&r, REQ(1, "window/workDoneProgress/create", "{\"token\":1}"));
	assert_false(session_settled(r.s));
	rig_release(&r);
}

static void test_checking(void **state)
{
	struct rig r = { .spec = { .check = "x/check/" } };
	struct doc *d = doc_new("/w/my project/a", STR(""));
	static const char begin[] =
		TELL("$/progress", "{\"token\":\"x/check/0\",\"value\":{\"kind\":"
				   "\"begin\",\"title\":\"t\"}}"),
			  end[] = TELL("$/progress", "{\"token\":\"x/check/0\",\"value\":{\"kind\":"
						     "\"end\"}}");

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	assert_true(session_checking(r.s)); /* it will, once it has read the project */
	rig_say(&r, TELL("$/progress", "{\"token\":\"x\",\"value\":{\"kind\":\"begin\",\"title\":"
				       "\"t\"}}"));
	rig_say(&r, TELL("$/progress", "{\"token\":\"x\",\"value\":{\"kind\":\"end\"}}"));
	assert_true(session_checking(r.s));
	rig_say(&r, begin);
	assert_true(session_checking(r.s));
	rig_say(&r, end);
	assert_false(session_checking(r.s));
	session_open(r.s, d, "x");
	assert_false(session_checking(r.s));
	session_saved(r.s, d);
	assert_true(session_checking(r.s));
	rig_say(&r, end); /* of one that another save has ended */
	rig_say(&r, begin);
	assert_true(session_checking(r.s));
	session_close(r.s, d);
	doc_free(d);
	rig_release(&r);
}

/* Every message with every byte of its params made wrong: a request is answered once, whatever it
 * holds, and the conversation goes on. */
static void test_garbled(void **state)
{
	static const struct {
		const char *method, *params;
		bool asks;
	} said[] = {
		{ "workspace/configuration", "{\"items\":[{\"section\":\"a.b\"},{}]}", true },
		{ "client/registerCapability",
		  "{\"registrations\":[{\"id\":\"1\",\"method\":\"textDocument/hover\"}]}", true },
		{ "client/unregisterCapability",
		  "{\"unregisterations\":[{\"id\":\"1\",\"method\":\"m\"}]}", true },
		{ "window/workDoneProgress/create", "{\"token\":\"\\u0031\"}", true },
		{ "window/showMessageRequest", "{\"type\":1,\"message\":\"m\"}", true },
		{ "workspace/applyEdit", "{\"edit\":{\"changes\":{}}}", true },
		{ "experimental/serverStatus", "{\"quiescent\":true}", false },
		{ "textDocument/publishDiagnostics",
		  "{\"uri\":\"file:///a\",\"version\":1,\"diagnostics\":[]}", false },
		{ "$/progress", "{\"token\":1,\"value\":{\"kind\":\"begin\",\"percentage\":5}}",
		  false },
		{ "window/logMessage", "{\"type\":1,\"message\":\"m\"}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		for (size_t at = 0; said[i].params[at]; at++)
			for (const char *with = "\"{}[],:0n-\\\xff"; *with; with++) {
				struct rig r = { 0 };
				struct buf text = BUF_INIT;
				size_t answers = 0;

				rig_start(&r, RIG_GREETED("{}"));
				buf_addf(&text,
					 "{\"jsonrpc\":\"2.0\",%s\"method\":\"%s\",\"params\":",
					 said[i].asks ? "\"id\":1," : "", said[i].method);
				buf_adds(&text, said[i].params);
				text.p[text.n - strlen(said[i].params) + at] = *with;
				buf_addc(&text, '}');
				rig_say(&r, text.p);
				if (r.edit_id)
					session_applied(r.s, r.edit_id, true, NULL);
				rig_drain(&r);
				for (const char *p = r.trace.p; p && (p = strstr(p, "> {")); p++)
					answers++;
				/* unless it is no message any more: that ends it all */
				if (session_state(r.s) == SESSION_READY)
					assert_int_equal(answers, said[i].asks);
				else
					assert_int_equal(r.broken.code, ERR_PROTOCOL);
				buf_release(&text);
				rig_release(&r);
			}
}

/* Parts of an answer come under our token; whatever else comes so is not ours. */
static void test_survey(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_say(&r,
		TELL("$/progress", "{\"value\":{\"items\":[1]},\"token\":\"" SURVEY_TOKEN "\"}"));
	rig_say(&r, TELL("$/progress",
			 "{\"token\":\"oxide\\/survey\",\"value\":{\"items\":[2]}}")); /* as PHP
											  says it */
	rig_say(&r, TELL("$/progress", "{\"token\":\"other\",\"value\":{\"items\":[]}}"));
	rig_say(&r, TELL("$/progress", "{\"token\":7,\"value\":[]}"));
	RIG_SAW(&r, "surveyed {\"items\":[1]}\nsurveyed {\"items\":[2]}\n");
	rig_release(&r);
}

static void test_work(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("a"));

	(void)state;
	rig_start(&r, RIG_GREETED("{\"textDocumentSync\":2}"));
	rig_open(&r, d, "c");
	rig_tick(&r);
	buf_clear(&r.trace);
	assert_int_equal(sync_work_on(session_sync(r.s), "/w/a.c"), WORK_UNKNOWN);
	rig_say(&r, TELL("textDocument/clangd.fileStatus",
			 "{\"state\":\"parsing includes\",\"uri\":\"file:///w/a.c\"}"));
	rig_say(&r, TELL("textDocument/clangd.fileStatus",
			 "{\"uri\":\"file:///w/a.c\",\"state\":\"idle\"}"));
	rig_say(&r, TELL("textDocument/clangd.fileStatus",
			 "{\"uri\":\"file:///w/b.c\",\"state\":\"idle\"}"));
	RIG_SAW(&r, "worked /w/a.c busy\nworked /w/a.c done\nworked /w/b.c unknown\n");
	doc_set(d, STR("b"));
	session_flush(r.s); /* of the new text it has not said that it is done */
	assert_int_equal(sync_work_on(session_sync(r.s), "/w/a.c"), WORK_BUSY);
	rig_release(&r);
	doc_free(d);
}

static void test_show_document(void **state)
{
#define SHOW(more)     "{\"uri\":\"file:///w/a.c\"" more "}"
#define SHOWN(id, how) "> {\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{\"success\":" how "}}\n"
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_say(&r, REQ(1, "window/showDocument", SHOW(",\"takeFocus\":true,\"selection\":{}")));
	RIG_SAW(&r, "document file:///w/a.c {}\n" SHOWN(1, "true"));
	rig_say(&r, REQ(2, "window/showDocument", SHOW("")));
	rig_say(&r, REQ(3, "window/showDocument", SHOW(",\"takeFocus\":true,\"external\":true")));
	RIG_SAW(&r, SHOWN(2, "false") SHOWN(3, "false"));
	rig_say(&r, REQ(4, "window/showDocument", "{}"));
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32602,\"message\":"
		    "\"member \\\"uri\\\" is missing\",\"data\":{\"code\":\"invalid\"}}}\n");
	rig_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show_document), cmocka_unit_test(test_settings),
		cmocka_unit_test(test_long_section),  cmocka_unit_test(test_served),
		cmocka_unit_test(test_diagnostics),   cmocka_unit_test(test_apply_edit),
		cmocka_unit_test(test_progress),      cmocka_unit_test(test_settled),
		cmocka_unit_test(test_checking),      cmocka_unit_test(test_survey),
		cmocka_unit_test(test_work),	      cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
