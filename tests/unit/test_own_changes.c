// links: full
/* Waiting for a change that somebody is in the middle of, this core itself, maybe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/own_changes.h"
#include "edit/wal.h"
#include "io/disk.h"

#include "core_rig.h"

#define WAITING 16 /* more than there are threads */

static int held;
static size_t settled, settled_before;

static int begin(void **state)
{
	(void)state;
	return !core_begin("own");
}

static void on_settled(void *arg)
{
	(void)arg;
	settled++;
}

static void work(void *arg)
{
	(void)arg;
}

static void let_go(void *arg)
{
	(void)arg;
	settled_before = settled;
	disk_fs()->unlock(disk_fs()->self, held);
}

static void who_waits_for_files_takes_no_thread_from_who_holds_them(void **state)
{
	const char *path = path_in(dir, "a.txt");
	struct err e = ERR_INIT;

	(void)state;
	assert_true(write_text(path, "one\n") && oxide_make_dirs(ox->journals));
	assert_true(wal_lock_files(disk_fs(), ox->journals, NULL, &path, 1, false, &held, &e));
	for (int i = 0; i < WAITING; i++)
		own_changes_settle(ox->own, &path, 1, on_settled, NULL);
	loop_work(ox->loop, work, let_go, NULL);
	loop_run(ox->loop);
	assert_int_equal(settled_before, 0);
	assert_int_equal(settled, WAITING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_files_takes_no_thread_from_who_holds_them),
	};

	return cmocka_run_group_tests(tests, begin, core_end);
}
