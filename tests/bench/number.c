/*
 * Numbering the lines of a text in memory against copying it:
 *
 *     number FILE ROUNDS
 *
 * prints a line for each round: milliseconds of number_lines(), and of memcpy(). Both write into
 * memory that has been written to before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/mem.h>
#include <text/line_numbers.h>

#include "clock.h"

int main(int argc, char **argv)
{
	FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
	struct buf text = BUF_INIT, out = BUF_INIT;
	long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	size_t n;
	char *copy;

	if (!in)
		return 2;
	while ((n = fread(buf_room(&text, 1 << 20), 1, 1 << 20, in)))
		text.n += n;
	fclose(in);
	copy = mem_dup(text.p, text.n);
	number_lines(&out, buf_str(&text), 1);
	for (long i = 0; i < rounds; i++) {
		double begun = now(), ours;

		buf_clear(&out);
		number_lines(&out, buf_str(&text), 1);
		ours = now() - begun;
		begun = now();
		memcpy(copy, text.p, text.n);
		printf("%.3f %.3f\n", ours, now() - begun);
		if (copy[text.n / 2] != text.p[text.n / 2])
			return 1;
	}
	free(copy);
	buf_release(&text);
	buf_release(&out);
	return 0;
}
