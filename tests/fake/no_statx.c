#include <errno.h>
#include <sys/stat.h>

/* To be preloaded: as in a sandbox that does not know the call, and refuses it. */
int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	(void)dir, (void)path, (void)flags, (void)mask, (void)st;
	errno = EPERM;
	return -1;
}
