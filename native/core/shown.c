#include "shown.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "diagnose.h"

struct showing {
	struct shown *of;
	struct diagnose *waiting;
};

struct shown {
	void (*fn)(void *arg);
	void *arg;
	size_t n, left;
	struct showing v[];
};

static void on_diagnosed(void *arg, struct server *server, bool complete, const struct err *e)
{
	struct showing *one = arg;
	struct shown *s = one->of;

	(void)server;
	(void)complete;
	(void)e;
	one->waiting = NULL;
	if (--s->left)
		return;
	s->fn(s->arg);
	free(s);
}

struct shown *shown_start(struct oxide *ox, const char *const *paths, size_t n,
			  void (*fn)(void *arg), void *arg)
{
	struct shown *s = n ? mem_new(sizeof(*s) + n * sizeof(*s->v)) : NULL;

	if (!s)
		return NULL;
	s->fn = fn;
	s->arg = arg;
	s->n = s->left = n;
	for (size_t i = 0; i < n; i++)
		s->v[i] = (struct showing){ s, diagnose_start(ox, paths[i], 0, on_diagnosed,
							      &s->v[i]) };
	return s;
}

void shown_cancel(struct shown *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].waiting)
			diagnose_cancel(s->v[i].waiting);
}
