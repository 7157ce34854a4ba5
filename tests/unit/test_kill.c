// links: full
#include "crash_rig.c" /* a unit test is built from one file */
#include <fcntl.h>

/* Killed at any call of the system, and recovered. */

static void killed_at_each_call(void **state)
{
	(void)state;
	sweep("change", NULL, "signal=SIGKILL", 1, 4);
}

static void killed_while_taking_back(void **state)
{
	(void)state;
	sweep("back", NULL, "signal=SIGKILL", 1, 7);
}

/* A change that was killed in its middle, and its recovery killed in turn. */
static void recovery_is_killed(void **state)
{
	static const char *const faults[] = { "signal=SIGKILL", "error=EIO", "error=ENOSPC" };
	struct call cut = { "renameat2", 0, 0 }, v[32];
	unsigned turn = 0;
	size_t n;

	(void)state;
	if (!have_strace())
		return;
	for (unsigned where = 1; where <= (rig_more ? 6 : 3); where++) {
		fresh();
		inject("change", &cut, where, where, "signal=SIGKILL");
		sh("rm -rf %s %s; cp -a %s %s; cp -a %s %s", at("ws.1"), at("home.1"), at("ws"),
		   at("ws.1"), at("home"), at("home.1"));
		n = calls_of("recover", v, 32);
		for (size_t i = 0; i < n; i++)
			for (unsigned when = v[i].first + 1; when <= v[i].last; when++)
				for (int f = 0; f < 3; f++) {
					char label[200];

					if (turn++ % (rig_more ? 1 : 41))
						continue;
					snprintf(label, sizeof(label), "recovery, %.31s %u: %s",
						 v[i].name, when, faults[f]);
					sh("rm -rf %s %s; cp -a %s %s; cp -a %s %s", at("ws"),
					   at("home"), at("ws.1"), at("ws"), at("home.1"),
					   at("home"));
					inject("recover", &v[i], when, when, faults[f]);
					must_be_whole(label, true, true);
				}
	}
}

/* Somebody who has the old file open keeps seeing the old text, and writes to nobody else's. */
static void an_open_file_is_not_used_again(void **state)
{
	char text[64] = "";
	int fd;

	(void)state;
	fresh();
	fd = open(at("ws/mod"), O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(run("change", at("home"), at("ws")), DONE);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 4);
	assert_string_equal(text, "old\n");
	assert_int_equal(pwrite(fd, "stray", 5, 0), 5);
	assert_true(is("ws", &rig_new));
	home_is_clean("an open file");
	close(fd);
}

static int all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_each_call),
		cmocka_unit_test(killed_while_taking_back),
		cmocka_unit_test(recovery_is_killed),
		cmocka_unit_test(an_open_file_is_not_used_again),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_end);
}

int main(int argc, char **argv)
{
	return rig_main(argc, argv, NULL, all);
}
