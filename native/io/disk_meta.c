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

static void copy_xattrs(const char *like, int to, bool bare)
{
	char few[512], *names = few, *value = NULL;
	ssize_t n = listxattr(like, few, sizeof(few));
	bool acl = bare;

	if (n < 0 && errno == ERANGE) {
		names = mem_new(XATTR_ROOM);
		n = listxattr(like, names, XATTR_MAX);
	}
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;
		ssize_t len;

		if (stays_behind(name))
			continue;
		if (!value)
			value = mem_new(XATTR_ROOM);
		len = getxattr(like, name, value, XATTR_MAX);
		if (len >= 0 && !fsetxattr(to, name, value, (size_t)len, 0))
			acl = acl || !strcmp(name, ACL);
	}
	/* The directory may give new files an access list which the old one had not. */
	if (!acl)
		fremovexattr(to, ACL);
	if (names != few)
		free(names);
	free(value);
}
#else
static void copy_xattrs(const char *like, int to, bool bare)
{
	(void)like, (void)to, (void)bare;
}
#endif

static bool copy_owner(int to, const struct fs_stat *from, const struct stat *now, mode_t *mode)
{
	const uid_t user = (uid_t)from->user;
	const gid_t group = (gid_t)from->group;
	int bad;

	if (user == now->st_uid && group == now->st_gid)
		return true;
	RETRY(bad, fchown(to, user, group));
	if (!bad)
		return true;
	if (errno != EPERM && errno != EINVAL)
		return false;
	/* Another user's file cannot be given back to him, his group perhaps; else the group's
	 * rights would go to a group that had none. */
	if (group == now->st_gid)
		return true;
	RETRY(bad, fchown(to, (uid_t)-1, group));
	if (!bad)
		return true;
	*mode = (*mode & ~(mode_t)070) | (*mode & ((*mode & 07) << 3));
	return errno == EPERM || errno == EINVAL;
}

static bool stat_like(struct fs_stat *out, const char *like)
{
	struct stat st;
	int bad;

	RETRY(bad, stat(like, &st));
	if (!bad)
		disk_describe(out, &st);
	return !bad;
}

bool disk_take_meta(int to, const char *like, const struct fs_stat *is, const struct stat *now,
		    bool bare)
{
	struct fs_stat from = { 0 };
	mode_t mode;
	int bad;

	if (is)
		from = *is;
	else if (!stat_like(&from, like))
		return false;
	mode = (mode_t)from.mode & 01777;
	if (!copy_owner(to, &from, now, &mode))
		return false;
	copy_xattrs(like, to, bare);
	RETRY(bad, fchmod(to, mode));
	return !bad;
}

bool disk_copy_meta(void *self, const char *like, const char *to, struct err *e)
{
	int fd = disk_open_no_symlinks(to, O_RDONLY | O_NONBLOCK, 0), why = 0;
	struct stat now;

	(void)self;
	if (fd < 0)
		return disk_fail(e, errno, to);
	if (fstat(fd, &now) || !disk_take_meta(fd, like, NULL, &now, false))
		why = errno;
	close(fd);
	return !why || disk_fail(e, why, to);
}

bool disk_chmod(void *self, const char *path, unsigned mode, struct err *e)
{
	int fd = disk_open_no_symlinks(path, O_RDONLY | O_NONBLOCK, 0), why = 0, bad;

	(void)self;
	if (fd < 0)
		return disk_fail_symlink(e, errno, path);
	RETRY(bad, fchmod(fd, (mode_t)mode));
	if (bad)
		why = errno;
	close(fd);
	return !why || disk_fail(e, why, path);
}
