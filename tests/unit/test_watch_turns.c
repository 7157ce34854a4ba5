// links: full
/* Turns that meet each other, git, a writer who is not done, and very many files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/record.h"
#include "watch_rig.h"
#include "watch_undo.h"

static struct timer *writer;
static int pieces;

static void write_piece(void *arg)
{
	(void)arg;
	shell("echo piece >>new; echo piece >>a");
	if (++pieces < 10)
		timer_set(writer, loop_now(ox->loop) + 20);
}

/* A file that is being written when the turn ends is not two changes of it. */
static void what_is_written_in_pieces_is_one_change(void **state)
{
	struct record_session session = { .cwd = "/", .agent = json_object() };
	struct record_change change = { .root = "/p" };
	struct err e = ERR_INIT;
	struct record *r;
	json *whole;

	(void)state;
	put("a", "1\n");
	commit_all();
	open_core("['agent.watch_settle_ms'] = 300");
	begin();
	r = record_new(ox, &session);
	pieces = 0;
	writer = timer_new(ox->loop, write_piece, NULL);
	write_piece(NULL);
	for (int turn = 0; turn < 2; turn++) {
		end();
		assert_int_equal(pieces, 10);
		change.report = report;
		if (report)
			record_change_past(r, &change);
		begin();
	}
	assert_null(report);
	timer_free(writer);
	whole = record_whole(r, &e);
	assert_int_equal(json_len(json_get(whole, "file_operations")), 2);
	json_each(row, json_get(whole, "file_operations"))
		assert_int_equal(json_get_int(row, "change.lines_added", 0), 10);
	json_free(whole);
	record_free(r);
	undo(HISTORY_UNDO);
	assert_file("a", "1\n");
	assert_file("new", NULL);
	close_core();
}

static struct watch *second;

static void on_second(void *arg, const struct watch_outcome *o)
{
	on_ended(arg, o);
}

static void two_at_once_are_unsure(void **state)
{
	struct record_session session = { .cwd = "/", .agent = json_object() };
	struct record_change change = { .root = "/p" };
	struct err e = ERR_INIT;
	struct record *r;
	json *whole;

	(void)state;
	put("a", "1\n");
	open_core("");
	r = record_new(ox, &session);
	second = watch_start(ox, ox->root, "codex", &e);
	begin();
	shell("echo 2 >a");
	watch_turn_begin(second, NULL, "another", on_ready, NULL);
	loop_run(ox->loop);
	shell("echo 1 >b");
	end();
	assert_files("modify a; create b");
	assert_non_null(strstr(json_get_str(report, "unsure").p, "codex"));
	change.report = report;
	record_change_past(r, &change);
	whole = record_whole(r, &e);
	assert_int_equal(json_len(json_get(whole, "file_operations")), 2);
	json_each(row, json_get(whole, "file_operations"))
		assert_true(str_eq(json_get_str(row, "unsure"), json_get_str(report, "unsure")));
	json_free(whole);
	record_free(r);
	shell("echo 2 >b");
	watch_turn_end(second, on_second, NULL);
	loop_run(ox->loop);
	assert_files("modify b");
	assert_non_null(strstr(json_get_str(report, "unsure").p, "claude"));
	watch_stop(second);
	close_core();
}

/* Of the same line it cannot be known whose it is: it is told once, and all of it is undone. */
static void two_that_write_the_same_line(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	put("a", "1\n2\n3\n");
	open_core("");
	second = watch_start(ox, ox->root, "codex", &e);
	begin();
	watch_turn_begin(second, NULL, "another", on_ready, NULL);
	loop_run(ox->loop);
	shell("sed -i 's/2/one/' a; sed -i 's/one/two/' a");
	end();
	assert_files("modify a");
	assert_true(str_find(json_get_str(report, "diff"), STR("-2\n+two\n")) > 0);
	assert_string_equal(json_get_str(report, "unsure").p,
			    "codex worked in this project at the same time; some of this may be "
			    "its work");
	watch_turn_end(second, on_second, NULL);
	loop_run(ox->loop);
	assert_null(report);
	watch_stop(second);
	undo(HISTORY_UNDO);
	assert_file("a", "1\n2\n3\n");
	close_core();
}

static void a_checkout_is_told(void **state)
{
	(void)state;
	put("a", "1\n");
	commit_all();
	shell("git checkout -qb topic; echo 2 >a; git -c user.name=a -c user.email=a@b commit -qam 2; "
	      "git checkout -q main");
	open_core("");
	begin();
	shell("git checkout -q topic");
	end();
	assert_files("modify a");
	assert_string_equal(json_text(json_first(json_get(report, "git"))).p,
			    "checkout: moving from main to topic");
	close_core();
}

/* The time is the kernel's, whatever compiled the core: once is enough. */
#ifdef __SANITIZE_ADDRESS__
#define MANY "10000"
#else
#define MANY "1000"
#endif

static void ten_thousand_files(void **state)
{
	(void)state;
	shell("mkdir d; cd d; i=0; while [ $i -lt " MANY " ]; do echo $i >f$i; i=$((i+1)); done");
	commit_all();
	open_core("");
	begin();
	shell("sed -i s/^/x/ d/*");
	end();
	assert_int_equal(json_get_int(report, "files_changed", 0), atoi(MANY));
	undo(HISTORY_UNDO);
	assert_file("d/f77", "77\n");
	close_core();
}

/* OXIDE_WATCH_FILES=200000: so many. */
static void a_large_tree(void **state)
{
	const char *env = getenv("OXIDE_WATCH_FILES");
	long files = env ? strtol(env, NULL, 10) : 2000;
	char command[200];

	(void)state;
	snprintf(command, sizeof(command),
		 "seq 1 %ld | awk '{ d = \"d\" int($1 / 100); if ($1 %% 100 == 0 || $1 == 1) "
		 "system(\"mkdir \" d); print $1 >(d \"/f\" $1); close(d \"/f\" $1) }'",
		 files);
	shell(command);
	commit_all();
	open_core("");
	begin();
	shell("echo more >>d0/f7; rm d1/f100; echo new >d3/new");
	end();
	assert_files("modify d0/f7; delete d1/f100; create d3/new");
	assert_null(json_get(report, "warning"));
	undo(HISTORY_UNDO);
	assert_file("d0/f7", "7\n");
	assert_file("d1/f100", "100\n");
	assert_file("d3/new", NULL);
	close_core();
}

static void more_files_than_are_looked_at_is_said(void **state)
{
	(void)state;
	shell("for i in 1 2 3 4 5 6 7 8 9; do echo $i >f$i; done");
	commit_all();
	open_core("['agent.watch_files'] = 5");
	begin();
	shell("echo 2 >f1; echo 2 >f9");
	end();
	assert_files("modify f1");
	assert_non_null(strstr(json_get_str(report, "warning").p, "agent.watch_files"));
	close_core();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_written_in_pieces_is_one_change),
		T(two_at_once_are_unsure),
		T(two_that_write_the_same_line),
		T(a_checkout_is_told),
		T(ten_thousand_files),
		T(a_large_tree),
		T(more_files_than_are_looked_at_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
