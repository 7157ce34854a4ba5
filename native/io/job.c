#include "job.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/mem.h"
#include "child.h"

struct job {
	struct child child;
	uv_pipe_t in, out, err;
	const struct job_events *ev;
	void *self;
	bool in_closed;
	bool outlives; /* its output */
	int open_ends; /* of out and err */
	int handles;   /* not yet closed */
};

static void maybe_done(void *arg);

static void handle_closed(uv_handle_t *h)
{
	struct job *j = h->data;

	j->handles--;
	maybe_done(j);
}

static void close_once(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, handle_closed);
}

/* Everything is over: the last handle to close brings `done`. */
static void maybe_done(void *arg)
{
	struct job *j = arg;

	if (!j->child.exited || j->open_ends)
		return;
	if (j->handles) {
		child_close(&j->child, handle_closed);
		close_once((uv_handle_t *)&j->in);
		return;
	}
	child_release(&j->child);
	j->ev->done(j->self, j->child.end.status, j->child.end.signal);
	free(j);
}

static void end_closed(uv_handle_t *h)
{
	struct job *j = h->data;

	j->open_ends--;
	handle_closed(h);
}

static void read_end(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct job *j = s->data;
	struct str bytes = { b->base, n > 0 ? (size_t)n : 0 };

	if (n > 0)
		child_heard(&j->child);
	if (n > 0 && s == (uv_stream_t *)&j->out)
		j->ev->out(j->self, bytes);
	else if (n > 0)
		j->ev->errout(j->self, bytes);
	if (n >= 0 || uv_is_closing((uv_handle_t *)s))
		return;
	uv_close((uv_handle_t *)s, end_closed);
	if (s == (uv_stream_t *)&j->out && !j->outlives)
		job_stop(j); /* nothing more can come of it */
}

static void job_stop_listening(void *self)
{
	struct job *j = self;
	uv_pipe_t *ends[] = { &j->out, &j->err };

	for (int i = 0; i < 2; i++)
		if (!uv_is_closing((uv_handle_t *)ends[i]))
			uv_close((uv_handle_t *)ends[i], end_closed);
}

static void job_end_input(void *self)
{
	job_eof(self);
}

/* Sockets, as libuv makes them for its children: [0] is ours, [1] the child's. */
static bool make_pairs(int pairs[3][2], struct err *e)
{
	for (int i = 0; i < 3; i++) {
		int why = uv_socketpair(SOCK_STREAM, 0, pairs[i], 0, 0);

		if (why) {
			while (i--)
				close(pairs[i][0]), close(pairs[i][1]);
			return uv_failed(e, why, "a pipe");
		}
	}
	return true;
}

static bool job_spawn(struct job *j, const struct job_spec *spec, struct err *e)
{
	uv_pipe_t *ours[] = { &j->in, &j->out, &j->err };
	char **env = spec->env || spec->unset ? spawn_environment(spec->env, spec->unset) : NULL;
	struct spawn_spec spawn = { .argv = spec->argv, .cwd = spec->cwd, .env = env };
	int pairs[3][2];
	bool ok = make_pairs(pairs, e);

	for (int i = 0; i < 3 && ok; i++)
		spawn.fds[i] = pairs[i][1];
	if (!ok) {
		free(env);
		return false;
	}
	ok = child_start(&j->child, &spawn, e);
	free(env);
	for (int i = 0; i < 3; i++) {
		close(pairs[i][1]);
		if (!ok || uv_pipe_open(ours[i], pairs[i][0]))
			close(pairs[i][0]);
	}
	return ok;
}

static void free_unstarted(uv_handle_t *h)
{
	struct job *j = h->data;

	if (!--j->handles) {
		child_release(&j->child);
		free(j);
	}
}

struct job *job_start(struct loop *l, const struct job_spec *spec, const struct job_events *ev,
		      void *self, struct err *e)
{
	static const struct child_ops ops = { job_end_input, job_stop_listening, maybe_done };
	struct job *j = mem_new(sizeof(*j));
	uv_handle_t *ends[] = { (uv_handle_t *)&j->in, (uv_handle_t *)&j->out,
				(uv_handle_t *)&j->err };

	j->child = (struct child){ .loop = l,
				   .ops = &ops,
				   .self = j,
				   .grace_ms = spec->grace_ms,
				   .linger_ms = spec->grace_ms };
	j->ev = ev;
	j->self = self;
	j->outlives = spec->outlives;
	child_init(&j->child);
	uv_pipe_init(loop_uv(l), &j->in, 0);
	uv_pipe_init(loop_uv(l), &j->out, 0);
	uv_pipe_init(loop_uv(l), &j->err, 0);
	j->handles = 4;
	j->open_ends = 2;
	for (int i = 0; i < 3; i++)
		ends[i]->data = j;
	if (!job_spawn(j, spec, e)) {
		child_close(&j->child, free_unstarted);
		for (int i = 0; i < 3; i++)
			uv_close(ends[i], free_unstarted);
		return NULL;
	}
	uv_read_start((uv_stream_t *)&j->out, uv_room, read_end);
	uv_read_start((uv_stream_t *)&j->err, uv_room, read_end);
	return j;
}

struct write {
	uv_write_t uv;
	struct buf bytes;
};

static void written(uv_write_t *uv, int status)
{
	struct write *w = uv->data;

	(void)status; /* a child that reads no more shows itself by its exit */
	buf_release(&w->bytes);
	free(w);
}

void job_write(struct job *j, struct buf *bytes)
{
	struct write *w;
	uv_buf_t b;

	if (j->in_closed || !bytes->n) {
		buf_clear(bytes);
		return;
	}
	w = mem_new(sizeof(*w));
	w->uv.data = w;
	w->bytes = *bytes;
	*bytes = (struct buf)BUF_INIT;
	b = uv_buf_init(w->bytes.p, (unsigned)w->bytes.n);
	if (uv_write(&w->uv, (uv_stream_t *)&j->in, &b, 1, written))
		written(&w->uv, 0);
}

size_t job_unwritten(const struct job *j)
{
	return j->in_closed ? 0 : uv_stream_get_write_queue_size((const uv_stream_t *)&j->in);
}

static void input_ended(uv_shutdown_t *s, int status)
{
	struct job *j = s->handle->data;

	(void)status;
	close_once((uv_handle_t *)&j->in);
	free(s);
}

void job_eof(struct job *j)
{
	uv_shutdown_t *s;

	if (j->in_closed)
		return;
	j->in_closed = true;
	s = mem_new(sizeof(*s));
	if (uv_shutdown(s, (uv_stream_t *)&j->in, input_ended)) {
		free(s);
		close_once((uv_handle_t *)&j->in);
	}
}

void job_stop(struct job *j)
{
	child_stop(&j->child);
}

void job_leave(struct job *j)
{
	child_leave(&j->child);
}

void job_end(struct job *j)
{
	child_end(&j->child);
}

void job_kill(struct job *j)
{
	child_kill(&j->child);
}

long job_pid(const struct job *j)
{
	return j->child.pid;
}
