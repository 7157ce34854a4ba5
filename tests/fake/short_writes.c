#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * To be preloaded: each call that writes takes only the first few bytes, as a disk, a pipe or a
 * signal may make it. Nothing may be lost by that, and nothing written twice.
 */
#define MOST 5

static size_t few(size_t n)
{
	return n < MOST ? n : MOST;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t (*real)(int, const void *, size_t);

	*(void **)&real = next("write");
	return real(fd, p, few(n));
}

/* The first piece that is not empty, or its beginning. */
static ssize_t put(int fd, const struct iovec *v, int n, off_t at)
{
	while (n > 1 && !v->iov_len)
		v++, n--;
	return pwrite(fd, v->iov_base, few(v->iov_len), at);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
	return put(fd, v, n, at);
}

ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
	return put(fd, v, n, at);
}
