// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <base/hash.h>
#include <base/mem.h>
#include <base/path.h>
#include <edit/txn.h>
#include <io/disk.h>

#include "disk_folder.h"

/* What a process leaves open of its journals between two changes (edit/wal.h). */

static struct txn_file change_of(const char *rel, const char *was, const char *now)
{
	const char *path = at(rel);

	return (struct txn_file){ mem_dup(path, strlen(path)), true, true, hash_of(str_of(was)),
				  .now = str_of(now) };
}

static struct txn *prepared(struct wal_desk *desk, const struct txn_file *f)
{
	struct txn *t = txn_new(fs, home, root, f, 1, NULL, 0);
	struct err e;

	if (desk)
		txn_use(t, desk);
	if (!txn_prepare(t, &e))
		fail_msg("%s", e.msg);
	return t;
}

static void finish(struct txn *t)
{
	struct err e;

	if (!txn_commit(t, &e) || !txn_seal(t, &e))
		fail_msg("%s", e.msg);
	txn_free(t);
}

/* Returns how many changes were recovered before it. */
static size_t changes(struct wal_desk *desk, const char *rel, const char *was, const char *now)
{
	struct txn_file f = change_of(rel, was, now);
	struct txn *t = prepared(desk, &f);
	size_t notes = txn_recovered(t)->notes;

	finish(t);
	is(rel, now);
	free((char *)f.path);
	return notes;
}

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool has_journal(const char *name)
{
	char *path SCOPED(mem_release) = path_join(home, name);

	return !access(path, F_OK);
}

static void it_stays_as_it_is(void **state)
{
	struct wal_desk desk = { 0 };
	unsigned before = open_files(), used;

	(void)state;
	put("a", "1", 0644);
	changes(&desk, "a", "1", "2");
	changes(&desk, "a", "2", "3");
	used = open_files();
	assert_true(used > before);
	for (int i = 0; i < 5; i++) {
		changes(&desk, "a", "3", "4");
		changes(&desk, "a", "4", "3");
	}
	assert_int_equal(open_files(), used);
	assert_false(has_journal("1.journal"));
	wal_desk_close(&desk);
	assert_int_equal(open_files(), before);
}

/* Nothing is held: whoever comes in between has the same slot, and then the desk another one. */
static void others_take_the_slot(void **state)
{
	struct wal_desk desk = { 0 };
	struct txn_file b;
	struct txn *t;

	(void)state;
	put("a", "1", 0644);
	put("b", "1", 0644);
	changes(&desk, "a", "1", "2");
	changes(NULL, "a", "2", "3");
	assert_false(has_journal("1.journal"));
	b = change_of("b", "1", "2");
	t = prepared(NULL, &b);
	changes(&desk, "a", "3", "4");
	assert_true(has_journal("1.journal"));
	finish(t);
	is("b", "2");
	changes(&desk, "b", "2", "3");
	free((char *)b.path);
	wal_desk_close(&desk);
}

static void a_home_is_another_one(void **state)
{
	struct wal_desk desk = { 0 };
	char *cmd SCOPED(mem_release) = NULL;

	(void)state;
	put("a", "1", 0644);
	changes(&desk, "a", "1", "2");
	changes(&desk, "a", "2", "3");
	assert_true(asprintf(&cmd, "rm -r %s", home) > 0);
	assert_int_equal(system(cmd), 0);
	changes(&desk, "a", "3", "4");
	assert_true(has_journal("0.journal") && has_journal("files.lock"));
	changes(&desk, "a", "4", "5");
	wal_desk_close(&desk);
}

static void until_settled(void)
{
	struct fs_stat st;
	struct err e;
	int tries = 2000;

	while (fs->stat(NULL, home, &st, &e) && !fs->settled(NULL, home, &st)) {
		assert_true(tries-- > 0);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

/* By a process that ends with its change half done, in a slot that was not there before. */
static void die_in_another_slot(void)
{
	char *first SCOPED(mem_release) = path_join(home, "0.journal");
	pid_t pid = fork();
	int status, lock;
	struct err e;

	if (!pid) {
		struct txn_file f = change_of("a", "3", "4");
		struct txn *t;

		if (!fs->lock(NULL, first, NULL, 0, false, &lock, &e))
			_exit(1);
		t = txn_new(fs, home, root, &f, 1, NULL, 0);
		_exit(txn_prepare(t, &e) && txn_commit(t, &e) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	assert_true(has_journal("1.journal"));
}

static void a_new_journal_is_found(void **state)
{
	struct wal_desk desk = { 0 };

	(void)state;
	put("a", "1", 0644);
	changes(&desk, "a", "1", "2");
	until_settled();
	assert_int_equal(changes(&desk, "a", "2", "3"), 0);
	assert_true(desk.settled);
	die_in_another_slot();
	assert_int_equal(changes(&desk, "a", "4", "5"), 1);
	assert_int_equal(changes(&desk, "a", "5", "6"), 0);
	wal_desk_close(&desk);
}

/* Whoever has a file's spot keeps it, though the desk has the lock's file open. */
static void locks_are_given_back(void **state)
{
	struct wal_desk desk = { 0 }, other = { 0 };
	const char *path = at("a");
	struct err e;
	int lock;

	(void)state;
	put("a", "1", 0644);
	changes(&desk, "a", "1", "2");
	assert_true(wal_lock_files(fs, home, &other, &path, 1, false, &lock, &e));
	{
		struct txn_file f = change_of("b", "", "");
		int mine;

		assert_false(wal_lock_files(fs, home, &desk, &path, 1, false, &mine, &e));
		assert_int_equal(e.code, ERR_CONFLICT);
		assert_true(wal_lock_files(fs, home, &desk, &f.path, 1, false, &mine, &e));
		wal_unlock_files(fs, &desk, mine);
		free((char *)f.path);
	}
	wal_unlock_files(fs, &other, lock);
	changes(&desk, "a", "2", "3");
	wal_desk_close(&desk);
	wal_desk_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(it_stays_as_it_is),	   T(others_take_the_slot), T(a_home_is_another_one),
		T(a_new_journal_is_found), T(locks_are_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
