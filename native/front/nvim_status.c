#include <unistd.h>

#include "../base/log.h"
#include "../core/workspace.h"
#include "../servers/pool.h"
#include "listen.h"

/* Of the project that the person worked in last. */
static const char *past_of(struct nvim *n)
{
	struct err none = ERR_INIT;

	return projects_pick(n->ox->projects, STR(""), &n->last_project, &none)->root;
}

static json *project_names(const struct projects *p)
{
	json *list = json_array();

	for (size_t i = 0; i < projects_count(p); i++)
		json_push(list, json_strz(projects_at(p, i)->name));
	return list;
}

/* What the core tells of itself when it is asked. */
static json *status(struct nvim *n)
{
	struct oxide *ox = n->ox;
	json *v = json_object(), *last = NULL;
	const struct history_entry *entry =
		ox->history ? history_last(ox->history, past_of(n)) : NULL;
	size_t pending = 0;
	struct ask *a;

	LIST_FOREACH(a, &n->asks, all)
		pending++;
	json_put(v, "version", json_strz(OXIDE_VERSION));
	json_put(v, "protocol", json_int(OXIDE_PROTOCOL));
	json_put(v, "root", json_strz(ox->root));
	json_put(v, "projects", project_names(ox->projects));
	json_put(v, "pid", json_int(getpid()));
	json_put(v, "servers", pool_status(ox->pool));
	json_put(v, "buffers", json_int((int64_t)workspace_buffers(ox->workspace)));
	json_put(v, "pending", json_int((int64_t)pending));
	json_put(v, "unsettled", json_str(buf_str(&ox->unsettled)));
	json_put(v, "log", json_strz(log_path()));
	json_put(v, "listen", listen_status(n));
	if (entry) {
		last = json_object();
		json_put(last, "id", json_str(entry->id));
		json_put(last, "title", json_str(entry->title));
	}
	json_put(v, "last_transaction", last ? last : json_null());
	return v;
}

void nvim_status(struct nvim *n, const json *params)
{
	json *v = json_object();

	json_put(v, "id", json_int(json_number(json_first(params))));
	json_put(v, "result", status(n));
	nvim_event_json(n, "answer", v);
}

static json *history_row(const struct nvim *n, const struct history_entry *entry)
{
	json *row = json_object(), *files = json_array();

	json_put(row, "id", json_str(entry->id));
	json_put(row, "time_ms", json_int(entry->time_ms));
	json_put(row, "origin", json_str(entry->origin));
	json_put(row, "title", json_str(entry->title));
	json_put(row, "undone", json_bool(entry->undone));
	for (size_t i = 0; i < entry->files; i++) {
		const struct history_file *f = &entry->file[i];
		json *file = json_push(files, json_object());

		json_put(file, "file", json_str(workspace_shown(n->ox->workspace, f->path.p)));
		json_put(file, "lines_added", json_int((int64_t)f->lines_added));
		json_put(file, "lines_removed", json_int((int64_t)f->lines_removed));
	}
	json_put(row, "files", files);
	return row;
}

void nvim_history(struct nvim *n, const json *params)
{
	json *v = json_object(), *list = json_array(), *result;
	const struct history_entry *entry;
	struct err e = ERR_INIT;
	size_t entries = 0;

	if (n->ox->history && history_list(n->ox->history, past_of(n), &entry, &entries, &e))
		for (size_t i = 0; i < entries; i++)
			json_push(list, history_row(n, &entry[i]));
	json_put(v, "id", json_int(json_number(json_first(params))));
	result = json_put(v, "result", json_object());
	json_put(result, "entries", list);
	nvim_event_json(n, "answer", v);
}
