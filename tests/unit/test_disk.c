// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <base/mem.h>
#include <base/path.h>
#include <io/disk.h>

#include "disk_folder.h"

static void reads_regular_files_alone(void **state)
{
	struct buf b = BUF_INIT;
	struct err e;
	int fd;

	(void)state;
	buf_adds(&b, "kept");
	put("a", "text", 0644);
	assert_true(fs->read(NULL, at("a"), &b, NULL, &e));
	assert_string_equal(b.p, "kepttext");
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_false(fs->read(NULL, at("fifo"), &b, NULL, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_false(fs->overwrite(NULL, at("fifo"), STR("x"), &e));
	assert_int_equal(look("fifo").kind, FS_OTHER);
	assert_false(fs->read(NULL, root, &b, NULL, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_false(fs->read(NULL, at("none"), &b, NULL, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, at("none")));
	fd = open(at("huge"), O_WRONLY | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, (off_t)FS_READ_MAX + 1), 0);
	close(fd);
	assert_false(fs->read(NULL, at("huge"), &b, NULL, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	assert_string_equal(b.p, "kepttext");
	buf_release(&b);
}

static void never_replaces_unasked(void **state)
{
	struct err e;

	(void)state;
	put("a", "A", 0644);
	put("b", "B", 0644);
	assert_int_equal(symlink("gone", at("dangling")), 0);
	assert_false(fs->create(NULL, at("a"), STR("x"), 0600, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->create(NULL, at("dangling"), STR("x"), 0600, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->rename(NULL, at("a"), at("b"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->link(NULL, at("a"), at("b"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->mkdir(NULL, at("a"), 0777, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->rmdir(NULL, root, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	is("a", "A");
	is("b", "B");
	if (fs->exchange(NULL, at("a"), at("b"), &e)) {
		is("a", "B");
		is("b", "A");
	} else {
		assert_int_equal(e.code, ERR_UNSUPPORTED);
	}
	assert_true(fs->replace(NULL, at("a"), at("b"), &e));
	assert_true(fs->rename(NULL, at("b"), at("c"), &e));
	names("", "c dangling ");
}

static void tells_what_is_there(void **state)
{
	struct fs_stat st;

	(void)state;
	put("a", "12345", 0640);
	put("ro", "x", 0444);
	assert_int_equal(symlink("a", at("to-a")), 0);
	assert_int_equal(symlink("gone", at("dangling")), 0);
	assert_int_equal(link(at("a"), at("second")), 0);
	st = look("to-a");
	assert_true(st.kind == FS_FILE && st.link && st.size == 5 && st.mode == 0640);
	assert_true(st.links == 2 && fs->may_write(NULL, at("a"), &st) && st.ino == look("a").ino);
	st = look("dangling");
	assert_true(st.kind == FS_NONE && st.link);
	st = look("ro");
	assert_false(fs->may_write(NULL, at("ro"), &st)); /* for root as well */
	assert_int_equal(look("none").kind, FS_NONE);
	assert_int_equal(look("a/below").kind, FS_NONE);
	assert_int_equal(look("").kind, FS_DIR);
	names("", "a dangling ro second to-a ");
}

static void syncs_many(void **state)
{
	enum { MANY = 50 };
	const char *paths[MANY + 1];
	struct err e;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		put(name, "x", 0600);
		paths[i] = mem_dup(at(name), strlen(at(name)));
	}
	paths[MANY] = at("none");
	assert_true(fs->sync(NULL, paths, 0, &e));
	assert_true(fs->sync(NULL, paths, 1, &e));
	assert_true(fs->sync(NULL, paths, MANY, &e));
	assert_false(fs->sync(NULL, paths, MANY + 1, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "none"));
	assert_true(fs->sync_dir(NULL, root, &e));
	for (int i = 0; i < MANY; i++)
		free((void *)paths[i]);
}

static bool broken; /* the disk */

int fsync(int fd);
int fsync(int fd)
{
	errno = EIO;
	return broken ? -1 : (int)syscall(SYS_fsync, fd);
}

/* The kernel tells of lost bytes once: whoever asks again is told that all is well. */
static void that_a_file_is_gone_hides_no_failed_sync(void **state)
{
	char *gone = mem_dup(at("none"), strlen(at("none")));
	struct err e = ERR_INIT, f = ERR_INIT;
	bool first, second;

	(void)state;
	put("kept", "x", 0600);
	broken = true;
	first = fs->sync(NULL, (const char *[]){ gone, at("kept") }, 2, &e);
	second = fs->sync(NULL, (const char *[]){ at("kept"), gone }, 2, &f);
	broken = false;
	free(gone);
	assert_false(first || second);
	assert_int_equal(e.code, ERR_IO);
	assert_int_equal(f.code, ERR_IO);
}

/* Its threads have to make do with what is left, or the files would be called unsafe for nothing.
 */
static void syncs_many_with_one_descriptor_left(void **state)
{
	enum { MANY = 50 };
	const char *paths[MANY];
	struct rlimit before, one_more;
	int next = dup(0);
	struct err e = ERR_INIT, none = ERR_INIT;
	bool ok, without;

	(void)state;
	close(next);
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "d%d", i);
		put(name, "x", 0600);
		paths[i] = mem_dup(at(name), strlen(at(name)));
	}
	getrlimit(RLIMIT_NOFILE, &before);
	one_more = before;
	one_more.rlim_cur = (rlim_t)next + 1;
	setrlimit(RLIMIT_NOFILE, &one_more);
	ok = fs->sync(NULL, paths, MANY, &e);
	one_more.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &one_more);
	without = fs->sync(NULL, paths, MANY, &none);
	setrlimit(RLIMIT_NOFILE, &before);
	for (int i = 0; i < MANY; i++)
		free((void *)paths[i]);
	if (!ok)
		fail_msg("%s", e.msg);
	assert_false(without);
	assert_int_equal(none.code, ERR_LIMIT);
}

static void overwrites_in_place(void **state)
{
	struct err e;
	uint64_t ino;

	(void)state;
	put("a", "a longer text", 0600);
	ino = look("a").ino;
	assert_true(fs->overwrite(NULL, at("a"), STR("short"), &e));
	is("a", "short");
	assert_true(fs->overwrite(NULL, at("a"), STR("as long as it must be"), &e));
	is("a", "as long as it must be");
	assert_int_equal(look("a").ino, ino);
}

#ifdef __linux__
static bool fill(struct str text, struct fs_stat *now, struct err *e)
{
	struct str piece[] = { str_sub(text, 0, 1), str_sub(text, 1, text.n) };

	return fs->fill(NULL, at("a"), piece, 2, at("like"), NULL, now, e);
}

/* Of an old text nothing can be read any more, whatever the file keeps of its place on the disk,
 * and the next text is as long as it is. */
static void blanks_and_fills(void **state)
{
	static const char big[200000] = { 'x' };
	const struct str texts[] = { STR("an old text, and a longer one"),
				     { big, 30000 },
				     { big, sizeof(big) } };
	struct buf left = BUF_INIT;
	struct fs_stat now;
	struct err e;

	(void)state;
	put("like", "", 0640);
	put("a", "", 0600);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_true(fill(texts[i], &now, &e));
		assert_int_equal(now.size, texts[i].n);
		assert_int_equal(look("a").mode, 0640);
		assert_false(fill(STR("b"), &now, &e));
		assert_int_equal(e.code, ERR_CONFLICT);
		assert_true(fs->blank(NULL, at("a"), &e));
		assert_true(fill(STR("short"), &now, &e));
		is("a", "short");
		assert_true(fs->blank(NULL, at("a"), &e));
	}
	assert_true(fs->read(NULL, at("a"), &left, NULL, &e));
	for (size_t i = 0; i < left.n; i++)
		assert_int_equal(left.p[i], 0);
	buf_release(&left);
}
#endif

static void copies_what_a_file_is(void **state)
{
	struct err e;
#ifdef __linux__
	char value[8];
#endif

	(void)state;
	put("like", "x", 04751);
	put("to", "y", 0600);
#ifdef __linux__
	if (setxattr(at("like"), "user.oxide", "v", 1, 0) && errno != ENOTSUP)
		fail_msg("setxattr: %s", strerror(errno));
#endif
	if (!geteuid())
		assert_int_equal(chown(at("like"), 12, 34), 0);
	assert_int_equal(chmod(at("like"), 04751), 0);
	assert_true(fs->copy_meta(NULL, at("like"), at("to"), &e));
	assert_int_equal(look("to").mode, 0751); /* without set-user-id */
#ifdef __linux__
	if (getxattr(at("like"), "user.oxide", value, sizeof(value)) > 0)
		assert_int_equal(getxattr(at("to"), "user.oxide", value, sizeof(value)), 1);
#endif
	if (!geteuid()) {
		struct stat st;

		assert_int_equal(stat(at("to"), &st), 0);
		assert_true(st.st_uid == 12 && st.st_gid == 34);
	}
	is("to", "y");
}

/* Who puts a link in the place of a folder leads nothing that writes anywhere else. */
static void goes_through_no_link(void **state)
{
	struct str one = STR("x");
	struct err e;

	(void)state;
	assert_int_equal(mkdir(at("d"), 0700), 0);
	put("d/f", "old", 0600);
	put("g", "g", 0600);
	assert_int_equal(symlink("d", at("l")), 0);
#define REFUSED(call)                                                                              \
	e = (struct err)ERR_INIT;                                                                  \
	assert_false(call);                                                                        \
	assert_int_equal(e.code, ERR_STALE);                                                       \
	assert_non_null(strstr(e.msg, "/l"));
	REFUSED(fs->create(NULL, at("l/n"), STR("x"), 0600, &e));
	REFUSED(fs->overwrite(NULL, at("l/f"), STR("x"), &e));
	REFUSED(fs->patch(NULL, at("l/f"), FS_UNHELD, 0, &one, 1, FS_LATER, &e));
	REFUSED(fs->exchange(NULL, at("g"), at("l/f"), &e));
	REFUSED(fs->exchange(NULL, at("l/f"), at("g"), &e));
	REFUSED(fs->rename(NULL, at("g"), at("l/n"), &e));
	REFUSED(fs->replace(NULL, at("g"), at("l/f"), &e));
	REFUSED(fs->link(NULL, at("g"), at("l/n"), &e));
	REFUSED(fs->remove(NULL, at("l/f"), &e));
	REFUSED(fs->mkdir(NULL, at("l/n"), 0700, &e));
	REFUSED(fs->rmdir(NULL, at("l/n"), &e));
	is("d/f", "old");
	names("d", "f ");
	names("", "d g l ");
}

static void resolves_to(const char *rel, const char *want)
{
	struct buf b = BUF_INIT, real = BUF_INIT;
	struct err e;

	/* The scratch folder's own path may lead through links. */
	assert_true(fs->resolve(NULL, root, &real, &e));
	if (!fs->resolve(NULL, at(rel), &b, &e))
		fail_msg("%s", e.msg);
	assert_true(str_skip(&(struct str){ b.p, b.n }, buf_str(&real)));
	assert_string_equal(b.p + real.n, want);
	buf_release(&b);
	buf_release(&real);
}

static void makes_links_and_modes(void **state)
{
	struct buf to = BUF_INIT;
	struct err e;

	(void)state;
	put("plain", "text", 0640);
	assert_true(fs->symlink(NULL, STR("../no where"), at("made"), &e));
	assert_true(fs->readlink(NULL, at("made"), &to, &e));
	assert_string_equal(to.p, "../no where");
	assert_false(fs->symlink(NULL, STR("x"), at("plain"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->readlink(NULL, at("plain"), &to, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_true(fs->chmod(NULL, at("plain"), 0750, &e));
	assert_int_equal(look("plain").mode, 0750);
	assert_true(fs->symlink(NULL, STR("plain"), at("to-plain"), &e));
	assert_false(fs->chmod(NULL, at("to-plain"), 0700, &e));
	assert_int_equal(look("plain").mode, 0750);
	assert_false(fs->sync_dir(NULL, at("plain/below"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	buf_release(&to);
}

static void resolves_links(void **state)
{
	struct buf b = BUF_INIT;
	struct err e;

	(void)state;
	assert_int_equal(mkdir(at("d"), 0700), 0);
	put("d/f", "x", 0600);
	assert_int_equal(symlink("d", at("rel")), 0);
	assert_int_equal(symlink(at("d"), at("abs")), 0);
	assert_int_equal(symlink("../rel/new", at("d/up")), 0);
	assert_int_equal(symlink("loop2", at("loop1")), 0);
	assert_int_equal(symlink("loop1", at("loop2")), 0);
	resolves_to("d/f", "/d/f");
	resolves_to("rel/f", "/d/f");
	resolves_to("abs/f", "/d/f");
	resolves_to("abs/up", "/d/new");
	resolves_to("rel/up", "/d/new");
	resolves_to("none/x/y", "/none/x/y");
	resolves_to("", "");
	assert_false(fs->resolve(NULL, at("loop1/x"), &b, &e));
	assert_int_equal(e.code, ERR_IO);
	resolves_to("d/f/x", "/d/f/x");
	assert_false(fs->resolve(NULL, at("none/../d"), &b, &e));
	assert_int_equal(b.n, 0);
	assert_true(fs->resolve(NULL, "/", &b, &e));
	assert_string_equal(b.p, "/");
	buf_release(&b);
}

static void below(const char *base, const char *path, bool want)
{
	struct err e = ERR_INIT;
	bool ok = disk_below(base, path, &e);

	if (ok != want)
		fail_msg("%s below %s: %s", path, base, ok ? "yes" : e.msg);
}

static void knows_what_lies_below(void **state)
{
	struct err e;
	const char *ws;

	(void)state;
	assert_int_equal(mkdir(at("ws"), 0700), 0);
	assert_int_equal(mkdir(at("ws/d"), 0700), 0);
	assert_int_equal(mkdir(at("ws2"), 0700), 0);
	put("ws/f", "x", 0600);
	put("secret", "x", 0600);
	assert_int_equal(symlink("d", at("ws/in")), 0);
	assert_int_equal(symlink(at("ws/d"), at("ws/in-abs")), 0);
	assert_int_equal(symlink("../ws2", at("ws/out")), 0);
	assert_int_equal(symlink("../secret", at("ws/leak")), 0);
	assert_int_equal(symlink("/etc/none", at("ws/dangling")), 0);
	assert_int_equal(symlink("../ws/d/new", at("ws/round")), 0);
	assert_int_equal(symlink("loop", at("ws/loop")), 0);
	assert_int_equal(symlink("ws", at("alias")), 0);
	ws = mem_dup(at("ws"), strlen(at("ws")));
	below(ws, ws, true);
	below(ws, at("ws/f"), true);
	below(ws, at("ws/d/none/at/all"), true);
	below(ws, at("ws/in/x"), true);
	below(ws, at("ws/in-abs/x"), true);
	below(ws, at("ws/round"), true);
	below(ws, at("alias/f"), true);
	below(ws, at("alias/d/new"), true);
	below(at("alias"), at("ws/d"), true);
	below("/", at("ws"), true);
	below(ws, at(""), false);
	below(ws, at("ws2"), false);
	below(ws, at("ws2/new"), false);
	below(ws, at("secret"), false);
	below(ws, at("ws/out/x"), false);
	below(ws, at("ws/out"), false);
	below(ws, at("ws/leak"), false);
	below(ws, at("ws/dangling"), false);
	below(ws, at("ws/loop"), false);
	below(ws, at("ws/loop/x"), false);
	below(ws, at("ws/d/../../secret"), false);
	below(ws, at("ws/d/../f"), true);
	below(ws, at("none/ws/../../ws/f"), false);
	below(at("none"), at("none/f"), false);
	below(at("secret"), at("secret"), false);
	assert_false(disk_below(ws, at("ws/leak"), &e));
	assert_int_equal(e.code, ERR_DENIED);
	assert_non_null(strstr(e.msg, "ws/leak: points to "));
	assert_non_null(strstr(e.msg, "/secret, which is outside of "));
	free((void *)ws);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(reads_regular_files_alone),
		T(never_replaces_unasked),
		T(tells_what_is_there),
		T(syncs_many),
		T(syncs_many_with_one_descriptor_left),
		T(that_a_file_is_gone_hides_no_failed_sync),
		T(overwrites_in_place),
#ifdef __linux__
		T(blanks_and_fills),
#endif
		T(copies_what_a_file_is),
		T(goes_through_no_link),
		T(makes_links_and_modes),
		T(resolves_links),
		T(knows_what_lies_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
