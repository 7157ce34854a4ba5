#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "ide.h"
#include "listen.h"
#include "nvim_chat.h"

/* What the hunks do not tell. */
static json *nvim_mode(const struct plan_file *f)
{
	bool was = f->was_mode == MODE_LINK, now = f->now_mode == MODE_LINK;

	if (was || now)
		return json_strz(!f->existed || !f->exists || was == now ? "symbolic link"
				 : now					 ? "becomes a symbolic link"
				       : "no longer a symbolic link");
	if (f->existed && f->exists && f->was_mode != f->now_mode)
		return json_strf("mode %04o -> %04o", f->was_mode & MODE_BITS,
				 f->now_mode & MODE_BITS);
	if (!f->existed && f->now_mode & 0100)
		return json_strf("mode %04o", f->now_mode & MODE_BITS);
	return NULL;
}

static json *nvim_ask_file(struct nvim *n, const struct plan *p, const struct plan_file *f)
{
	struct buffer *b = apply_buffer(n->ox, f);
	const char *kind = plan_file_kind(f);
	struct buf diff = BUF_INIT;
	size_t hunks = 0;
	struct str rest, line;

	plan_file_diff(p, f, &diff);
	for (rest = buf_str(&diff); str_line(&rest, &line);)
		hunks += str_starts(line, STR("@@"));
	return json_of({ "path", json_strz(f->path) },
		       { "shown", json_str(workspace_shown(n->ox->workspace, f->path)) },
		       { "new_path", f->new_path ? json_strz(f->new_path) : NULL },
		       { "kind", json_strz(kind ? kind : "modify") }, { "mode", nvim_mode(f) },
		       { "hunks", json_int((int64_t)hunks) },
		       { "added", json_int((int64_t)f->lines_added) },
		       { "removed", json_int((int64_t)f->lines_removed) },
		       { "where", json_strz(b ? "buffer" : "disk") },
		       { "buf", b ? json_int(b->number) : NULL }, { "diff", json_take(&diff) });
}

/* The question, for the person in Neovim. */
static void nvim_ask_show(struct nvim *n, int64_t id, const struct question *q, bool renewed)
{
	struct pending_call *call = q->of;
	json *files = json_array(),
	     *v = json_of({ "id", json_int(id) }, { "title", json_strz(q->title) },
			  { "tool", json_strz(q->tool) }, { "origin", json_strz(n->ox->origin) },
			  { "server", json_strz(q->server ? q->server : "") },
			  { "places", json_int((int64_t)question_sum(q).places) },
			  { "annotated", json_bool(q->annotated) },
			  { "labels", json_strz(q->labels) },
			  { "notes", json_strz(q->notes ? q->notes : "") },
			  { "refused", json_strz(q->refused ? q->refused : "") },
			  { "rest", json_bool(q->rest) }, { "files", files },
			  { "renewed", renewed ? json_bool(true) : NULL },
			  { "permission", json_bool(q->permission) },
			  { "lasting", json_bool(q->lasting) }, { "again", json_bool(q->again) });

	if (remote_call_of(call))
		remote_put_caller(remote_call_of(call), v);
	else if (!nvim_chat_put_caller(call, id, v) && !ide_put_caller(call, id, v))
		json_put(v, "call", json_int(call ? call->id : 0));
	for (size_t i = 0; i < plan_files(q->plan); i++)
		json_push(files, nvim_ask_file(n, q->plan, plan_file(q->plan, i)));
	for (size_t i = 0; q->offered && i < plan_files(q->offered); i++)
		json_put(json_push(files, nvim_ask_file(n, q->offered, plan_file(q->offered, i))),
			 "offered", json_bool(true));
	nvim_event(n, "confirm", v);
}

static void nvim_ask_set(struct ask *a, const struct question *q)
{
	a->plan = q->plan;
	a->files = plan_files(q->plan);
	a->offered = q->offered ? plan_files(q->offered) : 0;
	a->revise = q->revise;
	a->renewing = false;
}

static int64_t nvim_confirm(void *self, const struct question *q, editor_verdict *fn, void *arg)
{
	struct nvim *n = self;
	struct ask *a = mem_new(sizeof(*a));
	struct remote_call *remote = remote_call_of(q->of);

	a->id = ++n->last_ask;
	a->fn = fn;
	a->arg = arg;
	nvim_ask_set(a, q);
	a->elsewhere = remote && remote_confirm(remote, a->id, q);
	LIST_INSERT_HEAD(&n->asks, a, all);
	if (!a->elsewhere)
		nvim_ask_show(n, a->id, q, false);
	return a->id;
}

static struct ask *nvim_ask_find(struct nvim *n, int64_t id)
{
	struct ask *a;

	LIST_FOREACH(a, &n->asks, all)
		if (a->id == id)
			return a;
	return NULL;
}

static void nvim_renew(void *self, int64_t id, const struct question *q)
{
	struct ask *a = nvim_ask_find(self, id);

	if (!a)
		return;
	nvim_ask_set(a, q);
	nvim_ask_show(self, id, q, true);
}

static struct ask *nvim_ask_take(struct nvim *n, int64_t id)
{
	struct ask *a = nvim_ask_find(n, id);

	if (a)
		LIST_REMOVE(a, all);
	return a;
}

static void nvim_settled(void *self, int64_t id, const struct err *e)
{
	nvim_event(self, "confirm_settled",
		   json_of({ "id", json_int(id) },
			   { "error", e->code ? json_strz(e->msg) : NULL }));
}

static void nvim_unconfirm(void *self, int64_t id)
{
	struct nvim *n = self;
	struct ask *a SCOPED(mem_release) = nvim_ask_take(n, id);

	if (a && !a->elsewhere)
		nvim_event(n, "confirm_gone", json_of({ "id", json_int(id) }));
}

/* Booleans of a list; NULL when it is none. */
static bool *read_flags(const json *list, size_t *n)
{
	bool *v;

	*n = 0;
	if (!json_is(list, JSON_ARRAY))
		return NULL;
	v = mem_new(json_len(list) + 1);
	json_each(item, list)
		v[(*n)++] = json_true(item);
	return v;
}

static void free_hunks(struct hunk_choice *hunks, size_t n)
{
	for (size_t i = 0; hunks && i < n; i++)
		free((bool *)(uintptr_t)hunks[i].keep);
	free(hunks);
}

/* For each file of the question a list of hunks, or null. */
static struct hunk_choice *read_hunks(const json *list, size_t files)
{
	struct hunk_choice *v;
	size_t i = 0;

	if (!json_is(list, JSON_ARRAY))
		return NULL;
	v = mem_new((files + 1) * sizeof(*v));
	json_each(item, list) {
		if (i == files)
			break;
		v[i].keep = read_flags(item, &v[i].n);
		i++;
	}
	return v;
}

void nvim_ask_verdict(struct nvim *n, int64_t question, const struct verdict *v)
{
	struct ask *a SCOPED(mem_release) = nvim_ask_take(n, question);

	if (a)
		a->fn(a->arg, v);
}

static enum verdict_lasts read_lasts(const json *reply)
{
	struct str s = json_get_str(reply, "lasts");

	return str_eq(s, STR("session"))  ? LASTS_SESSION
	       : str_eq(s, STR("always")) ? LASTS_ALWAYS
					  : LASTS_ONCE;
}

/* One list of both: what is offered comes last, as it was shown. */
static void take_choice(const struct ask *a, const bool *keep, const struct hunk_choice *hunks,
			struct verdict *v)
{
	v->keep = keep;
	v->hunks = hunks;
	v->offered = a->offered ? keep + a->files : NULL;
	v->offered_hunks = hunks && a->offered ? hunks + a->files : NULL;
}

void nvim_ask_reply(struct nvim *n, const json *reply)
{
	struct ask *a SCOPED(mem_release) = nvim_ask_take(n, json_get_int(reply, "id", 0));
	struct verdict v = { .yes = json_get_bool(reply, "accept", false),
			     .force = json_get_bool(reply, "force", false),
			     .stale = json_get_str(reply, "stale"),
			     .lasts = read_lasts(reply),
			     .why = json_get_str(reply, "why") };
	struct hunk_choice *hunks;
	bool *keep SCOPED(mem_release) = NULL;
	size_t said;

	if (!a)
		return;
	keep = read_flags(json_get(reply, "files"), &said);
	hunks = read_hunks(json_get(reply, "hunks"), a->files + a->offered);
	if ((keep && said != a->files + a->offered) || a->renewing)
		v.yes = false; /* it speaks of another change */
	else if (keep)
		take_choice(a, keep, hunks, &v);
	a->fn(a->arg, &v);
	free_hunks(hunks, a->files + a->offered);
}

/* While it is looked at, the question is renewed at once or later. */
static void nvim_ask_revise(struct ask *a, size_t i, struct str text, struct err *e)
{
	if (!a->revise) {
		err_set(e, ERR_UNSUPPORTED, "the text of this change cannot be edited");
		return;
	}
	a->renewing = true;
	if (!a->revise(a->arg, i, text, e))
		a->renewing = false;
}

static json *nvim_ask_kept(struct ask *a, size_t i, const json *hunks, struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	size_t said;
	bool *keep SCOPED(mem_release) = read_flags(hunks, &said);

	return plan_text_kept(a->plan, i, keep, said, &text, e)
		       ? json_of({ "text", json_take(&text) })
		       : NULL;
}

void nvim_ask_text(struct nvim *n, const json *params)
{
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = json_parse(json_text(json_next(json_first(params))), &e);
	json *result = NULL;
	struct ask *a = nvim_ask_find(n, json_get_int(v, "question", 0));
	int64_t file = json_get_int(v, "file", -1);
	const json *text = json_get(v, "text");

	if (!e.code && !a)
		err_set(&e, ERR_NOT_FOUND, "this change does not wait for a review any more");
	else if (!e.code && a->renewing)
		err_set(&e, ERR_CONFLICT, "the change is still being checked");
	else if (!e.code && (file < 0 || (size_t)file >= a->files))
		err_set(&e, ERR_INVALID, "the change has no such file");
	else if (!e.code && text)
		nvim_ask_revise(a, (size_t)file, json_text(text), &e);
	else if (!e.code)
		result = nvim_ask_kept(a, (size_t)file, json_get(v, "keep"), &e);
	nvim_agent_answer(n, json_number(json_first(params)),
			  e.code   ? result
			  : result ? result
				   : json_object(),
			  &e);
}

void nvim_ask_release(struct nvim *n)
{
	struct verdict no = { 0 };
	struct ask *a;

	while ((a = LIST_FIRST(&n->asks))) {
		LIST_REMOVE(a, all);
		a->fn(a->arg, &no);
		free(a);
	}
}

static void nvim_progress(void *self, void *of, const char *id, struct str title,
			  struct str message, int percent, bool done)
{
	int64_t call = nvim_call_id(of);
	json *v = json_of({ "id", json_strz(id) }, { "call", call ? json_int(call) : NULL },
			  { "title", json_str(title) }, { "message", json_str(message) },
			  { "percent", json_int(percent) }, { "done", json_bool(done) });

	listen_progress(self, v);
	nvim_event(self, "progress", v);
}

static void nvim_message(void *self, const char *level, struct str text)
{
	nvim_event(self, "message",
		   json_of({ "level", json_strz(level) }, { "text", json_str(text) }));
}

static void nvim_change(void *self, const struct change_news *news)
{
	json *files = json_array();

	for (size_t i = 0; i < plan_files(news->plan); i++)
		json_push(files, json_strz(plan_file(news->plan, i)->path));
	nvim_event(self, "change",
		   json_of({ "done", json_bool(news->done) },
			   { "what", json_strz(news->undoes   ? "undone"
					       : news->redoes ? "redone"
							      : "applied") },
			   { "transaction",
			     news->transaction.n ? json_str(news->transaction) : NULL },
			   { "title", json_strz(news->title) }, { "files", files },
			   { "saved", news->done ? json_int((int64_t)news->saved) : NULL },
			   { "left_modified",
			     news->done ? json_int((int64_t)news->left_modified) : NULL }));
}

static void nvim_diagnostics(void *self, const char *path)
{
	nvim_event(self, "diagnostics", json_of({ "path", json_strz(path) }));
}

static void nvim_actions(void *self)
{
	listen_actions(self);
}

static void nvim_server(void *self, const char *name, const char *root, const char *state,
			const char *reason)
{
	nvim_event(self, "server",
		   json_of({ "name", json_strz(name) }, { "root", json_strz(root) },
			   { "state", json_strz(state) }, { "reason", json_strz(reason) }));
}

static void nvim_show_file(void *self, const char *name, const char *path, const json *range,
			   const char *encoding)
{
	nvim_event(self, "show",
		   json_of({ "server", json_strz(name) }, { "path", json_strz(path) },
			   { "range", range ? json_copy(range) : NULL },
			   { "encoding", json_strz(encoding) }));
}

void nvim_ask_init(struct nvim *n)
{
	struct editor *ed = &n->ox->editor;

	ed->confirm = nvim_confirm;
	ed->unconfirm = nvim_unconfirm;
	ed->renew = nvim_renew;
	ed->settled = nvim_settled;
	ed->progress = nvim_progress;
	ed->message = nvim_message;
	ed->change = nvim_change;
	ed->diagnostics = nvim_diagnostics;
	ed->actions = nvim_actions;
	ed->server = nvim_server;
	ed->show = nvim_show_file;
}
