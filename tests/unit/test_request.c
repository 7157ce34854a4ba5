#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session_rig.h"

/* What is asked twice is put to the server once, for as long as that is the same question. */

#define GREETED                                                                                    \
	RIG_GREETED("{\"hoverProvider\":true,\"documentSymbolProvider\":true,"                     \
		    "\"executeCommandProvider\":{\"commands\":[\"c\"]},\"textDocumentSync\":1}")
#define HOVER(id, of)	RIG_ASKED(id, "textDocument/hover", of)
#define SYMBOLS(id, of) RIG_ASKED(id, "textDocument/documentSymbol", of)

static int64_t hover(struct rig *r, const char *name, uint64_t timeout_ms)
{
	return rig_ask_of(r, name, "x", LSP_HOVER, timeout_ms);
}

static void symbols(struct rig *r, const char *name)
{
	rig_ask_of(r, name, "x", LSP_DOCUMENT_SYMBOLS, 0);
}

static void test_shared(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	hover(&r, "a", 0);
	hover(&r, "b", 100);
	rig_ask_of(&r, "other", "y", LSP_HOVER, 0);
	symbols(&r, "symbols");
	hover(&r, "c", 0);
	RIG_SAW(&r, HOVER(2, "x") HOVER(3, "y") SYMBOLS(4, "x"));
	rig_say(&r, ANSWER(2, "[7]"));
	RIG_SAW(&r, "reply a [7]\nreply b [7]\nreply c [7]\n");
	hover(&r, "later", 0); /* is asked anew: no text alone decides what the answer is */
	RIG_SAW(&r, HOVER(5, "x"));
	hover(&r, "too", 0);
	rig_say(&r, REFUSAL(5, -32803));
	RIG_SAW(&r, "reply later peer: no\nreply too peer: no\n");
	rig_release(&r);
}

/* Who asks from inside of an answer asks anew. */
static void test_again(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	hover(&r, "a", 0);
	hover(&r, "b", 0);
	buf_clear(&r.trace);
	r.then = "again";
	rig_say(&r, ANSWER(2, "[7]"));
	RIG_SAW(&r, "reply a [7]\nreply b [7]\n> {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
		    "\"textDocument/hover\",\"params\":{}}\n");
	rig_release(&r);
}

static void test_commands(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_ask_of(&r, "a", "x", LSP_EXECUTE, 0);
	rig_ask_of(&r, "b", "x", LSP_EXECUTE, 0);
	RIG_SAW(&r, RIG_ASKED(2, "workspace/executeCommand", "x")
			    RIG_ASKED(3, "workspace/executeCommand", "x"));
	rig_release(&r);
}

static void test_cancel(void **state)
{
	struct rig r = { 0 };
	int64_t a, b;

	(void)state;
	rig_start(&r, GREETED);
	a = hover(&r, "a", 0);
	b = hover(&r, "b", 0);
	hover(&r, "c", 0);
	RIG_SAW(&r, HOVER(2, "x"));
	request_cancel(&r.requests, a); /* is its own affair */
	assert_int_equal(session_deadline(r.s), 0);
	rig_tick(&r);
	RIG_SAW(&r, "reply a cancelled: textDocument/hover was cancelled\n");
	assert_int_equal(session_deadline(r.s), UINT64_MAX);
	request_cancel(&r.requests, b); /* and the answer comes before anybody was told */
	rig_say(&r, ANSWER(2, "[7]"));
	RIG_SAW(&r, "reply b cancelled: textDocument/hover was cancelled\nreply c [7]\n");
	a = hover(&r, "d", 0);
	b = hover(&r, "e", 0);
	request_cancel(&r.requests, b);
	request_cancel(&r.requests, a);
	hover(&r, "f", 0); /* does not join what is given up */
	rig_tick(&r);
	RIG_SAW(&r, HOVER(3, "x") GIVEN_UP(3)
			    HOVER(4, "x") "reply d cancelled: textDocument/hover was cancelled\n"
					  "reply e cancelled: textDocument/hover was cancelled\n");
	rig_say(&r, ANSWER(4, "[8]"));
	RIG_SAW(&r, "reply f [8]\n");
	rig_release(&r);
}

static void test_timeout(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	hover(&r, "a", 100);
	r.now += 50;
	hover(&r, "b", 100);
	hover(&r, "hasty", 10);
	RIG_SAW(&r, HOVER(2, "x"));
	assert_int_equal(session_deadline(r.s), 1060);
	r.now = 1060;
	rig_tick(&r);
	RIG_SAW(&r, "reply hasty timeout: textDocument/hover: no answer within 10 ms\n");
	r.now = 1100;
	rig_tick(&r);
	RIG_SAW(&r, "reply a timeout: textDocument/hover: no answer within 100 ms\n");
	assert_int_equal(session_deadline(r.s), 1150);
	r.now = 1150;
	rig_tick(&r);
	RIG_SAW(&r, "reply b timeout: textDocument/hover: no answer within 100 ms\n" GIVEN_UP(2));
	rig_release(&r);
}

/* Asked before the server is ready, and asked again because the answer was not to last. */
static void test_waiting(void **state)
{
	struct rig r = { 0 };
	int64_t a;

	(void)state;
	rig_init(&r);
	a = hover(&r, "a", 0);
	hover(&r, "b", 0);
	session_start(r.s, 1, r.now, 5000);
	hover(&r, "c", 30);
	request_cancel(&r.requests, a);
	buf_clear(&r.trace);
	rig_tick(&r);
	r.now += 30;
	rig_tick(&r);
	RIG_SAW(&r, "reply a cancelled: textDocument/hover was cancelled\nreply c timeout: "
		    "textDocument/hover: srv was not ready within 30 ms\n");
	rig_say(&r, GREETED);
	hover(&r, "d", 0);
	rig_say(&r, REFUSAL(2, -32801));
	rig_say(&r, REFUSAL(3, -32801)); /* pauses now */
	hover(&r, "e", 0);
	r.now += 50;
	rig_tick(&r);
	rig_say(&r, ANSWER(4, "[7]"));
	RIG_SAW(&r,
		"ready\n> {\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}\n" HOVER(
			2, "x") HOVER(3, "x")
			HOVER(4, "x") "reply b [7]\nreply d [7]\nreply e [7]\n");
	rig_release(&r);
}

static void test_kept(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("a"));

	(void)state;
	rig_start(&r, GREETED);
	rig_keep(&r);
	session_open(r.s, d, "c");
	symbols(&r, "a");
	buf_clear(&r.trace);
	rig_say(&r, ANSWER(2, "[1]"));
	RIG_SAW(&r, "reply a [1]\n");
	symbols(&r, "b");
	symbols(&r, "c");
	RIG_SAW(&r, ""); /* never from inside */
	assert_int_equal(session_deadline(r.s), 0);
	rig_tick(&r);
	RIG_SAW(&r, "reply b [1]\nreply c [1]\n");
	request_cancel(&r.requests, rig_ask_of(&r, "d", "x", LSP_DOCUMENT_SYMBOLS, 0));
	rig_tick(&r);
	RIG_SAW(&r, "reply d cancelled: textDocument/documentSymbol was cancelled\n");
	session_died(r.s, NULL);
	symbols(&r, "e");
	rig_tick(&r);
	RIG_SAW(&r, "reply e no_server: srv is not running: it has ended\n");
	rig_release(&r);
	doc_free(d);
}

/* Whatever may change an answer: others neither join what is being asked, nor get what is known. */
struct change {
	const char *name;
	void (*fn)(struct rig *r, struct doc *d);
};

static void change_text(struct rig *r, struct doc *d)
{
	(void)r;
	doc_set(d, STR("b"));
}

static void try_text(struct rig *r, struct doc *d)
{
	assert_true(session_try(r->s, d, STR("on trial"), NULL, false));
}

static void save(struct rig *r, struct doc *d)
{
	session_saved(r->s, d);
}

static void close_it(struct rig *r, struct doc *d)
{
	session_close(r->s, d);
}

static void change_file(struct rig *r, struct doc *d)
{
	(void)d;
	session_watched(r->s, "/w/other.h", 2);
}

static void publish(struct rig *r, struct doc *d)
{
	(void)d;
	rig_say(r, TELL("textDocument/publishDiagnostics",
			"{\"uri\":\"file:///w/b.c\",\"diagnostics\":[]}"));
}

static void refresh(struct rig *r, struct doc *d)
{
	(void)d;
	rig_say(r, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"workspace/diagnostic/refresh\"}");
}

static void finish_work(struct rig *r, struct doc *d)
{
	(void)d;
	rig_say(r, TELL("$/progress", "{\"token\":1,\"value\":{\"kind\":\"end\"}}"));
}

static const struct change changes[] = {
	{ "text", change_text }, { "trial", try_text },	  { "save", save },
	{ "close", close_it },	 { "file", change_file }, { "publish", publish },
	{ "refresh", refresh },	 { "work", finish_work },
};

/* How often the server is asked when `change` comes between: `join` before it has answered. */
static size_t times_asked(const struct change *change, bool join)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("a"));
	size_t n = 0;

	rig_start(&r, GREETED);
	rig_keep(&r);
	session_open(r.s, d, "c");
	symbols(&r, "a");
	if (!join)
		rig_say(&r, ANSWER(2, "[1]"));
	if (change)
		change->fn(&r, d);
	symbols(&r, "b");
	rig_tick(&r);
	for (const char *at = r.trace.p; (at = strstr(at, "documentSymbol\"")); at++)
		n++;
	rig_release(&r);
	doc_free(d);
	return n;
}

static void test_news(void **state)
{
	(void)state;
	assert_int_equal(times_asked(NULL, false), 1);
	assert_int_equal(times_asked(NULL, true), 1);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (times_asked(&changes[i], false) != 2 || times_asked(&changes[i], true) != 2)
			fail_msg("%s: an old answer", changes[i].name);
}

/* What a server says for people to read, and that it is at work, changes nothing. */
static void test_words(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_keep(&r);
	symbols(&r, "a");
	rig_say(&r, ANSWER(2, "[1]"));
	rig_say(&r, TELL("window/logMessage", "{\"type\":3,\"message\":\"m\"}"));
	rig_say(&r, TELL("window/showMessage", "{\"type\":3,\"message\":\"m\"}"));
	rig_say(&r, TELL("textDocument/clangd.fileStatus",
			 "{\"uri\":\"file:///w/a.c\",\"state\":\"idle\"}"));
	symbols(&r, "b");
	rig_tick(&r);
	RIG_SAW(&r, SYMBOLS(2, "x") "reply a [1]\nlog 3 m\nshow 3 m\nworked /w/a.c unknown\n"
				    "reply b [1]\n");
	rig_release(&r);
}

/* What was on its way while a text changed is given to those who asked, and not kept. */
static void test_overtaken(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_keep(&r);
	symbols(&r, "a");
	session_watched(r.s, "/w/other.h", 2);
	rig_say(&r, ANSWER(2, "[1]"));
	symbols(&r, "b");
	RIG_SAW(&r, SYMBOLS(2, "x") "reply a [1]\n" SYMBOLS(3, "x"));
	rig_say(&r, ANSWER(3, "[2]"));
	symbols(&r, "c");
	rig_tick(&r);
	RIG_SAW(&r, "reply b [2]\nreply c [2]\n");
	rig_release(&r);
}

/* Who has asked is asked for once more, by another server, with all the time that was given. */
static void test_held(void **state)
{
	struct rig r = { .hold = true };

	(void)state;
	rig_start(&r, GREETED);
	hover(&r, "a", 0);
	r.now += 90;
	hover(&r, "b", 100);
	rig_die(&r);
	RIG_SAW(&r, "held textDocument/hover: exit code 3\n");
	assert_int_equal(requests_deadline(&r.requests), UINT64_MAX);
	r.now += 100; /* nobody's time runs */
	requests_tick(&r.requests, r.now);
	RIG_SAW(&r, "");
	rig_restart(&r, GREETED);
	hover(&r, "own", 0); /* what is held is not joined */
	rig_tick(&r);
	RIG_SAW(&r, HOVER(2, "x"));
	r.now += 50;
	request_resume(r.held, r.now);
	rig_tick(&r);
	RIG_SAW(&r, HOVER(3, "x"));
	rig_say(&r, ANSWER(2, "[1]"));
	r.now += 99;
	rig_tick(&r);
	RIG_SAW(&r, "reply own [1]\n");
	r.now += 1;
	rig_tick(&r);
	RIG_SAW(&r, "reply b timeout: textDocument/hover: no answer within 100 ms\n");
	rig_die(&r); /* a second death is the end */
	RIG_SAW(&r, "reply a io: textDocument/hover: exit code 3\n");
	rig_release(&r);
}

/* What waited in line when the server died is held as well. */
static void test_held_in_line(void **state)
{
	struct rig r = { .hold = true };

	(void)state;
	rig_init(&r);
	session_start(r.s, 42, r.now, 5000);
	hover(&r, "a", 0);
	rig_die(&r);
	RIG_SAW(&r, "held srv has exited\n");
	rig_restart(&r, GREETED);
	request_resume(r.held, r.now);
	rig_say(&r, ANSWER(2, "[1]"));
	RIG_SAW(&r, HOVER(2, "x") "reply a [1]\n");
	rig_release(&r);
}

static void test_held_cancelled(void **state)
{
	struct err e = { ERR_CANCELLED, "no server is waited for" };
	struct rig r = { .hold = true };
	int64_t a, b;

	(void)state;
	rig_start(&r, GREETED);
	a = hover(&r, "a", 0);
	b = hover(&r, "b", 0);
	rig_die(&r);
	buf_clear(&r.trace);
	request_cancel(&r.requests, a);
	RIG_SAW(&r, ""); /* never from inside */
	assert_int_equal(requests_deadline(&r.requests), 0);
	requests_tick(&r.requests, r.now);
	RIG_SAW(&r, "reply a cancelled: textDocument/hover was cancelled\n");
	request_cancel(&r.requests, b);
	request_cancel(&r.requests, b);
	RIG_SAW(&r, "abandoned\n");
	request_fail(r.held, &e);
	RIG_SAW(&r, "reply b cancelled: textDocument/hover was cancelled\n");
	rig_restart(&r, GREETED);
	b = hover(&r, "c", 0); /* whom nobody waits for is not held */
	request_cancel(&r.requests, b);
	rig_die(&r);
	RIG_SAW(&r, "reply c cancelled: textDocument/hover was cancelled\n");
	rig_release(&r);
}

static void test_held_fails(void **state)
{
	struct err e = { ERR_NO_SERVER, "srv ended 3 times" };
	struct rig r = { .hold = true };

	(void)state;
	rig_start(&r, GREETED);
	hover(&r, "a", 0);
	hover(&r, "b", 0);
	rig_die(&r);
	buf_clear(&r.trace);
	request_fail(r.held, &e);
	RIG_SAW(&r, "reply a no_server: srv ended 3 times\nreply b no_server: srv ended 3 times\n");
	rig_restart(&r, GREETED);
	hover(&r, "c", 0);
	rig_die(&r);
	buf_clear(&r.trace);
	rig_release(&r); /* whoever is still held is told */
}

/* An answer is kept for the life of the server alone, and joined for one state of the workspace. */
static void test_other_times(void **state)
{
	struct rig r = { 0 };

	(void)state;
	rig_start(&r, GREETED);
	rig_keep(&r);
	symbols(&r, "a");
	rig_say(&r, ANSWER(2, "[1]"));
	rig_die(&r);
	rig_restart(&r, GREETED);
	symbols(&r, "b");
	RIG_SAW(&r, SYMBOLS(2, "x"));
	r.moves++;
	symbols(&r, "c");
	RIG_SAW(&r, SYMBOLS(3, "x"));
	rig_die(&r);
	RIG_SAW(&r, "reply b io: textDocument/documentSymbol: exit code 3\n"
		    "reply c io: textDocument/documentSymbol: exit code 3\n");
	rig_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),	       cmocka_unit_test(test_again),
		cmocka_unit_test(test_commands),       cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_timeout),	       cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_kept),	       cmocka_unit_test(test_news),
		cmocka_unit_test(test_words),	       cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_held),	       cmocka_unit_test(test_held_in_line),
		cmocka_unit_test(test_held_cancelled), cmocka_unit_test(test_held_fails),
		cmocka_unit_test(test_other_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
