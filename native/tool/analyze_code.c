#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "positions.h"
#include "target.h"

/*
 * analyze_code: what is in one file and what is wrong with it, at once.
 *
 *     run -> on_part (once for the symbols, once for the diagnostics) -> answer
 *
 * What the server cannot tell is left out, with the reason; the rest is answered all the same.
 */
enum part { SYMBOLS, DIAGNOSTICS, PARTS };

struct analysis;

struct asked {
	struct analysis *of;
	struct call *call; /* NULL once it has answered */
	json *result;
	struct err why;
};

struct analysis {
	struct call *call;
	struct asked part[PARTS];
	size_t left;
};

/* A final line end starts no line. */
static size_t count_lines(struct doc *doc)
{
	const struct line_table *t = doc_lines(doc, LINES_VIM);

	return t->n - (t->at[t->n - 1] == doc_text(doc).n);
}

static void put_size(struct analysis *a, json *result)
{
	struct oxide *ox = call_oxide(a->call);
	struct err e = ERR_INIT;
	char *path = target_path(a->call, "file_path", &e);
	struct doc *doc = path ? workspace_doc(ox->workspace, path, &e) : NULL;

	if (doc) {
		json_put(result, "file", json_str(call_shown(a->call, path)));
		json_put(result, "lines", json_int((int64_t)count_lines(doc)));
		json_put(result, "bytes", json_int((int64_t)doc_text(doc).n));
	}
	free(path);
}

static void put_part(struct analysis *a, enum part p, json *result)
{
	static const char *const members[PARTS][6] = {
		{ "server" },
		{ "server", "counts", "summary", "complete", "reasons" },
	};
	static const char *const list[PARTS] = { "symbols", "diagnostics" };
	const struct asked *asked = &a->part[p];

	if (asked->why.code) {
		json_put(result, p == SYMBOLS ? "no_symbols" : "no_diagnostics",
			 json_strz(asked->why.msg));
		return;
	}
	json_put(result, list[p], positions_rows(a->call, json_get(asked->result, list[p])));
	for (const char *const *m = members[p]; *m; m++)
		if (json_get(asked->result, *m))
			json_put(result, *m, json_copy(json_get(asked->result, *m)));
}

/* Not that no server knows the file, but that there is no such file to speak of. */
static bool is_final(const struct err *why)
{
	return why->code == ERR_CANCELLED || why->code == ERR_NOT_FOUND ||
	       why->code == ERR_DENIED || why->code == ERR_INVALID;
}

static void answer(struct analysis *a)
{
	struct call *call = a->call;
	const struct err *why = &a->part[DIAGNOSTICS].why;
	json *result = NULL;

	call_on_cancel(call, NULL, NULL);
	if (!is_final(why)) {
		result = json_object();
		put_size(a, result);
		for (enum part p = SYMBOLS; p < PARTS; p++)
			put_part(a, p, result);
	}
	for (enum part p = SYMBOLS; p < PARTS; p++)
		json_free(a->part[p].result);
	if (result)
		call_done(call, result);
	else
		call_fail(call, why);
	free(a);
}

static void on_part(void *arg, json *result, const struct err *e)
{
	struct asked *asked = arg;
	struct analysis *a = asked->of;

	asked->call = NULL;
	asked->why = *e;
	/* What an error says beyond its message is about another tool's arguments. */
	asked->result = result;
	if (!--a->left)
		answer(a);
}

static void cancelled(void *state)
{
	struct analysis *a = state;

	for (enum part p = SYMBOLS; p < PARTS; p++)
		if (a->part[p].call)
			call_cancel(a->part[p].call);
}

static void run(struct call *call)
{
	const struct tool *const tool[PARTS] = { &tool_lsp_symbol, &tool_lsp_diagnostic };
	struct str path = json_get_str(call_args(call), "file_path");
	struct call_context ctx = *call_context(call);
	struct analysis *a = mem_new(sizeof(*a));

	ctx.flat = false;
	a->call = call;
	a->left = PARTS;
	for (enum part p = SYMBOLS; p < PARTS; p++) {
		json *args = json_object();

		json_put(args, "file_path", json_str(path));
		if (p == SYMBOLS)
			json_put(args, "query", json_strz("document_symbols"));
		a->part[p] = (struct asked){ .of = a };
		a->part[p].call =
			call_start(call_oxide(call), tool[p], args, &ctx, on_part, &a->part[p]);
	}
	call_on_cancel(call, cancelled, a);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, "the file", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_analyze_code = {
	.name = "analyze_code",
	.title = "Analyze a file",
	.doc = "List a file's symbols and diagnostics, and tell its size; positions from 0, as LSP "
	       "has them",
	.less = "lsp_symbol with document_symbols, and lsp_diagnostic, have its parts",
	.params = params,
	.run = run,
	.say = say_analysis,
};
