// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_turn),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_each_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
