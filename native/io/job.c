#include "job.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/mem.h"
#include "loop_uv.h"
#include "orphan_killer.h"
#include "spawn.h"

/*
 * Ends twice, by exit and by the end of its output, in either order:
 *
 *   RUNNING --exit--> exited --both ends--> done
 *   RUNNING --ends--> silent --exit-------> done
 *
 * Only then is it waited for: the number of a process that was, and with it that of its group, may
 * be another's. libuv's own processes are waited for before anybody is told, hence spawn.h.
 */
enum stop_step { NOT_STOPPING, LEAVING, INPUT_CLOSED, TERMINATED, KILLED };

struct job {
	uv_signal_t child; /* something has ended */
	pid_t pid;	   /* 0: not started */
	uv_pipe_t in, out, err;
	struct timer *timer;
	struct loop *loop;
	const struct job_events *ev;
	void *self;
	uint64_t grace_ms;
	enum stop_step stop;
	enum { NOT_LOOKED, QUIET, HEARD } listening; /* after the exit */
	bool exited, in_closed;
	bool outlives; /* its output */
	int open_ends; /* of out and err */
	int handles;   /* not yet closed */
	int status, signal;
};

static void maybe_done(struct job *j);

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
static void maybe_done(struct job *j)
{
	if (!j->exited || j->open_ends)
		return;
	if (j->handles) {
		close_once((uv_handle_t *)&j->child);
		close_once((uv_handle_t *)&j->in);
		return;
	}
	timer_free(j->timer);
	orphan_killer_forget(j->pid);
	spawn_reap(j->pid);
	j->ev->done(j->self, j->status, j->signal);
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

	if (n > 0 && j->listening == QUIET)
		j->listening = HEARD;
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

/* Its leader has not been waited for, so the group is this job's, or empty. */
static void signal_group(struct job *j, int number)
{
	if (kill(-j->pid, number) && !j->exited)
		kill(j->pid, number);
}

static void child_ended(uv_signal_t *s, int number)
{
	struct job *j = s->data;

	(void)number;
	if (!j->pid || j->exited || !spawn_ended(j->pid, &j->status, &j->signal))
		return;
	j->exited = true;
	uv_signal_stop(s);
	if (j->stop == TERMINATED)
		signal_group(j, SIGKILL); /* what it has left behind */
	timer_set(j->timer, loop_now(j->loop) + j->grace_ms);
	maybe_done(j);
}

static void stop_listening(struct job *j)
{
	uv_pipe_t *ends[] = { &j->out, &j->err };

	for (int i = 0; i < 2; i++)
		if (!uv_is_closing((uv_handle_t *)ends[i]))
			uv_close((uv_handle_t *)ends[i], end_closed);
}

/* The child has ended and its output goes on: a grandchild holds the pipes, or this machine
 * is slow. What was left behind is killed, which ends the output; only when nothing more has been
 * read between two looks does somebody else hold the pipes. One that was told to end is not waited
 * for as long as somebody else prints. */
static void outlast(struct job *j)
{
	if (j->listening == QUIET || (j->listening == HEARD && j->stop >= TERMINATED)) {
		stop_listening(j);
		return;
	}
	if (j->listening == NOT_LOOKED)
		signal_group(j, SIGKILL);
	j->listening = QUIET;
	timer_set(j->timer, loop_now(j->loop) + j->grace_ms);
}

static void on_timer(void *arg)
{
	struct job *j = arg;

	if (j->exited) {
		outlast(j);
		return;
	}
	if (j->stop == LEAVING) {
		job_stop(j);
		return;
	}
	signal_group(j, j->stop < TERMINATED ? SIGTERM : SIGKILL);
	j->stop = j->stop < TERMINATED ? TERMINATED : KILLED;
	timer_set(j->timer, loop_now(j->loop) + j->grace_ms);
}

static bool is_set(const char *const *env, const char *pair)
{
	size_t name = strcspn(pair, "=") + 1;

	for (; *env; env++)
		if (!strncmp(*env, pair, name))
			return true;
	return false;
}

/* This program's own, less what is set in `over`. */
static char **environment(const char *const *over)
{
	size_t n = 0, all = 0;
	char **v;

	while (over[n])
		n++;
	while (environ[all])
		all++;
	v = mem_new((n + all + 1) * sizeof(*v));
	memcpy(v, over, n * sizeof(*v));
	for (char **pair = environ; *pair; pair++)
		if (!is_set(over, *pair))
			v[n++] = *pair;
	return v;
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

static bool spawn(struct job *j, const struct job_spec *spec, struct err *e)
{
	uv_pipe_t *ours[] = { &j->in, &j->out, &j->err };
	char **env;
	int pairs[3][2], fds[3];
	pid_t pid = 0;
	bool ok;

	if (!make_pairs(pairs, e))
		return false;
	for (int i = 0; i < 3; i++)
		fds[i] = pairs[i][1];
	env = spec->env ? environment(spec->env) : NULL;
	ok = spawn_group(spec->argv, spec->cwd, env, fds, &pid, e);
	free(env);
	for (int i = 0; i < 3; i++) {
		close(pairs[i][1]);
		if (!ok || uv_pipe_open(ours[i], pairs[i][0]))
			close(pairs[i][0]);
	}
	j->pid = pid;
	if (ok)
		orphan_killer_watch(pid);
	return ok;
}

static void free_unstarted(uv_handle_t *h)
{
	struct job *j = h->data;

	if (!--j->handles) {
		timer_free(j->timer);
		free(j);
	}
}

struct job *job_start(struct loop *l, const struct job_spec *spec, const struct job_events *ev,
		      void *self, struct err *e)
{
	struct job *j = mem_new(sizeof(*j));
	uv_handle_t *all[] = { (uv_handle_t *)&j->child, (uv_handle_t *)&j->in,
			       (uv_handle_t *)&j->out, (uv_handle_t *)&j->err };

	j->loop = l;
	j->ev = ev;
	j->self = self;
	j->grace_ms = spec->grace_ms;
	j->outlives = spec->outlives;
	j->timer = timer_new(l, on_timer, j);
	uv_signal_init(loop_uv(l), &j->child);
	uv_pipe_init(loop_uv(l), &j->in, 0);
	uv_pipe_init(loop_uv(l), &j->out, 0);
	uv_pipe_init(loop_uv(l), &j->err, 0);
	j->handles = 4;
	j->open_ends = 2;
	for (int i = 0; i < 4; i++)
		all[i]->data = j;
	uv_signal_start(&j->child, child_ended, SIGCHLD); /* before there is a child to miss */
	if (!spawn(j, spec, e)) {
		for (int i = 0; i < 4; i++)
			uv_close(all[i], free_unstarted);
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
	if (j->stop > LEAVING)
		return;
	j->stop = INPUT_CLOSED;
	job_eof(j);
	if (!j->exited)
		timer_set(j->timer, loop_now(j->loop) + j->grace_ms);
}

void job_leave(struct job *j)
{
	if (j->stop != NOT_STOPPING || j->exited)
		return;
	j->stop = LEAVING;
	timer_set(j->timer, loop_now(j->loop) + j->grace_ms);
}

void job_end(struct job *j)
{
	if (j->stop >= TERMINATED)
		return;
	j->stop = INPUT_CLOSED;
	job_eof(j);
	if (!j->exited) {
		on_timer(j);
		return;
	}
	j->stop = KILLED;
	signal_group(j, SIGKILL);
	stop_listening(j);
}

void job_kill(struct job *j)
{
	if (j->exited)
		return;
	j->stop = KILLED;
	signal_group(j, SIGKILL);
}

long job_pid(const struct job *j)
{
	return j->pid;
}

bool job_find(const char *program, struct buf *out)
{
	struct str path = str_of(getenv("PATH"));

	if (strchr(program, '/')) {
		buf_adds(out, program);
		return access(program, X_OK) == 0;
	}
	while (path.n) {
		const char *colon = memchr(path.p, ':', path.n);
		size_t n = colon ? (size_t)(colon - path.p) : path.n;
		size_t before = out->n;

		buf_add(out, n ? str_sub(path, 0, n) : STR("."));
		buf_addc(out, '/');
		buf_adds(out, program);
		if (!access(out->p + before, X_OK))
			return true;
		out->n = before;
		buf_end(out);
		path = str_sub(path, n + (colon ? 1 : 0), path.n);
	}
	return false;
}
