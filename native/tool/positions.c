#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "places.h"
#include "positions.h"
#include "target.h"

/*
 * The tools that name places as LSP does: lines and characters from 0, characters in UTF-16 code
 * units whatever the server has agreed to. Each asks one of the tools that count as a person does,
 * and translates the question and the answer; a member that is no position stays as it is.
 *
 *     run -> ask -> on_answer -> call_done
 */
#define USES_MOST 16

struct kind {
	const struct tool *tool, *asks;
	const char *query; /* of lsp_symbol */
	const char *from;  /* the answer's list of places, and how it is called here; NULL: none */
	const char *to;
};

struct relay {
	const struct kind *kind;
	struct call *call, *inner;
	/* A name that the file only uses is asked about at one use after the other, since one may
	 * stand in a string: */
	unsigned uses;	/* how many were */
	size_t from;	/* where the next one is sought */
	struct pos use; /* the last one */
};

static void put_pos(json *row, const char *line, const char *character, struct pos pos)
{
	json_put(row, line, json_int(pos.line));
	json_put(row, character, json_int(pos.col));
}

/* A person's line and column; `doc` may be NULL. */
static struct pos read_pos(struct doc *doc, const json *row, const char *line, const char *column)
{
	size_t l = (size_t)json_get_int(row, line, 1), c = (size_t)json_get_int(row, column, 1);

	if (!doc)
		return (struct pos){ (uint32_t)(l - 1), (uint32_t)(c - 1) };
	return doc_pos(doc, doc_at(doc, l, c), POS_UTF16);
}

static bool is_position(struct str key)
{
	return str_eq(key, STR("line")) || str_eq(key, STR("column")) ||
	       str_eq(key, STR("end_line")) || str_eq(key, STR("end_column")) ||
	       str_eq(key, STR("definition_line")) || str_eq(key, STR("definition_end_line"));
}

static json *row_of(const struct call *c, struct places *places, const json *was)
{
	char *path = path_join(call_shown_root(c), json_get_str(was, "file").p);
	struct doc *doc = places_doc(places, path);
	json *row = json_object();

	json_each(v, was)
		if (!is_position(str_of(json_key(v))))
			json_put(row, json_key(v), json_copy(v));
	put_pos(row, "line", "character", read_pos(doc, was, "line", "column"));
	put_pos(row, "end_line", "end_character", read_pos(doc, was, "end_line", "end_column"));
	free(path);
	return row;
}

/* LSP's number, as the seed of these tools has it; the name stays beside it. */
static void number_severity(json *row)
{
	struct str name = json_get_str(row, "severity");

	for (int s = DIAG_ERROR; name.n && s <= DIAG_HINT; s++)
		if (str_eq(name, str_of(diag_severity_name((enum diag_severity)s)))) {
			json_put(row, "severity_name", json_str(name));
			json_put(row, "severity", json_int(s));
			return;
		}
}

json *positions_rows(struct call *c, const json *list)
{
	json *rows = json_array();
	struct places places;

	places_init(&places, call_oxide(c));
	json_each(v, list)
		number_severity(json_push(rows, row_of(c, &places, v)));
	places_release(&places);
	return rows;
}

static json *files_of(const json *list)
{
	json *out = json_array();

	json_each(was, list) {
		json *row = json_push(out, json_copy(was)), *lines;

		json_drop(row, "lines");
		lines = json_put(row, "lines", json_array());
		json_each(line, json_get(was, "lines"))
			json_push(lines, json_int(json_number(line) - 1));
	}
	return out;
}

static json *translate(struct relay *r, json *was)
{
	json *result = json_object();

	json_each(v, was) {
		bool list = r->kind->from && !strcmp(json_key(v), r->kind->from);

		if (list)
			json_put(result, r->kind->to, positions_rows(r->call, v));
		else if (!strcmp(json_key(v), "by_file"))
			json_put(result, "by_file", files_of(v));
		else if (strcmp(json_key(v), "query") != 0)
			json_put(result, json_key(v), json_copy(v));
	}
	if (r->uses)
		put_pos(json_put(result, "asked_at", json_object()), "line", "character", r->use);
	json_free(was);
	return result;
}

static void ask(struct relay *r, json *args);

/* Puts the name's next use into a question, as a person's line and column. */
static bool find_use(struct relay *r, json *args)
{
	struct oxide *ox = call_oxide(r->call);
	struct str name = json_get_str(call_args(r->call), "symbol");
	struct err e = ERR_INIT;
	char *path = target_path(r->call, "file_path", &e);
	struct doc *doc = path ? workspace_doc(ox->workspace, path, &e) : NULL;
	size_t line, column;

	free(path);
	if (!doc || !name.n || !str_find_name(doc_text(doc), name, &r->from))
		return false;
	doc_where(doc, r->from, &line, &column);
	json_put(args, "line", json_int((int64_t)line));
	json_put(args, "column", json_int((int64_t)column));
	r->use = doc_pos(doc, r->from++, POS_UTF16);
	return true;
}

static json *base_args(const struct relay *r)
{
	const json *args = call_args(r->call);
	json *out = json_object();

	json_put(out, "file_path", json_str(json_get_str(args, "file_path")));
	if (r->kind->query)
		json_put(out, "query", json_strz(r->kind->query));
	return out;
}

static bool ask_at_use(struct relay *r)
{
	json *args;
	bool ok;

	if (!r->kind->query || json_get(call_args(r->call), "line") || r->uses == USES_MOST)
		return false;
	args = base_args(r);
	ok = find_use(r, args);
	if (ok) {
		r->uses++;
		ask(r, args);
	} else {
		json_free(args);
	}
	return ok;
}

static bool is_empty(const struct relay *r, const json *result)
{
	return r->kind->from ? !json_len(json_get(result, r->kind->from))
			     : !json_get_str(result, "hover").n;
}

static void on_answer(void *arg, json *result, const struct err *e)
{
	struct relay *r = arg;
	struct call *call = r->call;

	call_on_cancel(call, NULL, NULL);
	if ((e->code == ERR_NOT_FOUND || (!e->code && r->uses && is_empty(r, result))) &&
	    ask_at_use(r)) {
		json_free(result);
		return;
	}
	if (e->code)
		call_fail_with(call, e, result);
	else
		call_done(call, translate(r, result));
	free(r);
}

static void cancel_inner(void *state)
{
	struct relay *r = state;

	call_cancel(r->inner);
}

static void ask(struct relay *r, json *args)
{
	struct call_context ctx = *call_context(r->call);

	ctx.flat = false;
	r->inner = call_start(call_oxide(r->call), r->kind->asks, args, &ctx, on_answer, r);
	call_on_cancel(r->call, cancel_inner, r);
}

/* The line and the character of the question, as a person counts them. */
static bool put_place(struct relay *r, json *out, struct err *e)
{
	const json *args = call_args(r->call);
	int64_t from_line = json_get_int(args, "line", -1),
		character = json_get_int(args, "character", -1);
	size_t line, column;
	struct doc *doc;
	char *path;

	if (from_line < 0)
		return character < 0 || err_set(e, ERR_INVALID, "character wants a line as well");
	path = target_path(r->call, "file_path", e);
	doc = path ? workspace_doc(call_oxide(r->call)->workspace, path, e) : NULL;
	free(path);
	if (!doc)
		return false;
	if ((size_t)from_line >= doc_lines(doc, LINES_LSP)->n)
		return err_set(
			e, ERR_INVALID,
			"line %lld is past the end: the last line of %s is %zu, counted from 0",
			(long long)from_line, doc_path(doc),
			doc_line_count(doc) ? doc_line_count(doc) - 1 : 0);
	doc_where(doc,
		  doc_byte(doc,
			   (struct pos){ (uint32_t)from_line,
					 character < 0 ? 0 : (uint32_t)character },
			   POS_UTF16),
		  &line, &column);
	json_put(out, "line", json_int((int64_t)line));
	if (character >= 0)
		json_put(out, "column", json_int((int64_t)column));
	return true;
}

static void relay(struct call *call, const struct kind *kind)
{
	struct relay *r = mem_new(sizeof(*r));
	const json *symbol = json_get(call_args(call), "symbol");
	struct err e = ERR_INIT;
	json *args;

	r->call = call;
	r->kind = kind;
	args = base_args(r);
	if (kind->query && !put_place(r, args, &e)) {
		json_free(args);
		free(r);
		call_fail(call, &e);
		return;
	}
	if (symbol)
		json_put(args, "symbol", json_copy(symbol));
	ask(r, args);
}

static const struct kind kinds[] = {
	{ &tool_goto_definition, &tool_lsp_symbol, "definition", "locations", "definitions" },
	{ &tool_find_references, &tool_lsp_symbol, "references", "locations", "references" },
	{ &tool_hover_info, &tool_lsp_symbol, "hover", NULL, NULL },
	{ &tool_get_diagnostics, &tool_lsp_diagnostic, NULL, "diagnostics", "diagnostics" },
};

static void run(struct call *call)
{
	const struct kind *k = kinds;

	while (k->tool != call_tool(call))
		k++;
	relay(call, k);
}

static const struct param place_params[] = {
	{ "file_path", P_PATH, true, "file the symbol is in", NULL },
	{ "line", P_INDEX, false, "line of the symbol, from 0", NULL },
	{ "character", P_INDEX, false, "place on that line in UTF-16 code units, from 0", NULL },
	{ "symbol", P_STR, false,
	  "name on that line; or alone: a name path in the file, else a name that the file uses",
	  NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_goto_definition = {
	.name = "goto_definition",
	.title = "Go to a definition",
	.doc = "Find where a symbol is defined; positions from 0, as LSP has them",
	.params = place_params,
	.run = run,
	.say = say_places,
};

const struct tool tool_find_references = {
	.name = "find_references",
	.title = "Find references",
	.doc = "Find all places that use a symbol; positions from 0, as LSP has them",
	.less = "look for the name in the files that are not listed",
	.params = place_params,
	.run = run,
	.say = say_places,
};

const struct tool tool_hover_info = {
	.name = "hover_info",
	.title = "What is known of a symbol",
	.doc = "Tell what the language server knows of a symbol: its type, signature, documentation",
	.params = place_params,
	.run = run,
	.say = say_places,
};

static const struct param file_params[] = {
	{ "file_path", P_PATH, true, "the file", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_get_diagnostics = {
	.name = "get_diagnostics",
	.title = "Diagnostics of a file",
	.doc = "List what the language server finds wrong with a file; positions from 0, as LSP has "
	       "them, severity 1 (error) to 4 (hint)",
	.less = "lsp_diagnostic with a severity shows less",
	.params = file_params,
	.run = run,
	.say = say_diagnostics,
};
