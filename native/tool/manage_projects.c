#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/person_ask.h"
#include "../core/registry.h"
#include "../servers/diag_cache.h"
#include "../servers/pool.h"
#include "tool.h"

/*
 * manage_projects: takes a project out of those that are loaded, takes one in, and lists them.
 *
 *     managing_run -> take_out -> (a person is asked) -> take_in -> list
 *
 * What is loaded may be written to. So a directory that an agent names in a person's editor is
 * loaded once that person has said so.
 */
struct managing {
	struct call *call;
	char *title;		    /* of the question */
	const struct project *gone; /* removed */
	json *messages;
};

static struct projects *projects_here(const struct managing *m)
{
	return call_oxide(m->call)->projects;
}

static void managing_end(struct managing *m, json *answer, const struct err *e)
{
	struct call *call = m->call;

	json_free(m->messages);
	free(m->title);
	free(m);
	if (answer)
		call_done(call, answer);
	else
		call_fail(call, e);
}

/* Inside of it, or over it, as an editor's client may be. */
static bool serves(const struct project *p, struct str root)
{
	return root.n && (path_below(str_of(p->root), root) || path_below(root, str_of(p->root)));
}

static bool put_servers(const struct oxide *ox, const struct project *p, json *row)
{
	json *list = json_put(row, "servers", json_array());
	json *all SCOPED(json_release) = pool_status(ox->pool);
	bool indexing = false;

	json_each(server, all) {
		bool busy = json_get(server, "busy");
		json *copy;

		if (!serves(p, json_get_str(server, "root")))
			continue;
		copy = json_push(list, json_copy(server));
		json_put(copy, "indexing", json_bool(busy));
		indexing |= busy;
	}
	return indexing;
}

static json *project_row(struct call *call, const struct project *p)
{
	struct oxide *ox = call_oxide(call);
	json *row = json_object(), *kinds;

	json_put(row, "name", json_strz(p->name));
	json_put(row, "root", json_strz(p->root));
	json_put(row, "last", json_bool(p == call_project(call)));
	kinds = json_put(row, "kinds", json_array());
	for (const struct project_type *k = NULL;
	     (k = project_types_next(ox->project_types, p->root, k));)
		json_push(kinds, json_strz(k->name));
	json_put(row, "indexing", json_bool(put_servers(ox, p, row)));
	return row;
}

static void manage_projects_list(struct managing *m)
{
	const struct projects *all = projects_here(m);
	json *answer = json_object(), *rows;

	json_put(answer, "messages", m->messages);
	m->messages = NULL;
	if (m->gone)
		json_put(answer, "removed", json_strz(m->gone->root));
	rows = json_put(answer, "projects", json_array());
	for (size_t i = 0; i < projects_count(all); i++)
		json_push(rows, project_row(m->call, projects_at(all, i)));
	json_put(answer, "last_project", json_strz(call_project(m->call)->name));
	managing_end(m, answer, NULL);
}

/* What was known of it is forgotten, so that nothing of it is written any more. */
static bool take_out(struct managing *m, struct str name, struct err *e)
{
	struct oxide *ox = call_oxide(m->call);
	const struct project *gone = projects_remove(ox->projects, name, e);
	struct map none = MAP_INIT;

	if (!gone)
		return false;
	pool_leave(ox->pool, gone->root);
	registry_forget_below(ox->registry, gone->root);
	diag_cache_retain(ox->findings, gone->root, &none);
	if (call_project(m->call) == gone)
		call_work_in(m->call, projects_first(ox->projects));
	m->gone = gone;
	json_push(m->messages, json_strf("%s is no longer loaded", gone->name));
	return true;
}

static bool restart(struct managing *m, struct str name, struct err *e)
{
	if (!pool_restart(call_oxide(m->call)->pool, name.p, e))
		return false;
	json_push(m->messages, json_strf("%s is being restarted", name.p));
	return true;
}

static void take_in(struct managing *m, const char *dir)
{
	struct err e = ERR_INIT;
	const struct project *p = projects_add(projects_here(m), dir, &e);

	if (!p) {
		managing_end(m, NULL, &e);
		return;
	}
	call_work_in(m->call, p);
	json_push(m->messages, json_strf("%s is loaded", p->name));
	manage_projects_list(m);
}

static const char *dir_of(const struct managing *m)
{
	return json_get_str(call_args(m->call), "add_project_path").p;
}

static void on_managing_verdict(void *arg, const struct verdict *v)
{
	struct managing *m = arg;
	struct err e = ERR_INIT;

	call_on_cancel(m->call, NULL, NULL);
	if (v && v->yes) {
		take_in(m, dir_of(m));
		return;
	}
	if (!v)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else
		err_set(&e, ERR_DENIED, "%s was not loaded: %s", dir_of(m),
			v->later ? "no user could be asked" : "the user declined");
	managing_end(m, NULL, &e);
}

static void managing_ask(struct managing *m)
{
	struct question q = { .tool = call_tool(m->call)->name,
			      .labels = "",
			      .must = true,
			      .of = call_context(m->call)->of };
	struct buf title = BUF_INIT;

	buf_addf(&title, "load the project %s, and allow changes in it", dir_of(m));
	m->title = buf_detach(&title);
	q.title = m->title;
	call_on_cancel(m->call, person_ask_cancel,
		       person_ask(call_oxide(m->call), &q, on_managing_verdict, m));
}

static bool wants_asking(const struct managing *m)
{
	return call_context(m->call)->confirm == CONFIRM_ALWAYS &&
	       call_oxide(m->call)->editor.confirm && !projects_loaded(projects_here(m), dir_of(m));
}

static void managing_run(struct call *call)
{
	struct managing *m = mem_new(sizeof(*m));
	struct str out = json_get_str(call_args(call), "remove_project_name"),
		   in = json_get_str(call_args(call), "add_project_path"),
		   again = json_get_str(call_args(call), "restart_server");
	struct err e = ERR_INIT;

	m->call = call;
	m->messages = json_array();
	if ((again.n && !restart(m, again, &e)) || (out.n && !take_out(m, out, &e)) ||
	    (in.n && !projects_may_add(projects_here(m), in.p, &e)))
		managing_end(m, NULL, &e);
	else if (!in.n)
		manage_projects_list(m);
	else if (wants_asking(m))
		managing_ask(m);
	else
		take_in(m, in.p);
}

static const struct param params[] = {
	{ "add_project_path", P_STR, false, NULL, "absolute path of a project to load" },
	{ "remove_project_name", P_STR, false, NULL, "name of a project to remove" },
	{ "restart_server", P_STR, false, NULL,
	  "name of a language server to restart, also one that is no longer restarted after "
	  "crashes" },
	PARAMS_END,
};

const struct tool tool_manage_projects = {
	.name = "manage_projects",
	.title = "List, add and remove projects",
	.doc = "List the loaded projects, with their language servers and whether these are "
	       "indexing; load one more, which later calls use by default; remove one, which is "
	       "done first; or restart a language server",
	.params = params,
	.opens = "add_project_path",
	.flags = TOOL_OPEN | TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = managing_run,
	.print = print_projects,
};
