#include "ide_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

#define LOCK_BYTES 65536 /* more is no such file */

struct ide_lock {
	int fd;
	char *path;
};

static bool lock_directory(const char *path, struct err *e)
{
	struct stat st;
	struct str dir = path_dir(str_of(path));
	char *above SCOPED(mem_release) = mem_dup(dir.p, dir.n);
	bool made;

	mkdir(above, 0700);
	made = !mkdir(path, 0700) || errno == EEXIST;
	if (!made || stat(path, &st))
		return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_DENIED, "%s is not a directory", path);
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return err_set(e, ERR_DENIED,
			       "%s can be written to by other users; run chmod go-w on it", path);
	return true;
}

/* Reads a file of ours, and locks it: then whoever wrote it is dead. */
static bool lock_is_left(int fd)
{
	struct buf text = BUF_INIT;
	ssize_t n = read(fd, buf_room(&text, LOCK_BYTES), LOCK_BYTES);
	json *v SCOPED(json_release) = NULL;
	bool left;

	text.n = n > 0 ? (size_t)n : 0;
	v = json_parse(buf_str(&text), ERR_IGNORED);
	left = json_get_bool(v, IDE_LOCK_MARK, false) && !flock(fd, LOCK_EX | LOCK_NB);
	buf_wipe(&text); /* it has a token */
	return left;
}

static void lock_drop_left(const char *directory, struct str ending)
{
	DIR *d = opendir(directory);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char *path SCOPED(mem_release) = NULL;
		int fd;

		if (!str_ends(str_of(entry->d_name), ending))
			continue;
		path = path_join(directory, entry->d_name);
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && lock_is_left(fd) && !unlink(path))
			log_line(LOG_INFO, "removed %s, which a core that has ended left behind",
				 path);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
}

static bool lock_write(int fd, const json *what)
{
	struct buf text = BUF_INIT;
	bool ok;

	json_print(&text, what);
	ok = disk_write_all(fd, buf_str(&text));
	buf_wipe(&text);
	return ok;
}

/* Under another name first: who reads the directory finds it whole. */
static int lock_make(const char *path, const json *what, struct err *e)
{
	struct buf first SCOPED(buf_release) = BUF_INIT;
	int fd;

	buf_addf(&first, "%s.%ld~", path, (long)getpid());
	unlink(first.p);
	fd = open(first.p, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB); /* no file system has to know of that */
	if (fd < 0 || !lock_write(fd, what) || rename(first.p, path)) {
		err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
		if (fd >= 0) {
			unlink(first.p);
			close(fd);
		}
		fd = -1;
	}
	return fd;
}

struct ide_lock *ide_lock_new(const char *directory, const char *name, const json *what,
			      struct err *e)
{
	char *path = path_join(directory, name);
	struct ide_lock *l = NULL;
	int fd = -1;

	if (lock_directory(directory, e)) {
		lock_drop_left(directory, str_of(strrchr(name, '.')));
		fd = lock_make(path, what, e);
	}
	if (fd < 0) {
		free(path);
		return NULL;
	}
	l = mem_new(sizeof(*l));
	l->fd = fd;
	l->path = path;
	return l;
}

const char *ide_lock_path(const struct ide_lock *l)
{
	return l->path;
}

void ide_lock_free(struct ide_lock *l)
{
	if (!l)
		return;
	unlink(l->path);
	close(l->fd);
	free(l->path);
	free(l);
}
