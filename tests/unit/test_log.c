// links: full
/* The log of a process with several cores. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "core/oxide.h"
#include "tempdir.h"

static char dir[64], data[PATH_MAX];

static const char *at(const char *name)
{
	return path_in(dir, name);
}

static const char *put(const char *name, const char *text)
{
	const char *path = at(name);

	assert_true(write_text(path, text));
	return path;
}

static int enter(void **state)
{
	(void)state;
	return !realpath("lua/oxide", data) || !make_tempdir(dir, sizeof(dir), "core");
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static void cores_of_one_process_share_the_log(void **state)
{
	const char *first = at("a.log"), *second = at("b.log");
	struct stat st;

	(void)state;
	assert_true(log_open(first, LOG_INFO, 1000));
	assert_true(log_open(second, LOG_INFO, 1000));
	log_close();
	assert_string_equal(log_path(), first);
	log_line(LOG_INFO, "the first goes on");
	log_close();
	assert_string_equal(log_path(), "");
	assert_int_equal(stat(first, &st), 0);
	assert_true(st.st_size > 0);
	assert_int_not_equal(stat(second, &st), 0);
}

static struct oxide *core_with(const char *config)
{
	struct oxide_options o = {
		.root = dir, .data = data, .origin = "cli", .config_path = config
	};
	struct err e = ERR_INIT;
	struct oxide *ox = oxide_new(&o, &e);

	assert_string_equal(e.msg, "");
	return ox;
}

static bool logs(enum log_level level, const char *text)
{
	char line[256];
	bool found = false;
	FILE *f;

	log_line(level, "%s", text);
	f = fopen(log_path(), "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		found = found || strstr(line, text);
	fclose(f);
	return found;
}

static void a_second_core_leaves_the_level_alone(void **state)
{
	struct oxide *first, *second;

	(void)state;
	setenv("XDG_STATE_HOME", dir, 1);
	first = core_with(put("quiet.lua", "return { options = { ['log.level'] = 0 } }"));
	second = core_with(put("loud.lua", "return { options = { ['log.level'] = 3 } }"));
	assert_false(logs(LOG_WARN, "while both run"));
	oxide_free(second);
	assert_false(logs(LOG_WARN, "after the second"));
	assert_true(logs(LOG_ERROR, "an error of the first"));
	oxide_free(first);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_folder(cores_of_one_process_share_the_log),
		in_a_folder(a_second_core_leaves_the_level_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
