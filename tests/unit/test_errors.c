// links: full
#include "crash_rig.c" /* a unit test is built from one file */
#include <errno.h>
#ifdef __linux__
#include <sys/mount.h>
#endif

/* A disk that is full or broken, at any call of the system: all is done, or taken back at once. */

static void no_space(void **state)
{
	(void)state;
	sweep("change", NULL, "error=ENOSPC", 1, 7);
	sweep("change", NULL, "error=EDQUOT", 1, 11);
}

static void broken_disk(void **state)
{
	(void)state;
	sweep("change", NULL, "error=EIO", 1, 7);
}

static void interrupted(void **state)
{
	(void)state;
	sweep("change", NULL, "error=EINTR", 1, 11);
}

/* By the whole kind: a rename refused for a reason that comes and goes. */
static void names_do_not_change(void **state)
{
	(void)state;
	sweep("change", "renameat2", "error=EXDEV", 1, 1);
	sweep("change", "renameat2", "error=EACCES", 1, 2);
	sweep("back", "renameat2", "error=EBUSY", 1, 2);
}

/* The second failure comes while the first is being put right. */
static void twice_in_a_row(void **state)
{
	(void)state;
	sweep("change", "renameat2", "error=EIO", 2, 1);
	sweep("change", NULL, "error=EIO", 2, 9);
	sweep("back", NULL, "error=ENOSPC", 2, 9);
}

/* What a failed sync has not written is not on the disk, however often it is asked again. */
static void syncs_fail(void **state)
{
	(void)state;
	sweep("change", "fdatasync", "error=EIO", 1, 1);
	sweep("change", "fsync", "error=EIO", 1, 1);
	sweep("back", "fsync", "error=EIO", 1, 2);
}

static void is_full(const char *what, const char *home)
{
	int status = run("change", home, at("disk/ws"));
	struct buf said = BUF_INIT, now = BUF_INIT;
	struct err e;

	assert_true(disk_fs()->read(NULL, at("said"), &said, NULL, &e));
	if (status != ROLLED_BACK || !strstr(said.p, "limit: "))
		fail_msg("%s: %d, %s", what, status, said.p);
	digest(at("disk/ws"), true, &now);
	assert_string_equal(now.p, rig_old.p);
	buf_release(&said);
	buf_release(&now);
}

static void a_disk_fills_up(void **state)
{
	(void)state;
#ifdef __linux__
	fresh();
	assert_int_equal(mkdir(at("disk"), 0700), 0);
	if (mount("none", at("disk"), "tmpfs", 0, "size=128k")) {
		print_message("# no file system can be mounted here: %s\n", strerror(errno));
		skip();
	}
	sh("cp -a %s %s; mkdir -m 700 %s; cat /dev/zero >%s 2>/dev/null", at("0/ws"), at("disk/ws"),
	   at("disk/home"), at("disk/zeros"));
	is_full("the files' disk", at("home"));
	is_full("the journal's disk", at("disk/home"));
	assert_int_equal(umount(at("disk")), 0);
	home_is_clean("full");
#else
	skip();
#endif
}

static int all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_space),	   cmocka_unit_test(broken_disk),
		cmocka_unit_test(interrupted),	   cmocka_unit_test(names_do_not_change),
		cmocka_unit_test(twice_in_a_row),  cmocka_unit_test(syncs_fail),
		cmocka_unit_test(a_disk_fills_up),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_end);
}

int main(int argc, char **argv)
{
	return rig_main(argc, argv, NULL, all);
}
