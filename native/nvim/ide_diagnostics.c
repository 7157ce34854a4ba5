#include "../base/path.h"
#include "../tool/lsp_diagnostic.h"
#include "ide_impl.h"

/*
 * getDiagnostics: of one file what its server says of the text in the editor, of all what is known
 * already. It is a tool of ours that no client is told of, so that it waits and is cancelled as any
 * other does.
 *
 *     ide_get_diagnostics -> ide_diagnostics_run -> ide_diagnostics_answer
 *
 * Claude Code asks for them before it writes a file and afterwards, and tells its model of those
 * that are new. The protocol has no other place for what is to be said of a change that was
 * accepted in part, so that goes with the latter. It gives up on an answer after a second, and
 * would never hear what only that one had: so each has it, until its next change.
 */
static void ide_diagnostics_run(struct call *call)
{
	struct diag_listing_spec spec = { .form = ROWS_LSP, .worst = DIAG_HINT };

	diag_listing(call, &spec);
}

static const struct param ide_diagnostics_params[] = {
	{ "file_path", P_PATH, false, NULL, "the file; default: all" },
	PARAMS_END,
};

static const struct tool tool_ide_diagnostics = {
	.name = "ide_diagnostics",
	.title = "Diagnostics for an IDE's client",
	.doc = "List diagnostics; positions from 0, as in LSP",
	.params = ide_diagnostics_params,
	.flags = TOOL_USER,
	.run = ide_diagnostics_run,
};

static json *ide_position(const json *row, const char *line, const char *character)
{
	return json_of({ "line", json_int(json_get_int(row, line, 0)) },
		       { "character", json_int(json_get_int(row, character, 0)) });
}

static json *ide_diagnostic(const json *row)
{
	static const char *const names[] = { "Error", "Warning", "Info", "Hint" };
	int64_t severity = json_get_int(row, "severity", 1);
	const json *code = json_get(row, "code");

	return json_of({ "message", json_str(json_get_str(row, "message")) },
		       { "severity",
			 json_strz(names[severity >= 1 && severity <= 4 ? severity - 1 : 0]) },
		       { "range",
			 json_of({ "start", ide_position(row, "line", "character") },
				 { "end", ide_position(row, "end_line", "end_character") }) },
		       { "source", json_str(json_get_str(row, "source")) },
		       { "code", code ? json_copy(code) : NULL });
}

static json *ide_uri(const char *root, struct str file)
{
	struct buf path SCOPED(buf_release) = BUF_INIT, uri = BUF_INIT;

	path_normal(&path, root, file);
	uri_from_path(&uri, buf_str(&path));
	return json_take(&uri);
}

/* [{uri, diagnostics}], of rows that come a file after the other. */
static json *ide_diagnostics_by_file(const char *root, const json *rows)
{
	json *files = json_array(), *list = NULL;
	struct str file = STR("");

	json_each(row, rows) {
		struct str at = json_get_str(row, "file");

		if (!list || !str_eq(at, file)) {
			list = json_array();
			json_push(files,
				  json_of({ "uri", ide_uri(root, at) }, { "diagnostics", list }));
		}
		file = at;
		json_push(list, ide_diagnostic(row));
	}
	return files;
}

void ide_diagnostics_tell(struct ide_client *c, struct str path, struct str text)
{
	json *start = json_of({ "line", json_int(0) }, { "character", json_int(0) });
	json *range = json_of({ "start", start }, { "end", json_copy(start) });
	json *row = json_of({ "message", json_str(text) }, { "severity", json_strz("Info") },
			    { "range", range }, { "source", json_strz("Oxide") });

	json_push(c->notes, json_of({ "uri", ide_uri(c->ide->nvim->ox->root, path) },
				    { "diagnostics", json_list(row) }));
}

void ide_diagnostics_forget(struct ide_client *c)
{
	json *left = json_array();
	size_t n = 0;

	json_each(note, c->notes)
		if (n++ >= c->answered)
			json_push(left, json_copy(note));
	json_free(c->notes);
	c->notes = left;
	c->answered = 0;
}

/* Puts them to the list of files, to those of the same file where that is there. */
static void ide_diagnostics_put_notes(struct ide_client *c, json *files)
{
	json_each(note, c->notes) {
		const json *into = NULL;

		json_each(file, files)
			if (str_eq(json_get_str(file, "uri"), json_get_str(note, "uri")))
				into = json_get(file, "diagnostics");
		if (into)
			json_push((json *)into,
				  json_copy(json_first(json_get(note, "diagnostics"))));
		else
			json_push(files, json_copy(note));
	}
	c->answered = json_len(c->notes);
}

/* A file that no server looks after has none. */
static void ide_diagnostics_answer(void *arg, json *result, const struct err *e)
{
	struct ide_call *c = arg;
	const char *root = c->client->ide->nvim->ox->root;
	json *files SCOPED(json_release) =
		ide_diagnostics_by_file(root, json_get(result, "diagnostics"));
	struct buf text SCOPED(buf_release) = BUF_INIT;

	c->pends = false;
	if (!json_get_str(c->args, "uri").n)
		ide_diagnostics_put_notes(c->client, files);
	json_print(&text, files);
	if (e->code && e->code != ERR_NO_SERVER)
		ide_call_fail(c, e->msg);
	else
		ide_call_done(c, text.p, (struct str){ 0 });
	json_free(result);
}

void ide_get_diagnostics(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;
	struct str uri = json_get_str(c->args, "uri");
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (uri.n && uri.p[0] == '/')
		buf_add(&path, uri);
	else if (uri.n && !uri_to_path(&path, uri, &e)) {
		ide_call_fail(c, e.msg);
		return;
	}
	c->pending.tool = &tool_ide_diagnostics;
	c->pending.args = json_of({ "file_path", path.n ? json_str(buf_str(&path)) : NULL });
	c->pending.answer = ide_diagnostics_answer;
	c->pending.context = (struct call_context){ .last_project = &c->client->last_project,
						    .shown_root = n->ox->root,
						    .known = !path.n };
	ide_call_pend(c);
}
