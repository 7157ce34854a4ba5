#include "orphan_killer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/retry.h"

#define GROUPS_MOST 1024
#define GRACE_MS    2000 /* for the end of the input, and for TERM */
#define LOOK_MS	    20

static int to_guard = -1;
static pid_t parent; /* who has tried to start it: a fork of this process needs its own */

/* Everything from here to guard_main() runs in the forked process, which may call only what is
 * safe in a signal handler: the fork may have caught other threads with their locks held. */
static struct {
	pid_t group[GROUPS_MOST];
	size_t n;
} watched;

static void take(pid_t told)
{
	size_t at = 0;

	if (told > 0 && watched.n < GROUPS_MOST)
		watched.group[watched.n++] = told;
	if (told >= 0)
		return;
	while (at < watched.n && watched.group[at] != -told)
		at++;
	if (at < watched.n)
		watched.group[at] = watched.group[--watched.n];
}

/* Until nobody holds the other end any more. */
static void listen_to_parent(void)
{
	pid_t told;
	ssize_t n;

	for (;;) {
		RETRY(n, read(0, &told, sizeof(told)));
		if (n != sizeof(told))
			return;
		take(told);
	}
}

/* Forgets the groups that are empty. A number is not given to another while its group has a member,
 * and a look every few milliseconds sees the last one go long before the numbers come round. */
static bool all_gone(void)
{
	for (size_t i = watched.n; i--;)
		if (kill(-watched.group[i], 0) && errno == ESRCH)
			watched.group[i] = watched.group[--watched.n];
	return !watched.n;
}

static bool gone_in_time(void)
{
	for (int ms = 0; ms < GRACE_MS; ms += LOOK_MS) {
		if (all_gone())
			return true;
		poll(NULL, 0, LOOK_MS);
	}
	return all_gone();
}

static void tell_all(int number)
{
	for (size_t i = 0; i < watched.n; i++)
		kill(-watched.group[i], number);
}

/* Files, locks and sockets of the parent must not live longer through this one. */
static void close_all_but_input(void)
{
	struct rlimit files = { 1024, 1024 };

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 1U, ~0U, 0U))
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &files);
	for (rlim_t fd = 1; fd < files.rlim_cur && fd < 1 << 20; fd++)
		close((int)fd);
}

static void guard_main(int input)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (dup2(input, 0) < 0 || chdir("/"))
		_exit(1);
	close_all_but_input();
	listen_to_parent();
	if (!gone_in_time()) {
		tell_all(SIGTERM);
		if (!gone_in_time())
			tell_all(SIGKILL);
	}
	_exit(0);
}

static void start(void)
{
	int ends[2];
	pid_t pid;

	parent = getpid();
	to_guard = -1;
	if (pipe(ends))
		return;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid)
		guard_main(ends[0]);
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		log_line(LOG_WARN, "no watchdog process could be started; child processes may "
				   "survive if Oxide is killed");
		return;
	}
	to_guard = ends[1];
}

static void tell(pid_t what)
{
	ssize_t n = 0;

	if (to_guard >= 0)
		RETRY(n, write(to_guard, &what, sizeof(what)));
	if (n < 0 && errno == EPIPE) { /* it was killed */
		close(to_guard);
		to_guard = -1;
	}
}

void orphan_killer_watch(pid_t group)
{
	if (parent != getpid())
		start();
	tell(group);
}

void orphan_killer_forget(pid_t group)
{
	tell(-group);
}
