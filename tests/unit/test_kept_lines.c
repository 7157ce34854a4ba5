// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <core/kept_lines.h>

#include "tempdir.h"

static char dir[PATH_MAX];

static void assert_kept(const char *path, const char *want)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	kept_lines_read(path, &text);
	assert_string_equal(text.n ? text.p : "", want);
}

static void test_each_once(void **state)
{
	const char *path = path_in(dir, "each");

	(void)state;
	assert_kept(path, "");
	kept_lines_add(path, STR("one"), 2);
	kept_lines_add(path, STR("two"), 2);
	kept_lines_add(path, STR("one"), 2);
	assert_kept(path, "one\ntwo\n");
	kept_lines_add(path, STR("three"), 2);
	assert_kept(path, "two\nthree\n");
}

/* Who has opened it has it as it was. */
static void test_never_begun(void **state)
{
	const char *path = path_in(dir, "begun");
	char text[16];
	int fd;

	(void)state;
	kept_lines_add(path, STR("one"), 9);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	kept_lines_add(path, STR("two"), 9);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_memory_equal(text, "one\n", 4);
	close(fd);
	assert_kept(path, "one\ntwo\n");
}

/* What cannot be written leaves what is there, and nothing beside it. */
static void test_no_room(void **state)
{
	const char *path = path_in(dir, "none/lines");

	(void)state;
	kept_lines_add(path, STR("one"), 9);
	assert_kept(path, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
		cmocka_unit_test(test_never_begun),
		cmocka_unit_test(test_no_room),
	};

	if (!make_tempdir(dir, sizeof(dir), "kept"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
