#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/registry.h"
#include "fixes.h"

/*
 * refresh_code_actions: asks servers anew for the fixes of all that is wrong with the project (a
 * lsp_diagnostic of its own), and forgets those of what is wrong no longer. Changes that wait for a
 * person's word stay, where their files do.
 */
struct refresh {
	struct call *call, *inner;
};

static void on_listed(void *arg, json *result, const struct err *e)
{
	struct refresh *r = arg;
	struct call *call = r->call;
	struct oxide *ox = call_oxide(call);
	json *answer;

	call_on_cancel(call, NULL, NULL);
	free(r);
	if (e->code) {
		json_free(result);
		call_fail(call, e);
		return;
	}
	fixes_settle(ox);
	answer = json_object();
	json_put(answer, "success", json_bool(true));
	json_push(json_put(answer, "projects", json_array()), json_strz(call_project(call)->name));
	json_put(answer, "count", json_int((int64_t)registry_count(ox->registry)));
	json_put(answer, "summary", json_str(json_get_str(result, "summary")));
	json_put(answer, "complete", json_bool(json_get_bool(result, "complete", false)));
	json_free(result);
	call_done(call, answer);
}

static void cancelled(void *state)
{
	struct refresh *r = state;

	call_cancel(r->inner);
}

static void run(struct call *call)
{
	struct oxide *ox = call_oxide(call);
	struct call_context ctx = { .timeout_ms = call_context(call)->timeout_ms,
				    .project = call_project(call) };
	struct refresh *r = mem_new(sizeof(*r));

	r->call = call;
	r->inner = call_start(ox, &tool_lsp_diagnostic, json_object(), &ctx, on_listed, r);
	call_on_cancel(call, cancelled, r);
}

static const struct param params[] = {
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_refresh_code_actions = {
	.name = "refresh_code_actions",
	.title = "Look for fixes anew",
	.doc = "Ask the language servers anew for the fixes of what is wrong with the project, and "
	       "forget those of what is wrong no longer",
	.params = params,
	.flags = TOOL_RUST,
	.run = run,
};
