#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "disk_impl.h"

/*
 * When a file's stamps stand for its text, so that it need not be read a second time to know that
 * it is still the same. No program can set ctime, and whatever writes to the file moves it, but for
 * three things, each of which is looked at here:
 *
 *  - A stamp is as fine as the kernel's tick, some milliseconds, or on some disks a second. A file
 *    that was written within that time of the look may be written again and keep its stamp (git's
 *    Documentation/technical/racy-git.txt). So the last change must lie SETTLED_S back.
 *  - Who has mapped a page to write to it stamps the file with the first byte alone. The kernel
 *    grants a read lease only while nobody has the file open for writing, mappings included
 *    (fcntl(2)); whoever maps it later must stamp it.
 *  - On a network or in user space, stamps are whatever the other side says. So the file system
 *    must be one of those that keep time with the kernel's clock.
 *
 * What is left is a clock that is set back to the very stamp that the file has.
 */
#ifdef __linux__
#define SETTLED_S 2

/* Their numbers do not change, and no header has them all. */
static bool keeps_time(const struct statfs *fs)
{
	static const unsigned known[] = {
		0xef53,	    /* ext2, ext3, ext4 */
		0x58465342, /* xfs */
		0x9123683e, /* btrfs */
		0xf2f52010, /* f2fs */
		0x01021994, /* tmpfs */
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((unsigned)fs->f_type == known[i])
			return true;
	return false;
}

/* Names are stamped with the same clock. What has a part of a second in its stamp has one in each,
 * but for one in a thousand million, so that a few ticks are enough. */
#define TICKS_NS 40000000

bool disk_dir_settled(void *self, const char *dir, const struct fs_stat *st)
{
	int64_t margin = st->ctime_ns % 1000000000 ? TICKS_NS : (SETTLED_S + 1) * 1000000000LL;
	struct timespec now;
	struct statfs fs;

	(void)self;
	return !clock_gettime(CLOCK_REALTIME_COARSE, &now) &&
	       now.tv_sec * 1000000000LL + now.tv_nsec - st->ctime_ns > margin &&
	       !statfs(dir, &fs) && keeps_time(&fs);
}

bool disk_lease(int fd, int type)
{
	/* Whoever opens it now makes the kernel send a signal; this one is ignored. */
	if (fcntl(fd, F_SETSIG, SIGURG) || fcntl(fd, F_SETLEASE, type))
		return false;
	return !fcntl(fd, F_SETLEASE, F_UNLCK);
}

/* The look came first: what was written since has moved the stamp, and will be found by it. */
bool disk_settled(int fd, const struct stat *st)
{
	struct timespec now;
	struct statfs fs;

	return !clock_gettime(CLOCK_REALTIME_COARSE, &now) &&
	       now.tv_sec - st->st_ctim.tv_sec > SETTLED_S && !fstatfs(fd, &fs) &&
	       keeps_time(&fs) && disk_lease(fd, F_RDLCK);
}
#else
bool disk_lease(int fd, int type)
{
	(void)fd, (void)type;
	return false;
}

bool disk_settled(int fd, const struct stat *st)
{
	(void)fd, (void)st;
	return false;
}

bool disk_dir_settled(void *self, const char *dir, const struct fs_stat *st)
{
	(void)self, (void)dir, (void)st;
	return false;
}
#endif
