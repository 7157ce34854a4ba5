#ifndef PTY_RIG_H
#define PTY_RIG_H

/* A program in a pseudo-terminal, and what is to happen with its output. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/pty.h"

struct program {
	struct loop *loop;
	struct pty *pty;
	struct buf out, tried;
	int done, status, signal;
	char *core;
	size_t counted;
	const char *reply; /* to the first output */
	void (*then)(struct program *);
};

/* The grace has to be short where it must run out, and long where it must not. */
#define SHORT 50
#define LONG  600000

static void on_out(void *self, struct str bytes)
{
	struct program *p = self;

	assert_int_equal(p->done, 0);
	p->counted += bytes.n;
	if (p->out.n < 1 << 20)
		buf_add(&p->out, bytes);
	if (p->reply) {
		assert_true(pty_write(p->pty, str_of(p->reply)));
		p->reply = NULL;
	} else if (p->then) {
		p->then(p);
	}
}

static void on_done(void *self, const struct pty_end *end)
{
	struct program *p = self;

	p->done++;
	p->status = end->status;
	p->signal = end->signal;
	p->core = end->core ? strdup(end->core) : NULL;
}

static const struct pty_events pty_rig_events = { on_out, NULL, on_done };

static inline struct pty_spec shell(const char *const *argv, uint64_t grace_ms)
{
	return (struct pty_spec){
		.argv = argv, .cwd = "/", .rows = 24, .columns = 80, .grace_ms = grace_ms
	};
}

/* Where there are no pseudo-terminals, as without /dev/pts, a test fails and says so. */
static inline void start_as(struct program *p, struct loop *loop, const struct pty_spec *spec)
{
	struct err e = ERR_INIT;

	p->loop = loop;
	p->pty = pty_start(loop, spec, &pty_rig_events, p, &e);
	if (!p->pty)
		fail_msg("%s", e.msg);
}

static inline void start(struct program *p, const char *script, uint64_t grace_ms)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct pty_spec spec = shell(argv, grace_ms);

	start_as(p, loop_new(ERR_IGNORED), &spec);
}

static inline void finish(struct program *p)
{
	loop_run(p->loop); /* ends when nothing is left to wait for */
	assert_int_equal(p->done, 1);
	loop_free(p->loop);
	buf_release(&p->out);
	buf_release(&p->tried);
	free(p->core);
}

static inline void printed(struct program *p, const char *script, const char *output)
{
	start(p, script, LONG);
	loop_run(p->loop);
	assert_string_equal(buf_str(&p->out).p, output);
	finish(p);
}

#endif
