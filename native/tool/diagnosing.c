#include "diagnosing.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../servers/completeness.h"
#include "../servers/diagnose_file.h"
#include "../servers/project_diags.h"
#include "target.h"

struct diagnosing {
	struct call *call;
	diagnosing_done *fn;
	void *arg;
	char *path; /* of a single file, */
	struct diagnose_file *waiting;
	struct file_diagnosis *said; /* by its servers */
	size_t n;
	struct project_diags *sweep; /* or all of them */
	struct code_actions *fixes;
	struct err why;
};

void diagnosing_free(struct diagnosing *d)
{
	if (!d)
		return;
	code_actions_free(d->fixes);
	project_diags_free(d->sweep);
	free(d->said);
	free(d->path);
	free(d);
}

static void diagnosing_end(void *arg)
{
	struct diagnosing *d = arg;

	call_on_cancel(d->call, NULL, NULL);
	d->fn(d->arg, &d->why);
}

static void on_diagnosing_file_diagnosed(void *arg, const struct file_diagnosis *v, size_t n,
					 const struct err *e)
{
	struct diagnosing *d = arg;

	d->waiting = NULL;
	d->said = mem_copy(v, n * sizeof(*v));
	d->n = n;
	d->why = *e;
	diagnosing_end(d);
}

static void on_diagnosing_told(void *arg, const struct err *e)
{
	struct diagnosing *d = arg;

	d->why = *e;
	diagnosing_end(d);
}

static void diagnosing_cancel(void *state)
{
	struct diagnosing *d = state;

	if (d->sweep)
		project_diags_cancel(d->sweep);
	else
		diagnose_file_cancel(d->waiting);
}

static void diagnose_project(struct diagnosing *d, const struct project *p)
{
	const struct call_context *ctx = call_context(d->call);
	struct project_diags_spec spec = { p, ctx->timeout_ms, ctx->known };

	d->sweep = project_diags_start(call_oxide(d->call), &spec, on_diagnosing_told, d);
	call_on_cancel(d->call, diagnosing_cancel, d);
}

static struct diagnosing *diagnosing_new(struct call *call, diagnosing_done *fn, void *arg)
{
	struct diagnosing *d = mem_new(sizeof(*d));

	d->call = call;
	d->fn = fn;
	d->arg = arg;
	return d;
}

struct diagnosing *diagnosing_project(struct call *call, const struct project *p,
				      diagnosing_done *fn, void *arg)
{
	struct diagnosing *d = diagnosing_new(call, fn, arg);

	diagnose_project(d, p);
	return d;
}

struct diagnosing *diagnosing_start(struct call *call, diagnosing_done *fn, void *arg)
{
	struct diagnosing *d;

	if (!json_get(call_args(call), "file_path"))
		return diagnosing_project(call, call_project(call), fn, arg);
	d = diagnosing_new(call, fn, arg);
	if ((d->path = target_path(call, "file_path", &d->why))) {
		d->waiting = diagnose_file_start(call_oxide(call), d->path,
						 call_context(call)->timeout_ms,
						 on_diagnosing_file_diagnosed, d);
		call_on_cancel(call, diagnosing_cancel, d);
	} else {
		oxide_soon(call_oxide(call), diagnosing_end, d);
	}
	return d;
}

void diagnosing_ask_fixes(struct diagnosing *d, const struct diag *const *v, size_t n,
			  diagnosing_done *fn, void *arg)
{
	struct oxide *ox = call_oxide(d->call);
	struct code_actions_spec spec = { .kind = STR("quickfix"),
					  .timeout_ms = call_context(d->call)->timeout_ms,
					  .glance = true };
	size_t most = (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FIXES);

	d->fn = fn;
	d->arg = arg;
	d->fixes = code_actions_for(ox, v, n < most ? n : most, &spec, on_diagnosing_told, d);
	call_on_cancel(d->call, code_actions_cancel, d->fixes);
}

const struct code_actions *diagnosing_fixes(const struct diagnosing *d)
{
	return d->fixes;
}

const char *diagnosing_server(const struct diagnosing *d)
{
	return server_name(d->said[0].server);
}

size_t diagnosing_list(const struct diagnosing *d, enum diag_severity worst,
		       const struct diag ***out)
{
	if (d->sweep)
		return project_diags_list(d->sweep, worst, out);
	return diag_list(call_oxide(d->call)->diags, d->path, worst, out);
}

void diagnosing_complete(const struct diagnosing *d, json *result)
{
	bool complete = true;

	if (d->sweep) {
		project_diags_complete(d->sweep, result);
		return;
	}
	for (size_t i = 0; i < d->n; i++)
		complete = complete && d->said[i].complete;
	json_put(result, "complete", json_bool(complete));
	for (size_t i = 0; i < d->n; i++)
		if (d->said[i].why.code)
			reasons_add(result, "%s", d->said[i].why.msg);
		else if (!d->said[i].complete)
			reasons_add(result,
				    "%s did not finish the file in time, or does not report it",
				    server_name(d->said[i].server));
}

void diagnosing_report(const struct diagnosing *d, json *result)
{
	if (d->sweep) {
		project_diags_report(d->sweep, result);
		return;
	}
	diagnosing_complete(d, result);
	json_put(result, "server", json_strz(diagnosing_server(d)));
}

enum diag_severity diagnosing_severity(const json *args, enum diag_severity if_absent)
{
	struct str s = json_get_str(args, "severity");

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++)
		if (str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
			return (enum diag_severity)i;
	return if_absent;
}
