// links: full
/* What Claude Code's tools make of a text, and the arguments that lead to another one instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "hook/claude_hook.h"

static json *parsed(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	assert_string_equal(e.msg, "");
	return v;
}

static struct hook_event event_of(const json *v)
{
	struct hook_event ev = { 0 };
	struct err e = ERR_INIT;

	assert_true(hook_event_read(&ev, v, &e));
	return ev;
}

static json *edit_event(json *input)
{
	json_put(input, "file_path", json_strz("/p/a"));
	return json_of({ "hook_event_name", json_strz("PreToolUse") },
		       { "tool_name", json_strz("Edit") }, { "tool_input", input });
}

static json *edit_of(const char *old, const char *new, bool all)
{
	return json_of({ "old_string", json_strz(old) }, { "new_string", json_strz(new) },
		       { "replace_all", json_bool(all) });
}

/* "code: message" where it is refused. */
static void assert_edit(json *v, const char *text, const char *want)
{
	struct hook_event ev = event_of(v);
	struct buf after = BUF_INIT;
	struct err e = ERR_INIT;

	if (claude_edit(&ev, str_of(text), true, &after, &e))
		assert_string_equal(buf_str(&after).p, want);
	else
		assert_string_equal(err_name(e.code), want);
	buf_release(&after);
	json_free(v);
}

static void an_edit_is_worked_out(void **state)
{
	(void)state;
	assert_edit(edit_event(edit_of("b", "B", false)), "a\nb\nc\n", "a\nB\nc\n");
	assert_edit(edit_event(edit_of("b\n", "", false)), "a\nb\nc\n", "a\nc\n");
	assert_edit(edit_event(edit_of("b", "", false)), "a\nb\nc\n", "a\nc\n");
	assert_edit(edit_event(edit_of("a", "b", true)), "a a\na\n", "b b\nb\n");
	assert_edit(edit_event(edit_of("a", "b", false)), "a a\n", "ambiguous");
	assert_edit(edit_event(edit_of("x", "b", false)), "a a\n", "not_found");
	assert_edit(edit_event(edit_of("", "b", false)), "a\n", "invalid");
	assert_edit(edit_event(edit_of("", "b\n", false)), "", "b\n");
}

static void several_edits_follow_each_other(void **state)
{
	json *edits = json_list(edit_of("a", "b", false), edit_of("b", "c", false));
	json *v = edit_event(json_of({ "edits", edits }));

	(void)state;
	json_put(v, "tool_name", json_strz("MultiEdit"));
	assert_edit(v, "a\n", "c\n");
}

static void what_is_no_event_is_refused(void **state)
{
	struct hook_event ev;
	struct err e = ERR_INIT;
	json *v = parsed("{\"tool_name\": \"Edit\"}");

	(void)state;
	assert_false(hook_event_read(&ev, v, &e));
	assert_non_null(strstr(e.msg, "hook_event_name is missing"));
	json_free(v);
	v = parsed("{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\"}");
	assert_false(hook_event_read(&ev, v, &e));
	assert_non_null(strstr(e.msg, "the arguments of Bash name no command"));
	json_free(v);
}

static bool read_event(struct str raw, struct err *e)
{
	struct hook_event ev;
	json *v = json_parse(raw, e);
	bool ok = v && hook_event_read(&ev, v, e);

	json_free(v);
	return ok;
}

static void an_event_that_breaks_off_is_refused(void **state)
{
	static const char event[] =
		"{\"session_id\":\"1\",\"cwd\":\"/p\",\"hook_event_name\":\"PreToolUse\",\"tool_"
		"name\":\"Edit\",\"tool_input\":{\"file_path\":\"/p/a\",\"edits\":[{}]}}";

	(void)state;
	assert_cut(event, read_event);
	assert_garbled(event, read_event);
}

static void put_lines(struct gen *g, struct buf *out)
{
	for (size_t n = gen_below(g, 8); n; n--)
		buf_adds(out, (const char *[]){ "a\n", "b\n", "ab\n", "\n" }[gen_below(g, 4)]);
	if (!gen_below(g, 3))
		buf_adds(out, "end");
}

/* Any text leads to any other by the arguments that are sent back. */
static void an_edit_leads_to_what_was_accepted(void **state)
{
	struct gen g = { 5 };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf text = BUF_INIT, now = BUF_INIT, after = BUF_INIT;
		json *v = edit_event(edit_of("x", "y", false)), *instead;
		struct hook_event ev;
		struct err e = ERR_INIT;

		put_lines(&g, &text);
		put_lines(&g, &now);
		ev = event_of(v);
		if (!str_eq(buf_str(&text), buf_str(&now))) {
			instead =
				edit_event(claude_edit_instead(&ev, buf_str(&text), buf_str(&now)));
			ev = event_of(instead);
			if (!claude_edit(&ev, buf_str(&text), true, &after, &e))
				fail_msg("%s: %s -> %s", e.msg, buf_str(&text).p, buf_str(&now).p);
			assert_string_equal(buf_str(&after).p, buf_str(&now).p);
			json_free(instead);
		}
		json_free(v);
		buf_release(&text);
		buf_release(&now);
		buf_release(&after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edit_is_worked_out),
		cmocka_unit_test(several_edits_follow_each_other),
		cmocka_unit_test(what_is_no_event_is_refused),
		cmocka_unit_test(an_event_that_breaks_off_is_refused),
		cmocka_unit_test(an_edit_leads_to_what_was_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
