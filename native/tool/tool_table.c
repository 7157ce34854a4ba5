#include "tool.h"

// clang-format off
const struct tool *const tools[] = {
	&tool_read_file,
	&tool_edit_file,
	&tool_write_file,
	&tool_multi_edit,
	&tool_multi_edit_files,
	&tool_apply_patch,
	&tool_undo,
	&tool_lsp_rename,
	&tool_lsp_format,
	&tool_lsp_diagnostic,
	&tool_lsp_symbol,
	&tool_lsp_edit,
	&tool_goto_definition,
	&tool_find_references,
	&tool_hover_info,
	&tool_get_diagnostics,
	&tool_format_document,
	&tool_format_code,
	&tool_analyze_code,
	&tool_get_symbol_info,
	&tool_find_symbol_usages,
	&tool_rename_symbol,
	&tool_manage_projects,
	&tool_list_code_actions,
	&tool_execute_code_action,
	&tool_refresh_code_actions,
	NULL,
};
// clang-format on
