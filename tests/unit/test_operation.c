/* multi_edit's list as it is read, before any text is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "edit/operation.h"
#include "gen.h"

static const char *any_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct buf full = BUF_INIT;
	const char *kept;

	(void)e;
	++*(int *)arg;
	buf_addf(&full, "/r/%.*s", STR_ARG(path));
	kept = arena_str(a, buf_str(&full)).p;
	buf_release(&full);
	return kept;
}

static bool read_list(struct operations *ops, const char *list, struct err *e)
{
	int resolved = 0;

	*ops = (struct operations){ 0 };
	*e = (struct err)ERR_INIT;
	return operations_from_json(ops, str_of(list), any_path, &resolved, e);
}

static void every_member_is_read(void **state)
{
	struct operations ops;
	struct err e;

	(void)state;
	if (!read_list(
		    &ops,
		    " [ {\"edit_type\": \"replace\", \"file_path\": \"a\", \"old_string\": \"x\\ny\","
		    " \"new_string\": \"\", \"replace_all\": true, \"context_before\": \"b\","
		    " \"context_after\": \"c\"},\n"
		    "{\"line_number\": 3.0, \"content\": \"\\u00e9\", \"edit_type\": \"insert\","
		    " \"expect\": \"e\", \"file_path\": \"b\", \"line_count\": null},"
		    "{\"file_path\":\"b\",\"edit_type\":\"delete\",\"line_number\":1e1,"
		    "\"line_count\":2,\"line_hash\":\"h\"} ] ",
		    &e))
		fail_msg("%s", e.msg);
	assert_int_equal(ops.n, 3);
	assert_int_equal(ops.v[0].kind, OPERATION_REPLACE);
	assert_string_equal(ops.v[0].path, "/r/a");
	assert_text(ops.v[0].find, STR("x\ny"));
	assert_text(ops.v[0].with, STR(""));
	assert_text(ops.v[0].before, STR("b"));
	assert_text(ops.v[0].after, STR("c"));
	assert_true(ops.v[0].all);
	assert_int_equal(ops.v[1].kind, OPERATION_INSERT);
	assert_int_equal(ops.v[1].of, 1);
	assert_int_equal(ops.v[1].line, 3);
	assert_int_equal(ops.v[1].count, 0);
	assert_text(ops.v[1].with, STR("\xc3\xa9"));
	assert_text(ops.v[1].expect, STR("e"));
	assert_null(ops.v[1].hash.p);
	assert_int_equal(ops.v[2].kind, OPERATION_DELETE);
	assert_int_equal(ops.v[2].line, 10);
	assert_int_equal(ops.v[2].count, 2);
	assert_text(ops.v[2].hash, STR("h"));
	operations_release(&ops);
}

/* Models send hunks without lines that name the file, for the entry names it. */
static void hunks_alone_are_for_the_file_of_the_entry(void **state)
{
	static const char *const texts[] = { "@@ -1 +1 @@\\n-a\\n+b\\n", "@@\\n-a\\n+b\\n",
					     "--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n" };
	struct operations ops;
	struct err e;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct buf list = BUF_INIT;

		buf_addf(&list,
			 "[{\"edit_type\":\"patch\",\"file_path\":\"a\",\"patch_content\":\"%s\"}]",
			 texts[i]);
		if (!read_list(&ops, list.p, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(ops.n, 1);
		assert_int_equal(ops.v[0].kind, OPERATION_HUNKS);
		assert_string_equal(ops.v[0].path, "/r/a");
		operations_release(&ops);
		buf_release(&list);
	}
}

static void each_path_is_resolved_where_it_changes(void **state)
{
	struct operations ops = { 0 };
	struct err e = ERR_INIT;
	int resolved = 0;

	(void)state;
	assert_true(operations_from_json(
		&ops,
		STR("[{\"edit_type\":\"delete\",\"file_path\":\"a\",\"line_number\":1},"
		    "{\"edit_type\":\"delete\",\"file_path\":\"a\",\"line_number\":2},"
		    "{\"edit_type\":\"delete\",\"file_path\":\"b\",\"line_number\":2}]"),
		any_path, &resolved, &e));
	assert_int_equal(resolved, 2);
	assert_string_equal(ops.v[1].path, "/r/a");
	assert_string_equal(ops.v[2].path, "/r/b");
	operations_release(&ops);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *list;
		enum err_code code;
		const char *says;
	} rows[] = {
		{ "", ERR_PROTOCOL, "operations: JSON: expected an array at byte 0" },
		{ "{}", ERR_PROTOCOL, "operations: JSON: expected an array" },
		{ "[] x", ERR_PROTOCOL,
		  "operations: JSON: unexpected text after the value at byte 3" },
		{ "[1]", ERR_INVALID, "operation 1: an operation is a number, not an object" },
		{ "[nul]", ERR_PROTOCOL, "operation 1: JSON: expected a value at byte 1" },
		{ "[{\"line_count\":e}]", ERR_PROTOCOL,
		  "operation 1: JSON: expected a value at byte 15" },
		{ "[{]", ERR_PROTOCOL, "operation 1: JSON: expected a string at byte 2" },
		{ "[{\"edit_type\":\"insert\"}]", ERR_INVALID,
		  "operation 1: file_path is missing" },
		{ "[{\"file_path\":\"\"}]", ERR_INVALID, "file_path is missing" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"move\",\"line\":1}]", ERR_INVALID,
		  "edit_type must be replace, insert, delete or patch, not \"move\"" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"patch\"}]", ERR_INVALID,
		  "patch needs patch_content" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"content\":\"\"}]", ERR_INVALID,
		  "delete does not take content" },
		{ "[{\"line_number new_string\":1,\"file_path\":\"a\",\"edit_type\":\"insert\"}]",
		  ERR_INVALID, "insert does not take line_number new_string" },
		{ "[{\"\":1,\"file_path\":\"a\",\"edit_type\":\"insert\"}]", ERR_INVALID,
		  "insert does not take " },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"line_number\":\"1\"}]",
		  ERR_INVALID, "line_number must be a number, not a string" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"line_number\":1.5}]",
		  ERR_INVALID, "line_number must be an integer >= 1" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"line_number\":1e99}]",
		  ERR_INVALID, "line_number must be an integer >= 1" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"line_number\":1,"
		  "\"line_count\":0}]",
		  ERR_INVALID, "line_count must be an integer >= 1" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"delete\",\"line_number\":1,"
		  "\"line_number\":2}]",
		  ERR_INVALID, "line_number is given twice" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"insert\",\"line_number\":1}]", ERR_INVALID,
		  "insert needs content" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"replace\",\"old_string\":\"\","
		  "\"new_string\":\"x\"}]",
		  ERR_INVALID, "replace needs a non-empty old_string, and new_string" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"replace\",\"old_string\":\"\\ud800\","
		  "\"new_string\":\"x\"}]",
		  ERR_PROTOCOL, "operation 1: JSON: a \\u escape is a lone surrogate" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"patch\",\"patch_content\":"
		  "\"--- a/b\\n+++ b/b\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}]",
		  ERR_INVALID,
		  "operation 1: the patch changes /r/b, but the operation is for /r/a" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"patch\",\"patch_content\":"
		  "\"@@\\n-a\\n+b\\n*** Delete File: b\\n\"}]",
		  ERR_INVALID,
		  "operation 1: the patch changes /r/b, but the operation is for /r/a" },
		{ "[{\"file_path\":\"a\",\"edit_type\":\"patch\",\"patch_content\":\"\"}]",
		  ERR_INVALID, "the patch is empty" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct operations ops;
		struct err e;

		assert_false(read_list(&ops, rows[i].list, &e));
		if (e.code != rows[i].code || !strstr(e.msg, rows[i].says))
			fail_msg("%s: \"%s\" (%s) does not say \"%s\"", rows[i].list, e.msg,
				 err_name(e.code), rows[i].says);
		operations_release(&ops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_read),
		cmocka_unit_test(hunks_alone_are_for_the_file_of_the_entry),
		cmocka_unit_test(each_path_is_resolved_where_it_changes),
		cmocka_unit_test(what_is_wrong_is_named),
	};

	return cmocka_run_group_tests_name("operation", tests, NULL, NULL);
}
