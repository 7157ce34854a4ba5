
#include "../base/bytes.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "acp_impl.h"

/*
 * Files for an agent, by the tools read_file and write_file: they see the text as the editor has
 * it, with what the turn has drafted, and keep what they change in that draft.
 */
static bool acp_read_path(struct acp_task *t)
{
	struct str path = json_get_str(t->r->params, "path");

	if (!path.n || path.p[0] != '/') {
		acp_task_fail(t, ACP_INVALID_PARAMS, "path must be absolute");
		return false;
	}
	path_normal(&t->path, "/", path);
	t->request.where = permission_where(t->of->ox, t->path.p);
	return true;
}

static struct call_context task_context(struct acp_task *t, const struct tool *tool)
{
	struct call_context context = t->of->talk->context;

	context.origin = "chat";
	context.who = t->of->name;
	if (t->rule == PERMISSION_ALLOW)
		context.confirm = CONFIRM_NEVER;
	if (t->turn)
		turn_draft_for(t->turn, tool, &context);
	return context;
}

static void fail_by(struct acp_task *t, const struct err *e)
{
	acp_task_fail(t, e->code == ERR_NOT_FOUND ? ACP_NO_RESOURCE : ACP_INTERNAL, e->msg);
}

static json *content_of(struct str text)
{
	return json_of({ "content", json_str(text) });
}

/* As the turn sees it. False: there is none. */
static bool task_text(struct acp_task *t, struct str *text)
{
	struct workspace *w = t->of->ox->workspace;
	char *path SCOPED(mem_release) = workspace_named(w, t->path.p);
	struct turn_draft *draft = t->turn ? t->turn->draft : NULL;
	bool gone = false;
	struct doc *d = draft ? draft_doc(draft->draft, path, &gone) : NULL;

	if (!d && !gone)
		d = workspace_doc(w, path, ERR_IGNORED);
	if (d)
		*text = doc_text(d);
	return d;
}

/* Of one that reads a file in parts the first of its texts counts: what was changed between two of
 * them is in both then, and no change of the agent's. */
static void note_seen(struct acp_task *t)
{
	bool part = json_get(t->r->params, "line") || json_get(t->r->params, "limit");
	struct str text;

	if (!(part && acp_seen_has(t->of, buf_str(&t->path))) && task_text(t, &text))
		acp_seen_note(t->of, buf_str(&t->path), text);
}

/* A range behind the end has no lines; and some agents make a file by reading it first. */
static void acp_on_read(void *arg, json *result, const struct err *e)
{
	struct acp_task *t = arg;
	bool range = json_get(t->r->params, "line");

	t->call = NULL;
	if (!e->code)
		note_seen(t);
	if (!e->code)
		acp_task_done(t, content_of(json_get_str(result, "content")));
	else if ((e->code == ERR_NOT_FOUND && t->of->empties) || (e->code == ERR_INVALID && range))
		acp_task_done(t, content_of(STR("")));
	else
		fail_by(t, e);
	json_free(result);
}

static void acp_start_read(struct acp_task *t, const struct err *e)
{
	int64_t line = json_get_int(t->r->params, "line", 0),
		limit = json_get_int(t->r->params, "limit", 0);
	struct call_context context;
	json *args;

	if (e->code) {
		fail_by(t, e);
		return;
	}
	line = line < 1 ? 1 : line;
	args = json_of({ "file_path", json_str(buf_str(&t->path)) },
		       { "numbered", json_bool(false) },
		       { "start_line", line > 1 ? json_int(line) : NULL },
		       { "end_line", limit > 0 ? json_int(line + limit - 1) : NULL });
	context = task_context(t, &tool_read_file);
	context.may_read = t->request.where == PERMISSION_OUTSIDE;
	context.shown = NULL; /* nothing is numbered */
	t->call = call_start(t->of->ox, &tool_read_file, args, &context, acp_on_read, t);
}

void acp_read_file(struct acp_task *t)
{
	if (!acp_read_path(t))
		return;
	t->of->reads = true;
	buf_addf(&t->title, "read %s", t->path.p);
	acp_task_permit(t, PERMISSION_READ, "fs/read_text_file", acp_start_read);
}

/* The text that it asks to have written; new. */
static struct buf asked_text(const struct acp_task *t)
{
	struct buf text = BUF_INIT;

	buf_add(&text, json_get_str(t->r->params, "content"));
	bytes_read(&text);
	return text;
}

static void acp_write_done(struct acp_task *t)
{
	struct buf text SCOPED(buf_release) = asked_text(t);

	acp_seen_note(t->of, buf_str(&t->path), buf_str(&text));
	acp_task_done(t, json_object());
}

static void acp_on_written(void *arg, json *result, const struct err *e)
{
	struct acp_task *t = arg;
	bool unsure = json_get_bool(result, "needs_confirmation", false);

	t->call = NULL;
	if (e->code)
		fail_by(t, e);
	else if (unsure)
		acp_task_fail(t, ACP_INTERNAL,
			      "nothing was changed: the user has not confirmed it");
	else
		acp_write_done(t);
	json_free(result);
}

bool acp_disk_text(const char *path, struct buf *out)
{
	const struct fs *fs = disk_fs();

	return fs->read(fs->self, path, out, NULL, ERR_IGNORED);
}

bool acp_disk_has_text(const char *path, struct str text)
{
	struct buf have SCOPED(buf_release) = BUF_INIT;

	return acp_disk_text(path, &have) && str_eq(buf_str(&have), text);
}

/* What is on the disk already the agent has written itself, or is about to: the editor is told to
 * look. */
static bool is_news(struct acp_task *t, struct str text)
{
	json *path SCOPED(json_release) = NULL;

	if (!t->of->writes && !acp_disk_has_text(t->path.p, text))
		return false;
	path = json_str(buf_str(&t->path));
	acp_program_tell(t->of, "disk", path);
	return true;
}

static void acp_start_write(struct acp_task *t, const struct err *e)
{
	struct call_context context;
	struct err why = *e;
	struct buf text = asked_text(t);
	struct str now;
	json *args;

	if (why.code ||
	    (task_text(t, &now) && !acp_seen_merge(t->of, buf_str(&t->path), now, &text, &why))) {
		buf_release(&text);
		fail_by(t, &why);
		return;
	}
	context = task_context(t, &tool_write_file);
	args = json_of({ "file_path", json_str(buf_str(&t->path)) },
		       { "content", json_take(&text) }, { "overwrite", json_bool(true) });
	t->call = call_start(t->of->ox, &tool_write_file, args, &context, acp_on_written, t);
}

void acp_write_file(struct acp_task *t)
{
	struct buf text SCOPED(buf_release) = { 0 };
	struct str now;
	bool there;

	if (!acp_read_path(t))
		return;
	text = asked_text(t);
	there = (task_text(t, &now) && str_eq(now, buf_str(&text))) || is_news(t, buf_str(&text));
	if (there) {
		acp_write_done(t);
		return;
	}
	buf_addf(&t->title, "write %s", t->path.p);
	if (acp_take_allowed(t->of, "edit", buf_str(&t->path))) {
		struct err ok = ERR_INIT;

		t->rule = PERMISSION_ALLOW;
		acp_start_write(t, &ok);
		return;
	}
	acp_task_permit(t, PERMISSION_EDIT, "fs/write_text_file", acp_start_write);
}
