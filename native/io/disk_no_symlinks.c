#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#include "../base/path.h"
#include "disk_impl.h"

/*
 * Who writes has resolved his paths, so that no link is left in them. One that is there all the
 * same was put there since, perhaps to lead the write out of the root: the kernel refuses to go
 * through it. Where it cannot be asked, the look before the write has to do.
 */

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

int disk_open_no_symlinks(const char *path, int flags, unsigned mode)
{
#if defined(__linux__) && defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
	struct open_how how = { .flags = (unsigned)(flags | O_CLOEXEC),
				.mode = flags & O_CREAT ? mode : 0,
				.resolve = RESOLVE_NO_SYMLINKS };
	long fd;

	RETRY(fd, syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
	/* EPERM: a sandbox that knows only older calls, if it is not the file itself. */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
#endif
	return disk_open(path, flags | O_NOFOLLOW, mode);
}

bool disk_fail_symlink(struct err *e, int why, const char *path)
{
	if (why != ELOOP)
		return disk_fail(e, why, path);
	return err_set(e, ERR_STALE, "%s: a symbolic link is in its path now", path);
}

bool disk_open_parent(struct disk_parent *p, const char *path, struct err *e)
{
	struct str dir = path_dir(str_of(path));
	char above[PATH_MAX];

	if (dir.n >= sizeof(above))
		return disk_fail(e, ENAMETOOLONG, path);
	memcpy(above, dir.p, dir.n);
	above[dir.n] = '\0';
	p->name = path_base(str_of(path)).p;
	p->dir = disk_open_no_symlinks(above, O_PATH | O_DIRECTORY, 0);
	return p->dir >= 0 || disk_fail_symlink(e, errno, path);
}
