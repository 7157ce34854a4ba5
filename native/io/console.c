#include "console.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/mem.h"
#include "../base/retry.h"
#include "loop_uv.h"

/*
 * A descriptor that others hold as well must not become non-blocking: a terminal is opened again,
 * and of a pipe no more is written at once than poll() has seen room for.
 */
struct console_end {
	uv_poll_t poll;
	int fd;
	bool polled; /* a file is always ready */
	bool own;    /* it was opened again */
	bool over;
};

struct console {
	struct loop *loop;
	const struct console_events *ev;
	void *self;
	struct console_end in, out;
	uv_signal_t winch, resumed;
	struct termios modes;
	bool terminal;
	bool reading, soon; /* soon: the next part of a file */
	struct buf waiting; /* to be written */
	bool closed;
	int handles;
};

/* For what ends this process meanwhile: there is one terminal. */
static struct termios saved_modes;
static volatile sig_atomic_t raw;

static void console_restore(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved_modes);
	raw = 0;
}

static void console_restore_and_die(int number)
{
	console_restore();
	signal(number, SIG_DFL);
	raise(number);
}

static void console_make_raw(struct console *c)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT };
	static bool registered;
	struct termios modes = c->modes;

	saved_modes = c->modes;
	cfmakeraw(&modes);
	if (tcsetattr(STDIN_FILENO, TCSANOW, &modes))
		return;
	raw = 1;
	if (registered)
		return;
	registered = true;
	atexit(console_restore);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		signal(deadly[i], console_restore_and_die);
}

static int console_open_again(int fd, int flags)
{
	const char *name = ttyname(fd);
	int again = -1;

	if (name)
		RETRY(again, open(name, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
	return again;
}

static void console_open_end(struct console *c, struct console_end *end, int fd, int flags)
{
	int again = isatty(fd) ? console_open_again(fd, flags) : -1;
	struct stat st;

	end->own = again >= 0;
	end->fd = end->own ? again : fd;
	end->over = fstat(fd, &st) != 0;
	end->polled = !end->over && !S_ISREG(st.st_mode) &&
		      !uv_poll_init(loop_uv(c->loop), &end->poll, end->fd);
	end->poll.data = c;
	c->handles += end->polled;
}

static void console_closed(uv_handle_t *h)
{
	struct console *c = h->data;

	if (--c->handles)
		return;
	if (c->in.own)
		close(c->in.fd);
	if (c->out.own)
		close(c->out.fd);
	buf_release(&c->waiting);
	free(c);
}

static void console_resized(uv_signal_t *s, int number)
{
	struct console *c = s->data;

	if (number == SIGCONT && c->terminal)
		console_make_raw(c); /* a shell may have set it otherwise */
	c->ev->resized(c->self);
}

static void console_watch_signal(struct console *c, uv_signal_t *s, int number)
{
	uv_signal_init(loop_uv(c->loop), s);
	s->data = c;
	uv_signal_start(s, console_resized, number);
	uv_unref((uv_handle_t *)s);
	c->handles++;
}

struct console *console_open(struct loop *l, const struct console_events *ev, void *self)
{
	struct console *c = mem_new(sizeof(*c));

	c->loop = l;
	c->ev = ev;
	c->self = self;
	console_open_end(c, &c->in, STDIN_FILENO, O_RDONLY);
	console_open_end(c, &c->out, STDOUT_FILENO, O_WRONLY);
	c->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
		      !tcgetattr(STDIN_FILENO, &c->modes);
	if (c->terminal)
		console_make_raw(c);
	console_watch_signal(c, &c->winch, SIGWINCH);
	console_watch_signal(c, &c->resumed, SIGCONT);
	return c;
}

bool console_has_terminal(const struct console *c)
{
	return c->terminal;
}

void console_size(const struct console *c, unsigned *rows, unsigned *columns)
{
	struct winsize size = { 0 };

	if (c->terminal)
		ioctl(c->out.fd, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : 24;
	*columns = size.ws_col ? size.ws_col : 80;
}

const struct termios *console_modes(const struct console *c)
{
	return c->terminal ? &c->modes : NULL;
}

static void console_in_over(struct console *c)
{
	c->in.over = true;
	if (c->in.polled)
		uv_poll_stop(&c->in.poll);
	c->ev->in_ended(c->self);
}

static void console_read_some(struct console *c)
{
	uv_buf_t room;
	ssize_t n;

	uv_room((uv_handle_t *)&c->winch, 0, &room);
	RETRY(n, read(c->in.fd, room.base, room.len));
	if (n > 0)
		c->ev->in(c->self, (struct str){ room.base, (size_t)n });
	else if (!n || (errno != EAGAIN && errno != EWOULDBLOCK))
		console_in_over(c);
}

static void console_in_ready(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	console_read_some(poll->data);
}

static void console_read_file(void *arg)
{
	struct console *c = arg;

	c->soon = false;
	if (c->closed) {
		console_closed((uv_handle_t *)&c->winch);
		return;
	}
	c->handles--;
	if (c->reading && !c->in.over)
		console_read_some(c);
	if (c->reading)
		console_read(c, true);
}

void console_read(struct console *c, bool on)
{
	c->reading = on;
	if (c->in.over)
		return;
	if (c->in.polled && on) {
		uv_poll_start(&c->in.poll, UV_READABLE, console_in_ready);
	} else if (c->in.polled) {
		uv_poll_stop(&c->in.poll);
	} else if (on && !c->soon) {
		c->soon = true;
		c->handles++;
		loop_soon(c->loop, console_read_file, c);
	}
}

/* How much can be written now without waiting; 0: nothing. */
static size_t console_room(const struct console *c)
{
	struct pollfd p = { c->out.fd, POLLOUT, 0 };

	if (c->out.own || !c->out.polled)
		return SIZE_MAX;
	return poll(&p, 1, 0) == 1 ? 4096 : 0; /* PIPE_BUF: a pipe with room has so much */
}

static void console_write_out(struct console *c, struct str *bytes)
{
	size_t room;
	ssize_t n;

	while (bytes->n && !c->out.over && (room = console_room(c))) {
		RETRY(n, write(c->out.fd, bytes->p, bytes->n < room ? bytes->n : room));
		if (n >= 0)
			*bytes = str_sub(*bytes, (size_t)n, bytes->n);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		else
			c->out.over = true;
	}
}

static void console_out_over(void *arg)
{
	struct console *c = arg;

	if (c->closed) {
		console_closed((uv_handle_t *)&c->winch);
		return;
	}
	c->handles--;
	c->ev->out_ended(c->self);
}

static void console_out_ready(uv_poll_t *poll, int status, int events)
{
	struct console *c = poll->data;
	struct str rest = buf_str(&c->waiting);

	(void)status;
	(void)events;
	console_write_out(c, &rest);
	if (c->out.over)
		rest.n = 0;
	buf_drop(&c->waiting, c->waiting.n - rest.n);
	if (rest.n)
		return;
	uv_poll_stop(poll);
	c->ev->drained(c->self);
	if (c->out.over)
		c->ev->out_ended(c->self);
}

void console_write(struct console *c, struct str bytes)
{
	bool was_over = c->out.over;

	if (!c->waiting.n)
		console_write_out(c, &bytes);
	if (c->out.over && !was_over) {
		c->handles++;
		loop_soon(c->loop, console_out_over, c);
	}
	if (c->out.over || !bytes.n)
		return;
	if (!c->waiting.n)
		uv_poll_start(&c->out.poll, UV_WRITABLE, console_out_ready);
	buf_add(&c->waiting, bytes);
}

size_t console_unwritten(const struct console *c)
{
	return c->waiting.n;
}

void console_close(struct console *c)
{
	c->closed = true;
	console_restore();
	if (c->in.polled)
		uv_close((uv_handle_t *)&c->in.poll, console_closed);
	if (c->out.polled)
		uv_close((uv_handle_t *)&c->out.poll, console_closed);
	uv_close((uv_handle_t *)&c->winch, console_closed);
	uv_close((uv_handle_t *)&c->resumed, console_closed);
}
