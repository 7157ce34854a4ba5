#include <stdlib.h>

#include "../base/mem.h"
#include "../core/registry.h"
#include "../servers/completeness.h"
#include "diagnosing.h"
#include "fixes.h"

/*
 * refresh_code_actions: asks servers again for the fixes of all that is wrong with a project, or
 * with each that is loaded, one after the other, and forgets those of what is wrong no longer.
 * Changes that wait for a person's consent stay, where their files do.
 *
 *     refresh_run -> refresh_go_on -> on_refresh_diagnosed -> on_refresh_fixes
 *         -> refresh_go_on (the next project) ... -> refresh_end
 */
struct refresh {
	struct call *call;
	struct diagnosing *diagnosing;
	const struct project **todo;
	size_t at, n;
	json *rows; /* of those that were looked at */
	json *row;  /* of the last of them */
};

/* Those that are loaded now; one can be removed before its turn comes. */
static void choose_projects(struct refresh *r)
{
	const struct projects *all = call_oxide(r->call)->projects;

	r->todo = mem_new((projects_count(all) + 1) * sizeof(*r->todo));
	if (json_get_str(call_args(r->call), "project_name").n) {
		r->todo[r->n++] = call_project(r->call);
		return;
	}
	while (r->n < projects_count(all)) {
		r->todo[r->n] = projects_at(all, r->n);
		r->n++;
	}
}

static json *refresh_report(struct refresh *r)
{
	struct oxide *ox = call_oxide(r->call);
	json *answer = json_object();

	fixes_settle(ox);
	json_put(answer, "success", json_bool(true));
	json_put(answer, "projects", r->rows);
	json_put(answer, "count", json_int((int64_t)registry_count(ox->registry)));
	r->rows = NULL;
	return answer;
}

static void refresh_end(struct refresh *r, const struct err *e)
{
	struct call *call = r->call;
	json *answer = e->code ? NULL : refresh_report(r);
	struct err why = *e; /* it may lie in what is freed here */

	diagnosing_free(r->diagnosing);
	json_free(r->rows);
	free(r->todo);
	free(r);
	call_end(call, answer, &why);
}

/* The next one; NULL: that was all. */
static const struct project *next_project(struct refresh *r)
{
	const struct oxide *ox = call_oxide(r->call);

	while (r->at < r->n && !projects_id(ox->projects, r->todo[r->at]->id))
		r->at++;
	return r->at < r->n && !ox->brief ? r->todo[r->at] : NULL;
}

static void refresh_go_on(struct refresh *r);

static void put_project_row(struct refresh *r, const struct diag *const *v, size_t n)
{
	json *row = r->row = json_push(r->rows, json_object());
	struct buf summary = BUF_INIT;
	struct diag_counts counts;

	diag_count(v, n, &counts);
	diag_summary(&counts, &summary);
	json_put(row, "name", json_strz(r->todo[r->at]->name));
	json_put(row, "summary", json_take(&summary));
	diagnosing_complete(r->diagnosing, row);
}

/* What is on offer is put in place of what the registry has by the same id. */
static void on_refresh_fixes(void *arg, const struct err *e)
{
	struct refresh *r = arg;
	const struct code_actions *all = diagnosing_fixes(r->diagnosing);

	if (e->code) {
		refresh_end(r, e);
		return;
	}
	fixes_put(call_oxide(r->call), all, NULL);
	if (code_actions_missing(all))
		reasons_add(r->row, "%s", code_actions_missing(all));
	refresh_go_on(r);
}

static void on_refresh_diagnosed(void *arg, const struct err *e)
{
	struct refresh *r = arg;
	const struct diag **v;
	size_t n;

	if (e->code) {
		refresh_end(r, e);
		return;
	}
	n = diagnosing_list(r->diagnosing, DIAG_HINT, &v);
	put_project_row(r, v, n);
	r->at++;
	if (n)
		diagnosing_ask_fixes(r->diagnosing, v, n, on_refresh_fixes, r);
	else
		refresh_go_on(r);
	free(v);
}

static void refresh_go_on(struct refresh *r)
{
	const struct project *p = next_project(r);

	diagnosing_free(r->diagnosing);
	r->diagnosing = NULL;
	if (p)
		r->diagnosing = diagnosing_project(r->call, p, on_refresh_diagnosed, r);
	else
		refresh_end(r, ERR_IGNORED);
}

static void refresh_run(struct call *call)
{
	struct refresh *r = mem_new(sizeof(*r));

	r->call = call;
	r->rows = json_array();
	choose_projects(r);
	refresh_go_on(r);
}

static const struct param params[] = {
	{ "project_name", P_STR, false, NULL, "this project only; default: all loaded projects" },
	PARAMS_END,
};

const struct tool tool_refresh_code_actions = {
	.name = "refresh_code_actions",
	.title = "Refresh the fixes",
	.doc = "Ask the language servers again for fixes of the diagnostics of one project or of "
	       "all loaded projects, and drop those whose diagnostics are gone",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = refresh_run,
	.print = print_refreshed,
};
