// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#endif

#include <base/hash.h>
#include <base/mem.h>
#include <edit/txn.h>
#include <io/disk.h>

#include "disk_folder.h"

static void run_with(const struct txn_file *f, size_t n, const char *const *dirs, size_t n_dirs,
		     bool seal)
{
	struct txn *t = txn_new(fs, home, root, f, n, dirs, n_dirs);
	struct err e;

	if (!txn_prepare(t, &e) || !txn_commit(t, &e) ||
	    !(seal ? txn_seal(t, &e) : txn_abort(t, &e)))
		fail_msg("%s", e.msg);
	txn_free(t);
}

static void run(const struct txn_file *f, size_t n, bool seal)
{
	run_with(f, n, NULL, 0, seal);
}

static void leads(const char *rel, const char *to)
{
	struct buf b = BUF_INIT;
	struct err e;

	if (!fs->readlink(NULL, at(rel), &b, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.p, to);
	buf_release(&b);
}

static void a_transaction_keeps_what_files_are(void **state)
{
	struct txn_file f[] = {
		{ NULL, true, true, hash_of(STR("old exe\n")), .now = STR("new exe\n") },
		{ NULL, true, true, hash_of(STR("target\n")), .now = STR("new target\n") },
		{ NULL, true, true, hash_of(STR("hard\n")), .now = STR("new hard\n") },
		{ NULL, false, true, 0, .now = STR("made\n") },
		{ NULL, true, false, hash_of(STR("gone\n")), .now = STR("") },
		{ NULL, false, true, 0, .now = STR("through a link\n") },
		{ NULL, false, true, 0, .now = STR("as exe\n") },
	};
	static const char *const rel[] = { "exe",  "link",   "hard1", "n/e/w",
					   "gone", "to-new", "moved" };
	const size_t n = sizeof(f) / sizeof(f[0]);

	(void)state;
	put("exe", "old exe\n", 0751);
	put("gone", "gone\n", 0644);
	assert_int_equal(mkdir(at("d"), 0700), 0);
	put("d/target", "target\n", 0664);
	put("hard1", "hard\n", 0640);
	assert_int_equal(link(at("hard1"), at("d/hard2")), 0);
	assert_int_equal(symlink("d/target", at("link")), 0);
	assert_int_equal(symlink("d/new", at("to-new")), 0);
	for (size_t i = 0; i < n; i++)
		f[i].path = mem_dup(at(rel[i]), strlen(at(rel[i])));
	f[n - 1].like = f[0].path;
	for (int seal = 0; seal < 2; seal++) {
		run(f, n, seal);
		is("exe", seal ? "new exe\n" : "old exe\n");
		is("d/target", seal ? "new target\n" : "target\n");
		is("hard1", seal ? "new hard\n" : "hard\n");
		is("d/hard2", seal ? "new hard\n" : "hard\n");
		names("d", seal ? "hard2 new target " : "hard2 target ");
		names("",
		      seal ? "d exe hard1 link moved n to-new " : "d exe gone hard1 link to-new ");
		assert_true(look("link").link && look("to-new").link);
		assert_int_equal(look("exe").mode, 0751);
		assert_int_equal(look("d/target").mode, 0664);
		assert_int_equal(look("hard1").links, 2);
	}
	is("n/e/w", "made\n");
	is("d/new", "through a link\n");
	assert_int_equal(look("n/e/w").mode, 0644);
	assert_int_equal(look("moved").mode, 0751);
	for (size_t i = 0; i < n; i++)
		free((void *)f[i].path);
}

static void removing_a_link_spares_its_target(void **state)
{
	char *path;
	struct txn_file f = {
		NULL, true, false, hash_of(STR("t")), .now = STR(""), .was_link = true
	};

	(void)state;
	put("t", "x", 0644);
	assert_int_equal(symlink("t", at("l")), 0);
	f.path = path = mem_dup(at("l"), strlen(at("l")));
	run(&f, 1, false);
	assert_true(look("l").link);
	run(&f, 1, true);
	names("", "t ");
	free(path);
}

#ifdef __linux__
/* A file system whose stamps are known to be the kernel's own. */
static bool keeps_time(void)
{
	struct statfs here;

	assert_int_equal(statfs(root, &here), 0);
	return here.f_type == EXT4_SUPER_MAGIC || here.f_type == TMPFS_MAGIC;
}

static int64_t stamping_clock(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct fs_stat read_seen(const char *rel)
{
	struct buf b = BUF_INIT;
	struct fs_stat seen;
	struct err e;

	assert_true(fs->read(NULL, at(rel), &b, &seen, &e));
	buf_release(&b);
	return seen;
}

/* The event that is waited for is the clock's: only it makes a file's last change an old one. */
static void until_old(const char *rel)
{
	while (stamping_clock() - look(rel).ctime_ns < 3000000000)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static void a_stamp_stands_for_a_text_once_it_is_old(void **state)
{
	struct fs_stat seen;

	(void)state;
	put("a", "text one", 0644);
	seen = read_seen("a");
	if (stamping_clock() - seen.ctime_ns < 2000000000)
		assert_false(seen.settled);
	until_old("a");
	seen = read_seen("a");
	assert_int_equal(seen.settled, keeps_time());
}

/* Somebody who can write to it without a new stamp. */
static void no_stamp_stands_while_it_may_be_written(void **state)
{
	int fd;
	char *map;

	(void)state;
	put("a", "text one", 0644);
	until_old("a");
	fd = open(at("a"), O_RDWR);
	assert_true(fd >= 0);
	assert_false(read_seen("a").settled);
	map = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	close(fd);
	assert_false(read_seen("a").settled);
	munmap(map, 8);
	assert_int_equal(read_seen("a").settled, keeps_time());
}

/* Size and time of the text are set back to what they were; ctime cannot be. */
static void a_set_back_stamp_is_no_disguise(void **state)
{
	struct txn_file f = { NULL, true, true, hash_of(STR("text one")), .now = STR("new") };
	struct timespec back[2] = { { .tv_nsec = UTIME_OMIT } };
	struct txn *t;
	struct err e;
	int fd;

	(void)state;
	put("a", "text one", 0644);
	until_old("a");
	f.path = mem_dup(at("a"), strlen(at("a")));
	f.seen = read_seen("a");
	fd = open(at("a"), O_WRONLY);
	assert_int_equal(write(fd, "text two", 8), 8);
	close(fd);
	back[1].tv_sec = f.seen.mtime_ns / 1000000000;
	back[1].tv_nsec = f.seen.mtime_ns % 1000000000;
	assert_int_equal(utimensat(AT_FDCWD, f.path, back, 0), 0);
	assert_true(look("a").mtime_ns == f.seen.mtime_ns);
	t = txn_new(fs, home, root, &f, 1, NULL, 0);
	assert_false(txn_prepare(t, &e));
	assert_int_equal(e.code, ERR_STALE);
	assert_true(txn_abort(t, &e));
	txn_free(t);
	is("a", "text two");
	free((void *)f.path);
}
#endif
/* One transaction, taken back and carried out. */
static void files_links_and_folders_change_places(void **state)
{
	struct txn_file f[] = {
		{ NULL, true, false, hash_of(STR("a file\n")), .now = STR("") },
		{ NULL, false, true, 0, .now = STR("a file\n") }, /* like the one above */
		{ NULL, true, false, hash_of(STR("in a folder\n")), .now = STR("") },
		{ NULL, false, true, 0, .now = STR("a file now\n"), .mode = MODE_EXEC },
		{ NULL, true, true, hash_of(STR("text\n")), .now = STR("file/new"),
		  .mode = MODE_LINK },
		{ NULL, true, true, hash_of(STR("text")), .now = STR("no link\n"), .was_link = true,
		  .mode = MODE_FILE },
		{ NULL, true, true, hash_of(STR("../away")), .now = STR("text"), .was_link = true,
		  .mode = MODE_LINK },
		{ NULL, true, true, hash_of(STR("run me\n")), .now = STR("run me\n"),
		  .mode = 0100750 },
	};
	static const char *const rel[] = { "file", "file/new", "dir/sub/x", "dir",
					   "text", "link",     "out",	    "tool" };
	const size_t n = sizeof(f) / sizeof(f[0]);
	char *dirs[2];

	(void)state;
	put("file", "a file\n", 0604);
	assert_int_equal(mkdir(at("dir"), 0710), 0);
	assert_int_equal(mkdir(at("dir/sub"), 0700), 0);
	put("dir/sub/x", "in a folder\n", 0644);
	put("text", "text\n", 0644);
	put("tool", "run me\n", 0640);
	assert_int_equal(symlink("text", at("link")), 0);
	assert_int_equal(symlink("../away", at("out")), 0);
	for (size_t i = 0; i < n; i++)
		f[i].path = mem_dup(at(rel[i]), strlen(at(rel[i])));
	f[1].like = f[0].path;
	dirs[0] = mem_dup(at("dir/sub"), strlen(at("dir/sub")));
	dirs[1] = mem_dup(at("dir"), strlen(at("dir")));
	run_with(f, n, (const char *const *)dirs, 2, false);
	is("file", "a file\n");
	is("dir/sub/x", "in a folder\n");
	assert_int_equal(look("dir").mode, 0710);
	assert_int_equal(look("dir/sub").mode, 0700);
	leads("link", "text");
	leads("out", "../away");
	assert_int_equal(look("tool").mode, 0640);
	names("", "dir file link out text tool ");
	run_with(f, n, (const char *const *)dirs, 2, true);
	is("file/new", "a file\n");
	assert_int_equal(look("file/new").mode, 0604);
	is("dir", "a file now\n");
	assert_int_equal(look("dir").mode, 0755);
	leads("text", "file/new");
	is("link", "no link\n");
	assert_false(look("link").link);
	leads("out", "text");
	assert_int_equal(look("tool").mode, 0750);
	names("", "dir file link out text tool ");
	names("file", "new ");
	for (size_t i = 0; i < n; i++)
		free((void *)f[i].path);
	free(dirs[0]);
	free(dirs[1]);
}

static void no_link_leads_out(void **state)
{
	struct txn_file f = { NULL, false, true, 0, .now = STR("../out"), .mode = MODE_LINK };
	struct txn *t;
	struct err e;
	char *path;

	(void)state;
	f.path = path = mem_dup(at("l"), strlen(at("l")));
	t = txn_new(fs, home, root, &f, 1, NULL, 0);
	assert_false(txn_prepare(t, &e));
	assert_int_equal(e.code, ERR_DENIED);
	txn_free(t);
	names("", "");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_transaction_keeps_what_files_are),
		T(removing_a_link_spares_its_target),
#ifdef __linux__
		T(a_stamp_stands_for_a_text_once_it_is_old),
		T(no_stamp_stands_while_it_may_be_written),
		T(a_set_back_stamp_is_no_disguise),
#endif
		T(files_links_and_folders_change_places),
		T(no_link_leads_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
