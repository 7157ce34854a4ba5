/*
 * A turn of an agent in a project of many files, against what git does to keep the same:
 *
 *     watch PROJECT FILES CHANGED ROUNDS
 *
 * makes the project, a repository, and prints a line for each round: milliseconds until a turn has
 * begun, until CHANGED files that were changed are in the history, of `git status --porcelain`, of
 * `git stash create`, and the kilobytes of memory that the first turn has taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <core/projects.h>
#include <io/loop.h>
#include <watch/watch.h>

#include "clock.h"

static struct oxide *ox;
static size_t found;

static void shell(const char *command, long n)
{
	char line[1024];

	snprintf(line, sizeof(line), command, n);
	if (system(line)) {
		fprintf(stderr, "failed: %s\n", line);
		exit(1);
	}
}

static void make(long files)
{
	shell("git init -q -b main . && for d in $(seq 0 99); do mkdir -p d$d; done && "
	      "seq 1 %ld | awk '{ f = \"d\" $1 %% 100 \"/f\" $1; print \"line\", $1 >f; close(f) }' && "
	      "git add -A && git -c user.name=a -c user.email=a@b commit -qm 1",
	      files);
}

static void on_begun(void *arg)
{
	(void)arg;
	loop_stop(ox->loop);
}

static void on_ended(void *arg, const struct watch_outcome *o)
{
	(void)arg;
	found = o->report ? (size_t)json_get_int(o->report, "files_changed", 0) : 0;
	loop_stop(ox->loop);
}

static double timed_shell(const char *command)
{
	double begun = now();

	shell(command, 0);
	return now() - begun;
}

static long memory(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_maxrss;
}

static void measure(long changed)
{
	struct err e = ERR_INIT;
	struct watch *w = watch_start(ox, ox->root, "agent", &e);
	long before = memory();
	double begun = now(), began, ended;

	if (!w) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	watch_turn_begin(w, NULL, "a turn", on_begun, NULL);
	loop_run(ox->loop);
	began = now() - begun;
	shell("seq 1 %ld | awk '{ f = \"d\" $1 %% 100 \"/f\" $1; print \"more\" >>f; close(f) }'",
	      changed);
	begun = now();
	watch_turn_end(w, on_ended, NULL);
	loop_run(ox->loop);
	ended = now() - begun;
	if (found != (size_t)changed) {
		fprintf(stderr, "%zu of %ld files\n", found, changed);
		exit(1);
	}
	printf("%.1f %.1f %.1f %.1f %ld\n", began, ended,
	       timed_shell("git status --porcelain >/dev/null"),
	       timed_shell("git -c user.name=a -c user.email=a@b stash create >/dev/null"),
	       memory() - before);
	watch_stop(w);
	shell("git checkout -q . && git status --porcelain >/dev/null", 0);
}

int main(int argc, char **argv)
{
	struct oxide_options o = { .origin = "cli" };
	struct err e = ERR_INIT;

	if (argc != 5 || chdir(argv[1]))
		return 2;
	make(strtol(argv[2], NULL, 10));
	o.root = argv[1];
	o.data = getenv("OXIDE_DATA");
	ox = oxide_new(&o, &e);
	if (!ox) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	for (long i = strtol(argv[4], NULL, 10); i; i--)
		measure(strtol(argv[3], NULL, 10));
	loop_run(ox->loop); /* until git has ended */
	oxide_free(ox);
	return 0;
}
