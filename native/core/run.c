#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "../wire/ansi.h"

/* start -> (those before it are over) begin -> step -> on_out, on_err ... -> on_done -> step ...
 * -> finish */
struct run {
	struct oxide *ox;
	struct run_spec spec;
	run_done *fn;
	void *arg;
	TAILQ_ENTRY(run) all;
	struct parser *parser[2]; /* of `errors` and `output` */
	size_t step;
	struct job *job;
	struct timer *timer;
	struct buf out, err; /* lines that have not ended yet */
	struct buf plain, tail, failed;
	size_t bytes, lines, told; /* told: lines when somebody was told last */
	int status, signal;
	bool started, ended, cut, line_cut; /* ended: before it has begun */
	struct err why;
};

static size_t run_bound(const struct run *r, enum config_key key)
{
	return (size_t)config_get(&r->ox->config, key);
}

static bool run_is_last(const struct run *r)
{
	return !r->spec.steps[r->step + 1];
}

static void run_put_counts(const struct run *r, struct buf *out)
{
	size_t errors = 0, passed = 0, failed = 0;

	for (int i = 0; i < 2; i++) {
		struct parser_found f =
			r->parser[i] ? parser_found(r->parser[i]) : (struct parser_found){ 0 };

		errors += f.errors;
		passed += f.passed;
		failed += f.failed;
	}
	if (r->lines)
		buf_addf(out, "%zu line%s", r->lines, r->lines == 1 ? "" : "s");
	if (errors)
		buf_addf(out, ", %zu error%s", errors, errors == 1 ? "" : "s");
	if (passed || failed)
		buf_addf(out, ", %zu passed, %zu failed", passed, failed);
}

/* The run of this project that goes on; NULL: none does. */
static const struct run *run_ahead(struct oxide *ox, const char *root)
{
	struct run *r;

	TAILQ_FOREACH(r, &ox->runs, all)
		if (r->started && !strcmp(r->spec.root, root))
			return r;
	return NULL;
}

static void run_tell_progress(struct run *r, bool over)
{
	const struct run *ahead = r->started ? NULL : run_ahead(r->ox, r->spec.root);
	const struct editor *ed = &r->ox->editor;
	struct buf message SCOPED(buf_release) = BUF_INIT;
	char id[40];

	if (!ed->progress)
		return;
	snprintf(id, sizeof(id), "oxide/run/%p", (void *)r);
	if (ahead)
		buf_addf(&message, "waiting for %s", ahead->spec.title);
	run_put_counts(r, &message);
	ed->progress(ed->self, r->spec.of, id, str_of(r->spec.title), buf_str(&message), -1, over);
	r->told = r->lines;
}

static void run_keep_tail(struct run *r, struct str text)
{
	size_t most = run_bound(r, CFG_RUN_TEXT);

	buf_add(&r->tail, text);
	if (r->tail.n > 2 * most)
		buf_drop(&r->tail, r->tail.n - most);
}

static void run_read_line(struct run *r, struct str line, bool errout)
{
	struct parser *p = r->parser[run_is_last(r)];
	struct buf shown SCOPED(buf_release) = BUF_INIT;
	bool kept = false;

	buf_clear(&r->plain);
	ansi_strip(&r->plain, line);
	r->lines++;
	r->cut = r->cut || r->bytes > run_bound(r, CFG_RUN_OUTPUT);
	if (p && !r->cut)
		kept = parser_line(p, buf_str(&r->plain), errout, &shown);
	run_keep_tail(r, buf_str(&shown));
	if (!kept) {
		run_keep_tail(r, buf_str(&r->plain));
		run_keep_tail(r, STR("\n"));
	}
}

static void run_end_line(struct run *r, struct buf *begun)
{
	run_read_line(r, buf_str(begun), begun == &r->err);
	buf_clear(begun);
}

static void run_add_part(struct run *r, struct buf *begun, struct str part)
{
	size_t room = run_bound(r, CFG_RUN_LINE) - begun->n;

	r->line_cut = r->line_cut || part.n > room;
	buf_add(begun, str_sub(part, 0, part.n < room ? part.n : room));
}

static void run_read_bytes(struct run *r, struct buf *begun, struct str bytes)
{
	r->bytes += bytes.n;
	while (bytes.n) {
		const char *end = memchr(bytes.p, '\n', bytes.n);
		size_t n = end ? (size_t)(end - bytes.p) : bytes.n;

		run_add_part(r, begun, str_sub(bytes, 0, n));
		if (end)
			run_end_line(r, begun);
		bytes = str_sub(bytes, n + (end != NULL), bytes.n);
	}
	/* Each time that it has become more by an eighth: often enough, and seldom in a flood. */
	if (r->lines > r->told + r->told / 8)
		run_tell_progress(r, false);
}

static void run_on_out(void *self, struct str bytes)
{
	struct run *r = self;

	run_read_bytes(r, &r->out, bytes);
}

static void run_on_err(void *self, struct str bytes)
{
	struct run *r = self;

	run_read_bytes(r, &r->err, bytes);
}

static void run_begin(void *arg);

/* The next of this project that waits; the others wait for that one now. */
static void run_next(struct run *r)
{
	bool is_next = true;
	struct run *o;

	TAILQ_FOREACH(o, &r->ox->runs, all) {
		if (o->started || o->ended || strcmp(o->spec.root, r->spec.root))
			continue;
		o->started = is_next;
		if (is_next)
			loop_soon(r->ox->loop, run_begin, o);
		else
			run_tell_progress(o, false);
		is_next = false;
	}
}

static void run_finish(void *arg)
{
	struct run *r = arg;
	struct buf shown SCOPED(buf_release) = BUF_INIT;

	TAILQ_REMOVE(&r->ox->runs, r, all);
	if (r->started)
		run_next(r);
	for (int i = 0; i < 2; i++)
		if (r->parser[i] &&
		    (!i || run_is_last(r))) /* one that was never reached has no end */
			parser_finish(r->parser[i], &shown);
	run_keep_tail(r, buf_str(&shown));
	timer_free(r->timer);
	r->timer = NULL;
	run_tell_progress(r, true);
	r->fn(r->arg, &r->why);
}

/* As a person would type it. */
static void run_put_command(struct buf *out, const char *const *argv)
{
	for (; *argv; argv++) {
		bool bare = **argv && !strpbrk(*argv, " \t\n\"'\\$`*?[]{}()<>|&;~#!");

		buf_addf(out, bare ? "%s%s" : "%s'%s'", out->n ? " " : "", *argv);
	}
}

static void run_step(struct run *r);

static void run_on_done(void *self, int status, int signal)
{
	struct run *r = self;

	r->job = NULL;
	if (r->out.n)
		run_end_line(r, &r->out);
	if (r->err.n)
		run_end_line(r, &r->err);
	r->status = status;
	r->signal = signal;
	if (!status && !signal && !r->why.code && !run_is_last(r)) {
		r->step++;
		run_step(r);
		return;
	}
	if (status || signal)
		run_put_command(&r->failed, r->spec.steps[r->step]);
	run_finish(r);
}

/* Parsers read English; LANGUAGE is about nothing but messages. The list is the caller's. */
static const char **run_environment(const struct run *r)
{
	const char *const *lists[] = { r->spec.env, r->spec.more };
	const char **env;
	size_t n = 1;

	for (int i = 0; i < 2; i++)
		for (const char *const *v = lists[i]; v && *v; v++)
			n++;
	env = mem_new((n + 1) * sizeof(*env));
	env[0] = "LANGUAGE=en";
	n = 1;
	for (int i = 0; i < 2; i++)
		for (const char *const *v = lists[i]; v && *v; v++)
			env[n++] = *v;
	return env;
}

static void run_step(struct run *r)
{
	static const struct job_events events = { run_on_out, run_on_err, run_on_done };
	const char **env = run_environment(r);
	struct job_spec spec = { r->spec.steps[r->step],
				 r->spec.root,
				 (uint64_t)run_bound(r, CFG_RUN_STOP),
				 env,
				 true,
				 NULL };

	r->job = job_start(r->ox->loop, &spec, &events, r, &r->why);
	free(env);
	if (r->job)
		job_eof(r->job);
	else
		run_finish(r);
}

static void run_out_of_time(void *arg)
{
	struct run *r = arg;

	if (r->why.code)
		return;
	err_set(&r->why, ERR_TIMEOUT, "%s timed out after %.3g seconds, and was stopped",
		r->spec.title, (double)r->spec.timeout_ms / 1000);
	if (r->job)
		job_end(r->job);
}

static void run_begin(void *arg)
{
	struct run *r = arg;

	if (r->why.code) {
		run_finish(r);
		return;
	}
	timer_set(r->timer, loop_now(r->ox->loop) + r->spec.timeout_ms);
	run_tell_progress(r, false);
	run_step(r);
}

static bool run_load_parsers(struct run *r, struct err *e)
{
	const char *names[] = { r->spec.errors, r->spec.output };
	struct parser_bounds b = { run_bound(r, CFG_RUN_ROWS), run_bound(r, CFG_RUN_TEXT),
				   run_bound(r, CFG_RUN_STEPS) };

	for (int i = 0; i < 2; i++)
		if (names[i] && !(r->parser[i] = parser_new(r->ox->data, names[i], &b, e)))
			return false;
	return true;
}

struct run *run_start(struct oxide *ox, const struct run_spec *spec, run_done *fn, void *arg,
		      struct err *e)
{
	struct run *r = mem_new(sizeof(*r));

	*r = (struct run){ .ox = ox, .spec = *spec, .fn = fn, .arg = arg };
	if (!run_load_parsers(r, e)) {
		run_free(r);
		return NULL;
	}
	r->timer = timer_new(ox->loop, run_out_of_time, r);
	r->started = !run_ahead(ox, spec->root);
	TAILQ_INSERT_TAIL(&ox->runs, r, all);
	if (r->started)
		loop_soon(ox->loop, run_begin, r);
	else
		run_tell_progress(r, false);
	return r;
}

void run_cancel(struct run *r)
{
	if (r->why.code)
		return;
	err_set(&r->why, ERR_CANCELLED, "cancelled");
	r->ended = true;
	if (r->job)
		job_end(r->job);
	else if (!r->started)
		loop_soon(r->ox->loop, run_finish, r);
}

void runs_stop(struct oxide *ox)
{
	struct run *r;

	TAILQ_FOREACH(r, &ox->runs, all)
		run_cancel(r);
}

/* From the beginning of a line on. */
static struct str run_tail_of(const struct run *r)
{
	struct str all = buf_str(&r->tail);
	size_t most = run_bound(r, CFG_RUN_TEXT), from = all.n > most ? all.n - most : 0;
	const char *end = from ? memchr(all.p + from, '\n', most) : NULL;

	return str_sub(all, end ? (size_t)(end - all.p) + 1 : from, all.n);
}

json *runs_so_far(struct oxide *ox)
{
	json *list = json_array();
	struct run *r;

	TAILQ_FOREACH(r, &ox->runs, all) {
		struct buf counts SCOPED(buf_release) = BUF_INIT;

		if (!r->started)
			continue;
		run_put_counts(r, &counts);
		json_push(list, json_of({ "title", json_strz(r->spec.title) },
					{ "message", json_str(buf_str(&counts)) },
					{ "output", json_str(run_tail_of(r)) }));
	}
	return list;
}

struct run_result run_result(const struct run *r)
{
	struct run_result result = { .succeeded = !r->failed.n && !r->why.code,
				     .failed = buf_str(&r->failed),
				     .status = r->status,
				     .signal = r->signal,
				     .tail = run_tail_of(r),
				     .cut = r->cut,
				     .line_cut = r->line_cut };

	for (int i = 0; i < 2; i++) {
		if (!r->parser[i])
			continue;
		result.found[i] = parser_found(r->parser[i]);
		if (parser_broken(r->parser[i]))
			result.broken = parser_broken(r->parser[i]);
	}
	return result;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	parser_free(r->parser[0]);
	parser_free(r->parser[1]);
	buf_release(&r->out);
	buf_release(&r->err);
	buf_release(&r->plain);
	buf_release(&r->tail);
	buf_release(&r->failed);
	free(r);
}
