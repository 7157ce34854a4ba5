#include "diagnosing.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../servers/diagnose.h"
#include "../servers/reach.h"
#include "../servers/sweep.h"
#include "target.h"

struct diagnosing {
	struct call *call;
	diagnosing_done *fn;
	void *arg;
	char *path; /* of a single file, */
	struct diagnose *waiting;
	struct server *server;
	bool complete;
	struct sweep *sweep; /* or all of them */
	struct err why;
};

void diagnosing_free(struct diagnosing *d)
{
	if (!d)
		return;
	sweep_free(d->sweep);
	free(d->path);
	free(d);
}

static void finish(void *arg)
{
	struct diagnosing *d = arg;

	call_on_cancel(d->call, NULL, NULL);
	d->fn(d->arg, &d->why);
}

static void on_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct diagnosing *d = arg;

	d->waiting = NULL;
	d->server = s;
	d->complete = complete;
	d->why = *e;
	finish(d);
}

static void on_swept(void *arg, const struct err *e)
{
	struct diagnosing *d = arg;

	d->why = *e;
	finish(d);
}

static void cancelled(void *state)
{
	struct diagnosing *d = state;

	call_on_cancel(d->call, NULL, NULL);
	if (d->sweep)
		sweep_cancel(d->sweep);
	else
		diagnose_cancel(d->waiting);
}

static void sweep(struct diagnosing *d)
{
	const struct call_context *ctx = call_context(d->call);
	struct sweep_spec spec = { call_project(d->call), ctx->timeout_ms, ctx->known };

	d->sweep = sweep_start(call_oxide(d->call), &spec, on_swept, d);
	call_on_cancel(d->call, cancelled, d);
}

struct diagnosing *diagnosing_start(struct call *call, diagnosing_done *fn, void *arg)
{
	struct diagnosing *d = mem_new(sizeof(*d));

	*d = (struct diagnosing){ .call = call, .fn = fn, .arg = arg };
	if (!json_get(call_args(call), "file_path")) {
		sweep(d);
	} else if ((d->path = target_path(call, "file_path", &d->why))) {
		d->waiting = diagnose_start(call_oxide(call), d->path,
					    call_context(call)->timeout_ms, on_diagnosed, d);
		call_on_cancel(call, cancelled, d);
	} else {
		oxide_soon(call_oxide(call), finish, d);
	}
	return d;
}

size_t diagnosing_list(const struct diagnosing *d, enum diag_severity worst,
		       const struct diag ***out)
{
	if (d->sweep)
		return sweep_list(d->sweep, worst, out);
	return diag_list(call_oxide(d->call)->diags, d->path, worst, out);
}

void diagnosing_report(const struct diagnosing *d, json *result)
{
	if (d->sweep) {
		sweep_report(d->sweep, result);
		return;
	}
	json_put(result, "complete", json_bool(d->complete));
	if (!d->complete)
		reasons_add(result, "%s was not done with the file in time, or does not say so",
			    server_name(d->server));
	json_put(result, "server", json_strz(server_name(d->server)));
}

enum diag_severity diagnosing_severity(const json *args, enum diag_severity if_absent)
{
	struct str s = json_get_str(args, "severity");

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++)
		if (str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
			return (enum diag_severity)i;
	return if_absent;
}
