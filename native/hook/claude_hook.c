#include "claude_hook.h"

/* One replacement. Lines that are taken out go with their line end, as Claude Code has it. */
static bool replace_one(struct buf *text, const json *edit, struct err *e)
{
	struct str old = json_get_str(edit, "old_string"), with = json_get_str(edit, "new_string");
	struct buf line SCOPED(buf_release) = BUF_INIT;

	if (!old.n && text->n)
		return err_set(e, ERR_INVALID, "old_string is empty, but the file is not");
	if (!old.n) {
		buf_add(text, with);
		return true;
	}
	buf_add(&line, old);
	buf_addc(&line, '\n');
	if (!with.n && !str_ends(old, STR("\n")) && str_find(buf_str(text), buf_str(&line)) >= 0)
		old = buf_str(&line);
	return hook_replace(text, old, with, json_get_bool(edit, "replace_all", false), e);
}

bool claude_edit(const struct hook_event *ev, struct str text, bool there, struct buf *after,
		 struct err *e)
{
	const json *list = json_get(ev->input, "edits");
	bool ok = true;

	if (str_eq(ev->tool_name, STR("Write"))) {
		buf_add(after, json_get_str(ev->input, "content"));
		return true;
	}
	if (!there && json_get_str(list ? json_first(list) : ev->input, "old_string").n)
		return err_set(e, ERR_NOT_FOUND, "the file does not exist");
	buf_add(after, text);
	if (!list)
		return replace_one(after, ev->input, e);
	json_each(edit, list)
		ok = ok && replace_one(after, edit, e);
	return ok;
}

json *claude_edit_instead(const struct hook_event *ev, struct str text, struct str now)
{
	json *input = json_copy(ev->input), *edit;
	struct str old, with;

	if (str_eq(ev->tool_name, STR("Write"))) {
		json_put(input, "content", json_str(now));
		return input;
	}
	old = hook_lines_that_differ(text, now, &with);
	edit = json_get(input, "edits") ? json_object() : input;
	json_put(edit, "old_string", json_str(old));
	json_put(edit, "new_string", json_str(with));
	json_put(edit, "replace_all", json_bool(false));
	if (edit != input)
		json_put(input, "edits", json_list(edit));
	return input;
}

static json *claude_decision(const char *decision, const char *reason, json *input,
			     const char *context)
{
	return json_of({ "hookSpecificOutput",
			 json_of({ "hookEventName", json_strz("PreToolUse") },
				 { "permissionDecision", json_strz(decision) },
				 { "permissionDecisionReason", json_strz(reason) },
				 { "updatedInput", input },
				 { "additionalContext", context ? json_strz(context) : NULL }) });
}

static json *claude_allow(const char *reason, json *input, const char *context)
{
	return claude_decision("allow", reason, input, context);
}

json *claude_deny(const char *reason)
{
	return claude_decision("deny", reason, NULL, NULL);
}

static bool claude_files(const struct hook_event *ev, struct hook_files *out, struct err *e)
{
	bool notebook = ev->act == HOOK_ACT_SEALED;
	struct str path = json_get_str(ev->input, notebook ? "notebook_path" : "file_path");

	if (!path.n)
		return err_set(e, ERR_INVALID, "the arguments of %.*s name no file",
			       STR_ARG(ev->tool_name));
	hook_files_add(out, ev, path);
	return true;
}

static bool claude_edit_files(const struct hook_event *ev, struct hook_files *files, struct err *e)
{
	struct hook_file *f = files->v;

	return claude_edit(ev, buf_str(&f->disk), f->there, &f->asked, e);
}

static json *claude_files_instead(const struct hook_event *ev, const struct hook_files *files)
{
	return claude_edit_instead(ev, buf_str(&files->v->disk), buf_str(&files->v->written));
}

#define CLAUDE_EDITS(name)                                                                         \
	{                                                                                          \
		{ name, sizeof(name) - 1 }, HOOK_ACT_EDIT, "edit", claude_files,                   \
			claude_edit_files, claude_files_instead                                    \
	}

const struct hook_tool claude_tools[] = {
	CLAUDE_EDITS("Edit"),
	CLAUDE_EDITS("MultiEdit"),
	{ { "Write", 5 },
	  HOOK_ACT_EDIT,
	  "write",
	  claude_files,
	  claude_edit_files,
	  claude_files_instead },
	{ { "NotebookEdit", 12 }, HOOK_ACT_SEALED, "edit", claude_files, NULL, NULL },
	{ { "Bash", 4 }, HOOK_ACT_COMMAND, "run", NULL, NULL, NULL },
	{ { NULL, 0 }, HOOK_ACT_OTHER, NULL, NULL, NULL, NULL },
};

static void claude_hooks(const char *program, int64_t seconds, void (*add)(void *, struct str),
			 void *arg)
{
	static const char tools[] = "Edit|Write|MultiEdit|NotebookEdit|Bash";
	json *events = json_of({ "PreToolUse", hook_entry("claude", tools, program, seconds) },
			       { "UserPromptSubmit", hook_entry("claude", NULL, program, seconds) },
			       { "Stop", hook_entry("claude", NULL, program, seconds) },
			       { "SessionEnd", hook_entry("claude", NULL, program, seconds) });

	hook_add_json(json_of({ "hooks", events }), add, arg);
}

static void claude_servers(const char *program, void (*add)(void *, struct str), void *arg)
{
	json *server =
		json_of({ "command", json_strz(program) }, { "args", json_list(json_strz("mcp")) });

	hook_add_json(json_of({ "mcpServers", json_of({ "oxide", server }) }), add, arg);
}

const struct hook_agent hook_claude = { .name = "claude",
					.allow = claude_allow,
					.deny = claude_deny,
					.hooks = claude_hooks,
					.servers = claude_servers };
