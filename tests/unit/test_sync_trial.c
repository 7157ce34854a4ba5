#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync_rig.h"

/* The server sees another text than the document's, and then the document as it is by then. */
static void test_trial(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("int a;\n"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	assert_false(session_try(r.s, d, STR("x"), NULL, false)); /* it is not open there */
	rig_open(&r, d, "c");
	rig_tick(&r);
	buf_clear(&r.trace);
	assert_true(session_try(r.s, d, STR("int bc;\n"), NULL, false));
	assert_false(session_try(r.s, d, STR("again"), NULL, false));
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(2, AT(0, 4, 0, 5, "bc")));
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), 2);
	assert_false(sync_tried(session_sync(r.s), "/w/a.c", 2));
	assert_text(doc_text(d), STR("int a;\n"));
	doc_splice(d, (struct span){ 0, 3 }, STR("long")); /* of no concern to the server now */
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, "");
	assert_true(session_untry(r.s, d));
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(3, AT(0, 0, 0, 6, "long a")));
	assert_true(sync_tried(session_sync(r.s), "/w/a.c", 2));
	assert_false(sync_tried(session_sync(r.s), "/w/a.c", 3));
	assert_false(session_untry(r.s, d));
	doc_splice(d, (struct span){ 0, 4 }, STR("int")); /* followed again */
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(4, AT(0, 0, 0, 4, "int")));
	rig_release(&r);
	doc_free(d);
}

/* A change that is made after its trial is known to the server already. */
static void test_trial_kept(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("int a;\n"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	rig_open(&r, d, "c");
	session_try(r.s, d, STR("int bc;\n"), NULL, false);
	session_flush(r.s);
	rig_tick(&r);
	buf_clear(&r.trace);
	doc_set(d, STR("int bc;\n"));
	assert_false(session_untry(r.s, d));
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, "");
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), 2);
	assert_false(sync_tried(session_sync(r.s), "/w/a.c", 2));
	doc_set(d, STR("int c;\n"));
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(3, AT(0, 4, 0, 5, "")));
	rig_release(&r);
	doc_free(d);
}

/* Where it is known how the text comes to be, nothing else is sought. */
static void test_trial_by_edits(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("one two three\n"));
	struct edits set = EDITS_INIT;
	struct edit_clash clash;

	(void)state;
	rig_start(&r, INCREMENTAL);
	rig_open(&r, d, "c");
	rig_tick(&r);
	buf_clear(&r.trace);
	edits_add(&set, (struct span){ 0, 3 }, STR("1"), 0);
	edits_add(&set, (struct span){ 8, 13 }, STR("3"), 0);
	assert_true(edits_check(&set, doc_text(d).n, &clash));
	assert_true(session_try(r.s, d, STR("1 two 3\n"), &set, false));
	edits_release(&set);
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(2, AT(0, 8, 0, 13, "3") "," AT(0, 0, 0, 3, "1")));
	assert_true(session_untry(r.s, d));
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(3, AT(0, 0, 0, 7, "one two three")));
	rig_release(&r);
	doc_free(d);
}

/* What the document has already gets an empty line more, and what is as long where others may
 * include it; closing it takes its trial along. */
static void test_trial_of_the_same(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("int a;\n"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	rig_open(&r, d, "c");
	rig_tick(&r);
	buf_clear(&r.trace);
	session_try(r.s, d, doc_text(d), NULL, false);
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(2, AT(1, 0, 1, 0, "\\n")));
	session_close(r.s, d);
	rig_tick(&r);
	RIG_SAW(&r,
		NOTIFY("textDocument/didClose", "{\"textDocument\":{\"uri\":\"file:///w/a.c\"}}"));
	assert_false(session_untry(r.s, d));
	doc_set(d, STR("x"));
	rig_open(&r, d, "c");
	rig_tick(&r);
	RIG_SAW(&r, OPEN(3, "x"));
	session_try(r.s, d, STR("y"), NULL, false);
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(4, AT(0, 0, 0, 1, "y")));
	doc_set(d, STR("y"));
	assert_false(session_untry(r.s, d));
	session_try(r.s, d, STR("z"), NULL, true); /* released with the session */
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(5, AT(0, 0, 0, 1, "z") "," AT(0, 1, 0, 1, "\\n")));
	rig_release(&r);
	doc_free(d);
}

#define CHANGED(name, version, change)                                                             \
	NOTIFY("textDocument/didChange",                                                           \
	       "{\"textDocument\":{\"uri\":\"file:///w/" name "\",\"version\":" #version           \
	       "},\"contentChanges\":[" change "]}")

static void test_trial_of_a_header(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.h", STR("x"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	rig_open(&r, d, "c");
	rig_tick(&r);
	buf_clear(&r.trace);
	session_try(r.s, d, STR("y"), NULL, false);
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, CHANGED("a.h", 2, AT(0, 0, 0, 1, "y") "," AT(0, 1, 0, 1, "\\n")));
	rig_release(&r);
	doc_free(d);
}

#define OPENED(name)                                                                               \
	NOTIFY("textDocument/didOpen", "{\"textDocument\":{\"uri\":\"file:///w/" name              \
				       "\",\"version\":1,\"languageId\":\"c\",\"text\":\"\"}}")
#define GREW(name)   CHANGED(name, 2, AT(0, 0, 0, 0, "x"))
#define SHRANK(name) CHANGED(name, 3, AT(0, 0, 0, 1, ""))

/* Whatever the order in which they are opened, change, or are on trial. */
static void test_headers_first(void **state)
{
	struct rig r = { 0 };
	struct doc *d[] = { doc_new("/w/a.c", STR("")), doc_new("/w/b.hpp", STR("")),
			    doc_new("/w/c.h", STR("")), doc_new("/w/h", STR("")) };

	(void)state;
	rig_start(&r, INCREMENTAL);
	for (size_t i = 0; i < 4; i++)
		session_open(r.s, d[i], "c");
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, OPENED("b.hpp") OPENED("c.h") OPENED("a.c") OPENED("h"));
	doc_set(d[0], STR("x"));
	doc_set(d[1], STR("x"));
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, GREW("b.hpp") GREW("a.c"));
	session_try(r.s, d[3], STR("x"), NULL, false);
	session_try(r.s, d[2], STR("x"), NULL, false);
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, GREW("c.h") GREW("h"));
	session_untry(r.s, d[3]);
	session_untry(r.s, d[2]);
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, SHRANK("c.h") SHRANK("h"));
	rig_release(&r);
	for (size_t i = 0; i < 4; i++)
		doc_free(d[i]);
}

#define REBUILT_AND(name, version, change, more)                                                   \
	NOTIFY("textDocument/didChange",                                                           \
	       "{\"textDocument\":{\"uri\":\"file:///w/" name "\",\"version\":" #version           \
	       "},\"contentChanges\":[" change "]," more "\"forceRebuild\":true}")
#define REBUILT(name, version, change) REBUILT_AND(name, version, change, "")

static enum sync_work told_work(struct rig *r, const char *told)
{
	rig_say(r, told);
	rig_drain(r);
	return sync_work_on(session_sync(r->s), "/w/a.c");
}

#define STATE(name)                                                                                \
	TELL("textDocument/clangd.fileStatus", "{\"uri\":\"file:///w/a.c\",\"state\":\"" name "\"}")

/* clangd is told to read the headers again, where one may be another than it takes it for. */
static void test_rebuilt_where_a_header_moves(void **state)
{
	struct rig r = { 0 };
	struct doc *c = doc_new("/w/a.c", STR("")), *h = doc_new("/w/a.h", STR(""));

	(void)state;
	rig_start(&r, INCREMENTAL);
	session_open(r.s, c, "c");
	session_open(r.s, h, "c");
	session_flush(r.s);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_DONE);
	buf_clear(&r.trace);
	doc_set(c, STR("x"));
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, GREW("a.c"));
	session_try(r.s, h, STR("x"), NULL, false);
	session_try(r.s, c, STR(""), NULL, false);
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, GREW("a.h") REBUILT("a.c", 3, AT(0, 0, 0, 1, "")));
	/* what comes before it has begun with that may be all that it looks at */
	session_untry(r.s, c);
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, REBUILT_AND("a.c", 4, AT(0, 0, 0, 0, "x"), "\"wantDiagnostics\":true,"));
	/* it may wait for its turn to do that */
	assert_int_equal(told_work(&r, STATE("idle")), WORK_BUSY);
	assert_int_equal(told_work(&r, STATE("parsing includes, running Update")), WORK_BUSY);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_DONE);
	rig_release(&r);
	doc_free(c);
	doc_free(h);
}

/* What the text that was found on the disk includes may have changed as well: at first clangd
 * speaks of it with that as it was, and rests. */
static void test_headers_are_looked_at_behind_a_text_of_the_disk(void **state)
{
	struct rig r = { 0 };
	struct doc *c = doc_new("/w/a.c", STR(""));

	(void)state;
	rig_start(&r, INCREMENTAL);
	session_open(r.s, c, "c");
	session_flush(r.s);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_DONE);
	doc_set(c, STR("x"));
	session_flush(r.s);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_DONE);
	doc_reread(c, STR("y"));
	session_flush(r.s);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_BUSY);
	assert_int_equal(told_work(&r, STATE("parsing includes, running Update")), WORK_BUSY);
	assert_int_equal(told_work(&r, STATE("idle")), WORK_DONE);
	rig_release(&r);
	doc_free(c);
}

static bool ended_with_text(struct rig *r, const char *told)
{
	told_work(r, told);
	return sync_ended_with_text(session_sync(r->s), "/w/a.c");
}

/* Whether the last of its work was the text itself, or what that includes. */
static void test_what_work_ended_with(void **state)
{
	struct rig r = { 0 };
	struct doc *c = doc_new("/w/a.c", STR("x"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	session_open(r.s, c, "c");
	session_flush(r.s);
	assert_false(ended_with_text(&r, STATE("parsing includes, parsing main file")));
	assert_true(ended_with_text(&r, STATE("idle")));
	assert_false(ended_with_text(&r, STATE("parsing includes, running Update")));
	assert_false(ended_with_text(&r, STATE("parsing includes")));
	assert_false(ended_with_text(&r, STATE("idle")));
	assert_false(ended_with_text(&r, STATE("idle"))); /* it has done nothing since */
	assert_false(ended_with_text(&r, STATE("includes are queued")));
	assert_false(ended_with_text(&r, STATE("idle")));
	rig_release(&r);
	doc_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trial),
		cmocka_unit_test(test_trial_kept),
		cmocka_unit_test(test_trial_by_edits),
		cmocka_unit_test(test_trial_of_the_same),
		cmocka_unit_test(test_trial_of_a_header),
		cmocka_unit_test(test_headers_first),
		cmocka_unit_test(test_rebuilt_where_a_header_moves),
		cmocka_unit_test(test_headers_are_looked_at_behind_a_text_of_the_disk),
		cmocka_unit_test(test_what_work_ended_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
