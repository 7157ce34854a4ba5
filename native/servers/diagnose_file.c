#include "diagnose_file.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "pool.h"

struct diagnose_file {
	struct oxide *ox;
	char *path;
	uint64_t timeout_ms;
	file_diagnosed *fn;
	void *arg;
	struct diagnose *waiting;
	struct server *first;
	struct server **all; /* that have the file, once the first is done */
	size_t n, at;
	const struct server *late;
};

static void diagnose_file_end(struct diagnose_file *f, const struct err *e)
{
	f->fn(f->arg, f->first, f->late, e);
	free(f->all);
	free(f->path);
	free(f);
}

static bool has_reported(const struct diagnose_file *f, const struct server *s)
{
	int64_t version;

	return server_version(s, f->path) >= 0 &&
	       diag_seen(f->ox->diags, server_key(s), f->path, &version);
}

static void on_other_diagnosed(void *arg, struct server *s, bool complete, const struct err *e);

static void wait_for_others(struct diagnose_file *f)
{
	struct err none = ERR_INIT;

	while (f->at < f->n) {
		struct server *s = f->all[f->at++];

		if (s == f->first || !has_reported(f, s))
			continue;
		f->waiting = diagnose_by(f->ox, server_name(s), f->path, f->timeout_ms,
					 on_other_diagnosed, f);
		return;
	}
	diagnose_file_end(f, &none);
}

static void on_other_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct diagnose_file *f = arg;

	(void)s;
	f->waiting = NULL;
	if (!complete && !f->late)
		f->late = f->all[f->at - 1];
	if (e->code == ERR_CANCELLED)
		diagnose_file_end(f, e);
	else
		wait_for_others(f);
}

static void on_first_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct diagnose_file *f = arg;

	f->waiting = NULL;
	f->first = s;
	f->late = complete ? NULL : s;
	if (!e->code)
		f->n = pool_serving(f->ox->pool, f->path, LSP_FEATURES, &f->all);
	if (e->code)
		diagnose_file_end(f, e);
	else
		wait_for_others(f);
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
	f->waiting = diagnose_start(ox, path, timeout_ms, on_first_diagnosed, f);
	return f;
}

void diagnose_file_cancel(struct diagnose_file *f)
{
	diagnose_cancel(f->waiting);
}
