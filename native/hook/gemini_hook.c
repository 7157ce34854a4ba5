#include "hook_event.h"

/*
 * Gemini CLI's hooks: an answer has no place for what the model is to know, which is told once the
 * tool has run. Commands it asks about itself, after any hook: they are not ours here.
 */
static bool gemini_files(const struct hook_event *ev, struct hook_files *out, struct err *e)
{
	struct str path = json_get_str(ev->input, "file_path");

	if (!path.n)
		return err_set(e, ERR_INVALID, "the arguments of %.*s name no file",
			       STR_ARG(ev->tool_name));
	hook_files_add(out, ev, path);
	return true;
}

static bool gemini_write(const struct hook_event *ev, struct hook_files *files, struct err *e)
{
	(void)e;
	buf_add(&files->v->asked, json_get_str(ev->input, "content"));
	return true;
}

static json *gemini_write_instead(const struct hook_event *ev, const struct hook_files *files)
{
	json *input = json_copy(ev->input);

	json_put(input, "content", json_str(buf_str(&files->v->written)));
	return input;
}

/* Without a text to look for it makes a file. */
static bool gemini_replace(const struct hook_event *ev, struct hook_files *files, struct err *e)
{
	struct str old = json_get_str(ev->input, "old_string"),
		   with = json_get_str(ev->input, "new_string");
	struct hook_file *f = files->v;
	bool all = json_get_bool(ev->input, "allow_multiple", false) ||
		   json_get_int(ev->input, "expected_replacements", 1) > 1;

	if (!f->there && old.n)
		return err_set(e, ERR_NOT_FOUND, "the file does not exist");
	if (f->there && !old.n)
		return err_set(e, ERR_INVALID, "old_string is empty, but the file exists");
	buf_add(&f->asked, old.n ? buf_str(&f->disk) : with);
	return !old.n || hook_replace(&f->asked, old, with, all, e);
}

static json *gemini_replace_instead(const struct hook_event *ev, const struct hook_files *files)
{
	const struct hook_file *f = files->v;
	json *input = json_copy(ev->input);
	struct str old = STR(""), with = buf_str(&f->written);

	if (f->there)
		old = hook_lines_that_differ(buf_str(&f->disk), buf_str(&f->written), &with);
	json_drop(input, "expected_replacements");
	json_drop(input, "allow_multiple");
	json_put(input, "old_string", json_str(old));
	json_put(input, "new_string", json_str(with));
	return input;
}

const struct hook_tool gemini_tools[] = {
	{ { "replace", 7 },
	  HOOK_ACT_EDIT,
	  "edit",
	  gemini_files,
	  gemini_replace,
	  gemini_replace_instead },
	{ { "write_file", 10 },
	  HOOK_ACT_EDIT,
	  "write",
	  gemini_files,
	  gemini_write,
	  gemini_write_instead },
	{ { NULL, 0 }, HOOK_ACT_OTHER, NULL, NULL, NULL, NULL },
};

static json *gemini_allow(const char *reason, json *input, const char *context)
{
	(void)reason;
	(void)context;
	if (!input)
		return json_object();
	return json_of({ "hookSpecificOutput", json_of({ "hookEventName", json_strz("BeforeTool") },
						       { "tool_input", input }) });
}

static json *gemini_deny(const char *reason)
{
	return json_of({ "decision", json_strz("deny") }, { "reason", json_strz(reason) });
}

static json *gemini_after(const char *context)
{
	return json_of(
		{ "hookSpecificOutput", json_of({ "hookEventName", json_strz("AfterTool") },
						{ "additionalContext", json_strz(context) }) });
}

static json *gemini_entry(const char *tools, const char *program, int64_t seconds)
{
	return hook_entry("gemini", tools, program, seconds * 1000);
}

static void gemini_hooks(const char *program, int64_t seconds, void (*add)(void *, struct str),
			 void *arg)
{
	static const char tools[] = "^(replace|write_file)$";

	hook_add_json(json_of({ "hooks",
				json_of({ "BeforeTool", gemini_entry(tools, program, seconds) },
					{ "AfterTool", gemini_entry(tools, program, seconds) },
					{ "BeforeAgent", gemini_entry(NULL, program, seconds) },
					{ "AfterAgent", gemini_entry(NULL, program, seconds) },
					{ "SessionEnd", gemini_entry(NULL, program, seconds) }) }),
		      add, arg);
}

/* What Oxide's tools do is asked about by Oxide. */
static void gemini_servers(const char *program, void (*add)(void *, struct str), void *arg)
{
	json *server =
		json_of({ "command", json_strz(program) }, { "args", json_list(json_strz("mcp")) },
			{ "trust", json_bool(true) });

	hook_add_json(json_of({ "mcpServers", json_of({ "oxide", server }) }), add, arg);
}

const struct hook_agent hook_gemini = { .name = "gemini",
					.allow = gemini_allow,
					.deny = gemini_deny,
					.after = gemini_after,
					.hooks = gemini_hooks,
					.servers = gemini_servers };
