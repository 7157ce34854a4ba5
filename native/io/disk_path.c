#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#include "../base/path.h"
#include "disk.h"
#include "disk_impl.h"

#define MAX_LINKS 40 /* as the kernel */

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* By links that are relative and lead nowhere outside; without any link. */
#ifdef RESOLVE_BENEATH
#define INSIDE	 (RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
#define STRAIGHT RESOLVE_NO_SYMLINKS
#else
#define INSIDE	 0
#define STRAIGHT 0
#endif

struct walk {
	struct buf at;	 /* resolved so far; empty is "/" */
	struct buf rest; /* still to go */
	bool missing;
	unsigned links;
};

/* The text of a link; -1 and errno. */
static ssize_t read_link(const char *path, char target[PATH_MAX])
{
	ssize_t n;

	RETRY(n, readlink(path, target, PATH_MAX));
	if (n < PATH_MAX)
		return n;
	errno = ENAMETOOLONG;
	return -1;
}

/* Puts a link's target in front of what is left. */
static bool disk_path_follow(struct walk *w)
{
	char target[PATH_MAX];
	ssize_t n = read_link(w->at.p, target);
	struct buf rest = BUF_INIT;

	if (n < 0)
		return false;
	if (++w->links > MAX_LINKS) {
		errno = ELOOP;
		return false;
	}
	buf_add(&rest, (struct str){ target, (size_t)n });
	buf_addc(&rest, '/');
	buf_add(&rest, buf_str(&w->rest));
	buf_release(&w->rest);
	w->rest = rest;
	w->at.n = n && target[0] == '/' ? 0 : path_dir(buf_str(&w->at)).n;
	if (w->at.n == 1)
		w->at.n = 0;
	return true;
}

static bool up(struct walk *w)
{
	if (w->missing) { /* the kernel would not get this far either */
		errno = ENOENT;
		return false;
	}
	while (w->at.n && w->at.p[--w->at.n] != '/')
		;
	return true;
}

static bool disk_path_step(struct walk *w, struct str part)
{
	struct stat st;
	int bad;

	if (!part.n || str_eq(part, STR(".")))
		return true;
	if (str_eq(part, STR("..")))
		return up(w);
	buf_addc(&w->at, '/');
	buf_add(&w->at, part);
	if (w->missing)
		return true;
	RETRY(bad, lstat(w->at.p, &st));
	if (bad) {
		w->missing = errno == ENOENT || errno == ENOTDIR;
		return w->missing;
	}
	return !S_ISLNK(st.st_mode) || disk_path_follow(w);
}

/* The kernel's own answer in one call. False says nothing yet. */
static bool resolves(int dir, const char *path, uint64_t how_far)
{
#if defined(__linux__) && defined(SYS_openat2) && defined(RESOLVE_BENEATH)
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = how_far };
	long fd;

	RETRY(fd, syscall(SYS_openat2, dir, path, &how, sizeof(how)));
	if (fd < 0)
		return false;
	close((int)fd);
	return true;
#else
	(void)dir, (void)path, (void)how_far;
	return false;
#endif
}

/* Whether every part of a path is a name. */
static bool is_plain(struct str path)
{
	if (path.n < 2 || path.p[0] != '/' || path.p[path.n - 1] == '/')
		return false;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/' &&
		    (path.p[i + 1] == '/' || path.p[i + 1] == '.')) /* also of ".name" */
			return false;
	return true;
}

bool disk_resolve(void *self, const char *path, struct buf *out, struct err *e)
{
	struct walk w = { .at = BUF_INIT };
	bool ok = true;

	(void)self;
	/* Mostly it is the answer itself, and the kernel says so at once. */
	if (STRAIGHT && is_plain(str_of(path)) && resolves(AT_FDCWD, path, STRAIGHT)) {
		buf_adds(out, path);
		return true;
	}
	buf_adds(&w.rest, path);
	while (ok && w.rest.n) {
		const char *slash = memchr(w.rest.p, '/', w.rest.n);
		size_t n = slash ? (size_t)(slash - w.rest.p) : w.rest.n;
		struct buf part SCOPED(buf_release) = BUF_INIT;

		buf_add(&part, str_sub(buf_str(&w.rest), 0, n));
		buf_drop(&w.rest, slash ? n + 1 : n);
		ok = disk_path_step(&w, buf_str(&part));
	}
	if (ok)
		buf_add(out, w.at.n ? buf_str(&w.at) : STR("/"));
	else
		disk_fail(e, errno, path);
	buf_release(&w.at);
	buf_release(&w.rest);
	return ok;
}

static bool same_dir(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Climbs from a directory towards "/" until it meets the root. */
static bool climbs_to(int root, int dir)
{
	struct stat want, here, above;

	if (fstat(root, &want) || fstat(dir, &here)) {
		close(dir);
		return false;
	}
	while (!same_dir(&want, &here)) {
		int parent = disk_open_at(dir, "..", O_PATH | O_DIRECTORY, 0);

		close(dir);
		if (parent < 0)
			return false;
		dir = parent;
		if (fstat(dir, &above) || same_dir(&above, &here)) {
			close(dir);
			return false;
		}
		here = above;
	}
	close(dir);
	return true;
}

/* The deepest directory of a resolved path that is there. Cuts `path`. */
static int deepest(struct buf *path)
{
	int fd;

	while ((fd = disk_open(path->p, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0)) < 0 && path->n > 1 &&
	       (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
		path->n = path_dir(buf_str(path)).n;
		buf_end(path);
	}
	return fd;
}

/* What a path has behind the root's; NULL: it does not begin with that. */
static const char *rest_of(const char *root, const char *path)
{
	if (!path_below(str_of(root), str_of(path)))
		return NULL;
	for (path += strlen(root); *path == '/';)
		path++;
	return path;
}

static bool below_fd(int root, const char *root_name, const char *path, struct err *e)
{
	struct buf real SCOPED(buf_release) = BUF_INIT, dir SCOPED(buf_release) = BUF_INIT;
	const char *rest = rest_of(root_name, path);
	bool ok = false;
	int fd;

	if (rest && resolves(root, *rest ? rest : ".", INSIDE))
		return true;
	if (disk_resolve(NULL, path, &real, e)) {
		buf_add(&dir, buf_str(&real));
		fd = deepest(&dir);
		if (fd < 0)
			disk_fail(e, errno, dir.p);
		else
			ok = climbs_to(root, fd) ||
			     err_set(e, ERR_DENIED, "%s: points to %s, which is outside of %s",
				     path, real.p, root_name);
	}
	return ok;
}

bool disk_real(const char *path, char *real)
{
	char *found;

	do
		found = realpath(path, real);
	while (!found && errno == EINTR);
	return found;
}

bool disk_below(const char *root, const char *path, struct err *e)
{
	bool ok;
	int fd;

	/* Mostly there is no link at all on the way, and what the path says is so. */
	if (strlen(path) > strlen(root) && path_below(str_of(root), str_of(path)) &&
	    !strstr(path, "..") && resolves(AT_FDCWD, path, STRAIGHT))
		return true;
	fd = disk_open(root, O_PATH | O_DIRECTORY, 0);
	if (fd < 0)
		return disk_fail(e, errno, root);
	ok = below_fd(fd, root, path, e);
	close(fd);
	return ok;
}

bool disk_readlink(void *self, const char *path, struct buf *out, struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = read_link(path, target);

	(void)self;
	if (n < 0 && errno == EINVAL)
		return err_set(e, ERR_INVALID, "%s: is not a symbolic link", path);
	if (n < 0)
		return disk_fail(e, errno, path);
	buf_add(out, (struct str){ target, (size_t)n });
	return true;
}

bool disk_is_straight(const char *root, const char *path)
{
	const char *rest = rest_of(root, path);
	bool is;
	int fd;

	if (STRAIGHT && rest && !strstr(path, "..") && resolves(AT_FDCWD, path, STRAIGHT))
		return true;
	fd = rest ? disk_open(root, O_PATH | O_DIRECTORY, 0) : -1;
	is = fd >= 0 && resolves(fd, *rest ? rest : ".", INSIDE | STRAIGHT);

	if (fd >= 0)
		close(fd);
	return is;
}
