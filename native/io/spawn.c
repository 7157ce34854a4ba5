#include "spawn.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/retry.h"
#include "loop_uv.h"

static int add_files(posix_spawn_file_actions_t *files, const char *cwd, const int fds[3])
{
	int why = cwd ? posix_spawn_file_actions_addchdir_np(files, cwd) : 0;

	for (int i = 0; i < 3 && !why; i++)
		why = posix_spawn_file_actions_adddup2(files, fds[i], i);
	return why;
}

static int add_attributes(posix_spawnattr_t *as)
{
	sigset_t set;
	int why = posix_spawnattr_setflags(as, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
						       POSIX_SPAWN_SETSIGMASK);

	sigemptyset(&set);
	if (!why)
		why = posix_spawnattr_setsigmask(as, &set);
	sigfillset(&set);
	sigdelset(&set, SIGKILL);
	sigdelset(&set, SIGSTOP);
	return why ? why : posix_spawnattr_setsigdefault(as, &set);
}

bool spawn_group(const char *const *argv, const char *cwd, char *const *env, const int fds[3],
		 pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t as;
	int why = posix_spawn_file_actions_init(&files);

	if (why)
		return uv_failed(e, -why, argv[0]);
	why = posix_spawnattr_init(&as);
	if (why) {
		posix_spawn_file_actions_destroy(&files);
		return uv_failed(e, -why, argv[0]);
	}
	why = add_files(&files, cwd, fds);
	if (!why)
		why = add_attributes(&as);
	if (!why)
		why = posix_spawnp(pid, argv[0], &files, &as, (char **)(uintptr_t)argv,
				   env ? env : environ);
	posix_spawnattr_destroy(&as);
	posix_spawn_file_actions_destroy(&files);
	return !why || uv_failed(e, -why, argv[0]);
}

bool spawn_ended(pid_t pid, int *status, int *signal)
{
	siginfo_t info = { 0 };
	int failed;

	RETRY(failed, waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT));
	if (failed) { /* somebody else has waited for it */
		*status = *signal = 0;
		return errno == ECHILD;
	}
	if (info.si_pid != pid)
		return false;
	*status = info.si_code == CLD_EXITED ? info.si_status : 0;
	*signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	return true;
}

void spawn_reap(pid_t pid)
{
	pid_t reaped;

	RETRY(reaped, waitpid(pid, NULL, 0));
	(void)reaped;
}
