
#include "operations.h"

/* multi_edit: many operations on many files, all or none; multi_edit_files: the same as text. */
static unsigned flags_of(const json *args)
{
	return (json_get_bool(args, "detect_conflicts", true) ? BATCH_CONFLICTS : 0) |
	       (json_get_bool(args, "rollback_on_error", true) ? 0 : BATCH_KEEP_GOOD);
}

static void multi_edit_finish(struct call *call, struct editing *ed, bool ok, const struct err *e)
{
	struct buf title SCOPED(buf_release) = BUF_INIT;

	if (!ok) {
		operations_release(&ed->ops);
		call_fail(call, e);
		return;
	}
	buf_addf(&title, "%s: %zu operations", call_tool(call)->name, ed->ops.n);
	ed->title = title.p;
	ed->details = true;
	call_edit(call, ed);
}

static void multi_edit_run(struct call *call)
{
	const json *args = call_args(call);
	struct editing ed = { .flags = flags_of(args) };
	struct err e = ERR_INIT;
	bool ok = operations_from_json(&ed.ops, list_text(args, "operations"), edit_path, call, &e);

	multi_edit_finish(call, &ed, ok, &e);
}

struct listed {
	struct call *call;
	const json *paths;
};

/* Only files that the caller has named may be touched. */
static const char *listed_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct listed *l = arg;
	const char *full = edit_path(l->call, a, path, e);

	json_each(p, l->paths) {
		const char *named = full ? edit_path(l->call, a, json_text(p), e) : NULL;

		if (named && !strcmp(named, full))
			return full;
	}
	if (full && !e->code)
		err_set(e, ERR_DENIED, "%.*s is not in file_paths", STR_ARG(path));
	return NULL;
}

static void multi_edit_run_text(struct call *call)
{
	const json *args = call_args(call);
	struct editing ed = { .flags = BATCH_CONFLICTS };
	struct err e = ERR_INIT;
	json *paths SCOPED(json_release) = list_tree(args, "file_paths", &e);
	struct listed l = { call, paths };
	bool ok = paths && operations_from_text(&ed.ops, json_get_str(args, "edit_instructions"),
						listed_path, &l, &e);

	multi_edit_finish(call, &ed, ok, &e);
}

static const struct param params[] = {
	{ "operations", P_LIST, true, NULL,
	  "objects with edit_type (replace, insert, delete, patch), file_path, and: old_string, "
	  "new_string, context_before?, context_after?; line_number, content; line_number, "
	  "line_count?; patch_content. Lines have the numbers that they were last shown with, before "
	  "the batch; expect? or line_hash? check their text" },
	{ "rollback_on_error", P_BOOL, false, NULL,
	  "true (default): all or none; false: files without a failure are changed" },
	{ "detect_conflicts", P_BOOL, false, NULL,
	  "true (default): two operations on the same lines are refused" },
	DRY_RUN_PARAM,
	{ "verify", P_BOOL, false, NULL,
	  "check the change with the language servers first; new errors refuse it" },
	PARAMS_END,
};

const struct tool tool_multi_edit = {
	.name = "multi_edit",
	.title = "Make many edits at once",
	.doc = "Make many edits in many files as one change, all or none",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_TEXT | TOOL_DRAFTS,
	.run = multi_edit_run,
	.print = print_change,
};

static const struct param text_params[] = {
	{ "file_paths", P_LIST, true, NULL, "the files that may be changed" },
	{ "edit_instructions", P_TEXT, true, NULL,
	  "FILE: PATH, then REPLACE: and WITH:, INSERT AT LINE n:, DELETE LINES a-b:, texts between ```" },
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_multi_edit_files = {
	.name = "multi_edit_files",
	.title = "Make many edits, written as text",
	.doc = "multi_edit, with its operations written as text",
	.less = LESS_OF_A_CHANGE,
	.params = text_params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_TEXT | TOOL_DRAFTS,
	.run = multi_edit_run_text,
	.print = print_change,
};
