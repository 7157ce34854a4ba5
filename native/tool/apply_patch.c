#include "../core/workspace.h"
#include "operations.h"

/* apply_patch: V4A or unified, several files, all or none. */
static void apply_patch_run(struct call *call)
{
	struct editing ed = { .flags = BATCH_CONFLICTS, .title = "apply a patch" };
	struct err e = ERR_INIT;

	ed.ops.fs = workspace_fs();
	if (operations_from_patch(&ed.ops, json_get_str(call_args(call), "patch"), 0, NULL,
				  edit_path, call, &e)) {
		call_edit(call, &ed);
	} else {
		operations_release(&ed.ops);
		call_fail(call, &e);
	}
}

static const struct param params[] = {
	{ "patch", P_TEXT, true, NULL,
	  "V4A (*** Begin Patch ...) or a unified diff, git's headers included" },
	DRY_RUN_PARAM,
	{ "verify", P_BOOL, false, NULL,
	  "check the change with the language servers first; new errors refuse it" },
	PARAMS_END,
};

const struct tool tool_apply_patch = {
	.name = "apply_patch",
	.title = "Apply a patch",
	.doc = "Apply a patch to all its files or to none; context lines are never rewritten",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_TEXT | TOOL_DRAFTS,
	.run = apply_patch_run,
	.print = print_change,
};
