#include <stdlib.h>

#include "../base/mem.h"
#include "../core/registry.h"
#include "../servers/reach.h"
#include "fixes.h"

/*
 * refresh_code_actions: asks servers anew for the fixes of all that is wrong with a project, or
 * with each that is loaded (a lsp_diagnostic of its own for each, one after the other), and forgets
 * those of what is wrong no longer. Changes that wait for a person's word stay, where their files
 * do.
 *
 *     run -> go_on -> look -> on_listed -> go_on (the next project) ... -> end
 */
struct refresh {
	struct call *call, *inner;
	const struct project **todo;
	size_t at, n;
	json *rows; /* of those that were looked at */
};

/* Those that are loaded now; one can be removed before its turn comes. */
static void choose(struct refresh *r)
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

static json *report(struct refresh *r)
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

static void end(struct refresh *r, const struct err *e)
{
	struct call *call = r->call;
	json *answer = e->code ? NULL : report(r);

	call_on_cancel(call, NULL, NULL);
	json_free(r->rows);
	free(r->todo);
	free(r);
	if (answer)
		call_done(call, answer);
	else
		call_fail(call, e);
}

/* The next one; NULL: that was all. */
static const struct project *next(struct refresh *r)
{
	const struct oxide *ox = call_oxide(r->call);

	while (r->at < r->n && !projects_id(ox->projects, r->todo[r->at]->id))
		r->at++;
	return r->at < r->n && !ox->brief ? r->todo[r->at] : NULL;
}

static void go_on(struct refresh *r);

/* What is on offer has been put into the registry by now, in place of what has the same id. */
static void on_listed(void *arg, json *result, const struct err *e)
{
	struct refresh *r = arg;
	json *row;

	if (e->code) {
		json_free(result);
		end(r, e);
		return;
	}
	row = json_push(r->rows, json_object());
	json_put(row, "name", json_strz(r->todo[r->at++]->name));
	json_put(row, "summary", json_str(json_get_str(result, "summary")));
	json_put(row, "complete", json_bool(json_get_bool(result, "complete", false)));
	reasons_copy(row, result);
	json_free(result);
	go_on(r);
}

static void look(struct refresh *r, const struct project *p)
{
	const struct call_context *outer = call_context(r->call);
	struct call_context ctx = { .known = outer->known,
				    .background = outer->background,
				    .timeout_ms = outer->timeout_ms,
				    .project = p };

	r->inner = call_start(call_oxide(r->call), &tool_lsp_diagnostic, json_object(), &ctx,
			      on_listed, r);
}

static void go_on(struct refresh *r)
{
	const struct project *p = next(r);
	struct err none = ERR_INIT;

	if (p)
		look(r, p);
	else
		end(r, &none);
}

static void cancelled(void *state)
{
	struct refresh *r = state;

	call_cancel(r->inner);
}

static void run(struct call *call)
{
	struct refresh *r = mem_new(sizeof(*r));

	r->call = call;
	r->rows = json_array();
	choose(r);
	call_on_cancel(call, cancelled, r);
	go_on(r);
}

static const struct param params[] = {
	{ "project_name", P_STR, false, "this project alone; all that are loaded when left out",
	  NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_refresh_code_actions = {
	.name = "refresh_code_actions",
	.title = "Look for fixes anew",
	.doc = "Ask the language servers anew for the fixes of what is wrong with a project, or with "
	       "all that are loaded, and forget those of what is wrong no longer",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = run,
	.say = say_refreshed,
};
