/*
 * The floor of every question to another process: a message there and back over two pipes.
 *
 *     ping ROUNDS BYTES
 *
 * prints the microseconds of one round, the median of all.
 *
 *     ping rpc
 *
 * is a child that answers Neovim's rpcrequest(CHANNEL, "p") with nil: the least that any child of
 * Neovim can take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 65536

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void must(ssize_t n)
{
	if (n <= 0) {
		fputs("ping: the pipe broke\n", stderr);
		exit(1);
	}
}

static void echo(int from, int to)
{
	static char b[MOST];
	ssize_t n;

	while ((n = read(from, b, sizeof(b))) > 0)
		must(write(to, b, (size_t)n));
	exit(0);
}

/* [0, id, "p", []] there, [1, id, nil, nil] back; the id is whatever stands between. */
static int rpc(void)
{
	static unsigned char b[MOST];
	ssize_t n;

	while ((n = read(0, b, sizeof(b))) > 5) {
		b[1] = 1;
		b[n - 3] = 0xc0;
		b[n - 2] = 0xc0;
		must(write(1, b, (size_t)n - 1));
	}
	return 0;
}

int main(int argc, char **argv)
{
	static char b[MOST];
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 64;
	double *took = calloc(rounds, sizeof(*took));
	int there[2], back[2];

	if (argc > 1 && !strcmp(argv[1], "rpc"))
		return rpc();
	if (!took || !rounds || !bytes || bytes > MOST || pipe(there) || pipe(back)) {
		fputs("ping ROUNDS BYTES (at most 65536)\n", stderr);
		return 2;
	}
	if (!fork()) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	for (size_t i = 0; i < rounds; i++) {
		double begun = now();
		size_t n = 0;

		must(write(there[1], b, bytes));
		while (n < bytes) {
			ssize_t more = read(back[0], b, sizeof(b));

			must(more);
			n += (size_t)more;
		}
		took[i] = now() - begun;
	}
	close(there[1]);
	wait(NULL);
	qsort(took, rounds, sizeof(*took), by_size);
	printf("%.2f\n", took[rounds / 2]);
	free(took);
	return 0;
}
