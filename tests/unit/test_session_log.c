// links: full
/* Session logs of agents, read as they grow: half lines, cut and replaced files, whose they are. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/loop.h"
#include "record/session_log.h"
#include "tempdir.h"

static char data[4096], dir[64];
static struct oxide *ox;
static struct buf fed;
static struct session_log *session;
static size_t wanted; /* bytes, until which the loop runs */

static int start(void **state)
{
	struct oxide_options o = { .root = "/", .data = data, .origin = "cli" };
	struct err e = ERR_INIT;

	(void)state;
	if (!realpath("lua/oxide", data) || !make_tempdir(dir, sizeof(dir), "session-log"))
		return 1;
	setenv("XDG_STATE_HOME", dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("HOME", dir, 1);
	ox = oxide_new(&o, &e);
	return !ox;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	session_log_free(session);
	session = NULL;
	oxide_free(ox);
	buf_release(&fed);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static const char *at(const char *name)
{
	return path_in(dir, name);
}

static void put(const char *name, const char *mode, const char *text)
{
	FILE *f;

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char parent[512];

		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
		mkdir(at(parent), 0700);
	}
	f = fopen(at(name), mode);
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void on_fed(void *self, struct str bytes)
{
	(void)self;
	buf_add(&fed, bytes);
	if (wanted && fed.n >= wanted)
		loop_stop(ox->loop);
}

static void begin(const char *row, int64_t since_ms)
{
	struct err e = ERR_INIT;
	json *log = json_parse(str_of(row), &e);
	struct session_log_spec spec = { .name = "agent",
					 .log = log,
					 .cwd = "/home/a.b",
					 .pid = 42,
					 .since_ms = since_ms,
					 .feed = on_fed };

	assert_non_null(log);
	session = session_log_new(ox, &spec);
	assert_non_null(session);
	json_free(log);
}

static void begin_here(void)
{
	begin("{\"home\":\".agent\",\"files\":[\"logs/*.jsonl\"]}", loop_wall_ms() - 1000);
}

static void on_late(void *arg)
{
	(void)arg;
	fail_msg("waited in vain for %zu bytes: %s", wanted, buf_str(&fed).p);
}

static void wait_for(const char *text)
{
	struct timer *late = timer_new(ox->loop, on_late, NULL);

	timer_set(late, loop_now(ox->loop) + 60000);
	wanted = strlen(text);
	if (fed.n < wanted)
		loop_run(ox->loop);
	wanted = 0;
	timer_free(late);
	assert_string_equal(buf_str(&fed).p, text);
	buf_clear(&fed);
}

static void finished(const char *text)
{
	session_log_finish(session);
	assert_string_equal(buf_str(&fed).p, text);
}

static void whole_lines_are_read_as_they_come(void **state)
{
	(void)state;
	begin_here();
	put(".agent/logs/1.jsonl", "w", "one\ntw");
	session_log_stir(session);
	wait_for("one\n");
	put(".agent/logs/1.jsonl", "a", "o\nthree"); /* the directory is watched from here on */
	wait_for("two\n");
	finished("three\n");
}

static void a_file_that_is_cut_or_replaced_is_read_anew(void **state)
{
	(void)state;
	begin_here();
	put(".agent/logs/1.jsonl", "w", "a long line\n");
	session_log_stir(session);
	wait_for("a long line\n");
	put(".agent/logs/1.jsonl", "w", "cut\n");
	wait_for("cut\n");
	put(".agent/logs/1.new", "w", "replaced\n");
	assert_int_equal(rename(at(".agent/logs/1.new"), at(".agent/logs/1.jsonl")), 0);
	wait_for("replaced\n");
	assert_int_equal(unlink(at(".agent/logs/1.jsonl")), 0);
	finished("");
}

static void a_line_longer_than_a_piece_is_not_torn_by_another_log(void **state)
{
	char *line = mem_new(200001);

	(void)state;
	memset(line, 'x', 200000);
	line[200000] = '\0';
	begin_here();
	put(".agent/logs/1.jsonl", "w", line);
	put(".agent/logs/2.jsonl", "w", "two\n");
	session_log_stir(session);
	wait_for(line);
	put(".agent/logs/1.jsonl", "a", "\n");
	wait_for("\ntwo\n");
	free(line);
}

static void the_first_log_ends_before_the_next_is_read(void **state)
{
	(void)state;
	begin_here();
	put(".agent/logs/1.jsonl", "w", "one\nhalf");
	put(".agent/logs/2.jsonl", "w", "two");
	finished("one\nhalf\ntwo\n");
}

static void what_was_written_before_is_not_read(void **state)
{
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

	(void)state;
	begin_here();
	put(".agent/logs/old.jsonl", "w", "old\n");
	assert_int_equal(utimensat(AT_FDCWD, at(".agent/logs/old.jsonl"), old, 0), 0);
	put(".agent/logs/new.jsonl", "w", "new\n");
	put(".agent/logs/other.txt", "w", "no\n");
	assert_int_equal(mkdir(at(".agent/logs/directory.jsonl"), 0700), 0);
	finished("new\n");
}

static void a_log_is_its_own_by_the_process(void **state)
{
	(void)state;
	begin("{\"home\":\".agent\",\"files\":[\"p/{dashed}*/*.jsonl\"],"
	      "\"owner\":{\"file\":\"s/{pid}.json\",\"text\":\"{name}\"}}",
	      0);
	put(".agent/s/42.json", "w", "{\"session\":\"mine\"}");
	session_log_stir(session);
	put(".agent/p/-home-a-b/mine.jsonl", "w", "mine\n");
	put(".agent/p/-home-a-b/others.jsonl", "w", "others\n");
	put(".agent/p/-home-b/mine.jsonl", "w", "elsewhere\n");
	wait_for("mine\n");
	assert_int_equal(unlink(at(".agent/s/42.json")), 0); /* it ends */
	put(".agent/p/-home-a-b/mine.jsonl", "a", "last\n");
	finished("last\n");
}

static void a_log_is_its_own_by_what_it_says(void **state)
{
	(void)state;
	setenv("AGENT_DIR", at("own"), 1);
	begin("{\"env\":\"AGENT_DIR\",\"home\":\".agent\",\"files\":[\"*.jsonl\"],"
	      "\"owner\":{\"file\":\"{log}\",\"text\":\"\\\"cwd\\\":\\\"{cwd}\\\"\"}}",
	      0);
	put("own/1.jsonl", "w", "{\"cwd\":\"/home/a.b\"}\n");
	put("own/2.jsonl", "w", "{\"cwd\":\"/home/a.bc\"}\n");
	put("own/3.jsonl", "w", "{}\n");
	finished("{\"cwd\":\"/home/a.b\"}\n");
	unsetenv("AGENT_DIR");
}

static void a_log_is_its_own_by_a_file_beside_it(void **state)
{
	(void)state;
	begin("{\"home\":\".agent\",\"files\":[\"*/chats/*.jsonl\"],"
	      "\"owner\":{\"file\":\"{directory}/../.root\",\"text\":\"{cwd}\"}}",
	      0);
	put(".agent/a/.root", "w", "/home/a.b");
	put(".agent/a/chats/1.jsonl", "w", "mine\n");
	put(".agent/b/chats/1.jsonl", "w", "nobody's\n");
	put(".agent/c/.root", "w", "/home/a.b/c");
	put(".agent/c/chats/1.jsonl", "w", "another's\n");
	finished("mine\n");
}

static void what_another_reads_is_left_to_it(void **state)
{
	int fd;

	(void)state;
	begin_here();
	put(".agent/logs/1.jsonl", "w", "one\n");
	fd = open(at(".agent/logs/1.jsonl"), O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	put(".agent/logs/2.jsonl", "w", "two\n");
	finished("two\n");
	close(fd);
}

int main(void)
{
#define LOG_TEST(fn) cmocka_unit_test_setup_teardown(fn, start, end)
	const struct CMUnitTest tests[] = {
		LOG_TEST(whole_lines_are_read_as_they_come),
		LOG_TEST(a_file_that_is_cut_or_replaced_is_read_anew),
		LOG_TEST(a_line_longer_than_a_piece_is_not_torn_by_another_log),
		LOG_TEST(the_first_log_ends_before_the_next_is_read),
		LOG_TEST(what_was_written_before_is_not_read),
		LOG_TEST(a_log_is_its_own_by_the_process),
		LOG_TEST(a_log_is_its_own_by_what_it_says),
		LOG_TEST(a_log_is_its_own_by_a_file_beside_it),
		LOG_TEST(what_another_reads_is_left_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
