#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "auto_update.h"
#include "resolve.h"

/*
 * rename_symbol: lsp_rename of a symbol that is given by its name. Without execute_immediately it
 * is only shown, and is an action that execute_code_action makes: renaming_run ->
 * on_renaming_resolved -> on_renaming_renamed.
 */
struct renaming {
	struct call *call, *inner;
	struct change_result came_to;
	json *result; /* what comes before lsp_rename's */
	bool now;
};

static void renaming_end(struct renaming *r, json *result, const struct err *e)
{
	struct call *call = r->call;

	call_on_cancel(call, NULL, NULL);
	json_free(r->result);
	change_result_release(&r->came_to);
	if (r->now && !e->code)
		auto_update(call_oxide(call));
	free(r);
	call_end(call, result, e);
}

static const char *status_of(const struct renaming *r)
{
	return !r->now		  ? "preview"
	       : r->came_to.waits ? "needs_confirmation"
	       : r->came_to.kept  ? "kept"
				  : "applied";
}

static json *paths_of(const struct change_result *r)
{
	json *list = json_array();

	for (size_t i = 0; i < r->files; i++)
		json_push(list, json_str(r->file[i].path));
	return list;
}

static void on_renaming_renamed(void *arg, json *answer, const struct err *why)
{
	struct renaming *r = arg;
	struct err e = *why;

	/* it was tried again already, or a person has decided; but for the name */
	if (!call_lost_place(r->inner))
		call_not_again(r->call);
	if (!e.code && !r->came_to.files)
		err_set(&e, ERR_CANCELLED, "no part of the rename was accepted");
	if (!e.code) {
		json_put(answer, "status", json_strz(status_of(r)));
		json_put(answer, "affected_files", paths_of(&r->came_to));
		json_each(v, r->result)
			json_put(answer, json_key(v), json_copy(v));
	} else if (!why->code) {
		json_free(answer);
		answer = NULL;
	}
	renaming_end(r, answer, &e);
}

static json *args_for(struct renaming *r, struct target *t)
{
	json *args = json_object();
	size_t line, column;

	doc_where(t->doc, t->byte, &line, &column);
	json_put(args, "file_path", json_strz(t->path));
	json_put(args, "line", json_int((int64_t)line));
	json_put(args, "column", json_int((int64_t)column));
	json_put(args, "new_name", json_str(json_get_str(call_args(r->call), "new_name")));
	json_put(args, "dry_run", json_bool(!r->now));
	json_put(args, "confirm", json_strz("apply"));
	if (!r->now) /* what is made is verified anyway */
		json_put(args, "verify", json_bool(true));
	return args;
}

static void on_renaming_resolved(void *arg, struct resolved *s, const struct err *e, json *refusal)
{
	struct renaming *r = arg;
	struct call_context ctx = *call_context(r->call);
	struct call *inner;

	if (!s) {
		renaming_end(r, refusal, e);
		return;
	}
	r->result = json_object();
	json_put(r->result, "operation", json_strz("rename"));
	resolved_put(s, r->result);
	ctx.came_to = &r->came_to;
	ctx.now = true; /* the place is that of this moment */
	r->inner = inner = call_start(call_oxide(r->call), &tool_lsp_rename, args_for(r, s->target),
				      &ctx, on_renaming_renamed, r);
	call_on_cancel(r->call, call_cancel, inner);
	resolved_free(s);
	call_run(inner);
}

static void renaming_run(struct call *call)
{
	struct renaming *r = mem_new(sizeof(*r));

	call_may_again(call);
	r->call = call;
	r->now = json_get_bool(call_args(call), "execute_immediately", false);
	resolve_symbol(call, true, on_renaming_resolved, r);
}

static const struct param params[] = {
	SYMBOL_PARAMS,
	{ "new_name", P_STR, true, NULL, "its new name" },
	{ "execute_immediately", P_BOOL, false, NULL,
	  "apply the change; by default it is only shown, and becomes an action" },
	PARAMS_END,
};

const struct tool tool_rename_symbol = {
	.name = "rename_symbol",
	.title = "Rename a symbol by name",
	.doc = "Rename a symbol of the project by name alone: as a preview with an action_id for "
	       "execute_code_action, or at once",
	.params = params,
	.flags = TOOL_WRITES | TOOL_CORE | TOOL_RUST | TOOL_JSON | TOOL_DRAFTS,
	.run = renaming_run,
	.print = print_change,
};
