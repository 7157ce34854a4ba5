#include "terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../base/retry.h"
#include "../io/spawn.h"

#define LINE_MOST (4u << 20) /* bytes; what is longer ends the input */

void terminal_init(struct terminal *t, struct loop *l, const char *path)
{
	*t = (struct terminal){ .loop = l, .path = path, .wake = { -1, -1 } };
}

void terminal_release(struct terminal *t)
{
	for (int i = 0; i < 2; i++)
		if (t->wake[i] >= 0)
			close(t->wake[i]);
	buf_release(&t->kept);
	t->wake[0] = t->wake[1] = -1;
}

static bool terminal_has_line(const struct terminal *t)
{
	return t->kept.n && memchr(t->kept.p, '\n', t->kept.n);
}

/* False: it was cancelled, or there is no more. */
static bool terminal_read_more(struct terminal *t, int fd)
{
	struct pollfd p[2] = { { fd, POLLIN, 0 }, { t->wake[0], POLLIN, 0 } };
	ssize_t n;

	RETRY(n, poll(p, 2, -1));
	if (n < 0 || p[1].revents)
		return false;
	RETRY(n, read(fd, buf_room(&t->kept, 4096), 4096));
	if (n <= 0)
		return false;
	t->kept.n += (size_t)n;
	buf_end(&t->kept);
	return t->kept.n <= LINE_MOST;
}

static void terminal_work(void *arg)
{
	struct terminal *t = arg;
	int fd = STDIN_FILENO;

	if (t->path)
		RETRY(fd, open(t->path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	while (fd >= 0 && !terminal_has_line(t) && terminal_read_more(t, fd))
		;
	if (fd >= 0 && t->path)
		close(fd);
}

static void terminal_start(struct terminal *t);

static void terminal_worked(void *arg)
{
	struct terminal *t = arg;
	const char *end = t->kept.n ? memchr(t->kept.p, '\n', t->kept.n) : NULL;
	struct buf line SCOPED(buf_release) = BUF_INIT;
	size_t n = end ? (size_t)(end - t->kept.p) : t->kept.n;
	struct str said;

	t->reading = false;
	if (t->again) {
		terminal_start(t);
		return;
	}
	if (t->cancelled || !t->kept.n) {
		t->fn(t->arg, NULL);
		return;
	}
	buf_add(&line, str_sub(buf_str(&t->kept), 0, n));
	buf_drop(&t->kept, n + (end != NULL));
	said = buf_str(&line);
	t->fn(t->arg, &said);
}

static void terminal_make_wake(struct terminal *t)
{
	if (!spawn_private_pipe(t->wake)) {
		t->wake[0] = t->wake[1] = -1;
		return;
	}
	for (int i = 0; i < 2; i++)
		fcntl(t->wake[i], F_SETFL, O_NONBLOCK);
}

static void terminal_start(struct terminal *t)
{
	char old;

	t->reading = true;
	t->cancelled = t->again = false;
	if (t->wake[0] < 0)
		terminal_make_wake(t);
	while (t->wake[0] >= 0 && read(t->wake[0], &old, 1) > 0)
		; /* of one that was cancelled */
	loop_work(t->loop, terminal_work, terminal_worked, t);
}

void terminal_read(struct terminal *t, terminal_line *fn, void *arg)
{
	t->fn = fn;
	t->arg = arg;
	if (t->reading)
		t->again = true; /* the other thread has not heard yet that it was cancelled */
	else
		terminal_start(t);
}

void terminal_cancel(struct terminal *t)
{
	if (!t->reading || t->cancelled)
		return;
	t->cancelled = true;
	if (t->wake[1] >= 0)
		(void)!write(t->wake[1], "", 1);
}
