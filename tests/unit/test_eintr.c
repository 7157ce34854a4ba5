// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <io/spawn.h>

#include "disk_folder.h"

/*
 * Every call of the system that these functions stand for is interrupted the first time, and each
 * second time from then on, while `on` is set. The program's own functions come before the
 * library's.
 */
static bool on;

enum call {
	OPENAT,
	READ,
	PREAD,
	WRITE,
	PWRITEV,
	FSYNC,
	FDATASYNC,
	FTRUNCATE,
	FALLOCATE,
	FCHMOD,
	FCHOWN,
	RENAMEAT,
	RENAMEAT2,
	LINKAT,
	UNLINKAT,
	MKDIRAT,
	SYMLINKAT,
	READLINK,
	LSTAT,
	STAT,
	FCNTL_LOCK,
	WAITID,
	WAITPID,
	CALLS
};

static unsigned made[CALLS];

static bool interrupted(enum call c)
{
	if (!on || made[c]++ % 2)
		return false;
	errno = EINTR;
	return true;
}

#define STAND_IN(type, name, id, params, args)                                                     \
	type name params;                                                                          \
	type name params                                                                           \
	{                                                                                          \
		return interrupted(id) ? (type)-1 : (type)syscall args;                            \
	}

/* clang-format off */
STAND_IN(ssize_t, read, READ, (int fd, void *p, size_t n), (SYS_read, fd, p, n))
STAND_IN(ssize_t, pread, PREAD, (int fd, void *p, size_t n, off_t at), (SYS_pread64, fd, p, n, at))
STAND_IN(ssize_t, write, WRITE, (int fd, const void *p, size_t n), (SYS_write, fd, p, n))
STAND_IN(ssize_t, pwritev, PWRITEV, (int fd, const struct iovec *v, int n, off_t at),
	 (SYS_pwritev, fd, v, n, at, 0))
STAND_IN(int, fsync, FSYNC, (int fd), (SYS_fsync, fd))
STAND_IN(int, fdatasync, FDATASYNC, (int fd), (SYS_fdatasync, fd))
STAND_IN(int, ftruncate, FTRUNCATE, (int fd, off_t n), (SYS_ftruncate, fd, n))
STAND_IN(int, fallocate, FALLOCATE, (int fd, int mode, off_t at, off_t n),
	 (SYS_fallocate, fd, mode, at, n))
STAND_IN(int, fchmod, FCHMOD, (int fd, mode_t mode), (SYS_fchmod, fd, mode))
STAND_IN(int, fchown, FCHOWN, (int fd, uid_t user, gid_t group), (SYS_fchown, fd, user, group))
STAND_IN(int, renameat, RENAMEAT, (int a, const char *from, int b, const char *to),
	 (SYS_renameat2, a, from, b, to, 0))
STAND_IN(int, renameat2, RENAMEAT2,
	 (int a, const char *from, int b, const char *to, unsigned flags),
	 (SYS_renameat2, a, from, b, to, flags))
STAND_IN(int, linkat, LINKAT, (int a, const char *from, int b, const char *to, int flags),
	 (SYS_linkat, a, from, b, to, flags))
STAND_IN(int, unlinkat, UNLINKAT, (int dir, const char *path, int flags),
	 (SYS_unlinkat, dir, path, flags))
STAND_IN(int, mkdirat, MKDIRAT, (int dir, const char *path, mode_t mode),
	 (SYS_mkdirat, dir, path, mode))
STAND_IN(int, symlinkat, SYMLINKAT, (const char *to, int dir, const char *path),
	 (SYS_symlinkat, to, dir, path))
STAND_IN(ssize_t, readlink, READLINK, (const char *path, char *to, size_t n),
	 (SYS_readlinkat, AT_FDCWD, path, to, n))
STAND_IN(int, waitid, WAITID, (idtype_t type, id_t id, siginfo_t *info, int options),
	 (SYS_waitid, type, id, info, options, NULL))
STAND_IN(pid_t, waitpid, WAITPID, (pid_t pid, int *status, int options),
	 (SYS_wait4, pid, status, options, NULL))
/* clang-format on */

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return interrupted(OPENAT) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int fcntl(int fd, int what, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (what == F_OFD_SETLK && interrupted(FCNTL_LOCK))
		return -1;
	return (int)syscall(SYS_fcntl, fd, what, arg);
}

int lstat(const char *path, struct stat *st)
{
	return interrupted(LSTAT) ? -1 : fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int stat(const char *path, struct stat *st)
{
	return interrupted(STAT) ? -1 : fstatat(AT_FDCWD, path, st, 0);
}

static void came(enum call c)
{
	assert_true(made[c] >= 2);
	made[c] = 0;
}

static int begin(void **state)
{
	int bad = start(state);

	memset(made, 0, sizeof(made));
	on = true;
	return bad;
}

static int stop(void **state)
{
	on = false;
	return end(state);
}

#define OK(call)                                                                                   \
	do                                                                                         \
		if (!(call))                                                                       \
			fail_msg("%s: %s", #call, e.msg);                                          \
	while (0)

static void texts_are_whole(void **state)
{
	struct str piece[2] = { { "one", 3 }, { "two", 3 } };
	struct buf b = BUF_INIT;
	const char *paths[2];
	struct fs_stat now;
	struct err e;

	(void)state;
	OK(fs->create(NULL, at("a"), STR("text"), 0600, &e));
	came(WRITE);
	OK(fs->read(NULL, at("a"), &b, &now, &e));
	assert_string_equal(b.p, "text");
	came(READ);
	came(OPENAT);
	OK(fs->overwrite(NULL, at("a"), STR("a longer text"), &e));
	came(FSYNC);
	came(FTRUNCATE);
	came(FALLOCATE);
	is("a", "a longer text");
	OK(fs->patch(NULL, at("a"), FS_UNHELD, 2, piece, 2, FS_NOW, &e));
	came(PWRITEV);
	came(FDATASYNC);
	is("a", "a onetwo text");
	buf_clear(&b);
	OK(fs->peek(NULL, at("a"), FS_UNHELD, 2, 6, &b, &e));
	assert_string_equal(b.p, "onetwo");
	came(PREAD);
	paths[0] = paths[1] = at("a");
	OK(fs->sync(NULL, paths, 2, &e));
	OK(fs->sync_dir(NULL, root, &e));
	came(FSYNC);
	put("b", "", 0600);
	OK(fs->fill(NULL, at("b"), piece, 2, at("a"), NULL, &now, &e));
	is("b", "onetwo");
	came(FCHMOD);
	OK(fs->chmod(NULL, at("b"), 0640, &e));
	assert_int_equal(look("b").mode, 0640);
	buf_release(&b);
}

static void names_too(void **state)
{
	struct buf b = BUF_INIT;
	struct err e;

	(void)state;
	OK(fs->mkdir(NULL, at("d"), 0755, &e));
	came(MKDIRAT);
	OK(fs->create(NULL, at("d/a"), STR("A"), 0600, &e));
	OK(fs->create(NULL, at("d/b"), STR("B"), 0600, &e));
	OK(fs->exchange(NULL, at("d/a"), at("d/b"), &e));
	is("d/a", "B");
	OK(fs->rename(NULL, at("d/a"), at("d/c"), &e));
	came(RENAMEAT2);
	OK(fs->replace(NULL, at("d/c"), at("d/b"), &e));
	came(RENAMEAT);
	OK(fs->link(NULL, at("d/b"), at("d/second"), &e));
	came(LINKAT);
	OK(fs->symlink(NULL, STR("b"), at("d/l"), &e));
	came(SYMLINKAT);
	OK(fs->readlink(NULL, at("d/l"), &b, &e));
	assert_string_equal(b.p, "b");
	came(READLINK);
	buf_clear(&b);
	OK(fs->resolve(NULL, at("d/l"), &b, &e));
	assert_string_equal(b.p, at("d/b"));
	assert_true(look("d/l").link);
	came(LSTAT);
	came(STAT);
	names("d", "b l second ");
	OK(fs->remove(NULL, at("d/l"), &e));
	OK(fs->remove(NULL, at("d/second"), &e));
	OK(fs->remove(NULL, at("d/b"), &e));
	OK(fs->rmdir(NULL, at("d"), &e));
	came(UNLINKAT);
	buf_release(&b);
}

static void locks_too(void **state)
{
	const uint64_t spots[] = { 3, 9 };
	struct err e;
	int lock;

	(void)state;
	OK(fs->lock(NULL, at("lock"), spots, 2, true, &lock, &e));
	came(FCNTL_LOCK);
	fs->unlock(NULL, lock);
}

static void processes_are_waited_for(void **state)
{
	pid_t pid = fork();
	struct spawn_end end;
	int status;

	(void)state;
	if (!pid)
		_exit(7);
	while (!spawn_ended(pid, &end))
		continue;
	assert_int_equal(end.status, 7);
	came(WAITID);
	spawn_reap(pid);
	came(WAITPID);
	assert_int_equal(waitpid(pid, &status, 0), -1);
}

int main(void)
{
#define U(f) cmocka_unit_test_setup_teardown(f, begin, stop)
	const struct CMUnitTest tests[] = {
		U(texts_are_whole),
		U(names_too),
		U(locks_too),
		U(processes_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
