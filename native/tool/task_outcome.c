#include "task_outcome.h"

#include <string.h>

#define SHELL_SIGNAL 128 /* a shell's exit status for a signal is this and its number */

static size_t rows(const struct run_result *r)
{
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		n += json_len(r->found[i].diagnostics) + r->found[i].failed;
	return n;
}

static bool has_errors(const struct run_result *r)
{
	return r->found[0].errors || r->found[1].errors || r->found[1].failed;
}

static const char *incomplete(const struct run_result *r)
{
	return r->found[1].incomplete ? r->found[1].incomplete : r->found[0].incomplete;
}

static struct str task_outcome_last_line(struct str text)
{
	struct str line, last = STR("");

	while (str_line(&text, &line))
		if (str_trim(line).n)
			last = str_trim(line);
	return last;
}

const char *task_absent(const struct task_run *t)
{
	const struct run_result *r = &t->result;

	return !r->status ? NULL : r->found[1].absent ? r->found[1].absent : r->found[0].absent;
}

static void say_last(const struct task_run *t, struct buf *why)
{
	struct str last = task_outcome_last_line(t->result.tail);

	if (last.n)
		buf_addf(why, "; its last line: %.*s", (int)(last.n < 200 ? last.n : 200), last.p);
}

static void say_failed(const struct task_run *t, const char *but, struct buf *why)
{
	buf_addf(why, "%s failed (exit status %d)%s", t->source, t->result.status, but);
	say_last(t, why);
}

enum task_outcome task_outcome(const struct task_run *t, struct buf *why)
{
	const struct run_result *r = &t->result;
	int signal = r->signal ? r->signal : r->status - SHELL_SIGNAL;

	if (signal > 0 && signal < 65) {
		buf_addf(why, "%s was killed by signal %d (%s)", t->source, signal,
			 strsignal(signal));
		say_last(t, why);
		return TASK_UNKNOWN;
	}
	if (task_absent(t)) {
		buf_addf(why, "not run: %s is not installed; run `npm install --save-dev %s`",
			 task_absent(t), task_absent(t));
		return TASK_UNKNOWN;
	}
	if (r->broken)
		buf_addf(why, "the output of %s could not be parsed: %s", t->source, r->broken);
	else if (r->cut || r->line_cut)
		buf_addf(why, "%s printed more than %s, and not all of it was read", t->source,
			 r->cut ? "run.output_bytes" : "run.line_bytes");
	else if (r->status && !rows(r))
		say_failed(t, ", and none of its output could be parsed", why);
	else if (incomplete(r))
		buf_addf(why, "the output of %s could not be parsed: %s", t->source, incomplete(r));
	else if (r->status && !has_errors(r) && r->status != 1)
		say_failed(t, "", why);
	else
		return r->status ? TASK_FOUND : TASK_WELL;
	return r->status && rows(r) && !r->broken && !incomplete(r) ? TASK_FAILED : TASK_UNKNOWN;
}
