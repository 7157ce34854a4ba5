#include "tool.h"

/* In the order in which a model is shown them: to look, to change, to take back. */
// clang-format off
const struct tool *const tools[] = {
	/* what there is */
	&tool_manage_projects,
	&tool_read_file,
	&tool_lsp_symbol,
	&tool_get_symbol_info,
	&tool_find_symbol_usages,
	&tool_lsp_diagnostic,
	&tool_check_project,
	&tool_test_project,
	/* by text, then by meaning */
	&tool_edit_file,
	&tool_multi_edit,
	&tool_apply_patch,
	&tool_write_file,
	&tool_lsp_edit,
	&tool_lsp_rename,
	&tool_rename_symbol,
	&tool_lsp_format,
	&tool_list_code_actions,
	&tool_execute_code_action,
	&tool_refresh_code_actions,
	&tool_undo,
	/* other names for some of these */
	&tool_goto_definition,
	&tool_find_references,
	&tool_hover_info,
	&tool_get_diagnostics,
	&tool_format_document,
	&tool_format_code,
	&tool_analyze_code,
	&tool_multi_edit_files,
	NULL,
};
// clang-format on
