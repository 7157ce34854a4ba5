#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "call_lines.h"
#include "lsp_diagnostic.h"
#include "symbol_ask.h"

/*
 * The tools that name places as LSP does: lines and characters from 0, characters in UTF-16 code
 * units whatever the server has agreed to. They ask what lsp_symbol and lsp_diagnostic ask.
 *
 *     position_run -> position_ask -> on_position_answer -> call_done
 */
#define USES_MOST 16

struct asking {
	struct call *call;
	const char *query, *list; /* what is asked, and what its places are called */
	/* A name that the file only uses is asked about at one use after the other, since one may
	 * are in a string: */
	unsigned uses;	/* how many were */
	size_t from;	/* where the next one is sought */
	struct pos use; /* the last one */
};

static void position_ask(struct asking *a, const struct target_line *at);

/* The file, for a place in it; NULL and *e: it may not be shown, or cannot be read. */
static struct doc *named_doc(struct call *c, struct err *e)
{
	char *path SCOPED(mem_release) = target_path(c, "file_path", e);

	return path ? workspace_doc(call_oxide(c)->workspace, path, e) : NULL;
}

static struct target_line positions_line_of(struct doc *doc, size_t byte)
{
	size_t line, column;

	doc_where(doc, byte, &line, &column);
	return (struct target_line){ (int64_t)line, (int64_t)column };
}

static bool ask_at_use(struct asking *a)
{
	const json *args = call_args(a->call);
	struct str name = json_get_str(args, "symbol");
	struct err e = ERR_INIT;
	struct target_line at;
	struct doc *doc;

	if (json_get(args, "line") || a->uses == USES_MOST)
		return false;
	doc = named_doc(a->call, &e);
	if (!doc || !name.n || !str_find_name(doc_text(doc), name, &a->from))
		return false;
	at = positions_line_of(doc, a->from);
	a->use = doc_pos(doc, a->from++, POS_UTF16);
	a->uses++;
	position_ask(a, &at);
	return true;
}

static json *position_report(struct asking *a, const struct symbol_answer *answer)
{
	json *result = json_object();

	symbol_report(a->call, answer, ROWS_LSP, a->list, result);
	if (a->uses) {
		json_put(result, "asked_at",
			 json_of({ "line", json_int(a->use.line) },
				 { "character", json_int(a->use.col) }));
	}
	return result;
}

static void on_position_answer(void *arg, const struct symbol_answer *answer, const struct err *e)
{
	struct asking *a = arg;
	struct call *call = a->call;
	bool empty = answer && !(answer->locations ? answer->locations->n : answer->hover.n);

	if ((e->code == ERR_NOT_FOUND || (a->uses && empty)) && ask_at_use(a))
		return;
	if (e->code)
		call_fail(call, e);
	else
		call_done(call, position_report(a, answer));
	free(a);
}

static void position_ask(struct asking *a, const struct target_line *at)
{
	symbol_ask(a->call, symbol_question(str_of(a->query)), at, on_position_answer, a);
}

/* The line and the character of the question, as a person counts them. */
static bool read_place(struct call *call, struct target_line *out, struct err *e)
{
	const json *args = call_args(call);
	int64_t line = json_get_int(args, "line", -1),
		character = json_get_int(args, "character", -1);
	struct pos pos = { (uint32_t)line, character < 0 ? 0 : (uint32_t)character };
	struct doc *doc;

	if (line < 0)
		return character < 0 || err_set(e, ERR_INVALID, "character needs a line as well");
	doc = named_doc(call, e);
	if (!doc || !call_placed(call, doc_path(doc), doc, e))
		return false;
	line = json_get_int(args, "line", -1);
	pos.line = (uint32_t)line;
	if ((size_t)line >= doc_lines(doc, LINES_LSP)->n)
		return err_set(
			e, ERR_INVALID,
			"line %lld is past the end: the last line of %s is %zu, counted from 0",
			(long long)line, doc_path(doc),
			doc_line_count(doc) ? doc_line_count(doc) - 1 : 0);
	*out = positions_line_of(doc, doc_byte(doc, pos, POS_UTF16));
	if (character < 0)
		out->column = 0;
	return true;
}

static void position_run(struct call *call, const char *query, const char *list)
{
	struct target_line at = { 0, 0 };
	struct err e = ERR_INIT;
	struct asking *a;

	call_may_again(call);
	if (!read_place(call, &at, &e)) {
		call_fail(call, &e);
		return;
	}
	a = mem_new(sizeof(*a));
	a->call = call;
	a->query = query;
	a->list = list;
	position_ask(a, &at);
}

static void position_run_definition(struct call *call)
{
	position_run(call, "definition", "definitions");
}

static void position_run_references(struct call *call)
{
	position_run(call, "references", "references");
}

static void position_run_hover(struct call *call)
{
	position_run(call, "hover", NULL);
}

static void position_run_diagnostics(struct call *call)
{
	struct diag_listing_spec spec = { .form = ROWS_LSP, .worst = DIAG_HINT, .fixes = true };

	diag_listing(call, &spec);
}

static const struct param place_params[] = {
	{ "file_path", P_PATH, true, NULL, "file the symbol is in" },
	{ "line", P_INDEX, false, NULL, "line of the symbol, from 0" },
	{ "character", P_INDEX, false, NULL,
	  "character on that line in UTF-16 code units, from 0" },
	{ "symbol", P_STR, false, NULL,
	  "name on that line; or alone: a name path in the file, else a name that the file uses" },
	PARAMS_END,
};

const struct tool tool_goto_definition = {
	.name = "goto_definition",
	.title = "Go to a definition",
	.doc = "Find where a symbol is defined; positions from 0, as in LSP",
	.params = place_params,
	.run = position_run_definition,
	.print = print_definitions,
};

const struct tool tool_find_references = {
	.name = "find_references",
	.title = "Find references",
	.doc = "Find all places that use a symbol; positions from 0, as in LSP",
	.less = "search the files that are not listed for the name",
	.params = place_params,
	.run = position_run_references,
	.print = print_references,
};

const struct tool tool_hover_info = {
	.name = "hover_info",
	.title = "Describe a symbol",
	.doc = "Show what the language server knows about a symbol: its type, signature, "
	       "documentation",
	.params = place_params,
	.run = position_run_hover,
	.print = print_hover,
};

static const struct param file_params[] = {
	{ "file_path", P_PATH, true, NULL, "the file" },
	PARAMS_END,
};

const struct tool tool_get_diagnostics = {
	.name = "get_diagnostics",
	.title = "Diagnostics of a file",
	.doc = "List the language server's diagnostics of a file; positions from 0, as in LSP, "
	       "severity 1 (error) to 4 (hint)",
	.less = "lsp_diagnostic with a severity shows less",
	.params = file_params,
	.run = position_run_diagnostics,
	.print = print_get_diagnostics,
};
