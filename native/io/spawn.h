#ifndef OX_SPAWN_H
#define OX_SPAWN_H

#include <sys/types.h>

#include "../base/err.h"

/*
 * Starts a program in a session and process group of its own, with signals as they are for a
 * program that a shell starts, and no descriptor but the three given, which stay the caller's.
 * argv[0] is looked up in PATH; cwd and env NULL: as they are. It is the caller's to wait for:
 * until then the number of the process, and of its group, is given to no other.
 */
bool spawn_group(const char *const *argv, const char *cwd, char *const *env, const int fds[3],
		 pid_t *pid, struct err *e);
/* Whether it has ended, and how (signal 0: by itself). It is not waited for by this. */
bool spawn_ended(pid_t pid, int *status, int *signal);
void spawn_reap(pid_t pid); /* it has ended */

#endif
