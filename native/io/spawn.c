#include "spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/retry.h"
#include "loop_uv.h"

extern char **environ;

#define REPORT_FD 3 /* the new process' end of the pipe on which it says what failed */

/* What the new process reports: a path that cannot be executed, by its index, or the step that it
 * ends with. Nothing after the last path: it runs. */
enum { FAILED_EXEC = -1, FAILED_TTY = -2, FAILED_DIR = -3, FAILED_FDS = -4 };
struct spawn_report {
	int what, why;
};

struct spawn_paths {
	struct buf text; /* one after the other, each with its NUL */
	char **v;	 /* ends with NULL */
	size_t n;
};

/* Where a program of this name may be, in order. */
static void spawn_find_paths(const char *program, struct spawn_paths *out)
{
	struct str path = str_of(getenv("PATH"));
	char *p;

	*out = (struct spawn_paths){ 0 };
	while (!strchr(program, '/') && path.n) {
		const char *colon = memchr(path.p, ':', path.n);
		size_t n = colon ? (size_t)(colon - path.p) : path.n;

		buf_addf(&out->text, "%.*s/%s", n ? (int)n : 1, n ? path.p : ".", program);
		buf_addc(&out->text, '\0');
		out->n++;
		path = str_sub(path, n + (colon ? 1 : 0), path.n);
	}
	if (!out->n) {
		buf_adds(&out->text, program);
		buf_addc(&out->text, '\0');
		out->n++;
	}
	out->v = mem_new((out->n + 1) * sizeof(*out->v));
	p = out->text.p;
	for (size_t i = 0; i < out->n; i++, p += strlen(p) + 1)
		out->v[i] = p;
}

static void spawn_free_paths(struct spawn_paths *paths)
{
	buf_release(&paths->text);
	free(paths->v);
}

bool spawn_find(const char *program, struct buf *out)
{
	struct spawn_paths paths;
	bool found = false;

	spawn_find_paths(program, &paths);
	for (size_t i = 0; i < paths.n && !found; i++) {
		found = !access(paths.v[i], X_OK);
		if (found || strchr(program, '/'))
			buf_adds(out, paths.v[i]);
	}
	spawn_free_paths(&paths);
	return found;
}

static bool spawn_is_named(const char *const *names, const char *pair)
{
	size_t n = strcspn(pair, "=");

	for (; names && *names; names++)
		if (strcspn(*names, "=") == n && !strncmp(*names, pair, n))
			return true;
	return false;
}

char **spawn_environment(const char *const *set, const char *const *unset)
{
	size_t n = 0, all = 0;
	char **v;

	while (set && set[n])
		n++;
	while (environ[all])
		all++;
	v = mem_new((n + all + 1) * sizeof(*v));
	if (n)
		memcpy(v, set, n * sizeof(*v));
	for (char **pair = environ; *pair; pair++)
		if (!spawn_is_named(set, *pair) && !spawn_is_named(unset, *pair))
			v[n++] = *pair;
	return v;
}

/* From here to spawn_main() runs in the new process, which may call only what is safe in a signal
 * handler: the fork may have caught other threads with their locks held. */

void spawn_close_from(int first)
{
	struct rlimit files = { 1024, 1024 };

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, (unsigned)first, ~0U, 0U))
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &files);
	for (rlim_t fd = (rlim_t)first; fd < files.rlim_cur && fd < 1 << 20; fd++)
		close((int)fd);
}

static void spawn_say(int report, int what)
{
	struct spawn_report r = { what, errno };
	ssize_t n;

	RETRY(n, write(report, &r, sizeof(r)));
	(void)n;
}

static _Noreturn void spawn_give_up(int report, int what)
{
	spawn_say(report, what);
	_exit(127);
}

/* Its standard descriptors, its end of the pipe behind them, and no other. */
static int spawn_take_descriptors(const struct spawn_spec *spec, int report)
{
	int fds[3] = { spec->fds[0], spec->fds[1], spec->fds[2] };

	report = fcntl(report, F_DUPFD, REPORT_FD + 1);
	if (spec->tty) {
		int fd = open(spec->tty, O_RDWR); /* a session without one takes it as its own */

		if (fd < 0 || ioctl(fd, TIOCSCTTY, 0))
			spawn_give_up(report, FAILED_TTY);
		fds[0] = fds[1] = fds[2] = fd;
	}
	for (int i = 0; i < 3; i++) /* out of the way of dup2() */
		fds[i] = fcntl(fds[i], F_DUPFD, REPORT_FD + 1);
	for (int i = 0; i < 3; i++)
		if (fds[i] < 0 || dup2(fds[i], i) < 0)
			spawn_give_up(report, FAILED_FDS);
	if (dup2(report, REPORT_FD) < 0)
		spawn_give_up(report, FAILED_FDS);
	fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
	spawn_close_from(REPORT_FD + 1);
	return REPORT_FD;
}

static void spawn_reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL); /* of those that cannot be it fails */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool spawn_is_elsewhere(int why)
{
	return why == ENOENT || why == ENOTDIR || why == EACCES;
}

static _Noreturn void spawn_main(const struct spawn_spec *spec, char *const *paths, int report)
{
	setsid();
	report = spawn_take_descriptors(spec, report);
	if (spec->cwd && chdir(spec->cwd))
		spawn_give_up(report, FAILED_DIR);
	spawn_reset_signals();
	for (int i = 0; paths[i]; i++) {
		execve(paths[i], (char **)(uintptr_t)spec->argv, spec->env ? spec->env : environ);
		spawn_say(report, i);
		if (!spawn_is_elsewhere(errno))
			break;
	}
	spawn_give_up(report, FAILED_EXEC);
}

/* Why it is not to be had: one that is there and cannot be executed says more than those that are
 * not. */
struct spawn_failure {
	int step, why;
};

static struct spawn_failure spawn_read_reports(int fd, char *const *paths, struct buf *tried)
{
	struct spawn_failure failure = { 0, 0 };
	struct spawn_report r;
	int why = ENOENT;
	ssize_t n;

	for (;;) {
		RETRY(n, read(fd, &r, sizeof(r)));
		if (n != sizeof(r))
			return failure;
		if (r.what >= 0 && tried)
			buf_addf(tried, "%s: %s\n", paths[r.what], uv_strerror(-r.why));
		if (r.what >= 0 && r.why != ENOENT && r.why != ENOTDIR)
			why = r.why;
		if (r.what < 0)
			failure = (struct spawn_failure){ r.what,
							  r.what == FAILED_EXEC ? why : r.why };
	}
}

static bool spawn_failed(const struct spawn_spec *spec, struct spawn_failure f, struct err *e)
{
	return uv_failed(e, -f.why,
			 f.step == FAILED_DIR	? spec->cwd
			 : f.step == FAILED_TTY ? spec->tty
						: spec->argv[0]);
}

/* With all signals blocked, so that none of our handlers runs in the new process. */
static pid_t spawn_fork(const struct spawn_spec *spec, char *const *paths, int report)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		spawn_main(spec, paths, report);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

bool spawn_private_pipe(int ends[2])
{
	if (pipe(ends))
		return false;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return true;
}

bool spawn_start(const struct spawn_spec *spec, pid_t *pid, struct err *e)
{
	struct spawn_failure failure;
	struct spawn_paths paths;
	int report[2];

	if (!spawn_private_pipe(report))
		return uv_failed(e, -errno, "a pipe");
	spawn_find_paths(spec->argv[0], &paths);
	*pid = spawn_fork(spec, paths.v, report[1]);
	failure = (struct spawn_failure){ *pid < 0 ? FAILED_EXEC : 0, errno };
	close(report[1]);
	if (*pid > 0)
		failure = spawn_read_reports(report[0], paths.v, spec->tried);
	close(report[0]);
	spawn_free_paths(&paths);
	if (failure.step && *pid > 0)
		spawn_reap(*pid);
	return !failure.step || spawn_failed(spec, failure, e);
}

bool spawn_ended(pid_t pid, struct spawn_end *end)
{
	siginfo_t info = { 0 };
	int failed;

	*end = (struct spawn_end){ 0 };
	RETRY(failed, waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT));
	if (failed) /* somebody else has waited for it */
		return errno == ECHILD;
	if (info.si_pid != pid)
		return false;
	if (info.si_code == CLD_EXITED)
		end->status = info.si_status;
	else
		end->signal = info.si_status;
	end->dumped = info.si_code == CLD_DUMPED;
	return true;
}

void spawn_reap(pid_t pid)
{
	pid_t reaped;

	RETRY(reaped, waitpid(pid, NULL, 0));
	(void)reaped;
}
