#include <stdlib.h>

#include "../base/mem.h"
#include "auto_update.h"
#include "offered_action.h"

/*
 * execute_code_action: makes a change that list_code_actions names, as one transaction. One that is
 * not worked out yet is asked for first:
 * execution_run -> (on_execution_planned) -> execution_hand_over -> call_change.
 */
struct execution {
	struct call *call;
	struct registered *action;
};

static void execution_hand_over(struct execution *x)
{
	struct call *call = x->call;
	struct registered *a = x->action;
	const json *args = call_args(call);
	struct change ch = { .action = a };

	free(x);
	ch.plan = a->plan;
	a->plan = NULL;
	ch.report = json_object();
	json_put(ch.report, "action_id", json_strz(a->id));
	json_put(ch.report, "title", json_strz(a->title));
	json_put(ch.report, "kind", json_strz(a->kind));
	ch.title = a->title;
	ch.server = a->server ? server_name(a->server) : NULL;
	ch.labels = a->labels;
	ch.new_name = a->new_name ? str_of(a->new_name) : STR("");
	ch.most = a->most;
	ch.home = a->home;
	ch.annotated = a->annotated;
	ch.must = str_eq(json_get_str(args, "confirm"), STR("ask"));
	ch.dry_run = json_get_bool(args, "dry_run", false);
	ch.verify = json_get_bool(args, "verify", !a->unverified);
	auto_update(call_oxide(call));
	call_change(call, &ch);
}

static void on_execution_planned(void *arg, struct plan *p, const struct wsedit_notes *notes,
				 const struct err *e)
{
	struct execution *x = arg;
	struct call *call = x->call;

	call_on_cancel(call, NULL, NULL);
	if (e->code) {
		if (e->code == ERR_CANCELLED)
			registry_put(call_oxide(call)->registry, x->action);
		else
			registered_free(x->action);
		free(x);
		call_fail(call, e);
		return;
	}
	offered_action_plan(x->action, p, notes);
	execution_hand_over(x);
}

static void execution_run(struct call *call)
{
	struct oxide *ox = call_oxide(call);
	struct str id = json_get_str(call_args(call), "action_id");
	struct err e = ERR_INIT;
	struct registered *a = registry_take(ox->registry, id, &e);
	struct execution *x;

	if (!a) {
		call_fail(call, &e);
		return;
	}
	x = mem_new(sizeof(*x));
	x->call = call;
	x->action = a;
	if (a->plan) {
		execution_hand_over(x);
		return;
	}
	call_on_cancel(call, action_plan_cancel,
		       action_plan_start(ox, a->server, &a->action.v[0], a->moves,
					 call_context(call)->timeout_ms, on_execution_planned, x));
}

static const struct param params[] = {
	{ "action_id", P_STR, true, NULL, "its id, from list_code_actions or another answer" },
	{ "verify", P_BOOL, false, NULL, "new errors refuse it (default true)" },
	DRY_RUN_PARAM,
	{ "confirm", P_STR, false, "ask|apply", "ask, or apply (default)" },
	PARAMS_END,
};

const struct tool tool_execute_code_action = {
	.name = "execute_code_action",
	.title = "Apply a change by its id",
	.doc = "Apply a change by its id, all files or none; it is refused if its files have "
	       "changed since it was offered",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST | TOOL_JSON | TOOL_DRAFTS,
	.run = execution_run,
	.print = print_change,
};
