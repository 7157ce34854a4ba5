// links: full
/* Names of a project that begin so, as its texts have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/workspace.h"
#include "core_rig.h"
#include "servers/name_list.h"

static int enter(void **state)
{
	(void)state;
	return !core_begin("names") ||
	       !write_text(path_in(dir, "a.c"), "int wide(int wood)\n{\n\treturn wood;\n}\n"
						"int was(void)\n{\n\treturn 0;\n}\n") ||
	       !write_text(path_in(dir, "b.cpp"),
			   "struct Wall {\n\tint weight() { return 1; }\n};\n"
			   "int walk() { return wood + 0x3w; } // why\n") ||
	       !write_text(path_in(dir, "c.h"),
			   "#define wet 1\n#  define wand(x) wood x wild\n#ifdef winter\n#endif\n"
			   "# /* as */ define wince\n#define other \\\n#define wolf\n") ||
	       !write_text(path_in(dir, "d.py"), "def worse():\n    return 1\n");
}

static void on_listed(void *arg)
{
	(void)arg;
	loop_stop(ox->loop);
}

/* The names with a blank before each. The caller frees them. */
static char *listed(const char *lead, bool *whole)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(ox->workspace, path_in(dir, "a.c"), &e);
	struct name_list *l = name_list_start(ox, dir, d, str_of(lead), on_listed, NULL);
	struct buf all = BUF_INIT;
	json *names;

	loop_run(ox->loop);
	names = name_list_json(l);
	json_each(name, names)
		buf_addf(&all, " %.*s", STR_ARG(json_text(name)));
	json_free(names);
	*whole = name_list_whole(l);
	name_list_free(l);
	return buf_detach(&all);
}

static void lists(const char *lead, const char *want)
{
	bool whole;
	char *names = listed(lead, &whole);

	assert_string_equal(names, want);
	assert_true(whole);
	free(names);
}

static void what_is_declared_comes_first_and_words_of_code_last(void **state)
{
	(void)state;
	lists("w", " wide was Wall/weight walk wand wet wince wood");
	lists("wol", ""); /* no #define: it is in that of another */
	lists("wa", " was walk wand");
	lists("woo", " wood");
	lists("worse", "");
}

static void members_come_by_their_paths(void **state)
{
	(void)state;
	lists("weig", " Wall/weight");
	lists("Wall/", " Wall/weight");
	lists("Wall/w", " Wall/weight");
	lists("Wall/x", "");
	lists("Wall", " Wall Wall/weight");
}

static void a_buffer_is_read_as_it_is(void **state)
{
	struct buffer_info info = { .number = 1, .path = path_in(dir, "new.c"), .filetype = "c" };
	struct err e = ERR_INIT;
	struct buffer *b = workspace_buffer_info(ox->workspace, &info, &e);

	(void)state;
	assert_non_null(b);
	doc_set(b->doc, STR("int wave;\nint weave(void) { return wave; }\n"));
	lists("weav", " weave");
	lists("wav", " wave");
	workspace_buffer_close(ox->workspace, 1);
}

static void there_are_no_more_than_wanted(void **state)
{
	struct err e = ERR_INIT;
	bool whole;
	char *names;

	(void)state;
	assert_true(config_set(&ox->config, STR("symbol.names"), 2, &e));
	names = listed("w", &whole);
	assert_string_equal(names, " wide was");
	assert_false(whole);
	free(names);
	names = listed("woo", &whole);
	assert_string_equal(names, " wood");
	assert_true(whole);
	free(names);
}

static void a_file_that_is_too_large_is_missed(void **state)
{
	char large[2000] = { 0 };
	struct err e = ERR_INIT;
	bool whole;

	(void)state;
	assert_true(config_set(&ox->config, STR("file.bytes"), 1024, &e));
	memset(large, ' ', sizeof(large) - 1);
	assert_true(write_text(path_in(dir, "b.cpp"), large));
	free(listed("wal", &whole));
	assert_false(whole);
}

#define in_a_project(test) cmocka_unit_test_setup_teardown(test, enter, core_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_project(what_is_declared_comes_first_and_words_of_code_last),
		in_a_project(members_come_by_their_paths),
		in_a_project(a_buffer_is_read_as_it_is),
		in_a_project(there_are_no_more_than_wanted),
		in_a_project(a_file_that_is_too_large_is_missed),
	};

	return cmocka_run_group_tests_name("name_list", tests, NULL, NULL);
}
