#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk_impl.h"

/* Names in directories: what gives them, takes them away, and lets them change places. */

static bool cannot(int why)
{
	return why == EINVAL || why == ENOSYS || why == EOPNOTSUPP;
}

#if defined(__linux__)
static int rename_with(const struct disk_parent *from, const struct disk_parent *to, bool swap)
{
	int bad;

	RETRY(bad, renameat2(from->dir, from->name, to->dir, to->name,
			     swap ? RENAME_EXCHANGE : RENAME_NOREPLACE));
	return bad;
}
#elif defined(__APPLE__)
static int rename_with(const struct disk_parent *from, const struct disk_parent *to, bool swap)
{
	return renameatx_np(from->dir, from->name, to->dir, to->name,
			    swap ? RENAME_SWAP : RENAME_EXCL);
}
#else
static int rename_with(const struct disk_parent *from, const struct disk_parent *to, bool swap)
{
	(void)from, (void)to, (void)swap;
	errno = ENOSYS;
	return -1;
}
#endif

/* These four do it, and return 0 or the reason. */
static int exchange(const struct disk_parent *a, const struct disk_parent *b)
{
	if (!rename_with(a, b, true))
		return 0;
	return cannot(errno) ? EOPNOTSUPP : errno;
}

static int give_second(const struct disk_parent *from, const struct disk_parent *to)
{
	int bad;

	RETRY(bad, linkat(from->dir, from->name, to->dir, to->name, 0));
	if (!bad)
		return 0;
	/* File systems without hard links say EPERM. */
	return errno == EPERM || errno == EMLINK ? EOPNOTSUPP : errno;
}

static int replace(const struct disk_parent *from, const struct disk_parent *to)
{
	int bad;

	RETRY(bad, renameat(from->dir, from->name, to->dir, to->name));
	return bad ? errno : 0;
}

static int unlink_at(const struct disk_parent *p, int flags)
{
	int bad;

	RETRY(bad, unlinkat(p->dir, p->name, flags));
	return bad ? errno : 0;
}

/* Without the kernel's help: a second name never replaces anything. Where there are no hard links
 * either, a look before must do. */
static int rename_new(const struct disk_parent *from, const struct disk_parent *to)
{
	struct stat st;
	int why;

	if (!rename_with(from, to, false))
		return 0;
	if (!cannot(errno))
		return errno;
	why = give_second(from, to);
	if (!why)
		return unlink_at(from, 0);
	if (!cannot(why))
		return why;
	if (!fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW))
		return EEXIST;
	return replace(from, to);
}

static bool with_both(const char *from, const char *to,
		      int (*act)(const struct disk_parent *from, const struct disk_parent *to),
		      struct err *e)
{
	struct disk_parent a, b;
	int why;

	if (!disk_open_parent(&a, from, e))
		return false;
	if (!disk_open_parent(&b, to, e)) {
		close(a.dir);
		return false;
	}
	why = act(&a, &b);
	close(a.dir);
	close(b.dir);
	return !why || disk_fail(e, why, to);
}

bool disk_exchange(void *self, const char *a, const char *b, struct err *e)
{
	(void)self;
	return with_both(a, b, exchange, e);
}

bool disk_link(void *self, const char *from, const char *to, struct err *e)
{
	(void)self;
	return with_both(from, to, give_second, e);
}

bool disk_replace(void *self, const char *from, const char *to, struct err *e)
{
	(void)self;
	return with_both(from, to, replace, e);
}

bool disk_rename(void *self, const char *from, const char *to, struct err *e)
{
	(void)self;
	return with_both(from, to, rename_new, e);
}

static bool unlink_with(const char *path, int flags, struct err *e)
{
	struct disk_parent p;
	int why;

	if (!disk_open_parent(&p, path, e))
		return false;
	why = unlink_at(&p, flags);
	close(p.dir);
	return !why || disk_fail(e, why, path);
}

bool disk_remove(void *self, const char *path, struct err *e)
{
	(void)self;
	return unlink_with(path, 0, e);
}

bool disk_rmdir(void *self, const char *path, struct err *e)
{
	(void)self;
	return unlink_with(path, AT_REMOVEDIR, e);
}

bool disk_mkdir(void *self, const char *path, unsigned mode, struct err *e)
{
	struct disk_parent p;
	int why;

	(void)self;
	if (!disk_open_parent(&p, path, e))
		return false;
	RETRY(why, mkdirat(p.dir, p.name, (mode_t)mode));
	why = why ? errno : 0;
	close(p.dir);
	return !why || disk_fail(e, why, path);
}

bool disk_symlink(void *self, struct str leads_to, const char *path, struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct disk_parent p;
	int why;

	(void)self;
	if (!disk_open_parent(&p, path, e))
		return false;
	buf_add(&text, leads_to);
	RETRY(why, symlinkat(buf_str(&text).p, p.dir, p.name));
	why = why ? errno : 0;
	close(p.dir);
	return !why || disk_fail(e, why, path);
}
