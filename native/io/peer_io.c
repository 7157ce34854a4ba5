#include "peer_io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "../base/mem.h"
#include "job.h"
#include "loop_uv.h"

struct peer_io {
	struct loop *loop;
	struct peer_io_spec spec;
	struct job *job;			   /* NULL: another kind, or cut */
	void (*put)(void *self, struct str bytes); /* NULL: another kind */
	uv_pipe_t in, out;			   /* stdio; a socket is `in` alone */
	uv_stream_t *to;			   /* where stdio and a socket write; or NULL */
	struct timer *timer;
	bool awake, ended, freed;
	bool many;   /* answers are to come */
	bool paused; /* nothing is read until the other side has taken what waits for it */
	int handles; /* of in and out: not closed yet */
};

static struct buf *output(const struct peer_io *k)
{
	return k->spec.out ? k->spec.out(k->spec.self) : peer_out(k->spec.peer);
}

/* It begins with more than one question has, and goes on until one is left. */
#define MANY 6

/* A program answers one question after the other, so more of them are to come. */
static void expect_answers(struct peer_io *k)
{
	bool many = k->job && k->spec.peer && peer_waiting(k->spec.peer) >= (k->many ? 2 : MANY);

	if (many || k->many)
		loop_expects_many(k->loop, many);
	k->many = many;
}

static void take_turn(struct peer_io *k)
{
	struct buf *out = output(k);

	if (k->spec.turn)
		k->spec.turn(k->spec.self, loop_now(k->loop));
	else
		peer_tick(k->spec.peer, loop_now(k->loop));
	if (k->freed)
		return;
	if (k->job) {
		if (out->n)
			expect_answers(k);
		job_write(k->job, out);
	} else if (k->put && out->n) {
		k->put(k->spec.self, buf_str(out));
		buf_clear(out);
	} else if (k->to && out->n) {
		uv_buf_t b = uv_buf_init(out->p, (unsigned)out->n);
		int n = uv_try_write(k->to, &b, 1);

		buf_drop(out, n > 0 ? (size_t)n : 0);
	}
	timer_set(k->timer,
		  k->spec.deadline ? k->spec.deadline(k->spec.self) : peer_deadline(k->spec.peer));
}

struct stream_write {
	uv_write_t uv;
	struct peer_io *link;
	struct buf bytes;
};

static void stream_written(uv_write_t *uv, int status)
{
	struct stream_write *w = uv->data;

	(void)status; /* a reader that is gone has closed our input too */
	peer_io_wake(w->link);
	buf_release(&w->bytes);
	free(w);
}

/* What the pipe did not take at once is handed over, to go out when there is room. */
static void queue_rest(struct peer_io *k)
{
	struct buf *out = k->freed ? NULL : output(k);
	struct stream_write *w;
	uv_buf_t b;

	if (!out || !k->to || !out->n)
		return;
	w = mem_new(sizeof(*w));
	w->uv.data = w;
	w->link = k;
	w->bytes = *out;
	*out = (struct buf)BUF_INIT;
	b = uv_buf_init(w->bytes.p, (unsigned)w->bytes.n);
	if (uv_write(&w->uv, k->to, &b, 1, stream_written))
		stream_written(&w->uv, 0);
}

static void peer_io_stream_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b);

static void read_or_pause(struct peer_io *k)
{
	bool full = !k->ended && k->spec.unwritten &&
		    peer_io_unwritten(k) > k->spec.unwritten; /* its owner may be gone else */

	if (k->ended || full == k->paused)
		return;
	k->paused = full;
	if (full)
		uv_read_stop((uv_stream_t *)&k->in);
	else
		uv_read_start((uv_stream_t *)&k->in, uv_room, peer_io_stream_read);
}

static void peer_io_turn(void *arg)
{
	struct peer_io *k = arg;

	take_turn(k);
	queue_rest(k);
	read_or_pause(k);
}

static void end(struct peer_io *k, const struct err *e)
{
	if (k->ended)
		return;
	k->ended = true;
	k->spec.ended(k->spec.self, e);
}

void peer_io_read(struct peer_io *k, struct str bytes)
{
	uint64_t now = loop_now(k->loop);
	size_t waiting = k->spec.peer ? peer_waiting(k->spec.peer) : 0;
	struct err e = ERR_INIT;

	if (k->ended)
		return;
	if (k->spec.feed ? !k->spec.feed(k->spec.self, bytes, now, &e)
			 : !peer_feed(k->spec.peer, bytes, now, &e)) {
		end(k, &e);
		return;
	}
	if (k->spec.peer && peer_waiting(k->spec.peer) < waiting)
		expect_answers(k);
	peer_io_turn(k);
}

static void wake_now(void *arg)
{
	struct peer_io *k = arg;

	k->awake = false;
	if (k->freed)
		peer_io_free(k);
	else
		peer_io_turn(k);
}

void peer_io_wake(struct peer_io *k)
{
	if (k->awake || k->freed)
		return;
	k->awake = true;
	loop_soon(k->loop, wake_now, k);
}

void peer_io_hurry(struct peer_io *k)
{
	if (k->awake && !k->freed)
		peer_io_turn(k);
}

static struct peer_io *link_new(struct loop *l, const struct peer_io_spec *spec)
{
	struct peer_io *k = mem_new(sizeof(*k));

	k->loop = l;
	k->spec = *spec;
	k->timer = timer_new(l, peer_io_turn, k);
	return k;
}

struct peer_io *peer_io_job(struct loop *l, const struct peer_io_spec *spec, struct job *j)
{
	struct peer_io *k = link_new(l, spec);

	k->job = j;
	return k;
}

struct peer_io *peer_io_through(struct loop *l, const struct peer_io_spec *spec,
				void (*put)(void *self, struct str bytes))
{
	struct peer_io *k = link_new(l, spec);

	k->put = put;
	return k;
}

static void peer_io_stream_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct peer_io *k = s->data;

	if (n > 0)
		peer_io_read(k, (struct str){ b->base, (size_t)n });
	if (n < 0) {
		uv_read_stop(s);
		end(k, ERR_IGNORED);
	}
}

/* What the other side has no time to read fits in whole, while we do something else; where the
 * system refuses that, it goes out part by part. */
#define PIPE_ROOM (1 << 20)

static bool open_pipe(struct loop *l, uv_pipe_t *p, int fd, struct err *e)
{
	int status;

	uv_pipe_init(loop_uv(l), p, 0);
	if (uv_guess_handle(fd) != UV_NAMED_PIPE)
		return err_set(e, ERR_UNSUPPORTED,
			       "standard %s is not a pipe; this command is "
			       "meant to be started by a program",
			       fd ? "output" : "input");
	status = uv_pipe_open(p, fd);
#ifdef F_SETPIPE_SZ
	fcntl(fd, F_SETPIPE_SZ, PIPE_ROOM);
#endif
	return !status || uv_failed(e, status, fd ? "standard output" : "standard input");
}

struct peer_io *peer_io_stdio(struct loop *l, const struct peer_io_spec *spec, struct err *e)
{
	struct peer_io *k = link_new(l, spec);

	k->handles = 2;
	k->to = (uv_stream_t *)&k->out;
	k->in.data = k->out.data = k;
	if (!open_pipe(l, &k->in, 0, e) || !open_pipe(l, &k->out, 1, e)) {
		/* the process ends now: what is half open goes with it */
		return NULL;
	}
	uv_read_start((uv_stream_t *)&k->in, uv_room, peer_io_stream_read);
	return k;
}

struct peer_io *peer_io_socket(struct loop *l, const struct peer_io_spec *spec, int fd)
{
	struct peer_io *k = link_new(l, spec);

	k->handles = 1;
	k->to = (uv_stream_t *)&k->in;
	k->in.data = k;
	uv_pipe_init(loop_uv(l), &k->in, 0);
	if (uv_pipe_open(&k->in, fd))
		BUG("%d is not a connected socket", fd);
	uv_read_start(k->to, uv_room, peer_io_stream_read);
	return k;
}

size_t peer_io_unwritten(const struct peer_io *k)
{
	return output(k)->n + (k->to ? uv_stream_get_write_queue_size(k->to) : 0) +
	       (k->job ? job_unwritten(k->job) : 0);
}

void peer_io_shut(struct peer_io *k)
{
	uv_os_fd_t fd;

	if (k->handles == 1 && !uv_fileno((uv_handle_t *)&k->in, &fd))
		shutdown(fd, SHUT_WR);
}

void peer_io_cut(struct peer_io *k)
{
	k->job = NULL;
	k->ended = true;
}

static void pipe_closed(uv_handle_t *h)
{
	struct peer_io *k = h->data;

	if (!--k->handles)
		free(k);
}

void peer_io_free(struct peer_io *k)
{
	if (!k)
		return;
	if (!k->freed) {
		k->freed = k->ended = true;
		timer_free(k->timer);
		k->timer = NULL;
		if (k->handles)
			uv_read_stop((uv_stream_t *)&k->in);
	}
	if (k->awake)
		return; /* wake_now() comes back for it */
	if (!k->handles) {
		free(k);
		return;
	}
	uv_close((uv_handle_t *)&k->in, pipe_closed);
	if (k->handles > 1)
		uv_close((uv_handle_t *)&k->out, pipe_closed);
}
