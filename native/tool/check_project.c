#include <stdlib.h>

#include "../base/mem.h"
#include "../servers/completeness.h"
#include "auto_update.h"
#include "check_fixes.h"
#include "diag_rows.h"
#include "diagnosing.h"
#include "task_outcome.h"

/*
 * check_project: what the project's own checkers find wrong with it; with fixes, joined with what
 * the language servers say:
 *
 *     checking_run -> on_project_checked -> checking_answer
 *         -> (include_fixes) on_checking_diagnosed -> on_checking_fixes -> checking_answer
 */
struct checking {
	struct call *call;
	struct project_tasks *tasks;
	struct diagnosing *diagnosing;
	struct checker_diags checks;
	size_t kept; /* of them: said at an earlier run */
	struct diag_merge join;
	json *result;
};

static void checking_end(struct checking *c, const struct err *e)
{
	struct call *call = c->call;
	json *result = c->result;
	struct err why = *e; /* it may lie in what is freed here */

	call_on_cancel(call, NULL, NULL);
	diag_merge_release(&c->join);
	checker_diags_release(&c->checks);
	diagnosing_free(c->diagnosing);
	project_tasks_free(c->tasks);
	free(c);
	call_end(call, result, &why);
}

static void checking_collect(struct checking *c)
{
	for (size_t i = 0; i < project_tasks_count(c->tasks); i++) {
		const struct task_run *r = project_tasks_at(c->tasks, i);

		struct parser_found kept = { .diagnostics = r->compiles.rows };
		size_t known;

		for (int k = 0; k < 2; k++)
			if (r->result.found[k].diagnostics)
				checker_diags_add(&c->checks, call_oxide(c->call),
						  call_root(c->call), r->source,
						  &r->result.found[k]);
		known = c->checks.n;
		checker_diags_add(&c->checks, call_oxide(c->call), call_root(c->call), r->source,
				  &kept);
		c->kept += c->checks.n - known;
	}
}

/* What the checkers suggest themselves, by number. */
static void put_flat_fixes(struct checking *c)
{
	json *list = json_put(c->result, "fixes", json_array());

	for (size_t i = 0; i < c->join.n; i++) {
		const struct checker_diag *check = diag_merge_at(&c->join, i)->check;

		json_push(list,
			  json_int(check ? (int64_t)json_len(json_get(check->row, "fixes")) : 0));
	}
}

static void put_rows(struct checking *c, const struct diag *const *server, size_t n)
{
	struct oxide *ox = call_oxide(c->call);
	enum row_form form = call_form(c->call);

	diag_merge_make(&c->join, ox, call_root(c->call), &c->checks, server, n);
	diag_rows(c->call, c->join.v, c->join.n, form, c->result);
	json_each(row, json_get(c->result, "diagnostics"))
		json_drop((json *)(uintptr_t)row, "fixes"); /* available_fixes are */
	if (form == ROWS_FLAT)
		put_flat_fixes(c);
}

/* Why what was found is not all there is to know; empty: it is. */
static bool check_project_is_known(struct checking *c, struct buf *why)
{
	bool known = true;

	for (size_t i = 0; i < project_tasks_count(c->tasks); i++) {
		struct buf one SCOPED(buf_release) = BUF_INIT;
		enum task_outcome end = task_outcome(project_tasks_at(c->tasks, i), &one);

		if (one.n)
			buf_addf(why, "%s%s", why->n ? "; " : "", one.p);
		known = known && end != TASK_UNKNOWN;
	}
	return known;
}

/* Files whose last compile nobody has seen, or all of them. */
static bool put_unseen(struct checking *c)
{
	json *list = json_array();
	bool blank = false;

	for (size_t i = 0; i < project_tasks_count(c->tasks); i++) {
		const struct compiles *k = &project_tasks_at(c->tasks, i)->compiles;

		blank = blank || k->blank;
		json_each(path, k->unseen)
			json_push(list, json_str(call_shown(c->call, json_text(path).p)));
	}
	if (blank)
		reasons_add(c->result, "earlier compiler output is not known");
	if (json_len(list))
		reasons_add(c->result, "files have changed since their last known compile "
				       "(not_compiled)");
	if (json_len(list))
		json_put(c->result, "not_compiled", list);
	else
		json_free(list);
	return blank;
}

/* "no problems" is said where it is known that there are none. */
static void put_summary(struct checking *c, const char *why, bool blank)
{
	size_t unseen = json_len(json_get(c->result, "not_compiled"));
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (*why && !json_len(json_get(c->result, "diagnostics")) && !c->join.n)
		buf_adds(&text, why);
	else if (blank)
		buf_adds(&text, "nothing had to be built, and earlier compiler output is not "
				"known; rebuild everything (make clean) to get the warnings");
	else
		buf_addf(&text, "%s%s%s", json_get_str(c->result, "summary").p, *why ? "; " : "",
			 why);
	if (c->kept)
		buf_addf(&text, " (%zu from earlier compiles)", c->kept);
	if (unseen)
		buf_addf(&text,
			 "; %zu file%s changed since the last known compile: what the compiler "
			 "says about %s is not known",
			 unseen, unseen == 1 ? " has" : "s have", unseen == 1 ? "it" : "them");
	json_put(c->result, "summary", json_str(buf_str(&text)));
}

/* In one sentence, above all where the list does not tell it. */
static void put_message(struct checking *c, bool known)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; known && i < project_tasks_count(c->tasks); i++)
		buf_addf(&text, "%s%s", text.n ? ", " : "", project_tasks_at(c->tasks, i)->source);
	buf_addf(&text, "%s%s", known ? ": " : "", json_get_str(c->result, "summary").p);
	json_put(c->result, "message", json_str(buf_str(&text)));
}

static bool is_absent(const struct checking *c)
{
	for (size_t i = 0; i < project_tasks_count(c->tasks); i++)
		if (task_absent(project_tasks_at(c->tasks, i)))
			return true;
	return false;
}

/* What a checker left open is an error; an editor's list shows what there is all the same. */
static void put_error(struct checking *c, const char *why, struct err *e)
{
	json *object SCOPED(json_release) = NULL;

	reasons_add(c->result, "%s", why);
	if (call_context(c->call)->flat)
		return;
	err_set(e, is_absent(c) ? ERR_NOT_FOUND : ERR_PEER, "%s", why);
	object = error_object(e);
	json_put(c->result, "error", json_copy(json_get(object, "error")));
}

static void checking_answer(struct checking *c)
{
	struct err e = ERR_INIT;
	struct buf why SCOPED(buf_release) = BUF_INIT;
	bool known = check_project_is_known(c, &why);
	bool ok = project_tasks_succeeded(c->tasks) && !json_get_int(c->result, "counts.error", 0);

	json_put(c->result, "success", json_bool(ok));
	project_tasks_report(c->tasks, false, c->result);
	put_summary(c, why.n ? why.p : "", put_unseen(c));
	if (json_get(c->result, "unsaved"))
		reasons_add(c->result, "files with unsaved changes were checked as they are on "
				       "the disk");
	put_message(c, known);
	if (!known)
		put_error(c, why.p, &e);
	auto_update(call_oxide(c->call));
	checking_end(c, &e);
}

static void on_checking_fixes(void *arg, const char *missing, const struct err *e)
{
	struct checking *c = arg;

	if (missing)
		json_put(c->result, "fixes_missing", json_strz(missing));
	if (!e->code) {
		checking_answer(c);
		return;
	}
	json_free(c->result);
	c->result = NULL;
	checking_end(c, e);
}

/* A project that no server is there for has its checkers all the same. */
static void on_checking_diagnosed(void *arg, const struct err *e)
{
	struct checking *c = arg;
	const struct diag **v = NULL;
	size_t n;

	if (e->code == ERR_CANCELLED) {
		checking_end(c, e);
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
		checking_answer(c);
		return;
	}
	check_fixes_start(c->call, &c->join, (json *)(uintptr_t)json_get(c->result, "diagnostics"),
			  on_checking_fixes, c);
}

static void on_project_checked(void *arg, const struct err *e)
{
	struct checking *c = arg;

	if (e->code) {
		c->result = error_object(e);
		project_tasks_report(c->tasks, true, c->result);
		checking_end(c, e);
		return;
	}
	checking_collect(c);
	if (json_get_bool(call_args(c->call), "include_fixes", false)) {
		c->diagnosing = diagnosing_start(c->call, on_checking_diagnosed, c);
		return;
	}
	c->result = json_object();
	put_rows(c, NULL, 0); /* what servers said before it ran is older than its word */
	checking_answer(c);
}

static void checking_run(struct call *call)
{
	struct project_tasks_spec spec = { .what = TASK_CHECK,
					   .kind = json_get_str(call_args(call), "kind") };
	struct checking *c = mem_new(sizeof(*c));

	c->call = call;
	c->tasks = project_tasks_start(call, &spec, on_project_checked, c);
}

static const struct param params[] = {
	{ "project_name", P_STR, false, NULL, "the project; default: the one used last" },
	{ "include_fixes", P_BOOL, false, NULL,
	  "list the fixes for each, as edits and as actions with ids (default false)" },
	{ "kind", P_STR, false, NULL,
	  "the checkers of this kind alone, if the project is of it: \"rust\", as in `runs`" },
	PARAMS_END,
};

const struct tool tool_check_project = {
	.name = "check_project",
	.title = "Check the project",
	.doc = "Run the project's own checkers (cargo check, go vet, tsc, pyright, make and "
	       "others) and list what they find; with fixes, also what the language servers find. "
	       "They see the files on the disk, and may run the project's build scripts",
	.less = "leave include_fixes out, or ask lsp_diagnostic about one file_path",
	.params = params,
	.flags = TOOL_WRITES | TOOL_REPEATS | TOOL_OPEN | TOOL_CORE | TOOL_RUST | TOOL_JSON |
		 TOOL_RUNS,
	.task = TASK_CHECK,
	.run = checking_run,
	.print = print_check,
	.print_failed = print_unfinished,
};
