// links: full
/* What Gemini CLI's tools make of a text, the arguments that lead to another one instead, and how
 * it is answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "hook/hook_event.h"

static json *tool_event(const char *tool, json *input)
{
	json_put(input, "file_path", json_strz("/p/a"));
	return json_of({ "hook_event_name", json_strz("BeforeTool") }, { "cwd", json_strz("/p") },
		       { "tool_name", json_strz(tool) }, { "tool_input", input });
}

static json *replace_of(const char *old, const char *new, bool all)
{
	return json_of({ "instruction", json_strz("do it") }, { "old_string", json_strz(old) },
		       { "new_string", json_strz(new) }, { "allow_multiple", json_bool(all) });
}

/* The text after it, or the name of the error. `text` NULL: there is no file. */
static void assert_edit(json *v, const char *text, const char *want)
{
	struct hook_files files = { 0 };
	struct hook_event ev = { 0 };
	struct err e = ERR_INIT;

	assert_true(hook_event_read(&ev, v, &e) && hook_event_files(&ev, &files, &e));
	assert_string_equal(files.v[0].path, "/p/a");
	files.v[0].there = text;
	buf_adds(&files.v[0].disk, text ? text : "");
	if (ev.tool->edit(&ev, &files, &e))
		assert_string_equal(buf_str(&files.v[0].asked).p, want);
	else
		assert_string_equal(err_name(e.code), want);
	hook_files_release(&files);
	json_free(v);
}

static void an_edit_is_worked_out(void **state)
{
	(void)state;
	assert_edit(tool_event("replace", replace_of("b\n", "B\n", false)), "a\nb\n", "a\nB\n");
	assert_edit(tool_event("replace", replace_of("b", "", false)), "a\nb\n", "a\n\n");
	assert_edit(tool_event("replace", replace_of("a", "b", true)), "a a\n", "b b\n");
	assert_edit(tool_event("replace", replace_of("a", "b", false)), "a a\n", "ambiguous");
	assert_edit(tool_event("replace", replace_of("x", "b", false)), "a\n", "not_found");
	assert_edit(tool_event("replace", replace_of("x", "b", false)), NULL, "not_found");
	assert_edit(tool_event("replace", replace_of("", "b\n", false)), NULL, "b\n");
	assert_edit(tool_event("replace", replace_of("", "b\n", false)), "a\n", "invalid");
	assert_edit(tool_event("write_file", json_of({ "content", json_strz("new\n") })), "a\n",
		    "new\n");
}

static void what_names_no_file_is_refused(void **state)
{
	json *v = json_of({ "hook_event_name", json_strz("BeforeTool") },
			  { "tool_name", json_strz("replace") }, { "tool_input", json_object() });
	struct hook_files files = { 0 };
	struct hook_event ev = { 0 };
	struct err e = ERR_INIT;

	(void)state;
	assert_true(hook_event_read(&ev, v, &e));
	assert_false(hook_event_files(&ev, &files, &e));
	assert_string_equal(e.msg, "the arguments of replace name no file");
	hook_files_release(&files);
	json_free(v);
}

static void put_lines(struct gen *g, struct buf *out)
{
	for (size_t n = gen_below(g, 8); n; n--)
		buf_adds(out, (const char *[]){ "a\n", "b\n", "ab\n", "\n" }[gen_below(g, 4)]);
	if (!gen_below(g, 3) || !out->n)
		buf_adds(out, "end");
}

/* Any text leads to any other by the arguments that are sent back, all of which have to be there.
 */
static void an_edit_leads_to_what_was_accepted(void **state)
{
	struct gen g = { 9 };

	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct hook_files files = { 0 };
		struct hook_event ev = { 0 };
		struct err e = ERR_INIT;
		json *v = tool_event("replace", replace_of("x", "y", true)), *instead;
		char *disk, *want;

		assert_true(hook_event_read(&ev, v, &e) && hook_event_files(&ev, &files, &e));
		files.v[0].there = true;
		put_lines(&g, &files.v[0].disk);
		put_lines(&g, &files.v[0].written);
		instead = ev.tool->instead(&ev, &files);
		assert_string_equal(json_get_str(instead, "instruction").p, "do it");
		disk = buf_detach(&files.v[0].disk);
		want = buf_detach(&files.v[0].written);
		if (strcmp(disk, want) != 0)
			assert_edit(tool_event("replace", json_copy(instead)), disk, want);
		free(disk);
		free(want);
		json_free(instead);
		hook_files_release(&files);
		json_free(v);
	}
}

static void assert_says(json *v, const char *want)
{
	struct buf text = BUF_INIT;

	json_print(&text, v);
	assert_string_equal(text.p, want);
	buf_release(&text);
	json_free(v);
}

static void it_is_answered_in_its_form(void **state)
{
	(void)state;
	assert_says(hook_gemini.allow("yes", NULL, "more"), "{}");
	assert_says(hook_gemini.allow("yes", json_of({ "a", json_int(1) }), NULL),
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"BeforeTool\",\"tool_input\":{"
		    "\"a\":1}}}");
	assert_says(hook_gemini.deny("no"), "{\"decision\":\"deny\",\"reason\":\"no\"}");
	assert_says(hook_gemini.after("more"),
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"AfterTool\","
		    "\"additionalContext\":\"more\"}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edit_is_worked_out),
		cmocka_unit_test(what_names_no_file_is_refused),
		cmocka_unit_test(an_edit_leads_to_what_was_accepted),
		cmocka_unit_test(it_is_answered_in_its_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
