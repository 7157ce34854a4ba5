#include "pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../base/retry.h"
#include "child.h"
#include "core_file.h"

#define TURN_PARTS   8	  /* parts of output that are passed on before the loop goes on */
#define RESIZE_MS    15	  /* between two sizes that the program is told */
#define LINGER_MS    500  /* for what the program leaves behind */
#define BROKEN_READS 16	  /* in a row, before that is the end */
#define READ_MOST    4095 /* bytes that one read of a terminal gives, on Linux */

struct pty {
	struct child child;
	uv_poll_t poll;
	struct timer *resizer;
	const struct pty_events *ev;
	void *self;
	char *program, *cwd, *core;
	int master;
	struct buf input; /* what the terminal has not taken yet */
	unsigned rows, columns;
	bool ended; /* the output */
	bool paused, resizing;
	int watched; /* what is polled for: UV_READABLE, UV_WRITABLE */
	int broken;  /* reads in a row */
	int handles; /* not yet closed */
};

static void pty_watch(struct pty *p);

static void pty_free(struct pty *p)
{
	close(p->master);
	timer_free(p->resizer);
	child_release(&p->child);
	buf_release(&p->input);
	free(p->program);
	free(p->cwd);
	free(p->core);
	free(p);
}

static void pty_closed(uv_handle_t *h)
{
	struct pty *p = h->data;

	if (--p->handles)
		return;
	if (p->child.pid) {
		struct pty_end end = { p->child.end.status, p->child.end.signal, p->core };

		p->ev->done(p->self, &end);
	}
	pty_free(p);
}

static void pty_close(struct pty *p)
{
	child_close(&p->child, pty_closed);
	uv_close((uv_handle_t *)&p->poll, pty_closed);
}

static void pty_maybe_done(struct pty *p)
{
	if (p->child.exited && p->ended && !uv_is_closing((uv_handle_t *)&p->poll))
		pty_close(p);
}

static void pty_output_ended(void *self)
{
	struct pty *p = self;

	p->ended = true;
	buf_release(&p->input);
	uv_poll_stop(&p->poll);
	pty_maybe_done(p);
}

static void pty_stop_listening(void *self)
{
	struct pty *p = self;

	if (p->paused && p->child.stop < TERMINATED) { /* it is we who do not read */
		child_heard(&p->child);
		timer_set(p->child.timer, loop_now(p->child.loop) + LINGER_MS);
		return;
	}
	pty_output_ended(p);
}

static void pty_exited(void *self)
{
	struct pty *p = self;

	if (p->child.end.dumped)
		p->core = core_file_find(p->child.pid, p->program, p->cwd, p->child.end.signal);
	pty_maybe_done(p);
}

static void pty_end_input(void *self)
{
	struct pty *p = self;

	buf_release(&p->input);
}

/* What one read could not give: no more for now, or *over: for ever. */
static void pty_read_failed(struct pty *p, ssize_t got, bool *over)
{
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (got < 0 && errno != EIO) {
		log_line(LOG_WARN, "%s: cannot read its output: %s", p->program,
			 uv_strerror(-errno));
		*over = ++p->broken >= BROKEN_READS;
		return;
	}
	*over = true; /* EIO on Linux, the end of a file elsewhere */
}

/* As much as there is, while there is room for a whole read. One that gives less has emptied the
 * terminal, and is not followed by one that would find nothing: the loop says when there is more.
 */
static size_t pty_read(struct pty *p, char *room, size_t most, bool *over)
{
	ssize_t got = READ_MOST;
	size_t n = 0;

	while (got >= READ_MOST && most - n >= READ_MOST) {
		RETRY(got, read(p->master, room + n, most - n));
		if (got > 0)
			n += (size_t)got;
		else
			pty_read_failed(p, got, over);
	}
	if (n)
		p->broken = 0;
	return n;
}

static void pty_readable(struct pty *p)
{
	bool over = false;
	uv_buf_t room;

	uv_room((uv_handle_t *)&p->poll, 0, &room);
	for (int i = 0; i < TURN_PARTS && !over && !p->paused; i++) {
		size_t n = pty_read(p, room.base, room.len, &over);

		if (!n)
			break;
		child_heard(&p->child);
		p->ev->out(p->self, (struct str){ room.base, n });
		if (n < room.len / 2)
			break;
	}
	if (!over)
		return;
	pty_output_ended(p);
	if (p->broken >= BROKEN_READS)
		child_end(&p->child); /* it would wait for ever for somebody who reads */
}

static void pty_writable(struct pty *p)
{
	ssize_t n = 0;

	while (p->input.n && n >= 0) {
		RETRY(n, write(p->master, p->input.p, p->input.n));
		if (n > 0)
			buf_drop(&p->input, (size_t)n);
		else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			buf_release(&p->input); /* nobody is there to read it */
	}
	if (!p->input.n && p->ev->taken)
		p->ev->taken(p->self);
}

static void pty_ready(uv_poll_t *poll, int status, int events)
{
	struct pty *p = poll->data;

	if (status < 0) {
		p->watched = 0;	      /* libuv has stopped it */
		events = UV_READABLE; /* the read says why */
	}
	if (events & UV_WRITABLE && p->input.n)
		pty_writable(p);
	if (events & UV_READABLE && !p->paused)
		pty_readable(p);
	if (!p->ended)
		pty_watch(p);
}

static void pty_watch(struct pty *p)
{
	int events = (p->paused ? 0 : UV_READABLE) | (p->input.n ? UV_WRITABLE : 0);

	if (p->ended || events == p->watched || uv_is_closing((uv_handle_t *)&p->poll))
		return;
	p->watched = events;
	if (events)
		uv_poll_start(&p->poll, events, pty_ready);
	else
		uv_poll_stop(&p->poll);
}

/* The slave stays open until the program has it: a terminal that nobody holds has ended. */
static bool pty_open(struct pty *p, const struct pty_spec *spec, int *slave, struct err *e)
{
	struct winsize size = { .ws_row = (unsigned short)spec->rows,
				.ws_col = (unsigned short)spec->columns };
	const char *path;

	p->master = posix_openpt(O_RDWR | O_NOCTTY);
	if (p->master < 0)
		return err_set(e, ERR_LIMIT, "cannot open a pseudo-terminal: %s",
			       uv_strerror(-errno));
	fcntl(p->master, F_SETFD, FD_CLOEXEC);
	fcntl(p->master, F_SETFL, fcntl(p->master, F_GETFL) | O_NONBLOCK);
	path = grantpt(p->master) || unlockpt(p->master) ? NULL : ptsname(p->master);
	*slave = -1;
	if (path)
		RETRY(*slave, open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (*slave < 0) {
		err_set(e, ERR_LIMIT, "cannot open %s: %s", path ? path : "a pseudo-terminal",
			uv_strerror(-errno));
		close(p->master);
		return false;
	}
	if (spec->modes)
		tcsetattr(*slave, TCSANOW, spec->modes);
	ioctl(*slave, TIOCSWINSZ, &size);
	return true;
}

static bool pty_spawn(struct pty *p, const struct pty_spec *spec, struct err *e)
{
	char **env = spawn_environment(spec->set, spec->unset);
	struct spawn_spec spawn = { .argv = spec->argv,
				    .cwd = spec->cwd,
				    .env = env,
				    .tty = ptsname(p->master),
				    .tried = spec->tried };
	bool ok = child_start(&p->child, &spawn, e);

	free(env);
	return ok;
}

static void pty_tell_size(void *arg)
{
	struct pty *p = arg;
	struct winsize size = { .ws_row = (unsigned short)p->rows,
				.ws_col = (unsigned short)p->columns };

	if (p->resizing)
		ioctl(p->master, TIOCSWINSZ, &size);
	p->resizing = false;
}

struct pty *pty_start(struct loop *l, const struct pty_spec *spec, const struct pty_events *ev,
		      void *self, struct err *e)
{
	static const struct child_ops ops = { pty_end_input, pty_stop_listening, pty_exited };
	struct pty *p = mem_new(sizeof(*p));
	int slave = -1;
	bool ok;

	if (!pty_open(p, spec, &slave, e)) {
		free(p);
		return NULL;
	}
	p->child = (struct child){ .loop = l,
				   .ops = &ops,
				   .self = p,
				   .grace_ms = spec->grace_ms,
				   .linger_ms = LINGER_MS,
				   .session = true };
	p->ev = ev;
	p->self = self;
	p->rows = spec->rows;
	p->columns = spec->columns;
	p->program = mem_dup(spec->argv[0], strlen(spec->argv[0]));
	p->cwd = spec->cwd ? mem_dup(spec->cwd, strlen(spec->cwd)) : NULL;
	p->resizer = timer_new(l, pty_tell_size, p);
	child_init(&p->child);
	uv_poll_init(loop_uv(l), &p->poll, p->master);
	p->poll.data = p;
	p->handles = 2;
	ok = pty_spawn(p, spec, e);
	close(slave);
	if (ok)
		pty_watch(p);
	else
		pty_close(p);
	return ok ? p : NULL;
}

bool pty_write(struct pty *p, struct str bytes)
{
	ssize_t n = 0;

	if (p->ended)
		return true; /* nobody is there to read it */
	if (p->input.n + bytes.n > PTY_INPUT)
		return false;
	pty_tell_size(p); /* whoever typed this saw it */
	if (!p->input.n)
		RETRY(n, write(p->master, bytes.p, bytes.n));
	n = n > 0 ? n : 0;
	buf_add(&p->input, str_sub(bytes, (size_t)n, bytes.n));
	pty_watch(p);
	return true;
}

size_t pty_unwritten(const struct pty *p)
{
	return p->input.n;
}

bool pty_is_canonical(const struct pty *p)
{
	struct termios modes;

	return !tcgetattr(p->master, &modes) && modes.c_lflag & ICANON;
}

void pty_pause(struct pty *p, bool on)
{
	if (p->paused == on)
		return;
	p->paused = on;
	pty_watch(p);
}

void pty_resize(struct pty *p, unsigned rows, unsigned columns)
{
	if (p->rows == rows && p->columns == columns)
		return;
	p->rows = rows;
	p->columns = columns;
	if (!p->resizing)
		timer_set(p->resizer, loop_now(p->child.loop) + RESIZE_MS);
	p->resizing = true;
}

void pty_stop(struct pty *p)
{
	child_end(&p->child);
}

long pty_pid(const struct pty *p)
{
	return p->child.pid;
}
