#include "shell_input.h"

#include <errno.h>
#include <unistd.h>

#include "../base/retry.h"

bool shell_read_input(struct buf *out, struct err *e)
{
	ssize_t n;

	do {
		RETRY(n, read(STDIN_FILENO, buf_room(out, 65536), 65536));
		if (n < 0)
			return err_set(e, ERR_IO, "standard input cannot be read: %s",
				       strerror(errno));
		out->n += (size_t)n;
		buf_end(out);
	} while (n);
	return true;
}
