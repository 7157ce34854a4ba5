#ifndef OX_PROJECT_TASKS_H
#define OX_PROJECT_TASKS_H

#include "../core/project_types.h"
#include "../core/run.h"
#include "compiles.h"
#include "test_choice.h"
#include "tool.h"

/*
 * What the project of a call is checked or tested with: the programs of every kind that it is of
 * (project_types.h), one kind after the other.
 *
 *     t = project_tasks_start(call, &spec, fn, arg)
 *     fn(arg, e)                    // once, not from inside; cancelling the call: ERR_CANCELLED
 *     project_tasks_at(t, i), project_tasks_report(t, result)
 *     project_tasks_free(t)
 *
 * A person is asked first, as consent.h has it. ERR_UNSUPPORTED: there is nothing to do it with;
 * ERR_NOT_FOUND: it is not installed, or the project has no such kind; ERR_TIMEOUT. What was run
 * before counts all the same.
 */
struct project_tasks_spec {
	enum task_of what;
	struct test_choice tests; /* of TASK_TEST; borrowed until fn */
	struct str kind; /* the others are left out, where the project is of this one; or empty */
	bool backtrace;
};

struct task_run {
	const char *kind, *source; /* "rust", "cargo" */
	struct run *run;
	struct run_result result; /* once it is over */
	struct compiles compiles;
	const char *missing; /* what is done first where it is installed, which it is not */
};

typedef void project_tasks_done(void *arg, const struct err *e);
struct project_tasks *project_tasks_start(struct call *c, const struct project_tasks_spec *spec,
					  project_tasks_done *fn, void *arg);
size_t project_tasks_count(const struct project_tasks *t);
const struct task_run *project_tasks_at(const struct project_tasks *t, size_t i);
/* `missing` of any of them; NULL: nothing is. */
const char *project_tasks_missing(const struct project_tasks *t);
bool project_tasks_succeeded(const struct project_tasks *t); /* each of them did */
/* Puts in what was run: `project`, its `root` for an editor, `runs`, and where they apply `output`
 * (the end of what was printed; always if `output`, else where it says what the rest does not),
 * `unsaved` and `warnings`. */
void project_tasks_report(const struct project_tasks *t, bool output, json *result);
void project_tasks_free(struct project_tasks *t); /* NULL: nothing; only after fn was called */

#endif
