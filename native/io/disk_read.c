#include "disk.h"

#include <errno.h>
#include <unistd.h>

#include "disk_impl.h"

/* Most of the time that a long text takes is the kernel's, for the memory that it comes into, and
 * that goes on beside itself. */
#define SHARED_LEAST (1 << 20) /* bytes */

struct sharing {
	int fd;
	off_t at;
	char *into;
	size_t n, parts;
};

static bool read_part(void *arg, unsigned worker, size_t i, struct err *e)
{
	const struct sharing *s = arg;
	size_t from = s->n / s->parts * i, to = i + 1 < s->parts ? from + s->n / s->parts : s->n;

	(void)worker;
	while (from < to) {
		ssize_t n;

		RETRY(n, pread(s->fd, s->into + from, to - from, s->at + (off_t)from));
		if (n <= 0)
			return err_set(e, ERR_IO, "the file was truncated");
		from += (size_t)n;
	}
	return true;
}

void disk_read_shared(int fd, size_t n, struct buf *out)
{
	struct sharing s = { .fd = fd, .n = n, .parts = n < SHARED_LEAST ? 1 : disk_processors() };

	s.parts = s.parts < FS_WORKERS ? s.parts : FS_WORKERS;
	s.at = s.parts < 2 ? -1 : lseek(fd, 0, SEEK_CUR);
	if (s.at < 0)
		return;
	s.into = buf_room(out, n + 1);
	if (disk_each(NULL, s.parts, read_part, &s, ERR_IGNORED) &&
	    lseek(fd, s.at + (off_t)n, SEEK_SET) >= 0)
		out->n += n;
}
