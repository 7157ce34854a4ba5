#include <stdlib.h>

#include "../base/mem.h"
#include "fix_sum.h"
#include "fixes.h"

/*
 * Fixes, round after round, until nothing is left that can be fixed, at most fix.rounds times. Each
 * round is one change, which the servers look at first.
 *
 *     fix_rounds -> on_before -> try -> on_tried -> try ... -> on_after -> answer
 *
 * Where a round would bring new errors, sets of its fixes are looked at, halves of halves, until
 * those that bring the errors are known; the round is the others, all together:
 *
 *     on_tried -> (refused) list -> on_listed -> check -> on_checked -> check ... -> try
 *
 * Where nothing is left then, a person decides about them all the same. Who accepts new errors
 * beforehand has them made at once.
 *
 * Each step is a call of its own; since an action_id is the same for the same fix of the same text,
 * they can speak of the same fixes.
 */
struct embedded_part {
	size_t at, end; /* of `listed` */
};

struct rounds {
	struct call *call, *inner;
	json *before;	    /* the diagnostics */
	struct fix_sum sum; /* of what was applied */
	json *listed;	    /* of a round that was refused: rows of `applied` */
	json *keep;	    /* and action_ids of those that do no harm; NULL: none was refused */
	struct embedded_part
		part[64]; /* still to be checked, the next one last; each is half of another */
	size_t parts;
	int64_t rounds, checks;
	bool decides;	/* the round is for a person to decide about, and the last */
	struct err why; /* of the refusal */
};

static void rounds_free(struct rounds *r)
{
	json_free(r->before);
	json_free(r->listed);
	json_free(r->keep);
	fix_sum_release(&r->sum);
	free(r);
}

static void fail(struct rounds *r, json *object, const struct err *e)
{
	struct call *call = r->call;
	struct err why = *e;

	call_on_cancel(call, NULL, NULL);
	rounds_free(r);
	if (object)
		call_fail_with(call, &why, object);
	else
		call_fail(call, &why);
}

static void cancelled(void *state)
{
	struct rounds *r = state;

	call_cancel(r->inner);
}

static void start(struct rounds *r, const struct tool *t, json *args, call_answer *fn)
{
	struct call_context ctx = *call_context(r->call);

	ctx.flat = false;
	if (ctx.errors == ERRORS_ASK && !r->decides)
		ctx.errors = ERRORS_REFUSE;
	r->inner = call_start(call_oxide(r->call), t, args, &ctx, fn, r);
	call_on_cancel(r->call, cancelled, r);
}

static void copy_args(const json *from, json *to, const char *const *names)
{
	for (; *names; names++)
		if (json_get(from, *names))
			json_put(to, *names, json_copy(json_get(from, *names)));
}

static void on_after(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct call *call = r->call;

	if (e->code) {
		fail(r, result, e);
		return;
	}
	call_on_cancel(call, NULL, NULL);
	fix_sum_report(&r->sum, r->before, result);
	rounds_free(r);
	call_done(call, result);
}

static void list_diagnostics(struct rounds *r, bool fixes, call_answer *fn)
{
	static const char *const names[] = { "file_path", "severity", NULL };
	json *args = json_object();

	json_put(args, "severity", json_strz("warning"));
	copy_args(call_args(r->call), args, names);
	json_put(args, "fixes", json_bool(fixes));
	start(r, &tool_lsp_diagnostic, args, fn);
}

static void over(struct rounds *r)
{
	list_diagnostics(r, true, on_after);
}

/* What was done stays done, and is told. */
static void stop(struct rounds *r, json *object, const struct err *e)
{
	if (!r->sum.applied) {
		fail(r, object, e);
		return;
	}
	json_free(object);
	fix_sum_stop(&r->sum, e->msg);
	over(r);
}

static void on_tried(void *arg, json *result, const struct err *e);

/* A round of those in `only` (NULL: all), in earnest or to see what would happen. */
static void round_of(struct rounds *r, const json *only, bool dry, bool verify, call_answer *fn)
{
	static const char *const names[] = { "file_path",  "severity", "kind",	  "code",
					     "start_line", "end_line", "confirm", NULL };
	json *args = json_object();

	copy_args(call_args(r->call), args, names);
	if (only)
		json_put(args, "only", json_copy(only));
	json_put(args, "skip", fix_sum_tried(&r->sum));
	json_put(args, "dry_run", json_bool(dry));
	json_put(args, "check", json_bool(fn != on_tried));
	json_put(args, "verify", json_bool(verify));
	start(r, &tool_fix_round, args, fn);
}

static bool is_dry(const struct rounds *r)
{
	return json_get_bool(call_args(r->call), "dry_run", false);
}

static void try(struct rounds *r)
{
	round_of(r, r->keep, is_dry(r), true, on_tried);
}

static void refuse(struct rounds *r, struct embedded_part p, const char *reason)
{
	size_t i = 0;

	json_each(row, r->listed) {
		if (i >= p.at && i < p.end)
			fix_sum_refuse(&r->sum, row, reason);
		i++;
	}
}

/* What is kept already, with the fixes of a part. */
static json *ids(const struct rounds *r, struct embedded_part p)
{
	json *list = json_copy(r->keep);
	size_t i = 0;

	json_each(row, r->listed) {
		if (i >= p.at && i < p.end)
			json_push(list, json_copy(json_get(row, "action_id")));
		i++;
	}
	return list;
}

static void halve(struct rounds *r, struct embedded_part p)
{
	size_t middle = p.at + (p.end - p.at) / 2;

	r->part[r->parts++] = (struct embedded_part){ middle, p.end };
	r->part[r->parts++] = (struct embedded_part){ p.at, middle };
}

/* The first of the new errors. */
static void blame(const json *result, struct err *why)
{
	const json *first = json_first(json_get(result, "new_errors"));

	err_set(why, ERR_CONFLICT, "it would bring a new error: %s:%d: %s",
		json_get_str(first, "file").p, (int)json_get_int(first, "line", 0),
		json_get_str(first, "message").p);
}

static void on_checked(void *arg, json *result, const struct err *e);

/* Nothing that does no harm is left, and nothing was done. */
static bool is_for_a_person(const struct rounds *r)
{
	return call_context(r->call)->errors == ERRORS_ASK && !r->sum.applied && !is_dry(r) &&
	       json_first(r->listed);
}

static void decide(struct rounds *r)
{
	json *only = ids(r, (struct embedded_part){ 0, json_len(r->listed) });

	r->decides = true;
	fix_sum_forget(&r->sum);
	round_of(r, only, false, true, on_tried);
	json_free(only);
}

static void check(struct rounds *r)
{
	int64_t most = config_get(&call_oxide(r->call)->config, CFG_FIX_CHECKS);

	if (r->parts && r->checks++ < most) {
		json *only = ids(r, r->part[r->parts - 1]);

		round_of(r, only, true, true, on_checked);
		json_free(only);
		return;
	}
	while (r->parts)
		refuse(r, r->part[--r->parts], "too many fixes bring new errors");
	if (json_first(r->keep))
		try(r);
	else if (is_for_a_person(r))
		decide(r);
	else
		over(r);
}

static void on_checked(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct embedded_part p = r->part[--r->parts];

	if (e->code && !json_get(result, "new_errors")) {
		stop(r, result, e);
		return;
	}
	if (!e->code) {
		json *keep = ids(r, p);

		json_free(r->keep);
		r->keep = keep;
	} else if (p.end - p.at == 1) {
		blame(result, &r->why);
		refuse(r, p, r->why.msg);
	} else {
		halve(r, p);
	}
	json_free(result);
	check(r);
}

/* What the round that was refused is made of. */
static void on_listed(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct embedded_part all = { 0, json_len(json_get(result, "applied")) };

	if (e->code) {
		stop(r, result, e);
		return;
	}
	r->keep = json_array();
	r->listed = json_copy(json_get(result, "applied"));
	json_free(result);
	if (all.end > 1)
		halve(r, all);
	else
		refuse(r, all, r->why.msg);
	check(r);
}

static void go_on(struct rounds *r, bool waits)
{
	int64_t most = config_get(&call_oxide(r->call)->config, CFG_FIX_ROUNDS);

	json_free(r->keep);
	json_free(r->listed);
	r->keep = r->listed = NULL;
	if (waits || r->decides || is_dry(r) || json_get(call_args(r->call), "start_line") ||
	    ++r->rounds >= most)
		over(r);
	else
		try(r);
}

static void on_tried(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	bool waits = json_get_bool(result, "needs_confirmation", false);

	if (e->code && json_get(result, "new_errors") && !r->keep) {
		blame(result, &r->why);
		json_free(result);
		round_of(r, NULL, true, false, on_listed);
	} else if (e->code) {
		stop(r, result, e);
	} else if (!json_first(json_get(result, "applied"))) {
		json_free(result);
		over(r);
	} else {
		fix_sum_add(&r->sum, result);
		go_on(r, waits);
	}
}

static void on_before(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;

	if (e->code) {
		fail(r, result, e);
		return;
	}
	r->before = json_copy(json_get(result, "diagnostics"));
	json_free(result);
	try(r);
}

void fix_rounds(struct call *call)
{
	struct rounds *r = mem_new(sizeof(*r));

	r->call = call;
	list_diagnostics(r, false, on_before);
}
