#include "socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../base/retry.h"
#include "loop_uv.h"

struct listener {
	struct loop *loop;
	uv_poll_t poll;
	struct timer *again; /* no descriptor was left: a pause */
	int fd;
	char *path; /* NULL: it is no unix socket */
	listener_fn *fn;
	void *self;
};

#define BACKLOG	 128
#define PAUSE_MS 100

static bool fits(const char *dir)
{
	struct sockaddr_un at;

	return strlen(dir) + 1 + SOCKET_NAME < sizeof(at.sun_path);
}

static bool is_private(const char *dir, struct err *e)
{
	struct stat st;

	if (lstat(dir, &st))
		return err_set(e, ERR_IO, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_DENIED, "%s is not a directory", dir);
	if (st.st_uid != geteuid())
		return err_set(e, ERR_DENIED, "%s belongs to another user", dir);
	if (st.st_mode & 077)
		return err_set(e, ERR_DENIED,
			       "%s is accessible to other users; its mode must be "
			       "0700",
			       dir);
	return true;
}

/* Some clients of MCP start a server without most of their own environment: there it is where
 * systemd has it. */
char *socket_dir(struct err *e)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	long user = (long)geteuid();
	char usual[48];
	struct buf dir SCOPED(buf_release) = BUF_INIT;

	if (!run || *run != '/') {
		snprintf(usual, sizeof(usual), "/run/user/%ld", user);
		run = usual;
	}
	if (!access(run, W_OK | X_OK))
		buf_addf(&dir, "%s/oxide", run);
	if (!dir.n || !fits(dir.p)) {
		buf_clear(&dir);
		buf_addf(&dir, "/tmp/oxide-%ld", user);
	}
	if (mkdir(dir.p, 0700) && errno != EEXIST)
		err_set(e, ERR_NOT_FOUND, "%s: %s", dir.p, strerror(errno));
	else if (is_private(dir.p, e))
		return buf_detach(&dir);
	return NULL;
}

static bool socket_is_ours(int fd)
{
#ifdef __linux__
	struct ucred who;
	socklen_t n = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == geteuid();
#else
	uid_t uid;
	gid_t gid;

	return !getpeereid(fd, &uid, &gid) && uid == geteuid();
#endif
}

static int keep_private(int fd)
{
	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	return fd;
}

static bool address(struct sockaddr_un *at, const char *path, struct err *e)
{
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(at->sun_path))
		return err_set(e, ERR_LIMIT, "%s: the path is too long for a socket", path);
	strcpy(at->sun_path, path);
	return true;
}

int socket_connect(const char *path, struct err *e)
{
	struct sockaddr_un at;
	int fd, bad = 0;

	if (!address(&at, path, e))
		return -1;
	fd = keep_private(socket(AF_UNIX, SOCK_STREAM, 0));
	if (fd >= 0)
		RETRY(bad, connect(fd, (struct sockaddr *)&at, sizeof(at)));
	if (fd < 0) {
		err_set(e, ERR_LIMIT, "%s: %s", path, strerror(errno));
	} else if (bad) {
		bool gone = errno == ECONNREFUSED || errno == ENOENT;

		err_set(e, gone ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
	} else if (!socket_is_ours(fd)) {
		err_set(e, ERR_DENIED, "%s: another user is listening there", path);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void listen_again(void *arg);

static void connection(uv_poll_t *poll, int status, int events)
{
	struct listener *n = poll->data;
	int fd;

	(void)status;
	(void)events;
	RETRY(fd, accept(n->fd, NULL, NULL));
	keep_private(fd);
	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE) {
			uv_poll_stop(&n->poll);
			timer_set(n->again, loop_now(n->loop) + PAUSE_MS);
		}
	} else if (!n->path || socket_is_ours(fd)) {
		n->fn(n->self, fd);
	} else {
		log_line(LOG_WARN, "%s: rejected a process of another user", n->path);
		close(fd);
	}
}

static void listen_again(void *arg)
{
	struct listener *n = arg;

	uv_poll_start(&n->poll, UV_READABLE, connection);
}

/* Bound to another name first: one that can be found always has somebody who listens. */
static int bind_to(const char *path, struct err *e)
{
	struct sockaddr_un at;
	struct buf first SCOPED(buf_release) = BUF_INIT;
	int fd = -1;

	buf_addf(&first, "%s~", path);
	if (address(&at, first.p, e)) {
		unlink(first.p);
		fd = keep_private(socket(AF_UNIX, SOCK_STREAM, 0));
		if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, BACKLOG) ||
		    rename(first.p, path)) {
			err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
			unlink(first.p);
			if (fd >= 0)
				close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* Takes the descriptor and the path. */
static struct listener *listener_start(struct loop *l, int fd, char *path, listener_fn *fn,
				       void *self)
{
	struct listener *n = mem_new(sizeof(*n));

	n->loop = l;
	n->fd = fd;
	n->path = path;
	n->fn = fn;
	n->self = self;
	n->again = timer_new(l, listen_again, n);
	uv_poll_init(loop_uv(l), &n->poll, fd);
	n->poll.data = n;
	listen_again(n);
	return n;
}

struct listener *listener_new(struct loop *l, const char *path, listener_fn *fn, void *self,
			      struct err *e)
{
	int fd = bind_to(path, e);

	return fd < 0 ? NULL : listener_start(l, fd, mem_dup(path, strlen(path)), fn, self);
}

struct listener *listener_new_loopback(struct loop *l, unsigned *port, listener_fn *fn, void *self,
				       struct err *e)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = keep_private(socket(AF_INET, SOCK_STREAM, 0));

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		err_set(e, ERR_IO, "127.0.0.1: no port can be listened on: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*port = ntohs(at.sin_port);
	return listener_start(l, fd, NULL, fn, self);
}

static void listener_closed(uv_handle_t *h)
{
	struct listener *n = h->data;

	close(n->fd);
	free(n->path);
	free(n);
}

void listener_free(struct listener *n)
{
	if (!n)
		return;
	if (n->path)
		unlink(n->path);
	timer_free(n->again);
	uv_close((uv_handle_t *)&n->poll, listener_closed);
}
