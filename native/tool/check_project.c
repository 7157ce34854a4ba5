#include <stdlib.h>

#include "../base/mem.h"
#include "auto_update.h"
#include "check_fixes.h"
#include "diag_rows.h"
#include "diagnosing.h"
#include "tasks.h"

/*
 * check_project: what the project's own checkers find wrong with it; with fixes, joined with what
 * the language servers say:
 *
 *     run -> on_checked -> answer
 *                       -> on_diagnosed -> on_fixes -> answer   (include_fixes)
 */
struct checking {
	struct call *call;
	struct tasks *tasks;
	struct diagnosing *diagnosing;
	struct checked_list checks;
	struct join join;
	struct check_fixes *fixes;
	json *result;
};

static void end(struct checking *c, const struct err *e)
{
	struct call *call = c->call;
	json *result = c->result;
	struct err why = *e; /* it may lie in what is freed here */

	call_on_cancel(call, NULL, NULL);
	join_release(&c->join);
	checked_release(&c->checks);
	diagnosing_free(c->diagnosing);
	tasks_free(c->tasks);
	free(c);
	if (why.code)
		call_fail_with(call, &why, result);
	else
		call_done(call, result);
}

static void collect(struct checking *c)
{
	for (size_t i = 0; i < tasks_count(c->tasks); i++) {
		const struct task_run *r = tasks_at(c->tasks, i);

		for (int k = 0; k < 2; k++)
			if (r->result.found[k].diagnostics)
				checked_add(&c->checks, call_oxide(c->call), call_root(c->call),
					    r->source, &r->result.found[k]);
	}
}

/* What the checkers suggest themselves, by number. */
static void put_flat_fixes(struct checking *c)
{
	json *list = json_put(c->result, "fixes", json_array());

	for (size_t i = 0; i < c->join.n; i++) {
		const struct checked *check = join_at(&c->join, i)->check;

		json_push(list,
			  json_int(check ? (int64_t)json_len(json_get(check->row, "fixes")) : 0));
	}
}

static void put_rows(struct checking *c, const struct diag *const *server, size_t n)
{
	struct oxide *ox = call_oxide(c->call);
	bool flat = call_context(c->call)->flat;

	join_make(&c->join, ox, call_root(c->call), &c->checks, server, n);
	diag_rows(c->call, c->join.v, c->join.n, flat, c->result);
	json_each(row, json_get(c->result, "diagnostics"))
		json_drop((json *)(uintptr_t)row, "fixes"); /* available_fixes are */
	if (flat)
		put_flat_fixes(c);
}

/* In one sentence, above all where the list does not tell it. */
static void put_message(struct checking *c)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < tasks_count(c->tasks); i++)
		buf_addf(&text, "%s%s", text.n ? ", " : "", tasks_at(c->tasks, i)->source);
	buf_addf(&text, ": %s", json_get_str(c->result, "summary").p);
	if (json_get(c->result, "output"))
		buf_adds(&text, "; it failed, and `output` has its last words");
	json_put(c->result, "message", json_str(buf_str(&text)));
	buf_release(&text);
}

static void answer(struct checking *c)
{
	struct err none = ERR_INIT;
	bool ok = tasks_succeeded(c->tasks) && !json_get_int(c->result, "counts.error", 0);

	json_put(c->result, "success", json_bool(ok));
	tasks_report(c->tasks, false, c->result);
	if (json_get(c->result, "unsaved"))
		json_put(c->result, "complete", json_bool(false));
	put_message(c);
	auto_update(call_oxide(c->call));
	end(c, &none);
}

static void on_fixes(void *arg, const struct err *e)
{
	struct checking *c = arg;

	c->fixes = NULL;
	if (!e->code) {
		answer(c);
		return;
	}
	json_free(c->result);
	c->result = NULL;
	end(c, e);
}

static void cancel_fixes(void *state)
{
	struct checking *c = state;

	check_fixes_cancel(c->fixes);
}

/* A project that no server is there for has its checkers all the same. */
static void on_diagnosed(void *arg, const struct err *e)
{
	struct checking *c = arg;
	const struct diag **v = NULL;
	size_t n;

	if (e->code == ERR_CANCELLED) {
		end(c, e);
		return;
	}
	c->result = json_object();
	n = e->code ? 0 : diagnosing_list(c->diagnosing, DIAG_INFO, &v);
	put_rows(c, v, n);
	free(v);
	if (e->code)
		json_put(c->result, "servers_missing", json_strz(e->msg));
	else
		diagnosing_report(c->diagnosing, c->result);
	if (call_context(c->call)->flat) {
		answer(c);
		return;
	}
	c->fixes = check_fixes_start(c->call, &c->join,
				     (json *)(uintptr_t)json_get(c->result, "diagnostics"),
				     on_fixes, c);
	call_on_cancel(c->call, cancel_fixes, c);
}

static void on_checked(void *arg, const struct err *e)
{
	struct checking *c = arg;

	if (e->code) {
		c->result = error_object(e);
		tasks_report(c->tasks, true, c->result);
		end(c, e);
		return;
	}
	collect(c);
	if (json_get_bool(call_args(c->call), "include_fixes", false)) {
		c->diagnosing = diagnosing_start(c->call, on_diagnosed, c);
		return;
	}
	c->result = json_object();
	put_rows(c, NULL, 0); /* what servers said before it ran is older than its word */
	answer(c);
}

static void run(struct call *call)
{
	struct tasks_spec spec = { .what = TASK_CHECK };
	struct checking *c = mem_new(sizeof(*c));

	c->call = call;
	c->tasks = tasks_start(call, &spec, on_checked, c);
}

static const struct param params[] = {
	{ "project_name", P_STR, false, "the project; the one last used when left out", NULL },
	{ "include_fixes", P_BOOL, false,
	  "list what can be done about each, as edits and as actions by name (default false)",
	  NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_check_project = {
	.name = "check_project",
	.title = "Check the project",
	.doc = "Run the project's own checkers (cargo check, go vet, tsc, pyright, make and others) and "
	       "list what they find; with fixes, what the language servers find as well. They see the "
	       "files on the disk, and may run the project's build scripts",
	.less = "leave include_fixes out, or ask lsp_diagnostic about one file_path",
	.params = params,
	.flags = TOOL_WRITES | TOOL_REPEATS | TOOL_OPEN | TOOL_CORE | TOOL_RUST,
	.run = run,
};
