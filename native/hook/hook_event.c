#include "hook_event.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../text/line.h"

static enum hook_kind hook_kind_of(struct str name)
{
	static const struct {
		struct str name;
		enum hook_kind kind;
	} kinds[] = {
		{ { "PreToolUse", 10 }, HOOK_BEFORE },
		{ { "PermissionRequest", 17 }, HOOK_PERMIT },
		{ { "UserPromptSubmit", 16 }, HOOK_PROMPT },
		{ { "Stop", 4 }, HOOK_STOP },
		{ { "SessionEnd", 10 }, HOOK_END },
		{ { "BeforeTool", 10 }, HOOK_BEFORE },
		{ { "AfterTool", 9 }, HOOK_AFTER },
		{ { "BeforeAgent", 11 }, HOOK_PROMPT },
		{ { "AfterAgent", 10 }, HOOK_STOP },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_eq(name, kinds[i].name))
			return kinds[i].kind;
	return HOOK_OTHER;
}

static const struct hook_tool *hook_tool_of(struct str name)
{
	static const struct hook_tool *const all[] = { claude_tools, codex_tools, gemini_tools };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (const struct hook_tool *t = all[i]; t->name.n; t++)
			if (str_eq(t->name, name))
				return t;
	return NULL;
}

bool hook_event_read(struct hook_event *ev, const json *v, struct err *e)
{
	struct str name = json_get_str(v, "hook_event_name");

	if (!name.n)
		return err_set(e, ERR_INVALID,
			       "this is not the event of a hook: hook_event_name is "
			       "missing");
	*ev = (struct hook_event){ .kind = hook_kind_of(name),
				   .session = json_get_str(v, "session_id"),
				   .cwd = json_get_str(v, "cwd"),
				   .prompt = json_get_str(v, "prompt"),
				   .tool_name = json_get_str(v, "tool_name"),
				   .input = json_get(v, "tool_input") };
	ev->tool = hook_tool_of(ev->tool_name);
	ev->act = ev->tool ? ev->tool->act : HOOK_ACT_OTHER;
	ev->command = json_get_str(ev->input, "command");
	if (ev->kind == HOOK_BEFORE && ev->act == HOOK_ACT_COMMAND && !ev->command.n)
		return err_set(e, ERR_INVALID, "the arguments of %.*s name no command",
			       STR_ARG(ev->tool_name));
	return true;
}

bool hook_event_files(const struct hook_event *ev, struct hook_files *out, struct err *e)
{
	return !ev->tool || !ev->tool->files || ev->tool->files(ev, out, e);
}

struct hook_file *hook_files_add(struct hook_files *files, const struct hook_event *ev,
				 struct str said)
{
	struct buf path = BUF_INIT, cwd SCOPED(buf_release) = BUF_INIT;
	struct hook_file *f;

	files->v = mem_grow(files->v, &files->cap, files->n + 1, sizeof(*files->v));
	f = &files->v[files->n++];
	buf_add(&cwd, ev->cwd);
	path_normal(&path, buf_str(&cwd).p, said);
	*f = (struct hook_file){ .said = said, .path = buf_detach(&path) };
	return f;
}

void hook_files_release(struct hook_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		struct hook_file *f = &files->v[i];

		free(f->path);
		free(f->moved);
		buf_release(&f->disk);
		buf_release(&f->asked);
		buf_release(&f->written);
		buf_release(&f->seen);
	}
	free(files->v);
	*files = (struct hook_files){ 0 };
}

static bool begins_line(struct str text, size_t at)
{
	return !at || text.p[at - 1] == '\n';
}

void hook_event_key(const struct hook_event *ev, const json *input, struct buf *out)
{
	struct str path = json_get_str(input, "file_path"),
		   command = str_trim(json_get_str(input, "command"));

	buf_addf(out, "%.*s %.*s", STR_ARG(ev->tool_name), STR_ARG(path.n ? path : command));
}

/* How often, up to 2. */
static size_t places_of_part(struct str text, struct str part)
{
	ptrdiff_t first = part.n ? str_find(text, part) : -1;

	if (first < 0)
		return 0;
	return str_find(str_sub(text, (size_t)first + part.n, text.n), part) < 0 ? 1 : 2;
}

static void replace_part(struct buf *text, struct str old, struct str with, bool all)
{
	struct buf out = BUF_INIT;
	struct str rest = buf_str(text);
	ptrdiff_t at;

	while ((at = str_find(rest, old)) >= 0) {
		buf_add(&out, str_sub(rest, 0, (size_t)at));
		buf_add(&out, with);
		rest = str_sub(rest, (size_t)at + old.n, rest.n);
		if (!all)
			break;
	}
	buf_add(&out, rest);
	buf_release(text);
	*text = out;
}

bool hook_replace(struct buf *text, struct str old, struct str with, bool all, struct err *e)
{
	size_t places = places_of_part(buf_str(text), old);

	if (!places)
		return err_set(e, ERR_NOT_FOUND, "old_string is not in the file; read it again");
	if (places > 1 && !all)
		return err_set(e, ERR_AMBIGUOUS,
			       "old_string is in the file more than once; make it longer, or "
			       "replace all of them");
	replace_part(text, old, with, all);
	return true;
}

/* Text that is looked for from the beginning is found here, and nowhere else. */
static bool is_there_alone(struct str text, size_t from, size_t end)
{
	struct str part = str_sub(text, from, end);

	return part.n && str_find(text, part) == (ptrdiff_t)from &&
	       str_find(str_sub(text, from + 1, text.n), part) < 0;
}

struct str hook_lines_that_differ(struct str text, struct str now, struct str *with)
{
	size_t from = str_common(text, now), end, behind, least;

	while (!begins_line(text, from))
		from--;
	least = text.n < now.n ? text.n : now.n;
	behind = str_common_end(text, now);
	behind = behind > least - from ? least - from : behind;
	while (behind && !(begins_line(text, text.n - behind) && begins_line(now, now.n - behind)))
		behind--;
	end = text.n - behind;
	while ((from || end < text.n) && !is_there_alone(text, from, end)) {
		from = line_start(text, from ? from - 1 : 0);
		end = line_next(text, end);
	}
	*with = str_sub(now, from, now.n - (text.n - end));
	return str_sub(text, from, end);
}

const struct hook_agent *hook_agent_find(struct str name, struct err *e)
{
	static const struct hook_agent *const all[] = { &hook_claude, &hook_codex, &hook_gemini };
	struct buf names SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (str_eq(name, str_of(all[i]->name)))
			return all[i];
		buf_addf(&names, "%s%s", i ? ", " : "", all[i]->name);
	}
	err_set(e, ERR_INVALID, "\"%.*s\" has no hooks that are known; these have: %s",
		STR_ARG(name), names.p);
	return NULL;
}

json *hook_entry(const char *agent, const char *tools, const char *program, int64_t timeout)
{
	struct buf quoted = BUF_INIT;
	json *hook;

	/* It is run by a shell, which gives way: our parent is the agent. */
	buf_adds(&quoted, "exec '");
	for (; *program; program++)
		if (*program == '\'')
			buf_adds(&quoted, "'\\''");
		else
			buf_addc(&quoted, *program);
	buf_addf(&quoted, "' hook %s", agent);
	hook = json_of({ "type", json_strz("command") }, { "command", json_take(&quoted) },
		       { "timeout", json_int(timeout) });
	return json_list(json_of({ "matcher", tools ? json_strz(tools) : NULL },
				 { "hooks", json_list(hook) }));
}

void hook_add_json(json *v, void (*add)(void *, struct str), void *arg)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	json_print(&text, v);
	add(arg, buf_str(&text));
	json_free(v);
}
