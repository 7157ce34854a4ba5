#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "call_lines.h"
#include "diagnosing.h"
#include "fixes.h"
#include "lsp_diagnostic.h"
#include "target.h"

/*
 * lsp_diagnostic: what the language servers find wrong with a file, or with the project, in the
 * present text, and what they offer to do about it.
 *
 *     lsp_diagnostic_run -> on_listing_diagnosed -> (rows) on_listing_fixes -> diag_listing_end
 *         -> (fix_errors) fix_rounds
 *
 * The flat form, for lists of thousands in an editor, goes without what is on offer unless told
 * otherwise, and then has numbers alone.
 */
struct listing {
	struct call *call;
	struct diag_listing_spec spec;
	struct diagnosing *diagnosing;
	json *result;
};

static void diag_listing_end(struct listing *l, const struct err *e)
{
	struct call *call = l->call;
	json *result = l->result;
	struct diag_listing_spec spec = l->spec;
	struct err why = *e; /* it may lie in what is freed here */

	diagnosing_free(l->diagnosing);
	free(l);
	if (why.code) {
		json_free(result);
		result = NULL;
	}
	if (spec.done)
		spec.done(spec.arg, result, &why);
	else
		call_end(call, result, &why);
}

static void put_fixes(struct listing *l, const struct code_actions *all)
{
	fixes_put(call_oxide(l->call), all, (json *)json_get(l->result, "diagnostics"));
	if (code_actions_missing(all))
		json_put(l->result, "fixes_missing", json_strz(code_actions_missing(all)));
}

/* How many there are of each. */
static void put_flat_fixes(struct listing *l, const struct code_actions *all)
{
	json *list = json_put(l->result, "fixes", json_array());

	for (size_t i = 0; i < code_actions_count(all); i++)
		json_push(list, json_int((int64_t)code_actions_offer(all, i)->actions.n));
}

static void on_listing_fixes(void *arg, const struct err *e)
{
	struct listing *l = arg;
	const struct code_actions *all = diagnosing_fixes(l->diagnosing);

	if (!e->code && l->spec.form == ROWS_FLAT)
		put_flat_fixes(l, all);
	else if (!e->code)
		put_fixes(l, all);
	diag_listing_end(l, e);
}

static void ask_listing_fixes(struct listing *l, const struct diag *const *v, size_t n)
{
	size_t asked;

	diagnosing_ask_fixes(l->diagnosing, v, n, on_listing_fixes, l);
	asked = code_actions_count(diagnosing_fixes(l->diagnosing));
	if (asked < n)
		json_put(l->result, "not_asked", json_int((int64_t)(n - asked)));
}

static void on_listing_diagnosed(void *arg, const struct err *e)
{
	struct listing *l = arg;
	const struct diag **v;
	size_t n;

	if (e->code) {
		diag_listing_end(l, e);
		return;
	}
	n = diagnosing_list(l->diagnosing, l->spec.worst, &v);
	if (l->spec.found)
		l->spec.found(l->spec.arg, v, n);
	l->result = json_object();
	diag_rows(l->call, v, n, l->spec.form, l->result);
	diagnosing_report(l->diagnosing, l->result);
	if (n && l->spec.fixes)
		ask_listing_fixes(l, v, n);
	else
		diag_listing_end(l, e);
	free(v);
}

void diag_listing(struct call *call, const struct diag_listing_spec *spec)
{
	struct listing *l = mem_new(sizeof(*l));

	l->call = call;
	l->spec = *spec;
	l->diagnosing = diagnosing_start(call, on_listing_diagnosed, l);
}

static bool carry_lines(struct call *call, struct err *e)
{
	const json *args = call_args(call);
	bool any = json_get(args, "start_line") && json_get(args, "file_path");
	char *path SCOPED(mem_release) = any ? target_path(call, "file_path", e) : NULL;
	struct doc *d = path ? workspace_doc(call_oxide(call)->workspace, path, e) : NULL;

	return !any || (d && call_lines_now(call, path, d, e));
}

static void lsp_diagnostic_run(struct call *call)
{
	const json *args = call_args(call);
	enum row_form form = call_form(call);
	struct diag_listing_spec spec = { .form = form,
					  .worst = diagnosing_severity(args, DIAG_HINT),
					  .fixes =
						  json_get_bool(args, "fixes", form != ROWS_FLAT) };
	struct err e = ERR_INIT;

	if (!carry_lines(call, &e))
		call_fail(call, &e);
	else if (json_get_bool(args, "fix_errors", false))
		fix_rounds(call);
	else
		diag_listing(call, &spec);
}

const struct param lsp_diagnostic_params[] = {
	{ "file_path", P_PATH, false, NULL, "the file; default: the project" },
	{ "severity", P_STR, false, "error|warning|info|hint",
	  "the lowest severity to list; with fix_errors the lowest to fix, default: warning" },
	{ "fixes", P_BOOL, false, NULL, "list the fixes for each (default true)" },
	{ "fix_errors", P_BOOL, false, NULL,
	  "apply the fixes that the server prefers, or the only ones; new errors refuse a fix" },
	{ "kind", P_STR, false, NULL,
	  "with fix_errors: fixes of this kind alone, as quickfix.import" },
	{ "code", P_STR, false, NULL, "with fix_errors: diagnostics with this code alone" },
	{ "start_line", P_INT, false, NULL,
	  "with fix_errors: only what is on these lines, in one round" },
	{ "end_line", P_INT, false, NULL, "the last of them; start_line when left out" },
	{ "dry_run", P_BOOL, false, NULL,
	  "with fix_errors: only show what the first round would change" },
	{ "confirm", P_STR, false, "ask|apply", "with fix_errors: ask, or apply (default)" },
	PARAMS_END,
};

const struct tool tool_lsp_diagnostic = {
	.name = "lsp_diagnostic",
	.title = "Diagnostics and fixes",
	.doc = "List the language server's errors, warnings and hints for the current text, by "
	       "file, severity and line, with their fixes; or apply the fixes",
	.less = "give a file_path, or a higher severity",
	.params = lsp_diagnostic_params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST,
	.run = lsp_diagnostic_run,
	.print = print_diagnostics,
};
