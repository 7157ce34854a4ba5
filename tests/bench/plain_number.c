/*
 * The plain way to put numbers before lines: reads parts of its input, seeks line ends, and copies
 * each line behind its number, which is counted up in place. No check, no terminal, no CR.
 */
#include <string.h>
#include <unistd.h>

#define PART   ((size_t)128 << 10)
#define DIGITS 20

static char text[2 * PART], out[2 * PART * (DIGITS + 3)];

struct counter {
	char text[DIGITS + 2]; /* and a colon and a blank */
	size_t n;
};

static void count_up(struct counter *c)
{
	size_t at = DIGITS - 1, first = DIGITS + 2 - c->n;

	while (at > first && c->text[at] == '9')
		c->text[at--] = '0';
	if (c->text[at] != '9') {
		c->text[at]++;
		return;
	}
	c->text[at] = '0';
	c->text[at - 1] = '1';
	c->n++;
}

int main(void)
{
	struct counter c = { .n = 3 };
	size_t left = 0;
	ssize_t n;

	memset(c.text, '0', DIGITS);
	memcpy(c.text + DIGITS - 1, "1: ", 3);
	while (left < PART && (n = read(0, text + left, PART)) > 0) {
		const char *from = text, *end = text + left + n, *lf;
		char *to = out;

		while ((lf = memchr(from, '\n', (size_t)(end - from)))) {
			memcpy(to, c.text + sizeof(c.text) - c.n, c.n);
			memcpy(to + c.n, from, (size_t)(lf + 1 - from));
			to += c.n + (size_t)(lf + 1 - from);
			from = lf + 1;
			count_up(&c);
		}
		if (write(1, out, (size_t)(to - out)) < 0)
			return 1;
		left = (size_t)(end - from);
		memmove(text, from, left);
	}
	return left != 0;
}
