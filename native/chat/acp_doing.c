#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "../text/diff.h"
#include "acp_impl.h"

/* The calls of tools that an agent tells of: shown, kept in the conversation, and recorded. */
static const char *const kind_names[] = { "other",  "read",    "edit",	"delete", "move",
					  "search", "execute", "think", "fetch",  "switch_mode" };

struct acp_doing *acp_doing_new(struct acp_call *c)
{
	struct acp_doing *d = mem_new(sizeof(*d));

	*d = (struct acp_doing){ .call = c, .began_ms = loop_wall_ms() };
	c->own = d;
	return d;
}

struct acp_doing *acp_doing_of(struct acp_turn *a, struct acp_call *c, bool *is_new)
{
	*is_new = !c->own;
	if (!*is_new)
		return c->own;
	return mem_add(a->doings, a->n_doings, a->cap_doings, acp_doing_new(c));
}

void acp_doing_free(struct acp_doing *d)
{
	buf_release(&d->args);
	buf_release(&d->text);
	buf_release(&d->diff);
	json_free(d->files);
	free((char *)d->part.id.p);
	free((char *)d->part.name.p);
	free(d);
}

static struct str dup_str(struct str old, struct str s)
{
	free((char *)old.p);
	return (struct str){ mem_dup(s.p, s.n), s.n };
}

static struct str doing_path(const struct acp_call *c)
{
	struct str path = json_get_str(json_first(c->locations), "path");
	static const char *const members[] = { "file_path", "filePath", "path", "abs_path" };

	for (size_t i = 0; i < 4 && !path.n; i++)
		path = json_get_str(c->input, members[i]);
	return path;
}

static char *shown_name(struct workspace *w, struct str path)
{
	char *whole SCOPED(mem_release) = mem_dup(path.p, path.n);
	struct str shown = workspace_shown(w, whole);

	return mem_dup(shown.p, shown.n);
}

/* Its arguments, with what it is about first: agents put numbers and descriptions before that. One
 * that does not tell them tells a title. */
static json *doing_args(struct workspace *w, const struct acp_call *c)
{
	bool is_file = c->kind == ACP_READ || c->kind == ACP_EDIT;
	struct str command = c->kind == ACP_EXECUTE ? acp_call_command(c) : STR(""),
		   path = is_file ? doing_path(c) : STR("");
	char *shown SCOPED(mem_release) = shown_name(w, path);
	json *args;

	if (!json_len(c->input) || !json_is(c->input, JSON_OBJECT))
		return json_of({ "title", json_str(buf_str(&c->title)) });
	args = json_of({ "command", command.n ? json_str(command) : NULL },
		       { "file_path", path.n ? json_strz(shown) : NULL });
	json_each(v, c->input)
		if (!(command.n && !strcmp(json_key(v), "command")) &&
		    !(path.n && !strcmp(json_key(v), "file_path")))
			json_add(args, json_key(v), json_copy(v));
	return args;
}

void acp_doing_look(struct workspace *w, struct acp_doing *d)
{
	const struct acp_call *c = d->call;
	json *args SCOPED(json_release) = doing_args(w, c);

	buf_clear(&d->args);
	json_print(&d->args, args);
	d->part.kind = CHAT_CALL;
	d->part.id = dup_str(d->part.id, c->id);
	d->part.name =
		dup_str(d->part.name, c->name.n ? buf_str(&c->name) : str_of(kind_names[c->kind]));
	d->part.text = buf_str(&d->args);
}

/* Hunks as they came, under the names. */
static struct diff_counts doing_add_hunks(struct buf *out, const char *name, const char *to,
					  struct str hunks)
{
	struct diff_counts n = { 0 };
	struct str line;

	buf_addf(out, "--- %s\n+++ %s\n", name, to);
	buf_add(out, hunks);
	while (str_line(&hunks, &line)) {
		n.hunks += str_starts(line, STR("@@"));
		n.added += str_starts(line, STR("+"));
		n.removed += str_starts(line, STR("-"));
	}
	return n;
}

/* The lines of a fragment have the numbers of the file. */
static struct diff_counts doing_diff(struct buf *out, struct str path, const char *name,
				     const char *to, struct str old, struct str now)
{
	struct buf was SCOPED(buf_release) = BUF_INIT, is SCOPED(buf_release) = BUF_INIT;
	char *file SCOPED(mem_release) = mem_dup(path.p, path.n);
	bool whole = name && to && acp_fragment_whole(file, old, now, &was, &is);

	return diff_unified(out, name, to, whole ? buf_str(&was) : old, whole ? buf_str(&is) : now,
			    DIFF_CONTEXT);
}

static void doing_read_diff(struct workspace *w, struct acp_doing *d, const json *part)
{
	struct str path = json_get_str(part, "path"), old = json_get_str(part, "oldText"),
		   hunks = json_get_str(part, "patch"), to = json_get_str(part, "newPath");
	bool gone = json_get_bool(part, "gone", false), is_new = !gone && !old.n && !hunks.n;
	char *name SCOPED(mem_release) = shown_name(w, path);
	char *now SCOPED(mem_release) = to.n ? shown_name(w, to) : NULL;
	struct diff_counts n =
		hunks.n ? doing_add_hunks(&d->diff, name, now ? now : name, hunks)
			: doing_diff(&d->diff, path, is_new ? NULL : name, gone ? NULL : name, old,
				     json_get_str(part, "newText"));

	if (!d->files)
		d->files = json_array();
	json_push(d->files, json_of({ "file", json_strz(name) }, { "path", json_str(path) },
				    { "kind", json_strz(is_new ? "create"
							: gone ? "delete"
							: now  ? "rename"
							       : "modify") },
				    { "new_path", now ? json_str(to) : NULL },
				    { "lines_added", json_int((int64_t)n.added) },
				    { "lines_removed", json_int((int64_t)n.removed) }));
}

/* The diffs of its content, as one, and a row for each file. */
static void doing_read_diffs(struct workspace *w, struct acp_doing *d)
{
	json_each(part, d->call->content)
		if (str_eq(json_get_str(part, "type"), STR("diff")) && json_get_str(part, "path").n)
			doing_read_diff(w, d, part);
}

static json *doing_turn(const struct acp_turn *a)
{
	return json_int(a->of->of->turns);
}

static const char *doing_status(const struct acp_doing *d, bool interrupted)
{
	return d->denied     ? "denied"
	       : interrupted ? "interrupted"
	       : d->failed   ? "failed"
			     : "completed";
}

static void doing_record_call(struct acp_turn *a, const struct acp_doing *d, bool interrupted)
{
	int64_t took = loop_wall_ms() - d->began_ms;
	const struct acp_call *c = d->call;

	record_add(a->of->of->record, RECORD_TOOL_CALL,
		   json_of({ "id", json_str(d->part.id) }, { "name", json_str(d->part.name) },
			   { "arguments", c->input ? json_copy(c->input) : json_object() },
			   { "result", json_str(buf_str(&d->text)) },
			   { "status", json_strz(doing_status(d, interrupted)) },
			   { "timestamp", record_time(d->began_ms) },
			   { "duration_ms", json_int(took > 0 ? took : 0) },
			   { "turn", doing_turn(a) }));
}

/* What it has changed by our fs is recorded as the turn's change, once the user has decided. */
static void doing_record_files(struct acp_turn *a, const struct acp_doing *d)
{
	struct record *r = a->of->of->record;
	struct str path = doing_path(d->call);

	if (d->call->kind == ACP_READ && path.n)
		record_add(r, RECORD_FILE_OPERATION,
			   json_of({ "operation", json_strz("read") }, { "path", json_str(path) },
				   { "tool_call_id", json_str(d->part.id) },
				   { "turn", doing_turn(a) }));
	if (a->program && a->program->reads)
		return;
	json_each(f, d->files) {
		json *change =
			json_of({ "diff",
				  json_len(d->files) == 1 ? json_str(buf_str(&d->diff)) : NULL },
				{ "new_path", json_copy(json_get(f, "new_path")) },
				{ "lines_added", json_int(json_get_int(f, "lines_added", 0)) },
				{ "lines_removed", json_int(json_get_int(f, "lines_removed", 0)) });

		record_add(r, RECORD_FILE_OPERATION,
			   json_of({ "operation", json_str(json_get_str(f, "kind")) },
				   { "path", json_str(json_get_str(f, "path")) },
				   { "change", change }, { "tool_call_id", json_str(d->part.id) },
				   { "turn", doing_turn(a) }));
	}
}

/* Claude's tools tell the exit status of a command that failed in their text alone. */
static json *doing_exit_code(const struct acp_doing *d, const struct acp_ended *t)
{
	struct str text = buf_str(&d->text);

	if (t->ended)
		return t->signal ? json_null() : json_int(t->status);
	str_skip(&text, STR("```\n"));
	if (d->failed && str_skip(&text, STR("Exit code ")))
		return json_int(strtol(text.p, NULL, 10));
	return !d->failed && d->call->name.n ? json_int(0) : json_null();
}

static void doing_record_command(struct acp_turn *a, const struct acp_doing *d)
{
	struct str command = acp_call_command(d->call);
	struct acp_ended t = { 0 };
	int64_t took = loop_wall_ms() - d->began_ms;

	if (d->call->kind != ACP_EXECUTE || !command.n)
		return;
	json_each(part, d->call->content)
		if (a->program && !t.ended)
			acp_terminal_about(a->program, json_get_str(part, "terminalId"), &t);
	record_add(a->of->of->record, RECORD_SHELL_COMMAND,
		   json_of({ "command", json_str(command) },
			   { "exit_code", doing_exit_code(d, &t) },
			   { "signal", t.signal ? json_int(t.signal) : json_null() },
			   { "output", json_str(t.ended ? t.output : buf_str(&d->text)) },
			   { "truncated", json_bool(t.truncated) },
			   { "timestamp", record_time(d->began_ms) },
			   { "duration_ms", json_int(took > 0 ? took : 0) },
			   { "tool_call_id", json_str(d->part.id) }, { "turn", doing_turn(a) }));
}

static void doing_tell(struct acp_turn *a, const struct acp_doing *d)
{
	struct turn *t = a->of;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	json *answer SCOPED(json_release) = NULL;

	if (!t->events.result)
		return;
	buf_add(&text, buf_str(&d->text));
	if (d->files) {
		buf_addf(&text, "\ndiff:\n%s", d->diff.p ? d->diff.p : "");
		answer = json_of({ "files", json_copy(d->files) },
				 { "diff", json_str(buf_str(&d->diff)) });
	}
	t->events.result(t->self, &d->part, buf_str(&text), answer, d->failed);
}

void acp_doing_end(struct acp_turn *a, struct acp_doing *d, bool interrupted)
{
	d->ended = true;
	/* An agent says of what it was stopped in that it failed. */
	interrupted = interrupted || (a->of->cancelled && d->call->status == ACP_FAILED);
	d->failed = interrupted || d->denied || d->call->status == ACP_FAILED;
	acp_call_text(d->call, &d->text);
	if (!d->text.n && d->failed)
		buf_adds(&d->text, doing_status(d, interrupted));
	if (!d->failed)
		doing_read_diffs(a->of->of->ox->workspace, d);
	if (a->of->of->record) {
		doing_record_call(a, d, interrupted);
		if (!d->failed)
			doing_record_files(a, d);
		if (!interrupted && !d->denied)
			doing_record_command(a, d);
	}
	doing_tell(a, d);
}

void acp_doing_was(struct acp_program *p, struct acp_doing *d)
{
	acp_doing_look(p->ox->workspace, d);
	d->ended = true;
	d->failed = d->call->status == ACP_FAILED;
	acp_call_text(d->call, &d->text);
	if (!d->failed)
		doing_read_diffs(p->ox->workspace, d);
	d->call->own = NULL;
}
