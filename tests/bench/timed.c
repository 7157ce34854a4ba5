/*
 * One command as a whole process: how long it took, and how much memory it had at most.
 *
 *     timed DIR INPUT COMMAND [ARGUMENT...]
 *
 * runs it in DIR, reading INPUT; its output goes to /dev/null. Prints the milliseconds until it
 * ended, the KB that were resident at most (of it or of any process that it left behind), and the
 * milliseconds until those had ended too. A child begins as large as its parent: this one is small.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

static void die(const char *what)
{
	perror(what);
	exit(126);
}

static void become(char **argv)
{
	int in = open(argv[1], O_RDONLY), out = open("/dev/null", O_WRONLY);

	/* INPUT is seen from where this program was started. */
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || chdir(argv[0]))
		die(argv[1]);
	close(in);
	close(out);
	execvp(argv[2], argv + 2);
	die(argv[2]);
}

int main(int argc, char **argv)
{
	double begun, ended = 0;
	long most = 0;
	int status = 0, code = 1;
	struct rusage used;
	pid_t pid, who;

	if (argc < 4)
		return 2;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		die("timed");
	begun = now();
	pid = fork();
	if (!pid)
		become(argv + 1);
	while ((who = wait4(-1, &status, 0, &used)) > 0 || errno == EINTR) {
		if (who == pid) {
			ended = now();
			code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		}
		if (who > 0 && used.ru_maxrss > most)
			most = used.ru_maxrss;
	}
	printf("%.3f %ld %.3f\n", ended - begun, most, now() - begun);
	return code;
}
