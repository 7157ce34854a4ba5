#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../base/retry.h"
#include "../io/dir_watch.h"
#include "../io/loop.h"
#include "session_log_impl.h"

#define READ_MS	  100	     /* from a sign of life to the look */
#define SEARCH_MS 500	     /* at most so often, until there is a log */
#define AGAIN_MS  5000	     /* afterwards: another session may have begun */
#define PIECE	  65536	     /* bytes that are read at once */
#define LOOK_MOST (1u << 20) /* bytes in one turn of the loop */

struct followed_log {
	char *path;
	int fd;
	struct stat was; /* what the descriptor is of */
	uint64_t at;	 /* read up to here */
};

struct session_log {
	struct oxide *ox;
	char *name;
	session_log_feed *feed;
	void *self;
	struct log_places places;
	struct followed_log v[LOGS_MOST];
	size_t n;
	struct followed_log *inside; /* a long line of this one goes on; NULL: no line does */
	struct timer *timer;
	bool set; /* the timer */
	uint64_t searched;
	struct dir_watch *watch;
	char *piece;
};

static bool is_followed(const struct session_log *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].path, path))
			return true;
	return false;
}

/* Locks it, so that no other of us reads it; where files cannot be locked, nobody can. */
static int open_log(const char *path, struct stat *st)
{
	int fd;

	RETRY(fd, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
	if (fd < 0)
		return -1;
	if (fstat(fd, st) || (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool follow_log(void *arg, const char *path)
{
	struct session_log *l = arg;
	struct followed_log *f = &l->v[l->n];
	struct stat st;
	int fd = is_followed(l, path) ? -1 : open_log(path, &st);
	struct str dir = path_dir(str_of(path));
	char *directory SCOPED(mem_release) = NULL;

	if (fd < 0)
		return true;
	*f = (struct followed_log){ mem_dup(path, strlen(path)), fd, st, 0 };
	directory = mem_dup(dir.p, dir.n);
	dir_watch_add(l->watch, directory);
	log_line(LOG_INFO, "%s: its session log %s is read", l->name, path);
	return ++l->n < LOGS_MOST;
}

/* In the middle of a line, which nobody will read to its end. */
static void end_line(struct session_log *l, const struct followed_log *f)
{
	if (l->inside == f)
		l->feed(l->self, STR("\n"));
	l->inside = l->inside == f ? NULL : l->inside;
}

/* Where it was cut, or another took its place, it is read from its start. False: it cannot be. */
static bool session_log_look_again(struct session_log *l, struct followed_log *f)
{
	struct stat now, named;

	if (fstat(f->fd, &now))
		return false;
	if ((uint64_t)now.st_size < f->at) {
		end_line(l, f);
		f->at = 0;
	}
	if ((uint64_t)now.st_size > f->at || stat(f->path, &named) ||
	    (named.st_ino == f->was.st_ino && named.st_dev == f->was.st_dev))
		return true;
	end_line(l, f);
	close(f->fd);
	f->fd = open_log(f->path, &f->was);
	f->at = 0;
	return f->fd >= 0;
}

/* Whole lines of what has come, or of a long one all of it; at the end, that of an unfinished one.
 * Returns the bytes: 0, there is nothing more for now. */
static size_t read_piece(struct session_log *l, struct followed_log *f, bool last)
{
	const char *lf;
	ssize_t got;
	size_t n;

	if ((l->inside && l->inside != f) || f->fd < 0 || !session_log_look_again(l, f))
		return 0;
	RETRY(got, pread(f->fd, l->piece, PIECE, (off_t)f->at));
	n = got > 0 ? (size_t)got : 0;
	lf = n ? memrchr(l->piece, '\n', n) : NULL;
	if (lf)
		n = (size_t)(lf - l->piece) + 1;
	else if (n < PIECE && !last && l->inside != f)
		n = 0;
	if (!n)
		return 0;
	l->inside = lf ? NULL : f;
	f->at += n;
	l->feed(l->self, (struct str){ l->piece, n });
	return n;
}

/* The one whose line goes on comes first. True: there is more. */
static bool read_logs(struct session_log *l, size_t most, bool last)
{
	size_t sum = 0, n;

	for (size_t i = 0; i <= l->n; i++) {
		struct followed_log *f = i ? &l->v[i - 1] : l->inside;

		do {
			n = f ? read_piece(l, f, last) : 0;
			sum += n;
		} while (n && sum < most);
		if (last && f)
			end_line(l, f);
	}
	return sum >= most;
}

static void set_look(struct session_log *l, uint64_t after)
{
	if (!l->set)
		timer_set(l->timer, loop_now(l->ox->loop) + after);
	l->set = true;
}

static void search_logs(struct session_log *l)
{
	uint64_t now = loop_now(l->ox->loop);

	if (l->n == LOGS_MOST || now < l->searched + (l->n ? AGAIN_MS : SEARCH_MS))
		return;
	l->searched = now;
	log_places_find(&l->places, follow_log, l);
}

static void on_look(void *arg)
{
	struct session_log *l = arg;

	l->set = false;
	search_logs(l);
	if (read_logs(l, LOOK_MOST, false))
		set_look(l, 0);
}

static void on_written(void *arg, const char *path)
{
	(void)path;
	session_log_stir(arg);
}

struct session_log *session_log_new(struct oxide *ox, const struct session_log_spec *spec)
{
	struct session_log *l;

	if (!json_len(json_get(spec->log, "files")))
		return NULL;
	l = mem_new(sizeof(*l));
	*l = (struct session_log){ .ox = ox, .feed = spec->feed, .self = spec->self };
	l->name = mem_dup(spec->name, strlen(spec->name));
	l->piece = mem_new(PIECE);
	log_places_init(&l->places, spec);
	l->timer = timer_new(ox->loop, on_look, l);
	l->watch = dir_watch_new(ox->loop, on_written, l);
	return l;
}

void session_log_stir(struct session_log *l)
{
	if (l)
		set_look(l, READ_MS);
}

void session_log_finish(struct session_log *l)
{
	if (!l)
		return;
	log_places_find(&l->places, follow_log, l);
	read_logs(l, SIZE_MAX, true);
}

void session_log_free(struct session_log *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].path);
		if (l->v[i].fd >= 0)
			close(l->v[i].fd);
	}
	timer_free(l->timer);
	dir_watch_free(l->watch);
	log_places_release(&l->places);
	free(l->piece);
	free(l->name);
	free(l);
}
