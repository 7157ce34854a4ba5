// links: full
/* Readers of agents: what agents printed, logged and said (tests/cases/agents, tests/cases/acp),
 * and readers that are wrong themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader_rig.h"
#include "tempdir.h"

static bool has_member(const json *v, const char *name)
{
	json_each(member, v)
		if (!strcmp(json_key(member), name))
			return true;
	return false;
}

static bool is_same(const json *want, const json *got)
{
	if (json_type_of(want) != json_type_of(got))
		return false;
	if (!want)
		return true; /* null */
	if (json_is(want, JSON_OBJECT)) {
		json_each(member, want)
			if (!has_member(got, json_key(member)) ||
			    !is_same(json_get(want, json_key(member)),
				     json_get(got, json_key(member))))
				return false;
		return json_len(want) == json_len(got);
	}
	if (json_is(want, JSON_ARRAY)) {
		const json *one = json_first(got);

		json_each(item, want) {
			if (!one || !is_same(item, one))
				return false;
			one = json_next(one);
		}
		return !one;
	}
	char *a = printed(want), *b = printed(got);
	bool same = !strcmp(a, b);

	free(a);
	free(b);
	return same;
}

/* What recordings have in a form of their own. */
static bool fits(const char *member, const json *want, const json *got)
{
	struct str status = json_text(want);

	if (json_is(want, JSON_NUMBER) && !strcmp(member, "timestamp"))
		return json_is(got, JSON_STRING);
	if (str_eq(status, STR("denied_or_unfinished")))
		return str_eq(json_text(got), STR("denied")) ||
		       str_eq(json_text(got), STR("interrupted"));
	if (want && !json_is(want, JSON_STRING) &&
	    (!strcmp(member, "result") || !strcmp(member, "output") || !strcmp(member, "command")))
		return json_is(got, JSON_STRING);
	return is_same(want, got);
}

static bool row_fits(const json *want, const json *got, const char *const *members)
{
	for (; *members; members++)
		if (has_member(want, *members) &&
		    !fits(*members, json_get(want, *members), json_get(got, *members)))
			return false;
	return true;
}

/* Each row that is wanted is there, and no other. */
static void assert_rows(const char *path, const json *want, const json *got, const char *list,
			const char *const *members)
{
	const json *all = json_get(got, list);

	if (json_len(json_get(want, list)) != json_len(all))
		fail_msg("%s: %zu %s, not %zu", path, json_len(all), list,
			 json_len(json_get(want, list)));
	json_each(row, json_get(want, list)) {
		bool found = false;

		json_each(one, all)
			found = found || row_fits(row, one, members);
		if (!found)
			fail_msg("%s: not told: %s", path, printed(row));
	}
}

static void assert_expected(const char *path, const json *want, const json *got)
{
	static const char *const calls[] = { "id",     "name",	    "arguments", "status",
					     "result", "timestamp", NULL };
	static const char *const files[] = { "operation", "path", "timestamp", "tool_call_id",
					     NULL };
	static const char *const commands[] = { "command",   "exit_code",    "output",
						"timestamp", "tool_call_id", NULL };
	static const char *const messages[] = { "role", "text", NULL };

	assert_rows(path, want, got, "tool_calls", calls);
	assert_rows(path, want, got, "file_operations", files);
	assert_rows(path, want, got, "shell_commands", commands);
	if (has_member(want, "messages"))
		assert_rows(path, want, got, "messages", messages);
	assert_string_equal(json_get_str(want, "session_id").p, json_get_str(got, "session.id").p);
}

static void read_recording(const char *path)
{
	struct err e = ERR_INIT;
	struct buf expected = read_all(path), text = recorded(path);
	json *want = json_parse(buf_str(&expected), &e), *whole;
	const char *agent = json_get_str(want, "agent").p;
	char *first;

	whole = read_text(agent, buf_str(&text), WHOLE);
	assert_expected(path, want, whole);
	first = printed(whole);
	for (int how = BYTES; how <= PIECES; how++) {
		json *again = read_text(agent, buf_str(&text), how);
		char *second = printed(again);

		assert_string_equal(first, second);
		json_free(again);
		free(second);
	}
	free(first);
	json_free(whole);
	json_free(want);
	buf_release(&text);
	buf_release(&expected);
}

static void recordings_give_the_expected_records(void **state)
{
	glob_t found = recordings();

	(void)state;
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_recording(found.gl_pathv[i]);
	globfree(&found);
}

static void a_shell_that_marks_its_prompts_tells_commands(void **state)
{
	static const char text[] = "\033]133;A\007$ \033]133;B\007make \033[1mtest\033[0m\r\n"
				   "\033]133;C\033\\one\r\n\033[31mtwo\033[0m\r\n"
				   "\033]133;D;2\007\033]133;A\007$ \033]133;B\007true\r\n"
				   "\033]133;C\007\033]133;D;0\007";
	json *told, *list;

	(void)state;
	for (int how = WHOLE; how <= PIECES; how++) {
		told = read_text("plain", str_of(text), how);
		list = (json *)(uintptr_t)json_get(told, "shell_commands");
		assert_int_equal(json_len(list), 2);
		assert_string_equal(json_get_str(json_first(list), "command").p, "make test");
		assert_string_equal(json_get_str(json_first(list), "output").p, "one\ntwo\n");
		assert_int_equal(json_get_int(json_first(list), "exit_code", -1), 2);
		assert_string_equal(json_get_str(json_next(json_first(list)), "command").p, "true");
		assert_int_equal(json_get_int(json_next(json_first(list)), "exit_code", -1), 0);
		json_free(told);
	}
}

static void add_filled(struct buf *b, size_t n, const char *with)
{
	for (size_t i = 0; i < n; i++)
		buf_adds(b, with);
}

/* The result is so long that its middle is left out before it is parsed, at whichever escape. */
static void a_line_of_any_length_takes_little_memory(void **state)
{
	static const char *const fillings[] = { "a", "\\n", "\\ud83d\\ude00", "\xc3\xa9", "\\\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(fillings) / sizeof(*fillings); i++) {
		struct buf text = BUF_INIT;
		struct str result;
		json *told;

		buf_adds(&text,
			 "{\"type\":\"tool_use\",\"tool_id\":\"a\",\"tool_name\":\"n\"}\n"
			 "{\"type\":\"tool_result\",\"tool_id\":\"a\",\"status\":\"success\","
			 "\"output\":\"begin ");
		add_filled(&text, (i ? 6000000 : 50000000) / strlen(fillings[i]), fillings[i]);
		buf_adds(&text, " end\"}\n{\"type\":\"tool_use\",\"tool_id\":\"b\"}\n");
		told = read_text("gemini", buf_str(&text), WHOLE);
		result = json_get_str(json_first(json_get(told, "tool_calls")), "result");
		assert_int_equal(json_len(json_get(told, "tool_calls")), 2);
		assert_true(result.n < 4 * READER_TEXT);
		assert_true(str_starts(result, STR("begin ")));
		assert_true(str_ends(result, STR(" end")));
		assert_true(str_find(result, STR("bytes left out ...]")) > 0);
		json_free(told);
		buf_release(&text);
	}
}

static void a_line_that_is_too_long_is_passed_over(void **state)
{
	struct buf text = BUF_INIT;
	json *told;

	(void)state;
	buf_adds(&text, "{\"type\":\"tool_use\",\"tool_id\":\"a\",\"many\":[");
	add_filled(&text, 12000000, "1,");
	buf_adds(&text, "1]}\n{\"type\":\"tool_use\",\"tool_id\":\"b\"}\n");
	told = read_text("gemini", buf_str(&text), WHOLE);
	assert_int_equal(json_len(json_get(told, "tool_calls")), 1);
	json_free(told);
	buf_release(&text);
}

static struct reader *own_reader(const char *lua, json *told, struct err *e)
{
	const char *path = path_in(dir, "own.lua");
	struct reader_source source = { path, "stream", true };

	assert_true(write_text(path, lua));
	return reader_new(ox, &source, &events, told, e);
}

static void assert_broken(const char *line, const char *why)
{
	struct buf lua = BUF_INIT;
	struct err e = ERR_INIT;
	json *told = nothing_told();
	struct reader *r;

	buf_addf(&lua,
		 "return { reader = function(report, kind) return function(line) %s end end }",
		 line);
	r = own_reader(lua.p, told, &e);
	assert_string_equal(e.msg, "");
	reader_feed(r, STR("one\ntwo\n"));
	reader_finish(r, NULL);
	assert_non_null(reader_broken(r));
	if (!strstr(reader_broken(r), why))
		fail_msg("%s is not in: %s", why, reader_broken(r));
	assert_true(json_len(json_get(told, "messages")) <= 1);
	reader_free(r);
	json_free(told);
	buf_release(&lua);
}

static void a_reader_that_fails_is_not_called_again(void **state)
{
	(void)state;
	assert_broken("report.message { role = 'user', text = line } error('so it is')",
		      "so it is");
	assert_broken("while true do end", "takes too long");
	assert_broken("report.message(1)", "report.message: it expects a table");
	assert_broken("report.message { role = 'nobody' }", "role is \"nobody\"");
	assert_broken("report.tool_call { name = 'n', status = 'completed' }", "id is missing");
	assert_broken("report.tool_call { id = 1, name = 'n', status = 'ok' }", "status is \"ok\"");
	assert_broken("report.file_operation { operation = 'read' }", "path must be a string");
	assert_broken("report.shell_command {}", "command is missing");
	assert_broken("report.state('bored')", "it is \"bored\"");
}

static void what_is_no_reader_is_named(void **state)
{
	struct err e = ERR_INIT;
	json *told = nothing_told();

	(void)state;
	assert_null(own_reader("return { title = 'none' }", told, &e));
	assert_non_null(strstr(e.msg, "own.lua has no function `reader`"));
	e = (struct err)ERR_INIT;
	assert_null(own_reader("return function() end", told, &e));
	assert_non_null(strstr(e.msg, "does not return a function"));
	json_free(told);
}

static void values_are_read_as_the_record_has_them(void **state)
{
	struct err e = ERR_INIT;
	json *told = nothing_told();
	const json *call;
	struct reader *r = own_reader(
		"return { reader = function(report, kind)\n"
		"  assert(kind == 'stream' and report.now())\n"
		"  return function(line)\n"
		"    local v = report.decode(line)\n"
		"    report.tool_call { id = 7, name = 'n', status = 'completed', arguments = v.a,\n"
		"      timestamp = 1772359200123, result = v.a }\n"
		"    report.shell_command { command = { 'a', 'b c', \"it's\" }, exit_code = 1.5,\n"
		"      timestamp = '2026-03-01T10:00:00.25+02:00' }\n"
		"    report.message { role = 'user', timestamp = 'yesterday', turn = report.next_turn() }\n"
		"  end, function(exit) report.state(exit.code == 3 and 'idle' or 'working') end\n"
		"end }",
		told, &e);
	json *exit = json_of({ "code", json_int(3) });

	(void)state;
	assert_string_equal(e.msg, "");
	reader_feed(r, STR("{\"a\":{\"x\":null,\"y\":[],\"z\":[null,1]}}"));
	reader_finish(r, exit);
	json_free(exit);
	assert_null(reader_broken(r));
	call = json_first(json_get(told, "tool_calls"));
	assert_string_equal(json_get_str(call, "id").p, "7");
	assert_string_equal(json_get_str(call, "timestamp").p, "2026-03-01T10:00:00.123Z");
	assert_string_equal(json_get_str(call, "result").p, "{\"y\":[],\"z\":[null,1],\"x\":null}");
	call = json_first(json_get(told, "shell_commands"));
	assert_string_equal(json_get_str(call, "command").p, "a 'b c' 'it'\\''s'");
	assert_string_equal(json_get_str(call, "timestamp").p, "2026-03-01T08:00:00.25Z");
	assert_null(json_get(call, "exit_code"));
	call = json_first(json_get(told, "messages"));
	assert_null(json_get(call, "timestamp"));
	assert_int_equal(json_get_int(call, "turn", 0), 2);
	assert_string_equal(json_get_str(told, "state").p, "idle");
	reader_free(r);
	json_free(told);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(recordings_give_the_expected_records),
		T(a_shell_that_marks_its_prompts_tells_commands),
		T(a_line_of_any_length_takes_little_memory),
		T(a_line_that_is_too_long_is_passed_over),
		T(a_reader_that_fails_is_not_called_again),
		T(what_is_no_reader_is_named),
		T(values_are_read_as_the_record_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
