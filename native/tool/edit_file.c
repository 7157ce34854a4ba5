
#include "operations.h"

/* edit_file: one change in one file, named by its text or by its lines. */
static struct str text_arg(const json *args, const char *member)
{
	const json *m = json_get(args, member);

	return m ? json_text(m) : (struct str){ NULL, 0 };
}

/* line_range: [first, last] */
static bool edit_file_read_range(const json *args, struct operation *op, struct err *e)
{
	json *list SCOPED(json_release) = list_tree(args, "line_range", e);
	const json *first = json_first(list), *last = first ? json_next(first) : NULL;
	bool ok = last && !json_next(last) && json_is_int(first) && json_is_int(last) &&
		  json_number(first) >= 1 && json_number(last) >= json_number(first);

	if (ok) {
		op->line = (size_t)json_number(first);
		op->count = (size_t)(json_number(last) - json_number(first)) + 1;
	} else if (!e->code) {
		err_set(e, ERR_INVALID,
			"edit_file: line_range must be [first, last], lines from 1");
	}
	return ok;
}

static bool read_mode(const json *args, struct operations *ops, const char *path, struct err *e)
{
	bool by_text = json_get(args, "old_string"), by_line = json_get(args, "line_number"),
	     by_range = json_get(args, "line_range");
	const char *needs = by_text ? "new_string" : "content";
	struct operation *op;

	if (by_text + by_line + by_range != 1)
		return err_set(e, ERR_INVALID,
			       "edit_file needs exactly one of old_string, line_number and "
			       "line_range");
	if (!json_get(args, needs))
		return err_set(e, ERR_INVALID, "edit_file: argument %s is missing", needs);
	op = operations_add(ops, by_text ? OPERATION_REPLACE : OPERATION_LINES, path);
	op->with = text_arg(args, needs);
	if (by_text) {
		op->find = text_arg(args, "old_string");
		op->all = json_get_bool(args, "replace_all", false);
		return op->find.n || err_set(e, ERR_INVALID,
					     "edit_file: old_string is empty; use write_file to "
					     "create a file");
	}
	op->expect = text_arg(args, "expect");
	op->hash = text_arg(args, "line_hash");
	op->line = (size_t)json_get_int(args, "line_number", 1);
	return !by_range || edit_file_read_range(args, op, e);
}

static void edit_file_run(struct call *call)
{
	struct editing ed = { .flags = BATCH_CONFLICTS };
	const json *args = call_args(call);
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	const char *path = edit_path(call, &ed.ops.parts, json_get_str(args, "file_path"), &e);

	if (!path || !read_mode(args, &ed.ops, path, &e)) {
		operations_release(&ed.ops);
		call_fail(call, &e);
		return;
	}
	buf_addf(&title, "edit %.*s", STR_ARG(call_shown(call, path)));
	ed.title = title.p;
	call_edit(call, &ed);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file to change" },
	{ "old_string", P_TEXT, false, NULL, "text that occurs exactly once in the file" },
	{ "new_string", P_TEXT, false, NULL, "the text to replace it with" },
	{ "replace_all", P_BOOL, false, NULL, "replace all occurrences of old_string" },
	{ "line_number", P_INT, false, NULL,
	  "line to replace with content: the number that it was last shown with" },
	{ "line_range", P_LIST, false, NULL, "[first, last]: lines to replace with content" },
	{ "content", P_TEXT, false, NULL, "the new lines" },
	{ "expect", P_TEXT, false, NULL, "the expected old text of those lines" },
	{ "line_hash", P_STR, false, NULL,
	  "or the hash of the first of those lines, from read_file" },
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_edit_file = {
	.name = "edit_file",
	.title = "Edit a file",
	.doc = "Replace a text that occurs exactly once in a file, or lines by number; nothing is "
	       "guessed: if there are several matches or none, the error lists the candidates",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST | TOOL_TEXT | TOOL_DRAFTS,
	.run = edit_file_run,
	.print = print_change,
};
