#include "kept_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../io/disk.h"

void kept_lines_read(const char *path, struct buf *text)
{
	const struct fs *fs = disk_fs();

	if (!fs->read(fs->self, path, text, NULL, ERR_IGNORED))
		buf_clear(text);
}

bool kept_lines_has(struct str text, struct str wanted)
{
	struct str line;

	while (str_line(&text, &line))
		if (str_eq(line, wanted))
			return true;
	return false;
}

/* Under another name first: cut short, a line is another one, which nobody has asked for, and who
 * reads a file that is only begun adds to nothing. */
static void kept_lines_write(const char *path, struct str text)
{
	struct buf fresh SCOPED(buf_release) = BUF_INIT;
	bool ok;
	int fd;

	buf_addf(&fresh, "%s.%ld~", path, (long)getpid());
	unlink(fresh.p);
	fd = open(fresh.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	ok = disk_write_all(fd, text);
	ok = !close(fd) && ok;
	if (!ok || rename(fresh.p, path))
		unlink(fresh.p);
}

void kept_lines_add(const char *path, struct str line, size_t most)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct str rest, first;

	kept_lines_read(path, &text);
	if (kept_lines_has(buf_str(&text), line))
		return;
	buf_addf(&text, "%.*s\n", STR_ARG(line));
	rest = buf_str(&text);
	while (str_count(rest, '\n') > most)
		str_line(&rest, &first);
	kept_lines_write(path, rest);
}
