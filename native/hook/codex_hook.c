
#include "../base/mem.h"
#include "../base/path.h"
#include "../base/sha256.h"
#include "../text/patch.h"
#include "claude_hook.h"

/*
 * Codex' hooks have the form of Claude Code's. Files it changes by patches alone, of which one may
 * have several. A yes that changes nothing is said by saying nothing.
 */
static bool codex_patch(const struct hook_event *ev, struct patch *p, struct err *e)
{
	if (!patch_parse(p, ev->command, e))
		return false;
	if (p->form == PATCH_V4A)
		return true;
	patch_release(p);
	return err_set(e, ERR_INVALID, "the patch has to begin with \"*** Begin Patch\"");
}

static bool names_it_twice(const struct hook_files *files, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++)
		n += !strcmp(files->v[i].path, path) +
		     (files->v[i].moved && !strcmp(files->v[i].moved, path));
	return n > 1;
}

static bool codex_add_file(const struct hook_event *ev, const struct patch_file *of,
			   struct hook_files *out, struct err *e)
{
	struct hook_file *f = hook_files_add(out, ev, of->path);
	struct buf to = BUF_INIT, cwd = BUF_INIT;

	f->gone = of->kind == PATCH_DELETE;
	if (of->new_path.n) {
		buf_add(&cwd, ev->cwd);
		path_normal(&to, buf_str(&cwd).p, of->new_path);
		f->moved_said = of->new_path;
		f->moved = buf_detach(&to);
		buf_release(&cwd);
	}
	return !(names_it_twice(out, f->path) || (f->moved && names_it_twice(out, f->moved))) ||
	       err_set(e, ERR_UNSUPPORTED,
		       "the patch names %.*s twice; put all that is to be done to a file into one "
		       "section, or send two patches",
		       STR_ARG(of->path));
}

static bool codex_files(const struct hook_event *ev, struct hook_files *out, struct err *e)
{
	struct patch p;
	bool ok = codex_patch(ev, &p, e);

	if (!ok)
		return false;
	for (size_t i = 0; ok && i < p.files; i++)
		ok = codex_add_file(ev, &p.file[i], out, e);
	patch_release(&p);
	return ok;
}

/* Codex ends each file that it edits with a line end. */
static bool codex_update(const struct patch *p, const struct patch_file *of, struct hook_file *f,
			 bool *inexact, struct err *e)
{
	struct patch_failure why = { 0 };
	struct edits edits SCOPED(edits_release) = EDITS_INIT;
	struct edit_clash clash;
	enum match how = MATCH_EXACT;
	bool ok = patch_locate(p, of, buf_str(&f->disk), &edits, &how, &why, e);

	if (ok && edits_check(&edits, f->disk.n, &clash)) {
		edits_apply(&edits, buf_str(&f->disk), &f->asked);
		if (f->asked.n && f->asked.p[f->asked.n - 1] != '\n')
			buf_addc(&f->asked, '\n');
		*inexact = *inexact || how != MATCH_EXACT;
	}
	candidates_release(&why.near);
	return ok;
}

static bool codex_edit(const struct hook_event *ev, struct hook_files *files, struct err *e)
{
	struct patch p;
	bool ok = codex_patch(ev, &p, e);

	if (!ok)
		return false;
	for (size_t i = 0; ok && i < p.files && i < files->n; i++) {
		const struct patch_file *of = &p.file[i];
		struct hook_file *f = &files->v[i];

		if (of->kind == PATCH_CREATE)
			patch_side(of, '-', &f->asked);
		else if (!f->there)
			ok = err_set(e, ERR_NOT_FOUND, "%.*s does not exist", STR_ARG(f->said));
		else if (of->kind == PATCH_MODIFY)
			ok = codex_update(&p, of, f, &files->inexact, e);
	}
	patch_release(&p);
	return ok;
}

static void add_marked(struct buf *out, char mark, struct str lines)
{
	struct str line;

	while (str_line(&lines, &line))
		buf_addf(out, "%c%.*s\n", mark, STR_ARG(line));
}

/* One hunk, whose lines are in one place. */
static void add_update(struct buf *out, const struct hook_file *f)
{
	struct str disk = buf_str(&f->disk), now = buf_str(&f->written), with, old, first;

	if (str_eq(disk, now) && !f->moved)
		return;
	buf_addf(out, "*** Update File: %.*s\n", STR_ARG(f->said));
	if (f->moved)
		buf_addf(out, "*** Move to: %.*s\n", STR_ARG(f->moved_said));
	buf_adds(out, "@@\n");
	if (str_eq(disk, now)) { /* there has to be a hunk */
		if (str_line(&disk, &first))
			buf_addf(out, " %.*s\n", STR_ARG(first));
		return;
	}
	old = hook_lines_that_differ(disk, now, &with);
	add_marked(out, '-', old);
	add_marked(out, '+', with);
}

static json *codex_instead(const struct hook_event *ev, const struct hook_files *files)
{
	json *input = json_copy(ev->input);
	struct buf patch = BUF_INIT;

	buf_adds(&patch, "*** Begin Patch\n");
	for (size_t i = 0; i < files->n; i++) {
		const struct hook_file *f = &files->v[i];

		if (f->left)
			continue;
		if (f->gone)
			buf_addf(&patch, "*** Delete File: %.*s\n", STR_ARG(f->said));
		else if (f->there)
			add_update(&patch, f);
		else
			buf_addf(&patch, "*** Add File: %.*s\n", STR_ARG(f->said));
		if (!f->gone && !f->there)
			add_marked(&patch, '+', buf_str(&f->written));
	}
	buf_adds(&patch, "*** End Patch\n");
	json_put(input, "command", json_take(&patch));
	return input;
}

const struct hook_tool codex_tools[] = {
	{ { "apply_patch", 11 }, HOOK_ACT_EDIT, "edit", codex_files, codex_edit, codex_instead },
	{ { NULL, 0 }, HOOK_ACT_OTHER, NULL, NULL, NULL, NULL },
};

static json *codex_allow(const char *reason, json *input, const char *context)
{
	json *what;

	(void)reason;
	if (!input && !context)
		return json_object();
	what = json_of({ "hookEventName", json_strz("PreToolUse") },
		       { "permissionDecision", input ? json_strz("allow") : NULL },
		       { "updatedInput", input },
		       { "additionalContext", context ? json_strz(context) : NULL });
	return json_of({ "hookSpecificOutput", what });
}

static json *codex_permit(void)
{
	json *decision = json_of({ "behavior", json_strz("allow") });

	return json_of(
		{ "hookSpecificOutput", json_of({ "hookEventName", json_strz("PermissionRequest") },
						{ "decision", decision }) });
}

/* As a value in TOML, on one line. */
static void add_toml(struct buf *out, const json *v)
{
	bool object = json_is(v, JSON_OBJECT), list = json_is(v, JSON_ARRAY), more = false;

	if (!object && !list) {
		json_print(out, v);
		return;
	}
	buf_addc(out, object ? '{' : '[');
	json_each(item, v) {
		buf_adds(out, more ? "," : "");
		if (object) {
			json_quote(out, str_of(json_key(item)));
			buf_addc(out, '=');
		}
		add_toml(out, item);
		more = true;
	}
	buf_addc(out, object ? '}' : ']');
}

struct codex_words {
	void (*add)(void *arg, struct str word);
	void *arg;
};

/* -c KEY=VALUE; the value is taken. */
static void add_setting(const struct codex_words *to, const char *key, const char *name, json *v)
{
	struct buf word SCOPED(buf_release) = BUF_INIT;

	buf_addf(&word, "%s%s=", key, name);
	add_toml(&word, v);
	to->add(to->arg, STR("-c"));
	to->add(to->arg, buf_str(&word));
	json_free(v);
}

/*
 * Codex runs only hooks that the user has trusted, and keeps a digest of each: of its entry, with
 * all members, in the order of their names. Told with the hooks themselves it is for this process,
 * and nothing of the project's own becomes trusted.
 */
static void trust_entry(json *state, const char *label, const json *entry)
{
	const json *hook = json_first(json_get(entry, "hooks")),
		   *tools = json_get(entry, "matcher");
	char digest[] = "sha256:................................................................";
	json *whole = json_of({ "async", json_bool(false) },
			      { "command", json_copy(json_get(hook, "command")) },
			      { "timeout", json_copy(json_get(hook, "timeout")) },
			      { "type", json_copy(json_get(hook, "type")) });
	json *known SCOPED(json_release) =
		json_of({ "event_name", json_strz(label) }, { "hooks", json_list(whole) },
			{ "matcher", tools ? json_copy(tools) : NULL });
	struct buf text SCOPED(buf_release) = BUF_INIT, key SCOPED(buf_release) = BUF_INIT;

	json_print(&text, known);
	sha256_hex(digest + 7, buf_str(&text));
	buf_addf(&key, "/<session-flags>/config.toml:%s:0:0", label);
	json_put(state, key.p, json_of({ "trusted_hash", json_strz(digest) }));
}

static void codex_hooks(const char *program, int64_t seconds, void (*add)(void *, struct str),
			void *arg)
{
	static const struct {
		const char *name, *label, *tools;
		int64_t most; /* seconds that it may take; 0: those of a question */
	} events[] = {
		{ "PreToolUse", "pre_tool_use", "^(apply_patch|Bash)$", 0 },
		{ "PermissionRequest", "permission_request", "^apply_patch$", 0 },
		{ "UserPromptSubmit", "user_prompt_submit", NULL, 0 },
		{ "Stop", "stop", NULL, 0 },
		{ "SessionEnd", "session_end", NULL, 3 },
	};
	const struct codex_words to = { add, arg };
	json *state = json_object();

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		json *entry = hook_entry("codex", events[i].tools, program,
					 events[i].most ? events[i].most : seconds);

		trust_entry(state, events[i].label, json_first(entry));
		add_setting(&to, "hooks.", events[i].name, entry);
	}
	add_setting(&to, "hooks.", "state", state);
}

/* What Oxide's tools do is asked about by Oxide. */
static void codex_servers(const char *program, void (*add)(void *, struct str), void *arg)
{
	const struct codex_words to = { add, arg };

	add_setting(&to, "mcp_servers.oxide.", "command", json_strz(program));
	add_setting(&to, "mcp_servers.oxide.", "args", json_list(json_strz("mcp")));
	/* By these it finds the Neovim; Codex passes few. */
	add_setting(&to, "mcp_servers.oxide.", "env_vars",
		    json_list(json_strz("NVIM"), json_strz("NVIM_APPNAME"),
			      json_strz("OXIDE_CONFIG"), json_strz("OXIDE_DATA"),
			      json_strz("OXIDE_RUN"), json_strz("XDG_CONFIG_HOME"),
			      json_strz("XDG_RUNTIME_DIR"), json_strz("XDG_STATE_HOME")));
	add_setting(&to, "mcp_servers.oxide.", "default_tools_approval_mode", json_strz("approve"));
}

const struct hook_agent hook_codex = { .name = "codex",
				       .words = true,
				       .allow = codex_allow,
				       .deny = claude_deny,
				       .permit = codex_permit,
				       .hooks = codex_hooks,
				       .servers = codex_servers };
