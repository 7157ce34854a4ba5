// links: full
/* A program in a pseudo-terminal: what it is given, what it reads and prints. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pty_rig.h"

static void it_has_a_controlling_terminal_of_the_size_that_was_said(void **state)
{
	struct program p = { 0 };

	(void)state;
	printed(&p, "stty size </dev/tty; test -t 0 && test -t 1 && test -t 2 && echo all",
		"24 80\r\nall\r\n");
}

static void no_descriptor_but_the_standard_ones(void **state)
{
	struct program p = { 0 };
	int leaked = dup(0);

	(void)state;
	printed(&p, "ls -m /proc/$$/fd; :", "0, 1, 2\r\n");
	close(leaked);
}

/* The bits of glibc's own signals, 32 and 33, which no program can set: sigaction() refuses them,
 * and they are as whoever started all of this had them. */
#define OF_THE_C_LIBRARY 0x180000000ull

static unsigned long long signal_bits(const struct program *p, const char *name)
{
	const char *line = strstr(p->out.p, name);

	assert_non_null(line);
	return strtoull(line + strlen(name), NULL, 16) & ~OF_THE_C_LIBRARY;
}

static void signals_are_as_a_shell_starts_a_program(void **state)
{
	struct program p = { 0 };
	sigset_t usr1, before;

	(void)state;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &before);
	signal(SIGPIPE, SIG_IGN);
	start(&p, "grep -E 'SigBlk|SigIgn' /proc/self/status", LONG);
	loop_run(p.loop);
	assert_int_equal(signal_bits(&p, "SigBlk:"), 0);
	assert_int_equal(signal_bits(&p, "SigIgn:"), 0);
	finish(&p);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void the_environment_and_the_directory(void **state)
{
	const char *const argv[] = { "sh", "-c", "echo \"$ONE,$TWO,$HIDDEN,${PATH:+path}\"; pwd",
				     NULL };
	const char *const set[] = { "ONE=1", NULL }, *const unset[] = { "HIDDEN", NULL };
	struct pty_spec spec = shell(argv, LONG);
	struct program p = { 0 };

	(void)state;
	setenv("ONE", "0", 1);
	setenv("TWO", "2", 1);
	setenv("HIDDEN", "3", 1);
	spec.set = set;
	spec.unset = unset;
	spec.cwd = "/tmp";
	start_as(&p, loop_new(ERR_IGNORED), &spec);
	loop_run(p.loop);
	assert_string_equal(p.out.p, "1,2,,path\r\n/tmp\r\n");
	finish(&p);
}

static void all_output_comes_before_the_end(void **state)
{
	struct program p = { 0 };

	(void)state;
	start(&p, "head -c 300000 /dev/zero; exit 7", LONG);
	loop_run(p.loop);
	assert_int_equal(p.counted, 300000);
	assert_int_equal(p.status, 7);
	assert_int_equal(p.signal, 0);
	finish(&p);
}

static void a_gigabyte_takes_no_more_memory_than_a_line(void **state)
{
	const char *size = getenv("OXIDE_PTY_BYTES");
	struct program p = { 0 };
	struct rusage before, after;
	char script[100];

	(void)state;
	size = size ? size : "20000000";
	snprintf(script, sizeof(script), "stty raw; head -c %s /dev/zero", size);
	getrusage(RUSAGE_SELF, &before);
	start(&p, script, LONG);
	loop_run(p.loop);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(p.counted, strtoull(size, NULL, 10));
	assert_true(after.ru_maxrss - before.ru_maxrss < 16 << 10); /* KB */
	finish(&p);
}

static void input_arrives_in_order_and_ctrl_d_ends_it(void **state)
{
	struct program p = { .reply = "one\ntwo\n\4" };

	(void)state;
	start(&p, "stty -echo; echo ready; cat; echo end", LONG);
	loop_run(p.loop);
	assert_string_equal(p.out.p, "ready\r\none\r\ntwo\r\nend\r\n");
	finish(&p);
}

static void ctrl_c_is_a_signal(void **state)
{
	struct program p = { .reply = "\3" };

	(void)state;
	start(&p, "echo ready; exec tail -f /dev/null", LONG);
	loop_run(p.loop);
	assert_int_equal(p.signal, SIGINT);
	finish(&p);
}

static void write_much(struct program *p)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 50000; i++)
		buf_adds(&text, "0123456789");
	assert_true(pty_write(p->pty, buf_str(&text)));
	assert_true(pty_write(p->pty, STR(".")));
	buf_release(&text);
	p->then = NULL;
}

/* Half a megabyte at once, of which the terminal takes a few KB at a time; how much of it waits
 * hangs on how fast the program reads meanwhile. */
static void a_long_input_waits_in_line(void **state)
{
	struct program p = { .then = write_much };

	(void)state;
	start(&p, "stty raw -echo; printf R; head -c 500000 | md5sum; printf E", LONG);
	loop_run(p.loop);
	assert_non_null(strstr(p.out.p, "609a85cd4d5f8894e9bb58a7d7441347  -"));
	assert_int_equal(p.out.p[p.out.n - 1], 'E');
	finish(&p);
}

static void write_too_much(struct program *p)
{
	struct buf text = BUF_INIT;

	memset(buf_room(&text, PTY_INPUT), 'x', PTY_INPUT);
	text.n = PTY_INPUT;
	assert_true(pty_write(p->pty, buf_str(&text)));
	assert_false(pty_write(p->pty, buf_str(&text)));
	buf_release(&text);
	p->then = NULL;
	pty_stop(p->pty);
}

/* Scenario "send input to the process": one that stops reading. */
static void a_program_that_stops_reading_blocks_nobody(void **state)
{
	struct program p = { .then = write_too_much };

	(void)state;
	start(&p, "stty raw -echo; printf R; exec tail -f /dev/null", LONG);
	loop_run(p.loop);
	assert_int_equal(p.signal, SIGTERM);
	finish(&p);
}

static void resize_three_times(struct program *p)
{
	p->then = NULL;
	pty_resize(p->pty, 10, 20);
	pty_resize(p->pty, 11, 21);
	pty_resize(p->pty, 41, 133);
}

static void many_sizes_are_one(void **state)
{
	struct program p = { .then = resize_three_times };

	(void)state;
	start(&p,
	      "trap 'stty size; n=x$n' WINCH; echo; while test -z $n; do read line; done; echo $n",
	      LONG);
	loop_run(p.loop);
	assert_string_equal(p.out.p, "\r\n41 133\r\nx\r\n");
	finish(&p);
}

static void resize_and_type(struct program *p)
{
	p->then = NULL;
	pty_resize(p->pty, 33, 99);
	assert_true(pty_write(p->pty, STR("go\n")));
}

/* Whoever reads a key sees the size that there was when it was typed. */
static void a_size_comes_before_what_is_typed_after_it(void **state)
{
	struct program p = { .then = resize_and_type };

	(void)state;
	start(&p, "stty -echo; echo; read go; stty size", LONG);
	loop_run(p.loop);
	assert_string_equal(p.out.p, "\r\n33 99\r\n");
	finish(&p);
}

static void rest(void *arg)
{
	struct program *p = arg;

	pty_pause(p->pty, false);
}

static void pause_and_go_on(struct program *p)
{
	p->then = NULL;
	pty_pause(p->pty, true);
	loop_soon(p->loop, rest, p);
}

static void a_pause_loses_nothing(void **state)
{
	struct program p = { .then = pause_and_go_on };

	(void)state;
	start(&p, "head -c 300000 /dev/zero", LONG);
	loop_run(p.loop);
	assert_int_equal(p.counted, 300000);
	finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_a_controlling_terminal_of_the_size_that_was_said),
		cmocka_unit_test(no_descriptor_but_the_standard_ones),
		cmocka_unit_test(signals_are_as_a_shell_starts_a_program),
		cmocka_unit_test(the_environment_and_the_directory),
		cmocka_unit_test(all_output_comes_before_the_end),
		cmocka_unit_test(a_gigabyte_takes_no_more_memory_than_a_line),
		cmocka_unit_test(input_arrives_in_order_and_ctrl_d_ends_it),
		cmocka_unit_test(ctrl_c_is_a_signal),
		cmocka_unit_test(a_long_input_waits_in_line),
		cmocka_unit_test(a_program_that_stops_reading_blocks_nobody),
		cmocka_unit_test(many_sizes_are_one),
		cmocka_unit_test(a_size_comes_before_what_is_typed_after_it),
		cmocka_unit_test(a_pause_loses_nothing),
	};

	return cmocka_run_group_tests_name("pty", tests, NULL, NULL);
}
