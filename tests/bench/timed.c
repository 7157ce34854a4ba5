/*
 * One command as a whole process: how long it took, and how much memory it had at most.
 *
 *     timed DIR INPUT COMMAND [ARGUMENT...]
 *
 * runs it in DIR, reading INPUT; its output goes to /dev/null. Prints the milliseconds until it
 * ended, and the KB that were resident at most. A child begins as large as its parent: this one is
 * small.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
	double begun;
	struct rusage used;
	int status = 0;
	pid_t pid;

	if (argc < 4)
		return 2;
	begun = now();
	pid = fork();
	if (!pid)
		become(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		die("timed");
	printf("%.3f %ld\n", now() - begun, used.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
