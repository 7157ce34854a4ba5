// links: full
/* A program in a pseudo-terminal: every way in which it ends, or does not start. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/core_file.h"

#include "pty_rig.h"

static void stop(struct program *p)
{
	p->then = NULL;
	pty_stop(p->pty);
}

/* Scenario "terminate a process": the graceful way, and the other. */
static void it_is_told_to_end_and_then_killed(void **state)
{
	struct program polite = { .then = stop }, deaf = { .then = stop };

	(void)state;
	start(&polite, "trap 'echo bye; exit 3' TERM; echo ready; while :; do read line; done",
	      LONG);
	loop_run(polite.loop);
	assert_string_equal(polite.out.p, "ready\r\nbye\r\n");
	assert_int_equal(polite.status, 3);
	finish(&polite);
	start(&deaf, "trap '' TERM HUP; echo ready; while :; do read line; done", SHORT);
	loop_run(deaf.loop);
	assert_int_equal(deaf.signal, SIGKILL);
	finish(&deaf);
}

/* Waits for the last process that holds the fifo to end. */
static void all_have_gone(const char *fifo, int fd)
{
	char c;

	fcntl(fd, F_SETFL, 0);
	while (read(fd, &c, 1) > 0)
		;
	close(fd);
	unlink(fifo);
}

static int make_fifo(char fifo[32])
{
	int fd;

	strcpy(fifo, "/tmp/oxide-pty-XXXXXX");
	close(mkstemp(fifo));
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	return fd;
}

/* Scenario "cleanup": it leaves children, of which one knows no signal. */
static void its_children_end_with_it(void **state)
{
	struct program p = { 0 };
	char fifo[32], script[300];
	int fd = make_fifo(fifo);

	(void)state;
	snprintf(script, sizeof(script),
		 "exec 3>%s; (trap '' TERM HUP INT; exec tail -f /dev/null) & sleep 0; exit 4",
		 fifo);
	start(&p, script, LONG);
	loop_run(p.loop);
	assert_int_equal(p.status, 4);
	finish(&p);
	all_have_gone(fifo, fd);
}

/* The jobs of an interactive shell have groups of their own. */
static void the_jobs_of_a_shell_end_with_it_when_it_is_stopped(void **state)
{
	struct program p = { .then = stop };
	char fifo[32], script[300];
	int fd = make_fifo(fifo);

	(void)state;
	snprintf(script, sizeof(script),
		 "set -m; exec 3>%s; (trap '' TERM HUP INT; exec tail -f /dev/null) & echo ready; "
		 "wait",
		 fifo);
	start(&p, script, SHORT);
	loop_run(p.loop);
	finish(&p);
	all_have_gone(fifo, fd);
}

/* It forks into the background: a daemon of its own session holds the terminal. */
static void a_daemon_that_holds_the_terminal_delays_nothing_for_ever(void **state)
{
	struct program p = { .reply = "go\n" };
	char fifo[32], script[300], pid[16] = "";
	int fd = make_fifo(fifo);

	(void)state;
	snprintf(script, sizeof(script),
		 "stty -echo; setsid sh -c 'echo $$ >%s; echo up; exec tail -f /dev/null' & "
		 "read go; exit 5",
		 fifo);
	start(&p, script, LONG);
	loop_run(p.loop);
	assert_int_equal(p.status, 5);
	assert_string_equal(p.out.p, "up\r\n");
	finish(&p);
	assert_true(read(fd, pid, sizeof(pid) - 1) > 0);
	assert_int_equal(kill(atoi(pid), SIGKILL), 0); /* it lives on, as from any terminal */
	close(fd);
	unlink(fifo);
}

static bool start_fails(struct program *p, const char *program, struct err *e)
{
	const char *const argv[] = { program, NULL };
	struct pty_spec spec = shell(argv, LONG);

	p->loop = loop_new(e);
	spec.tried = &p->tried;
	p->pty = pty_start(p->loop, &spec, &pty_rig_events, p, e);
	if (!p->pty && e->code == ERR_LIMIT) /* it did not come to the program */
		fail_msg("%s", e->msg);
	return !p->pty;
}

static void failed(struct program *p)
{
	loop_run(p->loop);
	assert_int_equal(p->done, 0);
	loop_free(p->loop);
	buf_release(&p->tried);
}

/* Scenario "process start fails": which paths were looked at, and why they were not it. */
static void each_path_that_was_tried_is_named(void **state)
{
	char dir[] = "/tmp/oxide-pty-XXXXXX", file[64], path[200];
	struct program p = { 0 }, q = { 0 };
	struct err e = ERR_INIT, f = ERR_INIT;
	char *before = strdup(getenv("PATH"));

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/oxide-no-program", dir);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	setenv("PATH", "/nowhere:/bin", 1);
	assert_true(start_fails(&p, "oxide-no-program", &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_string_equal(p.tried.p, "/nowhere/oxide-no-program: no such file or directory\n"
				       "/bin/oxide-no-program: no such file or directory\n");
	failed(&p);
	snprintf(path, sizeof(path), "/nowhere:%s", dir);
	setenv("PATH", path, 1);
	assert_true(start_fails(&q, "oxide-no-program", &f)); /* not executable */
	assert_int_equal(f.code, ERR_DENIED);
	snprintf(path, sizeof(path), "%s: permission denied\n", file);
	assert_non_null(strstr(q.tried.p, path));
	failed(&q);
	setenv("PATH", before, 1);
	free(before);
	unlink(file);
	rmdir(dir);
}

/* Scenario "PTY creation fails": the rest goes on. */
static void without_a_descriptor_there_is_no_terminal(void **state)
{
	struct program p = { 0 }, later = { 0 };
	struct rlimit limit, none;
	struct err e = ERR_INIT;
	const char *const argv[] = { "true", NULL };
	struct pty_spec spec = shell(argv, LONG);

	(void)state;
	p.loop = loop_new(&e);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	assert_null(pty_start(p.loop, &spec, &pty_rig_events, &p, &e));
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_string_equal(e.msg, "cannot open a pseudo-terminal: too many open files");
	failed(&p);
	printed(&later, "echo works", "works\r\n");
}

static void a_crash_is_told_with_its_core_file(void **state)
{
	char dir[] = "/tmp/oxide-pty-XXXXXX";
	const char *const argv[] = { "sh", "-c", "ulimit -c unlimited; kill -SEGV $$", NULL };
	struct pty_spec spec = shell(argv, LONG);
	struct program p = { 0 };
	struct err e = ERR_INIT;
	struct buf name = BUF_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	spec.cwd = dir;
	start_as(&p, loop_new(&e), &spec);
	loop_run(p.loop);
	assert_int_equal(p.signal, SIGSEGV);
	if (p.core && *p.core != '|')
		assert_int_equal(unlink(p.core), 0);
	finish(&p);
	rmdir(dir);
	core_file_expand(&name, "/var/c%%/%e.%p.%s.%t", 47, "/usr/bin/a-rather-long-name", 11);
	assert_string_equal(name.p, "/var/c%/a-rather-long-n.47.11.*");
	buf_release(&name);
}

/* Another's process is not waited for. */
static void it_waits_for_its_own_process_alone(void **state)
{
	struct program p = { 0 };
	int status;
	pid_t other = fork();

	(void)state;
	if (!other)
		_exit(9);
	printed(&p, "echo done", "done\r\n");
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WEXITSTATUS(status), 9);
}

static int open_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static long resident_kb(void)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	return now.ru_maxrss;
}

/* Scenario "resources are given back". OXIDE_STARTS=1000 for the whole of it. */
static void as_many_starts_leave_nothing(void **state)
{
	const char *more = getenv("OXIDE_STARTS");
	struct loop *loop;
	struct err e = ERR_INIT;
	long starts = more ? atol(more) : 60, memory = 0;
	int descriptors = 0, status;
	pid_t zombie;

	(void)state;
	loop = loop_new(&e);
	for (long i = 0; i < starts; i++) {
		const char *const argv[] = { "sh", "-c", i % 2 ? "sleep 9 & exit" : "kill -9 $$",
					     NULL };
		struct pty_spec spec = shell(argv, LONG);
		struct program p = { 0 };

		start_as(&p, loop, &spec);
		loop_run(loop);
		assert_int_equal(p.done, 1);
		buf_release(&p.out);
		if (i == 9) {
			descriptors = open_descriptors();
			memory = resident_kb();
		}
	}
	assert_int_equal(open_descriptors(), descriptors);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed */
	assert_true(resident_kb() - memory < 64);
#else
	(void)memory;
#endif
	zombie = waitpid(-1, &status, WNOHANG); /* the orphan killer runs on */
	assert_int_equal(zombie, 0);
	loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_told_to_end_and_then_killed),
		cmocka_unit_test(its_children_end_with_it),
		cmocka_unit_test(the_jobs_of_a_shell_end_with_it_when_it_is_stopped),
		cmocka_unit_test(a_daemon_that_holds_the_terminal_delays_nothing_for_ever),
		cmocka_unit_test(each_path_that_was_tried_is_named),
		cmocka_unit_test(without_a_descriptor_there_is_no_terminal),
		cmocka_unit_test(a_crash_is_told_with_its_core_file),
		cmocka_unit_test(it_waits_for_its_own_process_alone),
		cmocka_unit_test(as_many_starts_leave_nothing),
	};

	return cmocka_run_group_tests_name("pty end", tests, NULL, NULL);
}
