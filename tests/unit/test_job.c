// links: full
/* Children end twice, by exit and by the end of their output; every way leads to one `done`. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/job.h"
#include "io/spawn.h"

struct child {
	struct loop *loop;
	struct job *job;
	struct timer *timer;
	struct buf out, err;
	int done, status, signal;
	bool stop_at_output;
	int reads; /* since it has ended */
	pid_t pid;
};

static void on_out(void *self, struct str bytes)
{
	struct child *c = self;

	assert_int_equal(c->done, 0);
	buf_add(&c->out, bytes);
	if (c->stop_at_output)
		job_stop(c->job);
}

static void on_err(void *self, struct str bytes)
{
	struct child *c = self;

	assert_int_equal(c->done, 0);
	buf_add(&c->err, bytes);
}

static void on_done(void *self, int status, int number)
{
	struct child *c = self;

	c->done++;
	c->status = status;
	c->signal = number;
}

static const struct job_events events = { on_out, on_err, on_done };

/* The grace has to be short where it must run out, and long where it must not. */
#define SHORT 50
#define LONG  600000

static void start_with(struct child *c, const struct job_events *ev, const char *script,
		       uint64_t grace_ms, bool outlives)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct job_spec spec = { argv, "/", grace_ms, NULL, outlives, NULL };
	struct err e = ERR_INIT;

	c->loop = loop_new(&e);
	c->job = job_start(c->loop, &spec, ev, c, &e);
	if (!c->job)
		fail_msg("%s", e.msg);
}

static void start(struct child *c, const char *script, uint64_t grace_ms)
{
	start_with(c, &events, script, grace_ms, false);
}

static void finish(struct child *c)
{
	loop_run(c->loop); /* ends when nothing is left to wait for */
	assert_int_equal(c->done, 1);
	loop_free(c->loop);
	buf_release(&c->out);
	buf_release(&c->err);
}

static void all_output_comes_before_the_end(void **state)
{
	struct child c = { 0 };

	(void)state;
	start(&c, "head -c 1000000 /dev/zero; echo oops >&2; exit 7", SHORT);
	loop_run(c.loop);
	assert_int_equal(c.out.n, 1000000);
	assert_string_equal(c.err.p, "oops\n");
	assert_int_equal(c.status, 7);
	assert_int_equal(c.signal, 0);
	finish(&c);
}

static void input_arrives_in_order_and_ends(void **state)
{
	struct child c = { 0 };
	struct buf in = BUF_INIT;

	(void)state;
	start(&c, "cat; echo end", LONG);
	buf_adds(&in, "one ");
	job_write(c.job, &in);
	buf_adds(&in, "two ");
	job_write(c.job, &in);
	job_eof(c.job);
	buf_adds(&in, "late");
	job_write(c.job, &in);
	loop_run(c.loop);
	assert_string_equal(c.out.p, "one two end\n");
	buf_release(&in);
	finish(&c);
}

static void a_grandchild_that_keeps_the_pipes_delays_nothing_for_ever(void **state)
{
	struct child c = { 0 };

	(void)state;
	start(&c, "tail -f /dev/null & echo started", SHORT);
	loop_run(c.loop);
	assert_string_equal(c.out.p, "started\n");
	finish(&c);
}

static void a_deaf_child_is_killed_in_the_end(void **state)
{
	struct child c = { .stop_at_output = true };

	(void)state;
	start(&c, "trap '' TERM; echo deaf; tail -f /dev/null", SHORT);
	loop_run(c.loop);
	assert_string_equal(c.out.p, "deaf\n");
	assert_int_equal(c.signal, SIGKILL);
	finish(&c);
}

static void one_that_listens_goes_when_its_input_ends(void **state)
{
	struct child c = { .stop_at_output = true };

	(void)state;
	start(&c, "echo ready; cat; exit 3", LONG);
	loop_run(c.loop);
	assert_int_equal(c.status, 3);
	assert_int_equal(c.signal, 0);
	finish(&c);
}

static void end_at_output(void *self, struct str bytes)
{
	struct child *c = self;

	on_out(c, bytes);
	job_end(c->job);
}

/* The grandchild holds no pipe: nothing but the group tells of it. Its end closes the fifo. */
static void what_it_started_ends_with_it(void **state)
{
	static const struct job_events ending = { end_at_output, on_err, on_done };
	char dir[] = "/tmp/oxide-job-XXXXXX", fifo[64], script[200];
	struct child c = { 0 };
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	snprintf(script, sizeof(script),
		 "(trap '' TERM; exec tail -f /dev/null) >%s 2>&1 & echo started; wait", fifo);
	start_with(&c, &ending, script, LONG, false);
	loop_run(c.loop);
	assert_int_equal(c.signal, SIGTERM);
	fcntl(fd, F_SETFL, 0);
	assert_int_equal(read(fd, script, 1), 0); /* waits for the last writer to end */
	close(fd);
	unlink(fifo);
	rmdir(dir);
	finish(&c);
}

#define READS 200 /* more than the loop does in one turn: the job has heard of the end by then */

/* Its number is still its own, or a group of somebody else's would be signalled. */
static void end_when_it_is_gone(void *self, struct str bytes)
{
	struct child *c = self;
	struct spawn_end end;

	(void)bytes;
	c->reads += spawn_ended((pid_t)job_pid(c->job), &end);
	if (c->reads < READS)
		return;
	assert_int_equal(kill((pid_t)job_pid(c->job), 0), 0);
	c->pid = (pid_t)job_pid(c->job);
	job_end(c->job);
}

static void end_unread(void *self, struct str bytes)
{
	struct child *c = self;

	(void)bytes;
	job_end(c->job);
}

/* It has left the group, so that no signal reaches it. */
static void a_daemon_that_prints_for_ever_is_not_listened_to_for_ever(void **state)
{
	static const struct job_events gone = { end_when_it_is_gone, on_err, on_done };
	static const struct job_events now = { end_unread, on_err, on_done };
	struct child a = { 0 }, b = { 0 };

	(void)state;
	start_with(&a, &gone, "setsid yes &", LONG, false);
	finish(&a);
	assert_int_equal(kill(a.pid, 0), -1);
	start_with(&b, &now, "setsid yes & wait", SHORT, false);
	finish(&b);
	assert_int_equal(b.signal, SIGTERM);
}

static void leave_at_output(void *self, struct str bytes)
{
	struct child *c = self;
	struct buf go = BUF_INIT;

	on_out(c, bytes);
	if (c->out.n == strlen("ready\n")) {
		job_leave(c->job);
		buf_adds(&go, "go\n");
		job_write(c->job, &go);
	}
}

/* What is written after job_leave() arrives, and time is given to act on it. */
static void one_that_is_told_to_leave_can_still_read(void **state)
{
	static const struct job_events leaving = { leave_at_output, on_err, on_done };
	struct child c = { 0 }, deaf = { 0 };

	(void)state;
	start_with(&c, &leaving, "echo ready; read word; echo $word; exit 3", LONG, false);
	loop_run(c.loop);
	assert_string_equal(c.out.p, "ready\ngo\n");
	assert_int_equal(c.status, 3);
	finish(&c);
	start_with(&deaf, &leaving, "trap '' TERM; echo ready; tail -f /dev/null", SHORT, false);
	loop_run(deaf.loop);
	assert_int_equal(deaf.signal, SIGKILL);
	finish(&deaf);
}

static void die_at_output(void *self, struct str bytes)
{
	(void)self;
	(void)bytes;
	kill(getpid(), SIGKILL);
}

/* A core that is killed, with a child that knows neither the end of its input nor TERM. */
static void what_it_started_does_not_outlive_a_killed_core(void **state)
{
	static const struct job_events dying = { die_at_output, on_err, on_done };
	char dir[] = "/tmp/oxide-job-XXXXXX", fifo[64], script[200];
	int fd, status;
	pid_t core;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	snprintf(script, sizeof(script),
		 "exec 3>%s; trap '' TERM HUP; tail -f /dev/null & echo ready; wait", fifo);
	core = fork();
	if (!core) {
		struct child c = { 0 };

		start_with(&c, &dying, script, LONG, false);
		loop_run(c.loop);
		_exit(1);
	}
	assert_int_equal(waitpid(core, &status, 0), core);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	fcntl(fd, F_SETFL, 0);
	assert_int_equal(read(fd, script, 1), 0); /* waits for the last writer to end */
	close(fd);
	unlink(fifo);
	rmdir(dir);
}

static void let_go_on(void *arg)
{
	struct child *c = arg;
	struct buf go = BUF_INIT;

	buf_adds(&go, "go\n");
	job_write(c->job, &go);
}

/* A timer of the job's own that began with the end of the output would go off before this one. */
static void go_on_after_the_grace(void *self, struct str bytes)
{
	struct child *c = self;

	on_err(c, bytes);
	if (str_eq(buf_str(&c->err), STR("ended\n")))
		timer_set(c->timer, loop_now(c->loop) + SHORT * 4);
}

static void one_may_end_its_output_and_go_on(void **state)
{
	static const struct job_events going_on = { on_out, go_on_after_the_grace, on_done };
	struct child c = { 0 };

	(void)state;
	start_with(&c, &going_on, "exec >&-; echo ended >&2; read word; echo late >&2; exit 5",
		   SHORT, true);
	c.timer = timer_new(c.loop, let_go_on, &c);
	loop_run(c.loop);
	timer_free(c.timer);
	assert_string_equal(c.err.p, "ended\nlate\n");
	assert_int_equal(c.signal, 0);
	assert_int_equal(c.status, 5);
	finish(&c);
}

static void the_environment_can_be_set_beside_its_own(void **state)
{
	const char *const argv[] = { "sh", "-c", "echo \"$OXIDE_ONE $OXIDE_TWO ${PATH:+path}\"",
				     NULL };
	const char *const env[] = { "OXIDE_ONE=1", "OXIDE_NEW=3", NULL };
	struct job_spec spec = { argv, "/", LONG, env, false, NULL };
	struct child c = { 0 };
	struct err e = ERR_INIT;

	(void)state;
	setenv("OXIDE_ONE", "0", 1);
	setenv("OXIDE_TWO", "2", 1);
	c.loop = loop_new(&e);
	c.job = job_start(c.loop, &spec, &events, &c, &e);
	loop_run(c.loop);
	assert_string_equal(c.out.p, "1 2 path\n");
	finish(&c);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
	static const char *const argv[] = { "no-such-program-anywhere", NULL };
	struct job_spec spec = { argv, "/", SHORT, NULL, false, NULL };
	struct err e = ERR_INIT;
	struct child c = { .loop = loop_new(&e) };
	struct buf path = BUF_INIT;

	(void)state;
	assert_null(job_start(c.loop, &spec, &events, &c, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_false(spawn_find(argv[0], &path));
	assert_true(spawn_find("sh", &path));
	loop_run(c.loop);
	assert_int_equal(c.done, 0);
	loop_free(c.loop);
	buf_release(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_output_comes_before_the_end),
		cmocka_unit_test(input_arrives_in_order_and_ends),
		cmocka_unit_test(a_grandchild_that_keeps_the_pipes_delays_nothing_for_ever),
		cmocka_unit_test(a_deaf_child_is_killed_in_the_end),
		cmocka_unit_test(one_that_listens_goes_when_its_input_ends),
		cmocka_unit_test(what_it_started_ends_with_it),
		cmocka_unit_test(a_daemon_that_prints_for_ever_is_not_listened_to_for_ever),
		cmocka_unit_test(one_that_is_told_to_leave_can_still_read),
		cmocka_unit_test(what_it_started_does_not_outlive_a_killed_core),
		cmocka_unit_test(one_may_end_its_output_and_go_on),
		cmocka_unit_test(the_environment_can_be_set_beside_its_own),
		cmocka_unit_test(a_program_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
