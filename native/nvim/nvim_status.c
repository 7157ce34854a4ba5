#include <unistd.h>

#include "../base/log.h"
#include "../core/run.h"
#include "../core/workspace.h"
#include "../servers/pool.h"
#include "listen.h"

/* Of the project that the person worked in last. */
static const char *nvim_past_root(struct nvim *n)
{
	return projects_pick(n->ox->projects, STR(""), &n->last_project, ERR_IGNORED)->root;
}

static json *nvim_project_names(const struct projects *p)
{
	json *list = json_array();

	for (size_t i = 0; i < projects_count(p); i++)
		json_push(list, json_strz(projects_at(p, i)->name));
	return list;
}

/* What the core tells of itself when it is asked. */
static json *nvim_own_status(struct nvim *n)
{
	struct oxide *ox = n->ox;
	const struct history_entry *last =
		ox->history ? history_last(ox->history, nvim_past_root(n)) : NULL;
	size_t pending = 0;
	struct ask *a;

	LIST_FOREACH(a, &n->asks, all)
		pending++;
	return json_of({ "version", json_strz(OXIDE_VERSION) },
		       { "protocol", json_int(OXIDE_PROTOCOL) }, { "root", json_strz(ox->root) },
		       { "projects", nvim_project_names(ox->projects) },
		       { "pid", json_int(getpid()) }, { "servers", pool_status(ox->pool) },
		       { "buffers", json_int((int64_t)workspace_buffers(ox->workspace)) },
		       { "pending", json_int((int64_t)pending) },
		       { "unsettled", json_str(buf_str(&ox->unsettled)) },
		       { "agents", terminals_json(&n->terminals) },
		       { "log", json_strz(log_path()) }, { "listen", listen_status(n) },
		       { "last_transaction", last ? json_of({ "id", json_str(last->id) },
							    { "title", json_str(last->title) })
						  : json_null() });
}

void nvim_status(struct nvim *n, const json *params)
{
	nvim_event(n, "answer",
		   json_of({ "id", json_int(json_number(json_first(params))) },
			   { "result", nvim_own_status(n) }));
}

void nvim_runs(struct nvim *n, const json *params)
{
	nvim_event(n, "answer",
		   json_of({ "id", json_int(json_number(json_first(params))) },
			   { "result", json_of({ "runs", runs_so_far(n->ox) }) }));
}

static json *nvim_history_row(const struct nvim *n, const struct history_entry *entry)
{
	json *files = json_array();

	for (size_t i = 0; i < entry->files; i++) {
		const struct history_file *f = &entry->file[i];
		struct str shown = workspace_shown(n->ox->workspace, f->path.p);

		json_push(files, json_of({ "file", json_str(shown) },
					 { "lines_added", json_int((int64_t)f->lines_added) },
					 { "lines_removed", json_int((int64_t)f->lines_removed) }));
	}
	return json_of({ "id", json_str(entry->id) }, { "time_ms", json_int(entry->time_ms) },
		       { "origin", json_str(entry->origin) }, { "title", json_str(entry->title) },
		       { "undone", json_bool(entry->undone) }, { "files", files });
}

void nvim_history(struct nvim *n, const json *params)
{
	json *list = json_array();
	const struct history_entry *entry;
	struct err e = ERR_INIT;
	size_t entries = 0;

	if (n->ox->history && history_list(n->ox->history, nvim_past_root(n), &entry, &entries, &e))
		for (size_t i = 0; i < entries; i++)
			json_push(list, nvim_history_row(n, &entry[i]));
	nvim_event(n, "answer",
		   json_of({ "id", json_int(json_number(json_first(params))) },
			   { "result", json_of({ "entries", list }) }));
}

void nvim_history_diff(struct nvim *n, const json *params)
{
	struct oxide *ox = n->ox;
	const char *root = nvim_past_root(n);
	struct err e = ERR_INIT;
	json *args SCOPED(json_release) = json_parse(json_text(json_next(json_first(params))), &e);
	struct plan *p = plan_new(workspace_source(ox->workspace, root));
	struct buf diff SCOPED(buf_release) = BUF_INIT;

	if (ox->history && !e.code)
		history_diff(ox->history, root, json_get_str(args, "transaction"), p, &diff, &e);
	nvim_agent_answer(n, json_number(json_first(params)),
			  e.code ? NULL : json_of({ "diff", json_str(buf_str(&diff)) }), &e);
	plan_free(p);
}
