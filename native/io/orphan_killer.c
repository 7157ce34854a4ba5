#include "orphan_killer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/retry.h"
#include "spawn.h"

#define GROUPS_MOST 1024
#define GRACE_MS    2000 /* for the end of the input, and for TERM */
#define LOOK_MS	    20

static int to_guard = -1;
static pid_t parent; /* who has tried to start it: a fork of this process needs its own */

/* Everything from here to killer_main() runs in the forked process, which may call only what is
 * safe in a signal handler: the fork may have caught other threads with their locks held. */
static struct {
	pid_t group[GROUPS_MOST];
	size_t n;
} watched;

static void killer_take(pid_t told)
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
static void killer_listen(void)
{
	pid_t told;
	ssize_t n;

	for (;;) {
		RETRY(n, read(0, &told, sizeof(told)));
		if (n != sizeof(told))
			return;
		killer_take(told);
	}
}

/* Forgets the groups that are empty. A number is not given to another while its group has a member,
 * and a look every few milliseconds sees the last one go long before the numbers come round. */
static bool killer_all_gone(void)
{
	for (size_t i = watched.n; i--;)
		if (kill(-watched.group[i], 0) && errno == ESRCH)
			watched.group[i] = watched.group[--watched.n];
	return !watched.n;
}

static bool killer_gone_in_time(void)
{
	for (int ms = 0; ms < GRACE_MS; ms += LOOK_MS) {
		if (killer_all_gone())
			return true;
		poll(NULL, 0, LOOK_MS);
	}
	return killer_all_gone();
}

static void killer_tell_all(int number)
{
	for (size_t i = 0; i < watched.n; i++)
		kill(-watched.group[i], number);
}

static void killer_main(int input)
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
	spawn_close_from(1); /* the parent's files, locks and sockets must not live longer */
	killer_listen();
	if (!killer_gone_in_time()) {
		killer_tell_all(SIGTERM);
		if (!killer_gone_in_time())
			killer_tell_all(SIGKILL);
	}
	_exit(0);
}

static void killer_start(void)
{
	int ends[2];
	pid_t pid;

	parent = getpid();
	to_guard = -1;
	if (!spawn_private_pipe(ends))
		return;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid)
		killer_main(ends[0]);
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		log_line(LOG_WARN, "no watchdog process could be started; child processes may "
				   "survive if Oxide is killed");
		return;
	}
	to_guard = ends[1];
}

static void killer_tell(pid_t what)
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
		killer_start();
	killer_tell(group);
}

void orphan_killer_forget(pid_t group)
{
	killer_tell(-group);
}
