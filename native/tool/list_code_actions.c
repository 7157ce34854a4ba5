#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../servers/completeness.h"
#include "action_rows.h"
#include "call_lines.h"
#include "offered_action.h"
#include "target.h"

/*
 * list_code_actions: the changes that can be made by name. Of a file, or a place in it, its servers
 * are asked what they offer, and each is worked out, so that it has a diff:
 *
 *     listing_run -> on_actions_asked -> listing_plan_next -> on_listed_planned
 *         -> listing_plan_next ... -> listing_end
 *
 * Nothing has changed afterwards; execute_code_action makes one.
 */
struct listed { /* action `i` of an offer */
	const struct offer *offer;
	size_t i;
};

struct listing {
	struct call *call;
	char *path;
	struct code_actions *asked;
	struct listed *v; /* in the order of the answer */
	size_t n, at;
	json *rows, *left_out;
};

static json *answer_of(json *rows)
{
	return json_of({ "code_actions", rows }, { "count", json_int((int64_t)json_len(rows)) });
}

static void listing_end(struct listing *l, const struct err *e)
{
	struct call *call = l->call;
	json *result = NULL;
	struct err why = *e; /* it may lie in what is freed here */

	call_on_cancel(call, NULL, NULL);
	if (!why.code) {
		result = answer_of(l->rows);
		json_put(result, "left_out", l->left_out);
		if (code_actions_missing(l->asked))
			reasons_add(result, "%s", code_actions_missing(l->asked));
	} else {
		json_free(l->rows);
		json_free(l->left_out);
	}
	code_actions_free(l->asked);
	free(l->path);
	free(l->v);
	free(l);
	call_end(call, result, &why);
}

/* 0: what the server prefers; 1: other fixes; 2: the rest. */
static int group_of(const struct action *a)
{
	return a->preferred ? 0 : action_is(a, STR("quickfix")) ? 1 : 2;
}

static void add_group(struct listing *l, const struct offer *o, int wanted)
{
	for (size_t i = 0; i < o->actions.n; i++)
		if (group_of(&o->actions.v[i]) == wanted)
			l->v[l->n++] = (struct listed){ o, i };
}

static void sort_listing(struct listing *l)
{
	size_t offers = code_actions_count(l->asked), total = 0;

	for (size_t i = 0; i < offers; i++)
		total += code_actions_offer(l->asked, i)->actions.n;
	l->v = mem_new((total + 1) * sizeof(*l->v));
	for (int g = 0; g < 3; g++)
		for (size_t i = 0; i < offers; i++)
			add_group(l, code_actions_offer(l->asked, i), g);
}

static void list_actions_leave_out(struct listing *l, const struct listed *a, const char *reason)
{
	json_push(l->left_out, json_of({ "title", json_str(a->offer->actions.v[a->i].title) },
				       { "server", json_strz(server_name(a->offer->server)) },
				       { "reason", json_strz(reason) }));
}

/* `plan` is taken; NULL: it is left to be worked out when it is wanted. */
static void list_action(struct listing *l, const struct listed *at, struct plan *plan,
			const struct wsedit_notes *notes)
{
	struct oxide *ox = call_oxide(l->call);
	struct registered *a = offered_action_new(ox, at->offer, at->i);

	if (plan)
		offered_action_plan(a, plan, notes);
	json_push(l->rows, action_row(ox, a));
	registry_put(ox->registry, a);
}

static void listing_plan_next(struct listing *l);

static void on_listed_planned(void *arg, struct plan *p, const struct wsedit_notes *notes,
			      const struct err *e)
{
	struct listing *l = arg;
	const struct listed *a = &l->v[l->at++];

	if (e->code == ERR_CANCELLED) {
		listing_end(l, e);
		return;
	}
	if (e->code)
		list_actions_leave_out(l, a, e->msg);
	else if (!plan_files(p))
		list_actions_leave_out(l, a, "it changes nothing");
	if (e->code || !plan_files(p))
		plan_free(p);
	else
		list_action(l, a, p, notes);
	listing_plan_next(l);
}

/* One after the other: only so can a server's command be told from another's. */
static void listing_plan_next(struct listing *l)
{
	size_t most = (size_t)config_get(&call_oxide(l->call)->config, CFG_ACTIONS_LIST);

	if (l->at < l->n && l->at < most) {
		offered_action_ask(l->call, l->v[l->at].offer, l->v[l->at].i, on_listed_planned, l);
		return;
	}
	for (; l->at < l->n; l->at++)
		list_action(l, &l->v[l->at], NULL, NULL);
	listing_end(l, ERR_IGNORED);
}

static void on_actions_asked(void *arg, const struct err *e)
{
	struct listing *l = arg;

	if (e->code) {
		listing_end(l, e);
		return;
	}
	sort_listing(l);
	listing_plan_next(l);
}

static bool read_place(const json *args, struct code_place *p, struct err *e)
{
	p->line = json_get_int(args, "line", 0);
	p->column = json_get_int(args, "column", 0);
	p->end_line = json_get_int(args, "end_line", 0);
	p->end_column = json_get_int(args, "end_column", 0);
	if (!p->line && (p->column || p->end_line || p->end_column))
		return err_set(e, ERR_INVALID, "give `line` with `column` and `end_line`");
	if (p->end_line && p->end_line < p->line)
		return err_set(e, ERR_INVALID, "line %lld comes after end_line %lld",
			       (long long)p->line, (long long)p->end_line);
	return true;
}

static void listing_run(struct call *call)
{
	const json *args = call_args(call);
	struct code_actions_spec spec = { .kind = json_get_str(args, "kind"),
					  .timeout_ms = call_context(call)->timeout_ms };
	struct code_place place;
	struct err e = ERR_INIT;
	struct listing *l;
	struct doc *doc;
	char *path;

	if (!json_get(args, "file_path")) {
		call_done(call, answer_of(action_rows(call_oxide(call))));
		return;
	}
	path = target_path(call, "file_path", &e);
	doc = path ? workspace_doc(call_oxide(call)->workspace, path, &e) : NULL;
	if (!doc || !call_lines_now(call, path, doc, &e) || !read_place(args, &place, &e)) {
		free(path);
		call_fail(call, &e);
		return;
	}
	l = mem_new(sizeof(*l));
	l->call = call;
	l->path = path;
	l->rows = json_array();
	l->left_out = json_array();
	l->asked = code_actions_at(call_oxide(call), path, &place, &spec, on_actions_asked, l);
	call_on_cancel(call, code_actions_cancel, l->asked);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false, NULL,
	  "the file whose servers are asked; default: list the actions that are known already" },
	{ "line", P_INT, false, NULL, "a line, from 1; default: the whole file" },
	{ "column", P_INT, false, NULL, "a column in bytes, from 1; default: the whole line" },
	{ "end_line", P_INT, false, NULL, "the last line of a range" },
	{ "end_column", P_INT, false, NULL, "the column after its end" },
	{ "kind", P_STR, false, NULL, "only actions of this kind, such as refactor or quickfix" },
	PARAMS_END,
};

const struct tool tool_list_code_actions = {
	.name = "list_code_actions",
	.title = "List code actions",
	.doc = "List the changes that can be applied by id: what language servers offer at a "
	       "place, each with its diff, or all known fixes, previews and pending changes",
	.less = "give a file_path and a line, or a kind",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = listing_run,
	.print = print_actions,
};
