#include "operations.h"

/* write_file: a new file, or with `overwrite` the whole text of one that is there. */
static void write_file_run(struct call *call)
{
	struct editing ed = { 0 };
	const json *args = call_args(call);
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	const char *path = edit_path(call, &ed.ops.parts, json_get_str(args, "file_path"), &e);
	struct operation *op;

	if (!path) {
		operations_release(&ed.ops);
		call_fail(call, &e);
		return;
	}
	op = operations_add(&ed.ops, OPERATION_WRITE, path);
	op->with = json_get_str(args, "content");
	op->overwrite = json_get_bool(args, "overwrite", false);
	buf_addf(&title, "write %.*s", STR_ARG(call_shown(call, path)));
	ed.title = title.p;
	call_edit(call, &ed);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file to create; missing directories are created too" },
	{ "content", P_TEXT, true, NULL, "the whole text" },
	{ "overwrite", P_BOOL, false, NULL, "replace an existing file" },
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_write_file = {
	.name = "write_file",
	.title = "Write a new file",
	.doc = "Create a file with this text; an existing one is replaced only with overwrite",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_REPEATS | TOOL_CORE | TOOL_TEXT | TOOL_DRAFTS,
	.run = write_file_run,
	.print = print_change,
};
