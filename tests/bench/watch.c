/*
 * A turn of an agent in a project of many files, which it makes in the directory PROJECT, and a
 * line for each round:
 *
 *     watch PROJECT turn FILES CHANGED ROUNDS     in a repository: milliseconds until a turn has
 *         begun, until CHANGED files that were changed are in the history, of `git status
 *         --porcelain`, of `git stash create`
 *     watch PROJECT still FILES MS ROUNDS         in a repository: percent of one processor while
 *         nothing happens for so long in a turn, and the megabytes of memory that it has taken
 *     watch PROJECT keep FILES BYTES ROUNDS       without one, each of so many bytes: milliseconds
 *         until they are kept, and of `cp --reflink=auto`
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
static long files; /* of the project */

static void shell(const char *command, long n)
{
	char line[1024];

	snprintf(line, sizeof(line), command, n);
	if (system(line)) {
		fprintf(stderr, "failed: %s\n", line);
		exit(1);
	}
}

static void make_repository(long more)
{
	(void)more;
	shell("git init -q -b main . && for d in $(seq 0 99); do mkdir -p d$d; done && "
	      "seq 1 %ld | awk '{ f = \"d\" $1 %% 100 \"/f\" $1; print \"line\", $1 >f; close(f) }' && "
	      "git add -A && git -c user.name=a -c user.email=a@b commit -qm 1",
	      files);
}

static void make_plain(long bytes)
{
	char name[32];

	for (long n = 0; n < files; n++) {
		FILE *f;

		snprintf(name, sizeof(name), "f%ld", n);
		f = fopen(name, "w");
		for (long i = 0; f && i < bytes; i++)
			fputc(i % 40 ? 'a' + (int)(i % 26) : '\n', f);
		if (!f || fclose(f)) {
			perror(name);
			exit(1);
		}
	}
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

static struct watch *start(void)
{
	struct err e = ERR_INIT;
	struct watch *w = watch_start(ox, ox->root, "agent", &e);

	if (!w) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	return w;
}

/* Milliseconds until it has begun. */
static double begin(struct watch *w)
{
	double begun = now();

	watch_turn_begin(w, NULL, "a turn", on_begun, NULL);
	loop_run(ox->loop);
	return now() - begun;
}

/* Milliseconds until it has ended, and it is known what so many files were. */
static double end(struct watch *w, long changed)
{
	double begun = now(), took;

	watch_turn_end(w, on_ended, NULL);
	loop_run(ox->loop);
	took = now() - begun;
	if (found != (size_t)changed) {
		fprintf(stderr, "%zu of %ld files\n", found, changed);
		exit(1);
	}
	return took;
}

/* Its files are forgotten. */
static void stop(struct watch *w)
{
	watch_stop(w);
	loop_run(ox->loop);
}

static void measure_turn(long changed)
{
	struct watch *w = start();
	double began = begin(w), ended;

	shell("seq 1 %ld | awk '{ f = \"d\" $1 %% 100 \"/f\" $1; print \"more\" >>f; close(f) }'",
	      changed);
	/* Files that are being written are waited for, which is not what is measured. */
	usleep((unsigned)(config_get(&ox->config, CFG_AGENT_WATCH_SETTLE) + 20) * 1000);
	ended = end(w, changed);
	printf("%.1f %.1f %.1f %.1f\n", began, ended,
	       timed_shell("git status --porcelain >/dev/null"),
	       timed_shell("git -c user.name=a -c user.email=a@b stash create >/dev/null"));
	stop(w);
	shell("git checkout -q . && git status --porcelain >/dev/null", 0);
}

/* Resident, in megabytes. */
static double memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!f || fscanf(f, "%*d %ld", &pages) != 1) {
		fprintf(stderr, "/proc/self/statm cannot be read\n");
		exit(1);
	}
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Milliseconds of processors, of this process and of children that have ended. */
static double worked(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec +
			children.ru_stime.tv_sec) *
		       1e3 +
	       (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
			children.ru_stime.tv_usec) /
		       1e3;
}

static void measure_still(long ms)
{
	static double before;
	struct timer *t = timer_new(ox->loop, on_begun, NULL);
	struct watch *w;
	double begun, work;

	if (!before)
		before = memory(); /* the next round has what the one before has freed */
	w = start();
	begin(w);
	timer_set(t, loop_now(ox->loop) + (uint64_t)ms);
	begun = now();
	work = worked();
	loop_run(ox->loop);
	printf("%.4f %.1f\n", (worked() - work) / (now() - begun) * 100, memory() - before);
	timer_free(t);
	stop(w);
}

static void measure_keep(long bytes)
{
	struct watch *w = start();
	double kept = begin(w), copied;

	(void)bytes;
	copied = timed_shell("cp -r --reflink=auto . ../copy");
	printf("%.1f %.1f\n", kept, copied);
	shell("for f in *; do echo more >>$f; done", 0);
	end(w, files);
	stop(w);
	shell("rm -rf ../copy", 0);
}

static const struct mode {
	const char *name;
	void (*make)(long more);
	void (*measure)(long more);
} modes[] = {
	{ "turn", make_repository, measure_turn },
	{ "still", make_repository, measure_still },
	{ "keep", make_plain, measure_keep },
};

static const struct mode *mode_of(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct mode *mode = argc == 6 ? mode_of(argv[2]) : NULL;
	struct oxide_options o = { .origin = "cli" };
	struct err e = ERR_INIT;

	if (!mode || chdir(argv[1]))
		return 2;
	files = strtol(argv[3], NULL, 10);
	mode->make(strtol(argv[4], NULL, 10));
	o.root = argv[1];
	o.data = getenv("OXIDE_DATA");
	ox = oxide_new(&o, &e);
	if (!ox) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	for (long i = strtol(argv[5], NULL, 10); i; i--)
		mode->measure(strtol(argv[4], NULL, 10));
	oxide_free(ox);
	return 0;
}
