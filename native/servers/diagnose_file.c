#include "diagnose_file.h"

#include <stdlib.h>

#include "../base/mem.h"

/* diagnose_file_start -> on_first_diagnosed -> on_beside_diagnosed (each) -> diagnose_file_end */
struct asked_server {
	struct diagnose_file *of;
	struct diagnose *waiting;
	struct file_diagnosis *got;
};

struct diagnose_file {
	struct oxide *ox;
	char *path;
	uint64_t timeout_ms;
	file_diagnosed *fn;
	void *arg;
	bool exact, seeing, enough, cancelled;
	struct diagnose *first;
	struct asked_server *beside;
	struct file_diagnosis *got; /* that of the first, and of those beside it */
	size_t n, waiting;
	struct err why;
};

static void diagnose_file_end(struct diagnose_file *f)
{
	f->fn(f->arg, f->got, f->n, &f->why);
	free(f->beside);
	free(f->got);
	free(f->path);
	free(f);
}

static void on_beside_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct asked_server *a = arg;
	struct diagnose_file *f = a->of;

	(void)s;
	a->waiting = NULL;
	a->got->complete = complete;
	a->got->why = *e;
	if (f->cancelled && e->code)
		f->why = *e;
	if (!--f->waiting)
		diagnose_file_end(f);
}

static void watch_exactly(const struct diagnose_file *f, struct diagnose *d)
{
	if (f->exact)
		diagnose_exactly(d);
	if (f->seeing)
		diagnose_seeing(d);
}

static void ask_beside(struct diagnose_file *f, struct server *const *all, size_t n)
{
	f->beside = mem_new((n + 1) * sizeof(*f->beside));
	for (size_t i = 0; i < n; i++) {
		struct asked_server *a = &f->beside[i];

		*a = (struct asked_server){ .of = f, .got = &f->got[1 + i] };
		a->got->server = all[i];
		a->waiting = diagnose_start(f->ox, all[i], f->path, f->timeout_ms,
					    on_beside_diagnosed, a);
		watch_exactly(f, a->waiting);
	}
}

static void on_first_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct diagnose_file *f = arg;
	struct server **all = NULL;

	f->first = NULL;
	f->why = *e;
	f->waiting = e->code ? 0 : pool_beside(f->ox->pool, f->path, s, &all);
	f->n = s ? 1 + f->waiting : 0;
	f->got = mem_new((f->n + 1) * sizeof(*f->got));
	f->got[0] = (struct file_diagnosis){ .server = s, .complete = complete, .why = *e };
	ask_beside(f, all, f->waiting);
	free(all);
	if (f->enough)
		diagnose_file_enough(f);
	if (!f->waiting)
		diagnose_file_end(f);
}

struct diagnose_file *diagnose_file_start(struct oxide *ox, const char *path, uint64_t timeout_ms,
					  file_diagnosed *fn, void *arg)
{
	struct diagnose_file *f = mem_new(sizeof(*f));

	f->ox = ox;
	f->path = mem_dup(path, strlen(path));
	f->timeout_ms = timeout_ms;
	f->fn = fn;
	f->arg = arg;
	f->first = diagnose_start(ox, NULL, path, timeout_ms, on_first_diagnosed, f);
	return f;
}

void diagnose_file_exactly(struct diagnose_file *f, bool seeing)
{
	f->exact = true;
	f->seeing = seeing;
	watch_exactly(f, f->first);
}

void diagnose_file_cancel(struct diagnose_file *f)
{
	f->cancelled = true;
	if (f->first)
		diagnose_cancel(f->first);
	diagnose_file_enough(f);
}

void diagnose_file_enough(struct diagnose_file *f)
{
	f->enough = true;
	for (size_t i = 0; i + 1 < f->n; i++)
		if (f->beside[i].waiting)
			diagnose_cancel(f->beside[i].waiting);
}
