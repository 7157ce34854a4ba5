#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../servers/offers.h"
#include "diag_rows.h"
#include "diagnosing.h"
#include "fixes.h"

/*
 * lsp_diagnostic: what the language servers find wrong with a file, or with the project, in the
 * present text, and what they offer to do about it.
 *
 *     run -> on_diagnosed -> (rows) on_offers -> answer
 *         -> (fix_errors) fix_rounds
 *
 * The flat form, for lists of thousands in an editor, goes without what is on offer unless told
 * otherwise, and then has numbers alone.
 */
struct listing {
	struct call *call;
	struct diagnosing *diagnosing;
	struct offers *offers;
	json *result;
	size_t asked; /* the first diagnostics, that fixes are asked for */
};

static void listing_end(struct listing *l, const struct err *e)
{
	struct call *call = l->call;
	json *result = l->result;
	struct err why = *e; /* it may lie in what is freed here */

	call_on_cancel(call, NULL, NULL);
	offers_free(l->offers);
	diagnosing_free(l->diagnosing);
	free(l);
	if (!why.code) {
		call_done(call, result);
		return;
	}
	json_free(result);
	call_fail(call, &why);
}

static void describe(struct listing *l, const struct diag *const *v, size_t n)
{
	diag_rows(l->call, v, n, call_context(l->call)->flat, l->result);
	diagnosing_report(l->diagnosing, l->result);
}

static void put_fixes(struct listing *l)
{
	json *row = (json *)(uintptr_t)json_first(json_get(l->result, "diagnostics"));

	for (size_t i = 0; i < l->asked; i++) {
		json_put(row, "fixes", fixes_rows(call_oxide(l->call), l->offers, i));
		row = (json *)(uintptr_t)json_next(row);
	}
	if (offers_missing(l->offers))
		json_put(l->result, "fixes_missing", json_strz(offers_missing(l->offers)));
}

/* How many there are of each. */
static void put_flat_fixes(struct listing *l)
{
	json *list = json_put(l->result, "fixes", json_array());

	for (size_t i = 0; i < l->asked; i++)
		json_push(list, json_int((int64_t)offers_at(l->offers, i)->fixes.n));
}

static void on_offers(void *arg, const struct err *e)
{
	struct listing *l = arg;

	if (!e->code && call_context(l->call)->flat)
		put_flat_fixes(l);
	else if (!e->code)
		put_fixes(l);
	listing_end(l, e);
}

static void cancel_offers(void *state)
{
	struct listing *l = state;

	offers_cancel(l->offers);
}

static void ask_for_fixes(struct listing *l, const struct diag *const *v, size_t n)
{
	struct oxide *ox = call_oxide(l->call);
	struct offers_spec spec = { STR("quickfix"), call_context(l->call)->timeout_ms, true };
	size_t most = (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FIXES);

	l->asked = n < most ? n : most;
	if (l->asked < n)
		json_put(l->result, "not_asked", json_int((int64_t)(n - l->asked)));
	l->offers = offers_start(ox, v, l->asked, &spec, on_offers, l);
	call_on_cancel(l->call, cancel_offers, l);
}

static void on_diagnosed(void *arg, const struct err *e)
{
	struct listing *l = arg;
	enum diag_severity worst = diagnosing_severity(call_args(l->call), DIAG_HINT);
	const struct diag **v;
	size_t n;

	if (e->code) {
		listing_end(l, e);
		return;
	}
	n = diagnosing_list(l->diagnosing, worst, &v);
	l->result = json_object();
	describe(l, v, n);
	if (n && json_get_bool(call_args(l->call), "fixes", !call_context(l->call)->flat))
		ask_for_fixes(l, v, n);
	else
		listing_end(l, e);
	free(v);
}

static void run(struct call *call)
{
	struct listing *l;

	if (json_get_bool(call_args(call), "fix_errors", false)) {
		fix_rounds(call);
		return;
	}
	l = mem_new(sizeof(*l));
	l->call = call;
	l->diagnosing = diagnosing_start(call, on_diagnosed, l);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false, "the file; the project when left out", NULL },
	{ "severity", P_STR, false,
	  "the mildest to list; with fix_errors the mildest to fix, warning when left out",
	  "error|warning|info|hint" },
	{ "fixes", P_BOOL, false, "list what can be done about each (default true)", NULL },
	{ "fix_errors", P_BOOL, false,
	  "apply the fixes that the server prefers, or the only ones; new errors refuse a fix",
	  NULL },
	FIX_PARAMS,
	{ "dry_run", P_BOOL, false, "with fix_errors: only show what the first round would change",
	  NULL },
	{ "confirm", P_STR, false, "with fix_errors: ask, or apply (default)", "ask|apply" },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_diagnostic = {
	.name = "lsp_diagnostic",
	.title = "Diagnostics and fixes",
	.doc = "List the errors, warnings and hints of the language server for the present text, by "
	       "file, severity and line, with their fixes; or apply those",
	.less = "name one file_path, or a higher severity",
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST,
	.run = run,
	.say = say_diagnostics,
};
