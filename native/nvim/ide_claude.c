#include "../agent/permissions.h"
#include "ide_impl.h"

/* What Claude Code asks an IDE for. */
static void claude_accepted(struct ide_call *c, struct str text)
{
	ide_call_done(c, "FILE_SAVED", text);
}

static void claude_rejected(struct ide_call *c, struct str tab)
{
	ide_call_done(c, "DIFF_REJECTED", tab);
}

static void claude_open_diff(struct ide_call *c)
{
	const struct ide_diff_spec spec = { json_get_str(c->args, "new_file_path"),
					    json_get_str(c->args, "new_file_contents"),
					    json_get_str(c->args, "tab_name"), claude_accepted,
					    claude_rejected };

	if (!spec.path.n || !json_is(json_get(c->args, "new_file_contents"), JSON_STRING))
		ide_call_fail(c, "openDiff needs new_file_path and new_file_contents");
	else
		ide_diff_open(c, &spec);
}

static void claude_close_tab(struct ide_call *c)
{
	struct str tab = json_get_str(c->args, "tab_name");

	ide_close_diffs(c->client, &tab, false);
	ide_call_done(c, "TAB_CLOSED", (struct str){ 0 });
}

static void claude_prompt_begun(void *arg)
{
	struct ide_call *c = arg;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	c->client->waits--;
	buf_addf(&text, "CLOSED_%zu_DIFF_TABS", c->closed);
	ide_call_done(c, text.p, (struct str){ 0 });
}

/* It asks for it with each prompt, unless it was not yet connected for itself: a turn begins. */
static void claude_close_all_diffs(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;
	struct nvim_ide_agent agent = ide_client_agent(c->client);

	c->client->prompted = true;
	ide_diagnostics_prompted(c->client);
	c->closed = ide_close_diffs(c->client, NULL, false);
	if (n->ox->permissions)
		permission_forget_given(n->ox->permissions);
	c->client->waits++;
	nvim_agent_watch_prompt(n, &agent, true, claude_prompt_begun, c);
}

#define IDE_NO_ARGS "{\"type\":\"object\",\"properties\":{}}"
#define IDE_FILE_ARG                                                                               \
	"{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\"}},"                \
	"\"required\":[\"filePath\"]}"

static const struct ide_tool claude_tools[] = {
	{ "openDiff", "Show the user a change to a file, and wait for the decision",
	  "{\"type\":\"object\",\"properties\":{\"old_file_path\":{\"type\":\"string\"},"
	  "\"new_file_path\":{\"type\":\"string\"},\"new_file_contents\":{\"type\":\"string\"},"
	  "\"tab_name\":{\"type\":\"string\"}},"
	  "\"required\":[\"new_file_path\",\"new_file_contents\"]}",
	  claude_open_diff },
	{ "close_tab", "Close the diff that openDiff has opened",
	  "{\"type\":\"object\",\"properties\":{\"tab_name\":{\"type\":\"string\"}},"
	  "\"required\":[\"tab_name\"]}",
	  claude_close_tab },
	{ "closeAllDiffTabs", "Close all diffs that openDiff has opened", IDE_NO_ARGS,
	  claude_close_all_diffs },
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

const struct ide_kind ide_claude = { .agent = "claude",
				     .title = "Claude Code",
				     .tools = claude_tools,
				     .event = "PreToolUse",
				     .write = "Write",
				     .instead = "updatedInput",
				     .tells = true,
				     .connect = ide_ws_connect,
				     .lock = ide_ws_lock,
				     .wake = ide_ws_wake,
				     .stop = ide_ws_stop,
				     .free = ide_ws_free };
