#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "diag_rows.h"
#include "diagnosing.h"
#include "fixes.h"
#include "symbol_ask.h"

/*
 * analyze_code: what is in one file and what is wrong with it, at once.
 *
 *     analysis_run -> on_analysis_symbols -> on_analysis_diagnosed -> on_analysis_fixes
 *         -> analysis_answer
 *
 * What the server cannot tell is left out, with the reason; the rest is answered all the same.
 */
struct analysis {
	struct call *call;
	json *symbols, *diagnostics; /* rows; NULL: the server cannot tell, and why: */
	struct err no_symbols, no_diagnostics;
	json *source; /* who tells the symbols */
	struct diagnosing *diagnosing;
	struct diag_counts counts;
};

static void put_size(struct analysis *a, json *result)
{
	struct oxide *ox = call_oxide(a->call);
	struct err e = ERR_INIT;
	char *path SCOPED(mem_release) = target_path(a->call, "file_path", &e);
	struct doc *doc = path ? workspace_doc(ox->workspace, path, &e) : NULL;

	if (doc) {
		json_put(result, "file", json_str(call_shown(a->call, path)));
		json_put(result, "lines", json_int((int64_t)doc_line_count(doc)));
		json_put(result, "bytes", json_int((int64_t)doc_text(doc).n));
	}
}

static void put_symbols(struct analysis *a, json *result)
{
	if (!a->symbols) {
		json_put(result, "no_symbols", json_strz(a->no_symbols.msg));
		return;
	}
	json_put(result, "symbols", a->symbols);
	json_each(m, a->source)
		json_put(result, json_key(m), json_copy(m));
}

static void put_diagnostics(struct analysis *a, json *result)
{
	if (a->no_diagnostics.code) {
		json_put(result, "no_diagnostics", json_strz(a->no_diagnostics.msg));
		return;
	}
	json_put(result, "diagnostics", a->diagnostics);
	json_put(result, "server", json_strz(diagnosing_server(a->diagnosing)));
	diag_put_counts(&a->counts, result);
	diagnosing_report(a->diagnosing, result);
}

static void analysis_answer(struct analysis *a)
{
	struct call *call = a->call;
	struct err why = a->no_diagnostics;
	json *result = NULL;

	/* Not where there is no such file to speak of. */
	if (why.code != ERR_CANCELLED && why.code != ERR_NOT_FOUND && why.code != ERR_DENIED &&
	    why.code != ERR_INVALID) {
		result = json_object();
		put_size(a, result);
		put_symbols(a, result);
		put_diagnostics(a, result);
	} else {
		json_free(a->symbols);
	}
	if (!result || why.code)
		json_free(a->diagnostics);
	json_free(a->source);
	diagnosing_free(a->diagnosing);
	free(a);
	if (result)
		call_done(call, result);
	else
		call_fail(call, &why);
}

static void on_analysis_fixes(void *arg, const struct err *e)
{
	struct analysis *a = arg;

	a->no_diagnostics = *e;
	if (!e->code)
		fixes_put(call_oxide(a->call), diagnosing_fixes(a->diagnosing), a->diagnostics);
	analysis_answer(a);
}

static void on_analysis_diagnosed(void *arg, const struct err *e)
{
	struct analysis *a = arg;
	const struct diag **v;
	size_t n;

	a->no_diagnostics = *e;
	if (e->code) {
		analysis_answer(a);
		return;
	}
	n = diagnosing_list(a->diagnosing, DIAG_HINT, &v);
	diag_count(v, n, &a->counts);
	a->diagnostics = diag_list_rows(a->call, v, n, ROWS_LSP);
	if (n)
		diagnosing_ask_fixes(a->diagnosing, v, n, on_analysis_fixes, a);
	else
		analysis_answer(a);
	free(v);
}

static void on_analysis_symbols(void *arg, const struct symbol_answer *s, const struct err *e)
{
	struct analysis *a = arg;

	a->no_symbols = *e;
	if (s) {
		a->symbols = symbol_rows(a->call, s, ROWS_LSP);
		a->source = json_object();
		symbol_put_source(s, a->source);
	}
	if (e->code == ERR_CANCELLED) {
		err_set(&a->no_diagnostics, ERR_CANCELLED, "cancelled");
		analysis_answer(a);
		return;
	}
	a->diagnosing = diagnosing_start(a->call, on_analysis_diagnosed, a);
}

static void analysis_run(struct call *call)
{
	struct analysis *a = mem_new(sizeof(*a));

	a->call = call;
	symbol_ask(call, symbol_question(STR("document_symbols")), NULL, on_analysis_symbols, a);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "the file" },
	PARAMS_END,
};

const struct tool tool_analyze_code = {
	.name = "analyze_code",
	.title = "Analyze a file",
	.doc = "List a file's symbols, diagnostics and size; positions from 0, as in LSP",
	.less = "use lsp_symbol with document_symbols, or lsp_diagnostic",
	.params = params,
	.run = analysis_run,
	.print = print_analysis,
};
