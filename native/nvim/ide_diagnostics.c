#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../servers/diag_cache.h"
#include "../tool/lsp_diagnostic.h"
#include "../tool/target.h"
#include "ide_impl.h"

/*
 * getDiagnostics: of one file what its server says of the text in the editor, of all what is known
 * already. It is a tool of ours that no client is told of, so that it waits and is cancelled as any
 * other does.
 *
 *     ide_get_diagnostics -> ide_diagnostics_run -> ide_diagnostics_answer
 *
 * Claude Code asks about a file before it writes it, and about all afterwards, and tells its model
 * of those that are new in files that it has asked about since the prompt. The protocol has no
 * other place for what is to be said of a change that was accepted in part, so that goes with the
 * latter. An answer to the first that takes half a second, or is an error, is one too many: it asks
 * no more until its next change. So as long as there is something to be said, that is answered at
 * once, with what is known. It gives up on an answer to the second, too, and would never hear what
 * only that one had: so each has it, until its next change.
 */
static bool ide_note_is_due(const struct ide_client *c)
{
	return json_len(c->notes) > c->answered;
}

/* What is known of the call's file, without a question to its server. */
static void ide_diagnostics_known(struct call *call)
{
	struct oxide *ox = call_oxide(call);
	char *path SCOPED(mem_release) = target_path(call, "file_path", ERR_IGNORED);
	json *result = json_object();
	const struct diag **v;
	size_t n = diag_cache_list(ox->findings, ox, DIAG_HINT, &v), of_file = 0;

	for (size_t i = 0; i < n; i++)
		if (path && strcmp(v[i]->path, path) == 0)
			v[of_file++] = v[i];
	diag_rows(call, v, of_file, ROWS_LSP, result);
	free(v);
	call_done(call, result);
}

static void ide_diagnostics_run(struct call *call)
{
	struct diag_listing_spec spec = { .form = ROWS_LSP, .worst = DIAG_HINT };

	if (call_context(call)->known && json_get(call_args(call), "file_path"))
		ide_diagnostics_known(call);
	else
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

/* As the client has spelled it, who escapes nothing and compares bytes. */
static json *ide_uri(const struct ide_client *c, struct str file)
{
	struct buf path SCOPED(buf_release) = BUF_INIT, uri = BUF_INIT;

	path_normal(&path, c->ide->nvim->ox->root, file);
	json_each(asked, c->asked)
		if (str_eq(json_get_str(asked, "path"), buf_str(&path)))
			return json_str(json_get_str(asked, "uri"));
	uri_from_path(&uri, buf_str(&path));
	return json_take(&uri);
}

/* [{uri, diagnostics}], of rows that come a file after the other. */
static json *ide_diagnostics_by_file(const struct ide_client *c, const json *rows)
{
	json *files = json_array(), *list = NULL;
	struct str file = STR("");

	json_each(row, rows) {
		struct str at = json_get_str(row, "file");

		if (!list || !str_eq(at, file)) {
			list = json_array();
			json_push(files,
				  json_of({ "uri", ide_uri(c, at) }, { "diagnostics", list }));
		}
		file = at;
		json_push(list, ide_diagnostic(row));
	}
	return files;
}

void ide_diagnostics_tell(struct ide_client *c, struct str path, struct str text)
{
	struct buf normal = BUF_INIT;

	path_normal(&normal, c->ide->nvim->ox->root, path);
	json_push(c->notes, json_of({ "path", json_take(&normal) }, { "text", json_str(text) }));
}

/* Drops the first `n` of a list. */
static void ide_drop(json **list, size_t n)
{
	json *left = json_array();
	size_t i = 0;

	json_each(item, *list)
		if (i++ >= n)
			json_push(left, json_copy(item));
	json_free(*list);
	*list = left;
}

void ide_diagnostics_forget(struct ide_client *c)
{
	ide_drop(&c->notes, c->answered);
	c->answered = 0;
}

void ide_diagnostics_prompted(struct ide_client *c)
{
	ide_drop(&c->asked, json_len(c->asked));
}

static void ide_diagnostics_asked(struct ide_client *c, struct str path, struct str uri)
{
	struct buf normal = BUF_INIT;
	json *left = json_array();

	path_normal(&normal, c->ide->nvim->ox->root, path);
	json_each(asked, c->asked)
		if (!str_eq(json_get_str(asked, "path"), buf_str(&normal)))
			json_push(left, json_copy(asked));
	json_push(left, json_of({ "path", json_take(&normal) }, { "uri", json_str(uri) }));
	json_free(c->asked);
	c->asked = left;
}

/* By which a client hears a note: that of its file, or if it has not asked about that since the
 * prompt, that of the file which it has asked about last. */
static json *ide_note_uri(const struct ide_client *c, const json *note)
{
	const json *last = NULL;

	json_each(asked, c->asked) {
		if (str_eq(json_get_str(asked, "path"), json_get_str(note, "path")))
			return json_str(json_get_str(asked, "uri"));
		last = asked;
	}
	return last ? json_str(json_get_str(last, "uri")) : ide_uri(c, json_get_str(note, "path"));
}

static json *ide_note_diagnostic(const json *note)
{
	json *start = json_of({ "line", json_int(0) }, { "character", json_int(0) });
	json *range = json_of({ "start", start }, { "end", json_copy(start) });

	return json_of({ "message", json_str(json_get_str(note, "text")) },
		       { "severity", json_strz("Info") }, { "range", range },
		       { "source", json_strz("Oxide") });
}

/* Puts them to the list of files, to those of the same file where that is there. */
static void ide_diagnostics_put_notes(struct ide_client *c, json *files)
{
	json_each(note, c->notes) {
		json *uri = ide_note_uri(c, note);
		const json *into = NULL;

		json_each(file, files)
			if (str_eq(json_get_str(file, "uri"), json_text(uri)))
				into = json_get(file, "diagnostics");
		if (into) {
			json_push((json *)into, ide_note_diagnostic(note));
			json_free(uri);
		} else {
			json_push(files,
				  json_of({ "uri", uri },
					  { "diagnostics", json_list(ide_note_diagnostic(note)) }));
		}
	}
	c->answered = json_len(c->notes);
}

/* A file that no server looks after has none. */
static void ide_diagnostics_answer(void *arg, json *result, const struct err *e)
{
	struct ide_call *c = arg;
	json *files SCOPED(json_release) =
		ide_diagnostics_by_file(c->client, json_get(result, "diagnostics"));
	struct buf text SCOPED(buf_release) = BUF_INIT;

	c->pends = false;
	if (!json_get_str(c->args, "uri").n)
		ide_diagnostics_put_notes(c->client, files);
	json_print(&text, files);
	if (e->code && e->code != ERR_NO_SERVER && !json_len(files))
		ide_call_fail(c, e->msg);
	else
		ide_call_done(c, text.p, (struct str){ 0 });
	json_free(result);
}

/* What is no URI may be one of a path with a '%' in it. */
static bool ide_uri_path(struct buf *path, struct str uri, struct err *e)
{
	if (uri.p[0] != '/' && uri_to_path(path, uri, e))
		return true;
	if (!str_skip(&uri, STR("file://")) && uri.p[0] != '/')
		return false;
	buf_clear(path);
	buf_add(path, uri);
	return true;
}

void ide_get_diagnostics(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;
	struct str uri = json_get_str(c->args, "uri");
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (uri.n && !ide_uri_path(&path, uri, &e)) {
		ide_call_fail(c, e.msg);
		return;
	}
	if (path.n)
		ide_diagnostics_asked(c->client, buf_str(&path), uri);
	c->pending.tool = &tool_ide_diagnostics;
	c->pending.args = json_of({ "file_path", path.n ? json_str(buf_str(&path)) : NULL });
	c->pending.answer = ide_diagnostics_answer;
	c->pending.context =
		(struct call_context){ .last_project = &c->client->last_project,
				       .shown_root = n->ox->root,
				       .known = !path.n || ide_note_is_due(c->client) };
	ide_call_pend(c);
}
