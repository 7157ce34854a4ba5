#ifndef OX_TEST_WATCH_RIG_H
#define OX_TEST_WATCH_RIG_H

/* A project on the disk, a core that has it, and an agent that works there past it. Include
 * cmocka's headers first. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/projects.h"
#include "core/workspace.h"
#include "io/loop.h"
#include "read_all.h"
#include "tempdir.h"
#include "watch/watch.h"

static char scratch[64], data[4096];
static const char *project;
static struct oxide *ox;
static struct watch *watch;
static json *report; /* of the last turn; NULL: nothing was changed */

static void shell(const char *command)
{
	struct buf line = BUF_INIT;

	buf_addf(&line, "cd '%s' && { %s\n} >/dev/null 2>&1", project, command);
	if (system(line.p))
		fail_msg("%s", command);
	buf_release(&line);
}

__attribute__((unused)) static void put(const char *name, const char *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", project, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

__attribute__((unused)) static void assert_file(const char *name, const char *text)
{
	struct buf got;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", project, name);
	got = read_all(path);
	if (text)
		assert_string_equal(buf_str(&got).p, text);
	else
		assert_null(got.p);
	buf_release(&got);
}

static int enter(void **state)
{
	static char dir[4096];

	(void)state;
	if (!make_tempdir(scratch, sizeof(scratch), "watch"))
		return 1;
	snprintf(dir, sizeof(dir), "%s/state", scratch);
	setenv("XDG_STATE_HOME", dir, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	snprintf(dir, sizeof(dir), "%s/project", scratch);
	project = dir;
	return mkdir(dir, 0700) || !getcwd(data, sizeof(data) - 20) || !strcat(data, "/lua/oxide");
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	json_free(report);
	report = NULL;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

__attribute__((unused)) static void commit_all(void)
{
	shell("git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit "
	      "-qm 1");
}

static void open_core(const char *options)
{
	struct oxide_options o = { .root = project, .data = data, .origin = "cli" };
	struct err e = ERR_INIT;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/config.lua", scratch);
	f = fopen(path, "w");
	fprintf(f, "return { options = { %s } }", options);
	fclose(f);
	o.config_path = path;
	ox = oxide_new(&o, &e);
	assert_string_equal(e.msg, "");
	watch = watch_start(ox, ox->root, "claude", &e);
	assert_string_equal(e.msg, "");
}

static void close_core(void)
{
	watch_stop(watch);
	loop_run(ox->loop); /* until git has ended */
	oxide_free(ox);
}

static void on_ready(void *arg)
{
	(void)arg;
	loop_stop(ox->loop);
}

static void on_ended(void *arg, const struct watch_outcome *o)
{
	(void)arg;
	json_free(report);
	report = o->report ? json_copy(o->report) : NULL;
	loop_stop(ox->loop);
}

__attribute__((unused)) static void begin(void)
{
	watch_turn_begin(watch, NULL, "a turn", on_ready, NULL);
	loop_run(ox->loop);
}

__attribute__((unused)) static void end(void)
{
	watch_turn_end(watch, on_ended, NULL);
	loop_run(ox->loop);
}

/* "create new; modify a" */
__attribute__((unused)) static void assert_files(const char *want)
{
	struct buf got = BUF_INIT;

	json_each(f, json_get(report, "files")) {
		struct str kind = json_get_str(f, "kind"), to = json_get_str(f, "new_file");

		buf_addf(&got, "%s%s %s%s%s", got.n ? "; " : "", kind.n ? kind.p : "modify",
			 json_get_str(f, "file").p, to.n ? " -> " : "", to.p);
	}
	assert_string_equal(buf_str(&got).p, want);
	buf_release(&got);
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)

#endif
