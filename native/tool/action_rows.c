#include "action_rows.h"

#include "../servers/server.h"

static void put_description(json *row, const struct registered *a)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	size_t edits, files;

	buf_adds(&text, a->about);
	if (a->plan) {
		edits = plan_edits(a->plan);
		files = plan_files(a->plan);
		buf_addf(&text, "%s%zu edit%s in %zu file%s", text.n ? " - " : "", edits,
			 edits == 1 ? "" : "s", files, files == 1 ? "" : "s");
	}
	json_put(row, "description", json_str(buf_str(&text)));
}

static void put_plan(json *row, const struct plan *p)
{
	struct buf diff = BUF_INIT;

	json_put(row, "files_changed", json_int((int64_t)plan_files(p)));
	json_put(row, "edits", json_int((int64_t)plan_edits(p)));
	plan_preview(p, &diff);
	json_put(row, "diff", json_take(&diff));
}

static const char *project_name(const struct oxide *ox, const char *path)
{
	return projects_home(ox->projects, path)->name;
}

json *action_row(struct oxide *ox, const struct registered *a)
{
	json *row = json_of({ "id", json_strz(a->id) }, { "title", json_strz(a->title) });

	put_description(row, a);
	json_put(row, "kind", json_strz(a->kind));
	json_put(row, "project_name", json_strz(project_name(ox, registered_path(a))));
	json_put(row, "state", json_strz("ready"));
	if (a->server)
		json_put(row, "server", json_strz(server_name(a->server)));
	json_put(row, "preferred", json_bool(a->preferred));
	if (a->plan)
		put_plan(row, a->plan);
	return row;
}

static json *waiting_row(struct oxide *ox, const struct waiting *w)
{
	const char *path = plan_files(w->plan) ? plan_file(w->plan, 0)->path : "";
	json *row = json_of({ "id", json_strz(w->id) }, { "title", json_strz(w->title) },
			    { "description", json_strz("waiting: the user is being asked") },
			    { "kind", json_strz(w->kind) },
			    { "project_name", json_strz(project_name(ox, path)) },
			    { "state", json_strz("waiting") },
			    { "asked_by", w->who ? json_strz(w->who) : NULL });

	put_plan(row, w->plan);
	return row;
}

json *action_rows(struct oxide *ox)
{
	json *list = json_array();

	registry_sweep(ox->registry);
	for (size_t i = 0; i < registry_count(ox->registry); i++)
		json_push(list, action_row(ox, registry_at(ox->registry, i)));
	for (const struct waiting *w = registry_waiting(ox->registry); w; w = LIST_NEXT(w, all))
		json_push(list, waiting_row(ox, w));
	return list;
}
