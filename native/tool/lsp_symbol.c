
#include <stdlib.h>

#include "../base/mem.h"
#include "../servers/name_list.h"
#include "symbol_ask.h"

/* lsp_symbol: where a symbol is defined, used, what it is, and what symbols there are. */
static void on_lsp_symbol_answer(void *arg, const struct symbol_answer *a, const struct err *e)
{
	struct call *call = arg;
	json *result;

	if (!a) {
		call_fail(call, e);
		return;
	}
	result = json_object();
	json_put(result, "query", json_strz(a->question->name));
	symbol_report(call, a, call_form(call), "locations", result);
	call_done(call, result);
}

/* For the editor's completion, which cannot wait for a server. */
struct naming {
	struct call *call;
	struct name_list *list;
};

static void on_lsp_symbol_names(void *arg)
{
	struct naming n = *(struct naming *)arg;
	bool cancelled = call_cancelled(n.call);
	struct err e = ERR_INIT;
	json *result = NULL;

	if (cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else
		result = json_of({ "names", name_list_json(n.list) },
				 { "complete", json_bool(name_list_whole(n.list)) });
	name_list_free(n.list);
	free(arg);
	call_end(n.call, result, &e);
}

static void list_names(struct call *call)
{
	struct err e = ERR_INIT;
	struct target *t = target_alone(call, &e);
	struct naming *n;

	if (!t) {
		call_fail(call, &e);
		return;
	}
	n = mem_new(sizeof(*n));
	*n = (struct naming){ .call = call };
	n->list = name_list_start(call_oxide(call), call_root(call), t->doc,
				  json_get_str(call_args(call), "symbol"), on_lsp_symbol_names, n);
	target_free(t);
	call_on_cancel(call, name_list_cancel, n->list);
}

static void lsp_symbol_run(struct call *call)
{
	struct str name = json_get_str(call_args(call), "query");

	if (call_context(call)->names) {
		list_names(call);
		return;
	}
	call_may_again(call);
	symbol_ask(call, symbol_question(name), NULL, on_lsp_symbol_answer, call);
}

static const struct param params[] = {
	{ "query", P_STR, true,
	  "definition|type_definition|implementation|references|hover|document_symbols|"
	  "workspace_symbols",
	  "what to find" },
	{ "file_path", P_PATH, true, NULL, "file the symbol is in, or any file of the project" },
	PLACE_PARAMS,
	{ "symbol", P_STR, false, NULL,
	  "name on that line, or a name path in the file; for workspace_symbols the name to "
	  "search for" },
	PARAMS_END,
};

const struct tool tool_lsp_symbol = {
	.name = "lsp_symbol",
	.title = "Find symbols",
	.doc = "Find a symbol's definition, type, implementations, references or documentation, or "
	       "list the symbols of a file or the project",
	.less = "give a file_path, or more of the name",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST,
	.run = lsp_symbol_run,
	.print = print_symbols,
};
