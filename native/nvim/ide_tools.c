#include "ide_impl.h"

#define IDE_NO_ARGS "{\"type\":\"object\",\"properties\":{}}"
#define IDE_FILE_ARG                                                                               \
	"{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\"}},"                \
	"\"required\":[\"filePath\"]}"

const struct ide_tool ide_all_tools[] = {
	{ "openDiff", "Show the user a change to a file, and wait for the decision",
	  "{\"type\":\"object\",\"properties\":{\"old_file_path\":{\"type\":\"string\"},"
	  "\"new_file_path\":{\"type\":\"string\"},\"new_file_contents\":{\"type\":\"string\"},"
	  "\"tab_name\":{\"type\":\"string\"}},"
	  "\"required\":[\"new_file_path\",\"new_file_contents\"]}",
	  ide_open_diff },
	{ "close_tab", "Close the diff that openDiff has opened",
	  "{\"type\":\"object\",\"properties\":{\"tab_name\":{\"type\":\"string\"}},"
	  "\"required\":[\"tab_name\"]}",
	  ide_close_tab },
	{ "closeAllDiffTabs", "Close all diffs that openDiff has opened", IDE_NO_ARGS,
	  ide_close_all_diffs },
	{ "getDiagnostics", "The diagnostics of a file, or all that are known",
	  "{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\"}}}",
	  ide_get_diagnostics },
	{ "openFile", "Open a file in the editor, and select text in it",
	  "{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\"},"
	  "\"startText\":{\"type\":\"string\"},\"endText\":{\"type\":\"string\"},"
	  "\"selectToEndOfLine\":{\"type\":\"boolean\"},\"makeFrontmost\":{\"type\":\"boolean\"},"
	  "\"preview\":{\"type\":\"boolean\"}},\"required\":[\"filePath\"]}",
	  ide_call_lua },
	{ "getCurrentSelection", "The selection in the current buffer", IDE_NO_ARGS, ide_call_lua },
	{ "getLatestSelection", "The latest selection in any buffer", IDE_NO_ARGS, ide_call_lua },
	{ "getOpenEditors", "The files that the editor has in buffers", IDE_NO_ARGS, ide_call_lua },
	{ "getWorkspaceFolders", "The directories that the editor works in", IDE_NO_ARGS,
	  ide_call_lua },
	{ "checkDocumentDirty", "Whether a file has unsaved changes in the editor", IDE_FILE_ARG,
	  ide_call_lua },
	{ "saveDocument", "Write a buffer with unsaved changes", IDE_FILE_ARG, ide_call_lua },
	{ 0 },
};

static json *ide_schema(const struct ide_tool *t)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, t->schema);
	return json_raw(&text);
}

json *ide_tools(void *self)
{
	json *list = json_array();

	(void)self;
	for (const struct ide_tool *t = ide_all_tools; t->name; t++)
		json_push(list, json_of({ "name", json_strz(t->name) },
					{ "description", json_strz(t->doc) },
					{ "inputSchema", ide_schema(t) }));
	return list;
}
