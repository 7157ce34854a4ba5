#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/plain.h"
#include "../base/retry.h"
#include "../text/line_numbers.h"
#include "command.h"
#include "number_blocks.h"

/* A file, or standard input, numbered part by part: what has just been read is still in the
 * processor's cache when it is numbered. It is not mapped, for somebody may cut it short meanwhile,
 * and that would kill us. */

#define PART (128u << 10)

/* Adds a part to the text; `lines`: as much of it as is whole lines, or all when it has ended. */
static bool read_part(int in, struct buf *text, size_t *lines, bool *more)
{
	char *part = buf_room(text, PART), *lf;
	ssize_t n;

	RETRY(n, read(in, part, PART));
	if (n < 0)
		return false;
	*more = n > 0;
	lf = memrchr(part, '\n', (size_t)n);
	text->n += (size_t)n;
	*lines = !*more ? text->n : lf ? (size_t)(lf - text->p) + 1 : 0;
	return true;
}

static int cmd_number_fail(const char *what, const char *verb)
{
	front_say("oxide: %s cannot be %s: %s\n", what, verb, strerror(errno));
	return 1;
}

static int cmd_number_number(int in, const char *name)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, out SCOPED(buf_release) = BUF_INIT;
	struct buf plain SCOPED(buf_release) = BUF_INIT;
	size_t line = 1, lines;
	bool more = true, seen = isatty(STDOUT_FILENO);
	int status = 0;

	setvbuf(stdout, NULL, _IONBF, 0); /* the parts are large enough */
	if (!seen && !number_blocks(in, &line))
		return cmd_number_fail("standard output", "written");
	while (more && !status) {
		if (!read_part(in, &text, &lines, &more)) {
			status = cmd_number_fail(name, "read");
			break;
		}
		line = number_lines(&out, str_sub(buf_str(&text), 0, lines), line);
		if (seen) { /* a program gets the bytes, a terminal none that it would obey */
			plain_add(&plain, buf_str(&out));
			buf_clear(&out);
			buf_add(&out, buf_str(&plain));
			buf_clear(&plain);
		}
		if (fwrite(buf_str(&out).p, 1, out.n, stdout) < out.n)
			status = cmd_number_fail("standard output", "written");
		buf_clear(&out);
		buf_drop(&text, lines);
	}
	return status;
}

int cmd_number(const char *path)
{
	int in = STDIN_FILENO, status;

	if (path)
		RETRY(in, open(path, O_RDONLY | O_CLOEXEC));
	if (in < 0)
		return cmd_number_fail(path, "read");
	status = cmd_number_number(in, path ? path : "standard input");
	if (path)
		close(in);
	return status;
}
