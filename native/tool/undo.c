
#include "../base/mem.h"
#include "../core/apply.h"
#include "tool.h"

/* undo: takes the last transaction of the call's project back; or the one named, whichever of the
 * projects it belongs to. With `redo`, makes again what was undone. */
static bool is_redo(const struct call *call)
{
	return json_get_bool(call_args(call), "redo", false);
}

static bool find_back(struct call *call, struct str which, struct plan *p, struct buf *id,
		      struct buf *what, struct err *e)
{
	bool (*find)(struct history *, const char *, struct str, struct plan *, struct buf *,
		     struct buf *, struct err *) = is_redo(call) ? history_redo : history_undo;
	struct oxide *ox = call_oxide(call);
	bool found = find(ox->history, call_root(call), which, p, id, what, e);

	for (size_t i = 0; which.n && e->code == ERR_NOT_FOUND && i < projects_count(ox->projects);
	     i++) {
		const char *root = projects_at(ox->projects, i)->root;
		struct err other = ERR_INIT;

		found = find(ox->history, root, which, p, id, what, &other);
		if (other.code != ERR_NOT_FOUND)
			*e = other;
	}
	return found;
}

static bool plan_back(struct call *call, struct plan *p, struct buf *id, struct buf *what,
		      struct err *e)
{
	struct str which = json_get_str(call_args(call), "transaction");

	return call_has_history(call, e) && find_back(call, which, p, id, what, e) &&
	       plan_finish(p, e) && call_may_take_back(call, p, e);
}

static void undo_begin(void *arg)
{
	struct call *call = arg;
	struct change ch = { .plan = plan_new(call_source(call)) };
	struct buf id SCOPED(buf_release) = BUF_INIT, what SCOPED(buf_release) = BUF_INIT;
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (call_cancelled(call))
		err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	if (!e.code && plan_back(call, ch.plan, &id, &what, &e)) {
		buf_addf(&title, "%s %s", is_redo(call) ? "redo" : "undo", what.p);
		ch.redoes = is_redo(call);
		ch.title = title.p;
		ch.undoes = buf_str(&id);
		ch.report = json_object();
		json_put(ch.report, "transaction", json_str(buf_str(&id)));
		json_put(ch.report, "title", json_str(buf_str(&what)));
		if (is_redo(call))
			json_put(ch.report, "redone", json_bool(true));
		call_change(call, &ch);
	} else {
		plan_free(ch.plan);
		call_fail(call, &e);
	}
}

static void undo_run(struct call *call)
{
	apply_after(call_oxide(call), undo_begin, call);
}

static const struct param params[] = {
	{ "transaction", P_STR, false, NULL, "which change; default: the last" },
	{ "redo", P_BOOL, false, NULL,
	  "make it again after it was undone; default: the last undone" },
	PARAMS_END,
};

const struct tool tool_undo = {
	.name = "undo",
	.title = "Undo a change",
	.doc = "Undo a change in all its files, if they are still as it left them",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST,
	.run = undo_run,
	.print = print_undo,
};
