#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../servers/menu.h"
#include "../servers/remedy.h"
#include "action_rows.h"
#include "offered_action.h"
#include "target.h"

/*
 * list_code_actions: the changes that can be made by name. Of a file, or a place in it, its servers
 * are asked what they offer, and each is worked out, so that it has a diff:
 *
 *     run -> on_menu -> next -> on_remedy -> next ... -> finish
 *
 * Nothing has changed afterwards; execute_code_action makes one.
 */
struct listing {
	struct call *call;
	char *path;
	struct menu *menu;
	struct offered_action *v; /* in the order of the answer */
	size_t n, at;
	struct remedy *remedy;
	json *rows, *left_out;
};

static json *answer_of(json *rows)
{
	json *result = json_object();

	json_put(result, "code_actions", rows);
	json_put(result, "count", json_int((int64_t)json_len(rows)));
	return result;
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
	} else {
		json_free(l->rows);
		json_free(l->left_out);
	}
	menu_free(l->menu);
	free(l->path);
	free(l->v);
	free(l);
	if (why.code)
		call_fail(call, &why);
	else
		call_done(call, result);
}

/* The diagnostic that an action is for, if it says so, or can only be for that one. */
static const struct diag *diag_of(const struct menu_part *part, const struct action *a)
{
	if (!a->mends.n)
		return part->abouts == 1 && action_is(a, STR("quickfix")) ? part->about[0] : NULL;
	for (size_t i = 0; i < part->abouts; i++)
		if (action_mends(a, part->about[i]))
			return part->about[i];
	return NULL;
}

/* 0: what the server prefers; 1: other fixes; 2: the rest. */
static int group(const struct action *a)
{
	return a->preferred ? 0 : action_is(a, STR("quickfix")) ? 1 : 2;
}

static void add_group(struct listing *l, const struct menu_part *part, int wanted)
{
	struct span at = menu_place(l->menu);
	struct doc *d = menu_doc(l->menu);
	enum pos_enc enc = server_encoding(part->server);
	struct range place = { doc_pos(d, at.at, enc), doc_pos(d, at.end, enc) };

	for (size_t i = 0; i < part->actions.n; i++) {
		const struct action *a = &part->actions.v[i];

		if (group(a) == wanted)
			l->v[l->n++] = (struct offered_action){ l->path,     diag_of(part, a),
								place,	     &part->actions,
								i,	     menu_moves(l->menu),
								part->server };
	}
}

static void sort(struct listing *l)
{
	size_t total = 0;

	for (size_t i = 0; i < menu_parts(l->menu); i++)
		total += menu_part(l->menu, i)->actions.n;
	l->v = mem_new((total + 1) * sizeof(*l->v));
	for (int g = 0; g < 3; g++)
		for (size_t i = 0; i < menu_parts(l->menu); i++)
			if (menu_part(l->menu, i)->server)
				add_group(l, menu_part(l->menu, i), g);
}

static void leave_out(struct listing *l, const struct offered_action *o, const char *reason)
{
	json *row = json_push(l->left_out, json_object());

	json_put(row, "title", json_str(o->all->v[o->at].title));
	json_put(row, "server", json_strz(server_name(o->server)));
	json_put(row, "reason", json_strz(reason));
}

/* `plan` is taken; NULL: it is left to be worked out when it is wanted. */
static void put(struct listing *l, const struct offered_action *o, struct plan *plan,
		const struct wsedit_notes *notes)
{
	struct oxide *ox = call_oxide(l->call);
	struct registered *a = offered_action_new(ox, o);

	a->plan = plan;
	if (plan) {
		a->annotated = notes->confirm;
		free(a->labels);
		a->labels = mem_dup(buf_str(&notes->labels).p, notes->labels.n);
	}
	json_push(l->rows, action_row(ox, a));
	registry_put(ox->registry, a);
}

static void next(struct listing *l);

static void on_remedy(void *arg, struct plan *p, const struct wsedit_notes *notes,
		      const struct err *e)
{
	struct listing *l = arg;
	const struct offered_action *o = &l->v[l->at++];

	l->remedy = NULL;
	if (e->code == ERR_CANCELLED) {
		listing_end(l, e);
		return;
	}
	if (e->code)
		leave_out(l, o, e->msg);
	else if (!plan_files(p))
		leave_out(l, o, "it changes nothing");
	if (e->code || !plan_files(p))
		plan_free(p);
	else
		put(l, o, p, notes);
	next(l);
}

/* One after the other: only so can a server's command be told from another's. */
static void next(struct listing *l)
{
	struct remedy_spec spec = { menu_moves(l->menu), call_context(l->call)->timeout_ms };
	size_t most = (size_t)config_get(&call_oxide(l->call)->config, CFG_ACTIONS_LIST);
	struct err none = ERR_INIT;

	if (l->at < l->n && l->at < most) {
		const struct offered_action *o = &l->v[l->at];

		l->remedy = remedy_start(call_oxide(l->call), o->server, &o->all->v[o->at], &spec,
					 on_remedy, l);
		return;
	}
	for (; l->at < l->n; l->at++)
		put(l, &l->v[l->at], NULL, NULL);
	listing_end(l, &none);
}

static void on_menu(void *arg, const struct err *e)
{
	struct listing *l = arg;

	if (e->code) {
		listing_end(l, e);
		return;
	}
	sort(l);
	next(l);
}

static void cancelled(void *state)
{
	struct listing *l = state;

	if (l->remedy)
		remedy_cancel(l->remedy);
	else
		menu_cancel(l->menu);
}

static bool check_place(const json *args, struct menu_spec *s, struct err *e)
{
	s->line = json_get_int(args, "line", 0);
	s->column = json_get_int(args, "column", 0);
	s->end_line = json_get_int(args, "end_line", 0);
	s->end_column = json_get_int(args, "end_column", 0);
	if (!s->line && (s->column || s->end_line || s->end_column))
		return err_set(e, ERR_INVALID, "give `line` with `column` and `end_line`");
	if (s->end_line && s->end_line < s->line)
		return err_set(e, ERR_INVALID, "line %lld is behind end_line %lld",
			       (long long)s->line, (long long)s->end_line);
	return true;
}

static void run(struct call *call)
{
	const json *args = call_args(call);
	struct menu_spec spec = { .kind = json_get_str(args, "kind"),
				  .timeout_ms = call_context(call)->timeout_ms };
	struct err e = ERR_INIT;
	struct listing *l;
	char *path;

	if (!json_get(args, "file_path")) {
		call_done(call, answer_of(action_rows(call_oxide(call))));
		return;
	}
	path = check_place(args, &spec, &e) ? target_path(call, "file_path", &e) : NULL;
	if (!path || !workspace_doc(call_oxide(call)->workspace, path, &e)) {
		free(path);
		call_fail(call, &e);
		return;
	}
	l = mem_new(sizeof(*l));
	l->call = call;
	l->path = path;
	l->rows = json_array();
	l->left_out = json_array();
	l->menu = menu_start(call_oxide(call), path, &spec, on_menu, l);
	call_on_cancel(call, cancelled, l);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false,
	  "ask its servers what they offer there; all that is known already when left out", NULL },
	{ "line", P_INT, false, "the place: a line from 1; the whole file when left out", NULL },
	{ "column", P_INT, false, "a column in bytes, from 1; the whole line when left out", NULL },
	{ "end_line", P_INT, false, "the last line of a range", NULL },
	{ "end_column", P_INT, false, "the column behind its end", NULL },
	{ "kind", P_STR, false, "only actions of this kind, such as refactor or quickfix", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_list_code_actions = {
	.name = "list_code_actions",
	.title = "List code actions",
	.doc = "List the changes that can be made by name: what language servers offer at a place, "
	       "each with its diff, or all fixes, previews and pending changes that are known",
	.less = "name a file_path and a line, or a kind",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = run,
	.print = print_actions,
};
