/*
 * A pseudo-terminal with as little as can be around it.
 *
 *     pty read FILE COMMAND [ARGUMENT...]    writes all that it prints to FILE
 *     pty keys COUNT COMMAND [ARGUMENT...]   presses a key so often, once it has printed something,
 *                                            and prints the milliseconds until each came back
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

static char bytes[1 << 16];

static void die(const char *what)
{
	perror(what);
	exit(126);
}

static int start(char **argv, pid_t *pid)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int master;

	*pid = forkpty(&master, NULL, NULL, &size);
	if (*pid < 0)
		die("forkpty");
	if (*pid)
		return master;
	execvp(*argv, argv);
	die(*argv);
	return -1;
}

static void read_all(int master, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	if (fd < 0)
		die(path);
	while ((n = read(master, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			die(path);
	close(fd);
}

static void press_keys(int master, int count)
{
	if (read(master, bytes, sizeof(bytes)) <= 0)
		die("its first word");
	for (int i = 0; i < count; i++) {
		double begun = now();

		if (write(master, "k", 1) != 1 || read(master, bytes, sizeof(bytes)) != 1)
			die("a key");
		printf("%.4f\n", now() - begun);
		poll(NULL, 0, 1);
	}
}

int main(int argc, char **argv)
{
	int master, status;
	pid_t pid;

	if (argc < 4)
		return 2;
	master = start(argv + 3, &pid);
	if (!strcmp(argv[1], "read"))
		read_all(master, argv[2]);
	else
		press_keys(master, atoi(argv[2]));
	close(master);
	waitpid(pid, &status, 0);
	return 0;
}
