#include "tool.h"

const struct tool *const tools[] = {
	&tool_lsp_rename, &tool_lsp_format, &tool_lsp_diagnostic,
	&tool_lsp_symbol, &tool_undo,	    NULL,
};
