#include "task_outcome.h"

#include <stdlib.h>

#include "../base/arena.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "consent.h"

/* tasks_start -> (a person is asked) -> tasks_next -> (a run) on_tasks_run -> tasks_next ...
 *     -> tasks_finish */
struct project_tasks {
	struct call *call;
	struct project_tasks_spec spec;
	project_tasks_done *fn;
	void *arg;
	const struct project_type *only; /* what alone is asked for; NULL: all kinds */
	const struct project_type *kind; /* the last that was looked at */
	struct task_run *v;
	size_t n, cap;
	struct arena texts;
	struct buf warnings; /* one a line */
	struct buf unable;   /* the kinds that cannot run the tests that are chosen, so too */
	char *title;
	struct consent *consent; /* while a person is asked */
	struct err why, missing;
	bool cancelled;
};

static const char *const names[] = { "check", "test" };

static void tasks_finish(void *arg)
{
	struct project_tasks *t = arg;
	const struct project *p = call_project(t->call);

	call_on_cancel(t->call, NULL, NULL);
	if (t->cancelled && !t->why.code)
		err_set(&t->why, ERR_CANCELLED, "cancelled");
	if (!t->why.code && !t->n && t->missing.code)
		t->why = t->missing;
	if (!t->why.code && !t->n)
		err_set(&t->why, ERR_UNSUPPORTED,
			"no command is known to %s %s: %s has no marker of a kind of project with "
			"such a command; `projects` in the configuration can name one",
			names[t->spec.what], p->name, p->root);
	t->fn(t->arg, &t->why);
}

static void tasks_next(struct project_tasks *t);

static void on_tasks_run(void *arg, const struct err *e)
{
	struct project_tasks *t = arg;
	struct task_run *r = &t->v[t->n - 1];

	r->result = run_result(r->run);
	r->compiles = compiles_take(call_oxide(t->call), call_root(t->call), r->kind, &r->result);
	if (e->code) {
		t->why = *e;
		tasks_finish(t);
		return;
	}
	tasks_next(t);
}

/* Who says it, for a person: the program; npx only brings one. */
static const char *source_of(struct project_tasks *t, const struct task *task)
{
	struct str program = path_base(str_of(task->steps[0][0]));

	return str_eq(program, STR("npx")) ? task->output : arena_str(&t->texts, program).p;
}

/* What is to be run of this kind; NULL: nothing, which has been noted where it should be. */
static const struct task *task_of(struct project_tasks *t, const struct project_type *kind)
{
	struct err e = ERR_INIT;
	const struct task *task = project_type_task(kind, t->spec.what, call_root(t->call), &e);
	bool unable = task && !test_choice_steps(&t->spec.tests, task);

	if (unable)
		err_set(&e, ERR_UNSUPPORTED, "no command is known to run %s of a %s project",
			t->spec.tests.file.n ? "the tests of one file" : "one test", kind->name);
	if (!e.code)
		return task;
	buf_addf(unable ? &t->unable : &t->warnings, "%s\n", e.msg);
	if (!t->missing.code)
		t->missing = e;
	return NULL;
}

/* What was passed over. */
static const char *missing_of(struct project_tasks *t)
{
	struct buf missing SCOPED(buf_release) = BUF_INIT;
	const char *kept = NULL;

	project_type_lacks(t->kind, t->spec.what, call_root(t->call), &missing);
	if (missing.n)
		kept = arena_str(&t->texts, buf_str(&missing)).p;
	return kept;
}

static bool tasks_start(struct project_tasks *t, const struct task *task)
{
	static const enum config_key limits[] = { CFG_CHECK_TIMEOUT, CFG_TEST_TIMEOUT };
	struct oxide *ox = call_oxide(t->call);
	struct run_spec spec = {
		.of = call_context(t->call)->of,
		.title = t->title,
		.root = call_root(t->call),
		.steps = test_choice_fill(&t->spec.tests, task, &t->texts),
		.env = task->env,
		.more = t->spec.backtrace ? task->backtrace : NULL,
		.output = task->output,
		.errors = task->errors,
		.timeout_ms = (uint64_t)config_get(&ox->config, limits[t->spec.what]),
	};
	struct task_run *r;

	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	r = &t->v[t->n];
	*r = (struct task_run){ .kind = t->kind->name, .source = source_of(t, task) };
	r->missing = missing_of(t);
	r->run = run_start(ox, &spec, on_tasks_run, t, &t->why);
	t->n += r->run != NULL;
	return r->run;
}

static const struct project_type *kind_after(const struct project_tasks *t,
					     const struct project_type *kind)
{
	if (t->only)
		return kind ? NULL : t->only;
	return project_types_next(call_oxide(t->call)->project_types, call_root(t->call), kind);
}

/* NULL: the project is not of it. */
static const struct project_type *kind_named(const struct project_tasks *t, struct str name)
{
	const struct project_type *kind = NULL;

	while ((kind = kind_after(t, kind)) && !str_eq(str_of(kind->name), name))
		;
	return kind;
}

static void tasks_next(struct project_tasks *t)
{
	struct oxide *ox = call_oxide(t->call);

	while (!t->cancelled && (t->kind = kind_after(t, t->kind))) {
		const struct task *task = task_of(t, t->kind);

		if (task && tasks_start(t, task))
			return;
		if (t->why.code)
			break;
	}
	oxide_soon(ox, tasks_finish, t);
}

static void tasks_cancelled(void *state)
{
	struct project_tasks *t = state;

	t->cancelled = true;
	if (t->consent)
		consent_cancel(t->consent);
	else if (t->n)
		run_cancel(t->v[t->n - 1].run);
}

static void on_tasks_consent(void *arg, const struct err *e)
{
	struct project_tasks *t = arg;

	t->consent = NULL;
	t->why = *e;
	if (e->code)
		tasks_finish(t);
	else
		tasks_next(t);
}

struct project_tasks *project_tasks_start(struct call *c, const struct project_tasks_spec *spec,
					  project_tasks_done *fn, void *arg)
{
	struct project_tasks *t = mem_new(sizeof(*t));
	struct buf title = BUF_INIT;

	*t = (struct project_tasks){ .call = c, .spec = *spec, .fn = fn, .arg = arg };
	buf_addf(&title, "%s %s", names[spec->what], call_project(c)->name);
	t->title = buf_detach(&title);
	t->only = kind_named(t, spec->kind);
	call_on_cancel(c, tasks_cancelled, t);
	t->consent = consent_start(c, spec->what, on_tasks_consent, t);
	return t;
}

size_t project_tasks_count(const struct project_tasks *t)
{
	return t->n;
}

const struct task_run *project_tasks_at(const struct project_tasks *t, size_t i)
{
	return &t->v[i];
}

/* Whether its end is told by what was understood of it. */
static bool is_explained(const struct task_run *r)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;
	enum task_outcome end = task_outcome(r, &why);

	return end == TASK_WELL || end == TASK_FOUND;
}

const char *project_tasks_missing(const struct project_tasks *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].missing)
			return t->v[i].missing;
	return NULL;
}

bool project_tasks_succeeded(const struct project_tasks *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].result.succeeded || !is_explained(&t->v[i]))
			return false;
	return !t->why.code;
}

static json *tasks_run_row(const struct task_run *t)
{
	const struct run_result *r = &t->result;
	json *row = json_of({ "kind", json_strz(t->kind) }, { "source", json_strz(t->source) },
			    { "success", json_bool(r->succeeded) },
			    { "failed", r->failed.n ? json_str(r->failed) : NULL });

	if (r->signal)
		json_put(row, "signal", json_int(r->signal));
	else if (r->failed.n)
		json_put(row, "exit_status", json_int(r->status));
	return row;
}

static void warn_of(const struct run_result *r, json *warnings)
{
	size_t beyond = r->found[0].beyond + r->found[1].beyond;

	if (r->broken)
		json_push(warnings,
			  json_strf("not all of the output could be parsed: %s", r->broken));
	if (r->cut)
		json_push(warnings, json_strz("not all of the output could be parsed: more than "
					      "run.output_bytes"));
	if (r->line_cut)
		json_push(warnings, json_strz("not all of the output could be parsed: a line of "
					      "more than run.line_bytes"));
	if (beyond)
		json_push(warnings, json_strf("%zu more than run.rows are not listed", beyond));
}

/* Whether a test that was chosen was found: then it does not matter who could not have run it. */
static bool has_tests(const struct project_tasks *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct parser_found *f = &t->v[i].result.found[1];

		if (f->passed + f->failed + f->ignored > 0)
			return true;
	}
	return false;
}

static void push_lines(json *list, const struct buf *lines)
{
	struct str rest = buf_str(lines), line;

	while (str_line(&rest, &line))
		json_push(list, json_str(line));
}

/* The programs read the disk: what is not there they do not know. */
static void put_unsaved(const struct project_tasks *t, json *result)
{
	struct workspace *w = call_oxide(t->call)->workspace;
	json *list = NULL;

	for (size_t i = 0; i < workspace_buffers(w); i++) {
		const struct buffer *b = workspace_buffer_number(w, i);
		struct str path = str_of(doc_path(b->doc));

		if (!b->modified || !path_below(str_of(call_root(t->call)), path))
			continue;
		if (!list)
			list = json_put(result, "unsaved", json_array());
		json_push(list, json_str(path_shown(str_of(call_root(t->call)), path)));
	}
}

void project_tasks_report(const struct project_tasks *t, bool output, json *result)
{
	json *runs = json_array(), *warnings = json_array();
	struct buf tail SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < t->n; i++) {
		const struct run_result *r = &t->v[i].result;

		json_push(runs, tasks_run_row(&t->v[i]));
		warn_of(r, warnings);
		if (output || !is_explained(&t->v[i]))
			buf_add(&tail, r->tail);
	}
	push_lines(warnings, &t->warnings);
	if (!has_tests(t))
		push_lines(warnings, &t->unable);
	if (t->spec.what == TASK_TEST && project_tasks_missing(t))
		json_push(warnings, json_strf("%s is not installed: tests that only it runs were "
					      "not run",
					      project_tasks_missing(t)));
	json_put(result, "project", json_strz(call_project(t->call)->name));
	if (call_context(t->call)->flat)
		json_put(result, "root", json_strz(call_root(t->call)));
	json_put(result, "runs", runs);
	put_unsaved(t, result);
	if (json_len(warnings))
		json_put(result, "warnings", warnings);
	else
		json_free(warnings);
	if (tail.n)
		json_put(result, "output", json_str(buf_str(&tail)));
}

void project_tasks_free(struct project_tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		run_free(t->v[i].run);
		compiles_release(&t->v[i].compiles);
	}
	free(t->v);
	arena_release(&t->texts);
	buf_release(&t->warnings);
	buf_release(&t->unable);
	free(t->title);
	free(t);
}
