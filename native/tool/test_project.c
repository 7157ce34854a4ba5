#include <stdlib.h>

#include "../base/mem.h"
#include "checker_diags.h"
#include "diag_rows.h"
#include "operations.h"
#include "places.h"
#include "task_outcome.h"

/* test_project: runs the project's tests, all or one: testing_run -> on_testing_tested -> answer.
 */
struct testing {
	struct call *call;
	struct project_tasks *tasks;
	json *result;
	json *names; /* of the tests that are run; NULL: none are given */
	size_t passed, failed, ignored;
};

static void testing_end(struct testing *t, const struct err *e)
{
	struct call *call = t->call;
	json *result = t->result;
	struct err why = *e; /* it may lie in what is freed here */

	project_tasks_free(t->tasks);
	json_free(t->names);
	free(t);
	call_end(call, result, &why);
}

static json *failure_row(struct testing *t, struct places *p, const json *row, size_t run)
{
	const struct task_run *r = project_tasks_at(t->tasks, run);
	char *path SCOPED(mem_release) =
		checker_path(call_root(t->call), row, r->result.found[1].directories);
	json *out = json_object();
	enum pos_enc enc;
	struct range range = checker_range(p, path, row, &enc);
	struct place at;

	json_put(out, "name", json_str(json_get_str(row, "name")));
	if (json_get_str(row, "id").n)
		json_put(out, "id", json_str(json_get_str(row, "id")));
	if (*path) {
		places_look(p, path, &range, enc, &at);
		json_put(out, "file",
			 json_str(call_context(t->call)->flat ? str_of(path)
							      : call_shown(t->call, path)));
	}
	if (*path && json_get(row, "line"))
		json_put(out, "line", json_int((int64_t)at.line));
	if (*path && json_get(row, "column"))
		json_put(out, "column", json_int((int64_t)at.column));
	if (call_context(t->call)->flat)
		json_put(out, "kind", json_strz(r->kind));
	json_put(out, "message", json_str(json_get_str(row, "message")));
	json_put(out, "output", json_str(json_get_str(row, "output")));
	return out;
}

static void put_failures(struct testing *t)
{
	json *list = json_put(t->result, "failures", json_array());
	struct places p SCOPED(places_release) = { 0 };

	places_init(&p, call_oxide(t->call));
	for (size_t i = 0; i < project_tasks_count(t->tasks); i++)
		json_each(row, project_tasks_at(t->tasks, i)->result.found[1].failures)
			json_push(list, failure_row(t, &p, row, i));
}

/* What did not compile, if that is why tests did not run. */
static void put_diagnostics(struct testing *t)
{
	struct checker_diags all SCOPED(checker_diags_release) = { 0 };
	const struct diag **v;

	for (size_t i = 0; i < project_tasks_count(t->tasks); i++) {
		const struct task_run *r = project_tasks_at(t->tasks, i);

		for (int k = 0; k < 2; k++)
			if (r->result.found[k].errors)
				checker_diags_add(&all, call_oxide(t->call), call_root(t->call),
						  r->source, &r->result.found[k]);
	}
	v = mem_new((all.n + 1) * sizeof(*v));
	for (size_t i = 0; i < all.n; i++)
		v[i] = &all.v[i]->diag;
	diag_sort(v, all.n);
	if (all.n)
		diag_rows(t->call, v, all.n, call_form(t->call), t->result);
	free(v);
}

static void testing_count(struct testing *t)
{
	for (size_t i = 0; i < project_tasks_count(t->tasks); i++) {
		const struct parser_found *f = &project_tasks_at(t->tasks, i)->result.found[1];

		t->passed += f->passed;
		t->failed += f->failed;
		t->ignored += f->ignored;
	}
	json_put(t->result, "passed", json_int((int64_t)t->passed));
	json_put(t->result, "failed", json_int((int64_t)t->failed));
	json_put(t->result, "ignored", json_int((int64_t)t->ignored));
}

/* Whether the runner itself says that there are none, or says nothing at all. */
static bool has_none(const struct testing *t)
{
	for (size_t i = 0; i < project_tasks_count(t->tasks); i++) {
		const struct run_result *r = &project_tasks_at(t->tasks, i)->result;

		if (r->tail.n && !r->found[1].none)
			return false;
	}
	return true;
}

static void put_ends(const struct testing *t, struct buf *text)
{
	for (size_t i = 0; i < project_tasks_count(t->tasks); i++) {
		struct buf why SCOPED(buf_release) = BUF_INIT;

		if (task_outcome(project_tasks_at(t->tasks, i), &why) >= TASK_FAILED)
			buf_addf(text, "; %s", why.p);
	}
}

/* In one sentence, above all where the numbers do not tell it. */
static void put_summary(struct testing *t, bool ok)
{
	size_t all = t->passed + t->failed + t->ignored;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (json_get(t->result, "summary"))
		buf_addf(&text, "not all of it compiles: %s; ",
			 json_get_str(t->result, "summary").p);
	if (all)
		buf_addf(&text, "%zu passed, %zu failed, %zu ignored", t->passed, t->failed,
			 t->ignored);
	else if (ok && has_none(t))
		buf_adds(&text, "there are no tests");
	else
		buf_adds(&text, ok ? "it succeeded, but its output contains no test result that "
				     "could be parsed: see `output`"
				   : "no test was run");
	if (!ok && !t->failed && !json_get(t->result, "summary")) {
		buf_adds(&text, ", and the run failed: see `output`");
		put_ends(t, &text);
	}
	json_put(t->result, "summary", json_str(buf_str(&text)));
}

/* What would run them is not there, and what is there instead has found none. */
static bool not_installed(const struct testing *t, struct err *e)
{
	const char *missing = project_tasks_missing(t->tasks);
	struct buf why SCOPED(buf_release) = BUF_INIT;

	if (e->code || t->passed || t->failed || t->ignored)
		return false;
	for (size_t i = 0; i < project_tasks_count(t->tasks) && !e->code; i++)
		if (task_absent(project_tasks_at(t->tasks, i)) &&
		    task_outcome(project_tasks_at(t->tasks, i), &why))
			err_set(e, ERR_NOT_FOUND, "%s", why.p);
	if (e->code || !missing)
		return e->code;
	err_set(e, ERR_NOT_FOUND,
		"not run: %s is not installed, and %s, which was tried instead, found no tests; "
		"install %s",
		missing, project_tasks_at(t->tasks, 0)->source, missing);
	return true;
}

static void none_matches(struct testing *t, struct err *e)
{
	const json *args = call_args(t->call);
	struct str name = json_get_str(args, "test_name"), file = json_get_str(args, "test_file");

	if (file.n)
		err_set(e, ERR_NOT_FOUND, "no test of %.*s was run", STR_ARG(file));
	else
		err_set(e, ERR_NOT_FOUND, "%s has no test that matches %.*s",
			call_project(t->call)->name,
			STR_ARG(name.n ? name : json_text(json_first(t->names))));
}

static void on_testing_tested(void *arg, const struct err *why)
{
	struct testing *t = arg;
	const json *args = call_args(t->call);
	bool chosen = t->names || json_get(args, "test_name") || json_get(args, "test_file");
	struct err e = *why;
	bool ok = project_tasks_succeeded(t->tasks);

	t->result = e.code ? error_object(&e) : json_object();
	json_put(t->result, "success", json_bool(false));
	testing_count(t);
	ok = ok && !t->failed;
	put_failures(t);
	put_diagnostics(t);
	if (not_installed(t, &e)) {
		json_free(t->result);
		t->result = error_object(&e);
		json_put(t->result, "success", json_bool(false));
	} else if (!e.code && chosen && ok && !t->passed && !t->ignored) {
		json_free(t->result);
		none_matches(t, &e);
		t->result = error_object(&e);
	} else {
		put_summary(t, ok);
		json_put(t->result, "success", json_bool(ok));
	}
	project_tasks_report(t->tasks, true, t->result);
	testing_end(t, &e);
}

/* It becomes an argument of the program, and must not become one of its options. */
static bool check_name(const json *v, const char *param, const char *what, struct err *e)
{
	struct str name = json_is(v, JSON_STRING) ? json_text(v) : STR("");

	if (!name.n || *name.p == '-')
		return err_set(e, ERR_INVALID, "%s is \"%.*s\", which is not the name of a %s",
			       param, STR_ARG(name), what);
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ')
			return err_set(e, ERR_INVALID, "%s contains control characters", param);
	return true;
}

static bool check_choice(const json *args, json **names, struct err *e)
{
	const json *one = json_get(args, "test_name"), *file = json_get(args, "test_file");

	*names = NULL;
	if (one && (json_get(args, "test_names") || file))
		return err_set(e, ERR_INVALID,
			       "give either test_name, or test_names and test_file");
	if (json_get(args, "test_names")) {
		*names = list_tree(args, "test_names", e);
		if (*names && !json_len(*names))
			err_set(e, ERR_INVALID, "test_names is empty");
	}
	json_each(name, *names)
		if (!e->code)
			check_name(name, "test_names", "test", e);
	return !e->code && (!one || check_name(one, "test_name", "test", e)) &&
	       (!file || check_name(file, "test_file", "file", e));
}

static void testing_run(struct call *call)
{
	const json *args = call_args(call);
	struct project_tasks_spec spec = {
		.what = TASK_TEST,
		.tests = { json_get_str(args, "test_name"), NULL, json_get_str(args, "test_file") },
		.kind = json_get_str(args, "kind"),
		.backtrace = json_get_bool(args, "backtrace", false),
	};
	struct err e = ERR_INIT;
	json *names;
	struct testing *t;

	if (!check_choice(args, &names, &e)) {
		json_free(names);
		call_fail(call, &e);
		return;
	}
	t = mem_new(sizeof(*t));
	t->call = call;
	t->names = names;
	spec.tests.names = names;
	t->tasks = project_tasks_start(call, &spec, on_testing_tested, t);
}

static const struct param params[] = {
	{ "project_name", P_STR, false, NULL, "the project; default: the one used last" },
	{ "test_name", P_STR, false, NULL,
	  "one test, or those that the test runner selects by that name" },
	{ "test_names", P_LIST, false, NULL,
	  "instead, several tests by their exact names, the `id` or `name` of `failures`" },
	{ "test_file", P_STR, false, NULL,
	  "instead, all tests of this file, a path from the project root; with test_names, these "
	  "alone" },
	{ "kind", P_STR, false, NULL,
	  "the tests of this kind alone, if the project is of it: \"rust\", as in `runs`" },
	{ "backtrace", P_BOOL, false, NULL, "show a backtrace of each failure (default false)" },
	PARAMS_END,
};

const struct tool tool_test_project = {
	.name = "test_project",
	.title = "Run the project's tests",
	.doc = "Run the project's tests (cargo test, go test, pytest, ctest and others), all or "
	       "one: how many passed and failed, and for each failure the place and the output. "
	       "Tests are programs, and see the files on the disk",
	.less = "give a test_name",
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_OPEN | TOOL_CORE | TOOL_RUST | TOOL_JSON |
		 TOOL_RUNS,
	.task = TASK_TEST,
	.run = testing_run,
	.print = print_tests,
	.print_failed = print_unfinished,
};
