#include "tool.h"

/*
 * In the order in which a model is shown them: to look, to change, to take back. tool_NAME is
 * defined in NAME.c, or else in decide_turn.c (turn), get_symbol_info.c (find_symbol_usages),
 * lsp_format.c (format_document, format_code), multi_edit.c (multi_edit_files) or positions.c
 * (goto_definition, find_references, hover_info, get_diagnostics).
 */
// clang-format off
#define TOOLS(X) \
	/* what there is */ \
	X(manage_projects) \
	X(read_file) \
	X(lsp_symbol) \
	X(get_symbol_info) \
	X(find_symbol_usages) \
	X(lsp_diagnostic) \
	X(check_project) \
	X(test_project) \
	/* by text, then by meaning */ \
	X(edit_file) \
	X(multi_edit) \
	X(apply_patch) \
	X(write_file) \
	X(lsp_edit) \
	X(lsp_rename) \
	X(rename_symbol) \
	X(lsp_format) \
	X(list_code_actions) \
	X(execute_code_action) \
	X(refresh_code_actions) \
	X(undo) \
	/* for the user alone */ \
	X(turn) \
	/* other names for some of these */ \
	X(goto_definition) \
	X(find_references) \
	X(hover_info) \
	X(get_diagnostics) \
	X(format_document) \
	X(format_code) \
	X(analyze_code) \
	X(multi_edit_files)

#define DECLARED(name) extern const struct tool tool_##name;
#define ROW(name) &tool_##name,

TOOLS(DECLARED)
const struct tool *const tools[] = { TOOLS(ROW) NULL };
// clang-format on
