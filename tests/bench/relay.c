/*
 * The least that a process between a client and its server can be:
 *
 *     relay COMMAND...
 *
 * starts COMMAND and passes on what comes from either side as it comes, without a look at it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void pass(int from, int to)
{
	static char b[1 << 16];
	ssize_t n = read(from, b, sizeof(b));

	if (n <= 0)
		exit(0);
	for (ssize_t at = 0; at < n;) {
		ssize_t written = write(to, b + at, (size_t)(n - at));

		if (written <= 0)
			exit(0);
		at += written;
	}
}

int main(int argc, char **argv)
{
	int pair[2];

	if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		fputs("relay COMMAND...\n", stderr);
		return 2;
	}
	if (!fork()) {
		dup2(pair[0], 0);
		dup2(pair[0], 1);
		close(pair[0]), close(pair[1]);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	close(pair[0]);
	for (struct pollfd side[] = { { 0, POLLIN, 0 }, { pair[1], POLLIN, 0 } };;) {
		if (poll(side, 2, -1) < 0)
			return 1;
		if (side[0].revents)
			pass(0, pair[1]);
		if (side[1].revents)
			pass(pair[1], 1);
	}
}
