#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "../base/mem.h"
#include "disk_impl.h"

/*
 * What a file is besides its text. Each part is taken over as far as this process may; failing
 * that, the new file gives fewer rights than the old one, never more.
 */
#ifdef __linux__
#define ACL	   "system.posix_acl_access"
#define XATTR_MAX  65536 /* the kernel's own bound, for the list and for a value */
#define XATTR_ROOM (XATTR_MAX + 1)

/* Rights to run as somebody else, and seals over the old text, must not pass to a new text. */
static bool stays_behind(const char *name)
{
	return !strcmp(name, "security.capability") || !strcmp(name, "security.ima") ||
	       !strcmp(name, "security.evm");
}

static void copy_xattrs(int like, int to)
{
	char few[512], *names = few, *value = NULL;
	ssize_t n = flistxattr(like, few, sizeof(few));
	bool acl = false;

	if (n < 0 && errno == ERANGE) {
		names = mem_new(XATTR_ROOM);
		n = flistxattr(like, names, XATTR_MAX);
	}
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;
		ssize_t len;

		if (stays_behind(name))
			continue;
		if (!value)
			value = mem_new(XATTR_ROOM);
		len = fgetxattr(like, name, value, XATTR_MAX);
		if (len >= 0 && !fsetxattr(to, name, value, (size_t)len, 0))
			acl = acl || !strcmp(name, ACL);
	}
	/* The folder may give new files an access list which the old one had not. */
	if (!acl)
		fremovexattr(to, ACL);
	if (names != few)
		free(names);
	free(value);
}
#else
static void copy_xattrs(int like, int to)
{
	(void)like, (void)to;
}
#endif

static bool copy_owner(int to, const struct stat *from, const struct stat *now, mode_t *mode)
{
	if (from->st_uid == now->st_uid && from->st_gid == now->st_gid)
		return true;
	if (!fchown(to, from->st_uid, from->st_gid))
		return true;
	if (errno != EPERM && errno != EINVAL)
		return false;
	/* Another user's file cannot be given back to him, his group perhaps; else the group's
	 * rights would go to a group that had none. */
	if (from->st_gid == now->st_gid || !fchown(to, (uid_t)-1, from->st_gid))
		return true;
	*mode = (*mode & ~(mode_t)070) | (*mode & ((*mode & 07) << 3));
	return errno == EPERM || errno == EINVAL;
}

static bool copy_between(int like, int to, const struct stat *from)
{
	struct stat now;
	mode_t mode = from->st_mode & 01777;

	if (fstat(to, &now) || !copy_owner(to, from, &now, &mode))
		return false;
	if (like >= 0)
		copy_xattrs(like, to);
	return !fchmod(to, mode);
}

bool disk_copy_meta(void *self, const char *like, const char *to, struct err *e)
{
	int from = disk_open(like, O_RDONLY | O_NONBLOCK, 0), fd;
	struct stat st;
	int why = 0;

	(void)self;
	if (from >= 0 ? fstat(from, &st) : stat(like, &st)) {
		why = errno;
		if (from >= 0)
			close(from);
		return disk_fail(e, why, like);
	}
	fd = disk_open(to, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0 || !copy_between(from, fd, &st))
		why = errno;
	if (fd >= 0)
		close(fd);
	if (from >= 0)
		close(from);
	return !why || disk_fail(e, why, to);
}

bool disk_chmod(void *self, const char *path, unsigned mode, struct err *e)
{
	int fd = disk_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), why = 0;

	(void)self;
	if (fd < 0 || fchmod(fd, (mode_t)mode))
		why = errno;
	if (fd >= 0)
		close(fd);
	return !why || disk_fail(e, why, path);
}
