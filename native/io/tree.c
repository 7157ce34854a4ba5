#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#endif

#include "../base/mem.h"
#include "disk.h"
#include "disk_impl.h"

static bool tree_describe(struct tree_stat *out, const struct stat *st)
{
	struct fs_stat f;

	disk_describe(&f, st);
	*out = (struct tree_stat){ f.ino, f.size, f.mtime_ns, f.ctime_ns,
				   S_ISLNK(st->st_mode) ? MODE_LINK : S_IFREG | f.mode };
	return S_ISLNK(st->st_mode) || S_ISREG(st->st_mode);
}

bool tree_untouched(const struct tree_stat *a, const struct tree_stat *b)
{
	return a->ino == b->ino && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns && a->mode == b->mode;
}

static bool tree_whole(char out[PATH_MAX], const char *root, const char *path)
{
	return snprintf(out, PATH_MAX, "%s/%s", root, path) < PATH_MAX;
}

bool tree_look(const char *root, const char *path, struct tree_stat *out)
{
	char whole[PATH_MAX];
	struct stat st;
	int bad;

	if (!tree_whole(whole, root, path))
		return false;
	RETRY(bad, lstat(whole, &st));
	return !bad && tree_describe(out, &st);
}

bool tree_look_straight(const char *root, const char *path, struct tree_stat *out)
{
	char whole[PATH_MAX], *slash;

	if (!tree_whole(whole, root, path) || !tree_look(root, path, out))
		return false;
	slash = strrchr(whole, '/');
	*slash = '\0';
	return disk_is_straight(root, whole);
}

static bool is_control(const char *name)
{
	static const char *const names[] = { ".", "..", ".git", ".hg", ".svn", ".jj", NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Directories are a list and not a recursion: they nest as deep as somebody likes. */
struct tree_walk {
	const char *root;
	struct buf dirs; /* that are to be read, each with a NUL behind it, the last one first */
	size_t left;
	bool whole;
	tree_found *fn;
	void *arg;
};

static void tree_walk_name(struct tree_walk *w, int dir, const char *below, const char *name)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct stat st;
	int bad;

	RETRY(bad, fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW));
	buf_addf(&path, "%s%s%s", below, *below ? "/" : "", name);
	if (!bad && S_ISDIR(st.st_mode)) {
		buf_add(&w->dirs, buf_str(&path));
		buf_addc(&w->dirs, '\0');
	} else if (!bad && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))) {
		if (w->left) {
			w->left--;
			w->fn(w->arg, path.p);
		} else {
			w->whole = false;
		}
	}
}

static void tree_walk_dir(struct tree_walk *w, const char *below)
{
	char whole[PATH_MAX];
	struct dirent *d;
	int fd = tree_whole(whole, w->root, below)
			 ? disk_open(whole, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
			 : -1;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		w->whole = w->whole && (errno == ENOENT || errno == ENOTDIR);
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(dir)))
		if (!is_control(d->d_name))
			tree_walk_name(w, fd, below, d->d_name);
	closedir(dir);
}

/* Takes the last name off. */
static char *tree_walk_next(struct tree_walk *w)
{
	size_t at = w->dirs.n - 1;
	char *name;

	while (at && w->dirs.p[at - 1])
		at--;
	name = mem_dup(w->dirs.p + at, w->dirs.n - 1 - at);
	w->dirs.n = at;
	return name;
}

bool tree_walk(const char *root, size_t most, tree_found *fn, void *arg)
{
	struct tree_walk w = { root, BUF_INIT, most, true, fn, arg };

	tree_walk_dir(&w, "");
	while (w.dirs.n && (w.left || w.whole)) {
		char *below SCOPED(mem_release) = tree_walk_next(&w);

		tree_walk_dir(&w, below);
	}
	buf_release(&w.dirs);
	return w.whole;
}

static bool tree_changed(struct err *e, const char *whole)
{
	return err_set(e, ERR_STALE, "%s: changes while it is being read", whole);
}

static int tree_open(const char *whole, struct tree_stat *seen, struct err *e)
{
	int fd = disk_open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), bad = -1;
	struct stat st;

	if (fd >= 0)
		RETRY(bad, fstat(fd, &st));
	if (bad) {
		disk_fail(e, errno, whole);
	} else if (!tree_describe(seen, &st)) {
		err_set(e, ERR_INVALID, "%s: is not a regular file", whole);
		bad = -1;
	}
	if (bad && fd >= 0)
		close(fd);
	return bad ? -1 : fd;
}

static bool tree_is_still(int fd, const struct tree_stat *seen)
{
	struct tree_stat now;
	struct stat st;
	int bad;

	RETRY(bad, fstat(fd, &st));
	return !bad && tree_describe(&now, &st) && tree_untouched(&now, seen);
}

/* false and errno */
static bool tree_copy(int from, int to, uint64_t size)
{
	ssize_t n = 1;

#ifdef FICLONE
	if (!ioctl(to, FICLONE, from))
		return true;
#endif
#ifdef __linux__
	for (; size && n > 0; size -= n > 0 ? (uint64_t)n : 0)
		RETRY(n, copy_file_range(from, NULL, to, NULL, (size_t)size, 0));
	if (!size)
		return true;
	if (n < 0 && errno == ENOSPC)
		return false;
#endif
	for (char bytes[1 << 16]; n;) {
		RETRY(n, read(from, bytes, sizeof(bytes)));
		if (n < 0 || (n && !disk_write_all(to, (struct str){ bytes, (size_t)n })))
			return false;
	}
	return true;
}

static bool tree_write_link(const char *whole, int to, const struct tree_stat *seen, struct err *e)
{
	struct buf leads_to SCOPED(buf_release) = BUF_INIT;

	return disk_readlink(NULL, whole, &leads_to, e) &&
	       (leads_to.n == seen->size || tree_changed(e, whole)) &&
	       (disk_write_all(to, buf_str(&leads_to)) || disk_fail(e, errno, whole));
}

static bool tree_write_file(const char *whole, int to, const struct tree_stat *seen, struct err *e)
{
	struct tree_stat now;
	int from = tree_open(whole, &now, e);
	bool ok;

	if (from < 0)
		return false;
	ok = tree_untouched(&now, seen) || tree_changed(e, whole);
	ok = ok && (tree_copy(from, to, seen->size) || disk_fail(e, errno, whole));
	ok = ok && (tree_is_still(from, seen) || tree_changed(e, whole));
	close(from);
	return ok;
}

bool tree_keep(const char *root, const char *path, const struct tree_stat *seen, const char *to,
	       struct err *e)
{
	char whole[PATH_MAX];
	bool ok;
	int fd;

	if (!tree_whole(whole, root, path))
		return disk_fail(e, ENAMETOOLONG, path);
	fd = disk_open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return disk_fail(e, errno, to);
	ok = (seen->mode == MODE_LINK ? tree_write_link : tree_write_file)(whole, fd, seen, e);
	close(fd);
	if (!ok)
		unlink(to);
	return ok;
}

#define TREE_READ_TRIES 3

static bool tree_read_file(const char *whole, size_t most, struct buf *out, struct tree_stat *seen,
			   struct err *e)
{
	int fd = tree_open(whole, seen, e);
	ssize_t n = 1;

	if (fd < 0)
		return false;
	if (seen->size > most)
		err_set(e, ERR_LIMIT, "%s: is larger than %zu bytes", whole, most);
	while (!e->code && n > 0) {
		/* One byte more, to meet the end. */
		size_t left = (size_t)seen->size - out->n + 1;
		char *room = buf_room(out, left);

		RETRY(n, read(fd, room, left));
		out->n += n > 0 ? (size_t)n : 0;
		buf_end(out);
		if (n < 0)
			disk_fail(e, errno, whole);
		else if (out->n > seen->size)
			tree_changed(e, whole);
	}
	if (!e->code && (out->n != seen->size || !tree_is_still(fd, seen)))
		tree_changed(e, whole);
	close(fd);
	return !e->code;
}

static bool tree_read_link(const char *root, const char *path, const char *whole, struct buf *out,
			   struct tree_stat *seen, struct err *e)
{
	struct tree_stat now;

	return disk_readlink(NULL, whole, out, e) &&
	       ((tree_look(root, path, &now) && tree_untouched(&now, seen)) ||
		tree_changed(e, whole));
}

bool tree_read(const char *root, const char *path, size_t most, struct buf *out,
	       struct tree_stat *seen, struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char whole[PATH_MAX];
	bool ok = false;

	if (!tree_whole(whole, root, path))
		return disk_fail(e, ENAMETOOLONG, path);
	for (int i = 0; i < TREE_READ_TRIES && !ok && (!i || e->code == ERR_STALE); i++) {
		*e = (struct err)ERR_INIT;
		buf_clear(&text);
		if (!tree_look(root, path, seen))
			return err_set(e, ERR_NOT_FOUND, "%s: does not exist", whole);
		ok = seen->mode == MODE_LINK ? tree_read_link(root, path, whole, &text, seen, e)
					     : tree_read_file(whole, most, &text, seen, e);
	}
	if (ok)
		buf_add(out, buf_str(&text));
	return ok;
}
