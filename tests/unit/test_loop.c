// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "io/job.h"
#include "io/loop.h"
#include "io/peer_io.h"

/* loop_heard(): the same for as long as nothing new can have come. */

struct moments {
	struct loop *loop;
	struct timer *timer;
	struct peer_io *link[2];
	struct buf out; /* nothing is said */
	uint64_t at[8];
	size_t n;
};

static void note(void *arg)
{
	struct moments *m = arg;

	m->at[m->n++] = loop_heard(m->loop);
}

static struct moments begin(void)
{
	struct moments m = { .loop = loop_new(ERR_IGNORED), .out = BUF_INIT };

	assert_non_null(m.loop);
	assert_true(loop_heard(m.loop) > 0);
	return m;
}

static void test_one_turn(void **state)
{
	struct moments m = begin();

	(void)state;
	note(&m);
	loop_soon(m.loop, note, &m);
	loop_soon(m.loop, note, &m);
	loop_run(m.loop);
	loop_free(m.loop);
	assert_int_equal(3, m.n);
	assert_int_equal(m.at[0], m.at[1]);
	assert_int_equal(m.at[1], m.at[2]);
}

static void after_wait(void *arg)
{
	struct moments *m = arg;

	note(m);
	timer_free(m->timer);
}

static void test_wait(void **state)
{
	struct moments m = begin();

	(void)state;
	m.timer = timer_new(m.loop, after_wait, &m);
	note(&m);
	timer_set(m.timer, loop_now(m.loop) + 1);
	loop_run(m.loop);
	loop_free(m.loop);
	assert_int_equal(2, m.n);
	assert_true(m.at[0] < m.at[1]);
}

/* In how many turns a loop waits for so many milliseconds. */
static uint64_t turns_of(uint64_t ms, bool expects, bool no_more)
{
	struct moments m = begin();

	m.timer = timer_new(m.loop, after_wait, &m);
	note(&m);
	timer_set(m.timer, loop_now(m.loop) + ms);
	if (expects)
		loop_expects_many(m.loop, true);
	if (no_more)
		loop_expects_many(m.loop, false);
	loop_run(m.loop);
	loop_free(m.loop);
	assert_int_equal(2, m.n);
	return m.at[1] - m.at[0];
}

/* A nap ends before anything comes, but if nothing does there are only so many. */
static void test_many_answers(void **state)
{
	uint64_t plain = turns_of(20, false, false), many = turns_of(20, true, false);

	(void)state;
	assert_in_range(many, plain + 1, plain + 12);
	assert_in_range(turns_of(20, true, true), plain, plain + 1); /* a timer may be early */
}

static bool take(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct moments *m = self;

	(void)bytes, (void)now, (void)e;
	note(m);
	return true;
}

static struct buf *out(void *self)
{
	return &((struct moments *)self)->out;
}

static void turn(void *self, uint64_t now)
{
	(void)self, (void)now;
}

static uint64_t deadline(void *self)
{
	(void)self;
	return UINT64_MAX;
}

static void ended(void *self, const struct err *e)
{
	struct moments *m = self;

	(void)e;
	for (int i = 0; m->n == 2 && i < 2; i++) {
		peer_io_free(m->link[i]);
		m->link[i] = NULL;
	}
}

/* Both are there before the loop runs, and are read in one turn. */
static void test_each_reading(void **state)
{
	struct moments m = begin();
	struct peer_io_spec spec = { .self = &m,
				     .turn = turn,
				     .deadline = deadline,
				     .ended = ended,
				     .feed = take,
				     .out = out };
	int pair[2][2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]));
		assert_int_equal(1, write(pair[i][1], "x", 1));
		close(pair[i][1]);
		m.link[i] = peer_io_socket(m.loop, &spec, pair[i][0]);
	}
	loop_run(m.loop);
	loop_free(m.loop);
	assert_int_equal(2, m.n);
	assert_true(m.at[0] < m.at[1]);
}

static void on_reply(void *arg, struct msg *m, const struct err *e)
{
	(void)arg, (void)m, (void)e;
}

static void job_out(void *self, struct str bytes)
{
	(void)self, (void)bytes;
}

static void job_done(void *self, int status, int signal)
{
	(void)self, (void)status, (void)signal;
}

static void say(struct peer *p, struct peer_io *link, int calls)
{
	for (int i = 0; i < calls; i++)
		peer_call(p, "ask", NULL, 0, 0, on_reply, NULL);
	peer_io_wake(link);
	peer_io_hurry(link);
}

static void hear(struct peer_io *link, int first, int last)
{
	struct buf line SCOPED(buf_release) = BUF_INIT;

	for (int id = first; id <= last; id++)
		buf_addf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":null}\n", id);
	peer_io_read(link, buf_str(&line));
}

/* Six questions to a program are many, until one is left. */
static void test_many_questions(void **state)
{
	static const struct job_events events = { job_out, job_out, job_done };
	static const struct peer_handler handler = { 0 };
	static const char *const argv[] = { "cat", "/dev/null", "-", NULL };
	struct job_spec spec = { .argv = argv, .cwd = "/", .grace_ms = 1000 };
	struct moments m = begin();
	struct peer *p = peer_new(&codec_lines, 1 << 20, PEER_CANCEL_SILENT, &handler, &m);
	struct peer_io_spec link_spec = { .peer = p, .self = &m, .ended = ended };
	struct job *job = job_start(m.loop, &spec, &events, &m, ERR_IGNORED);
	struct peer_io *link = peer_io_job(m.loop, &link_spec, job);

	(void)state;
	say(p, link, 5);
	assert_false(loop_naps(m.loop));
	say(p, link, 1);
	assert_true(loop_naps(m.loop));
	hear(link, 1, 4);
	assert_true(loop_naps(m.loop));
	hear(link, 5, 5);
	assert_false(loop_naps(m.loop));
	job_kill(job);
	peer_io_cut(link);
	peer_io_free(link);
	loop_run(m.loop);
	peer_free(p);
	loop_free(m.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_turn),       cmocka_unit_test(test_wait),
		cmocka_unit_test(test_each_reading),   cmocka_unit_test(test_many_answers),
		cmocka_unit_test(test_many_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
