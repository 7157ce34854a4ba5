#include <stdlib.h>

#include "../base/mem.h"
#include "diagnosing.h"
#include "fix_sum.h"
#include "lsp_diagnostic.h"

/*
 * Fixes, round after round, until nothing is left that can be fixed, at most fix.rounds times. Each
 * round is one change, which the servers look at first.
 *
 *     fix_rounds -> on_rounds_before -> rounds_try -> on_rounds_tried -> rounds_try ...
 *         -> on_rounds_after -> answer
 *
 * Where a round would bring new errors, sets of its fixes are looked at, halves of halves, until
 * those that bring the errors are known; the round is the others, all together:
 *
 *     on_rounds_tried -> (refused) list -> on_rounds_listed -> rounds_check
 *         -> on_rounds_checked -> rounds_check ... -> rounds_try
 *
 * Where nothing is left then, a person decides about them all the same. Who accepts new errors
 * beforehand has them made at once.
 *
 * Each step is a call of its own; since an action_id is the same for the same fix of the same text,
 * they can speak of the same fixes.
 */
struct part {
	size_t at, end; /* of `listed` */
};

struct rounds {
	struct call *call, *inner;
	struct diagnosing *before;
	struct fix_sum sum;	      /* of what was applied */
	struct fix_round round;	      /* that is under way, */
	struct change_result came_to; /* and its change */
	struct fix_list listed;	      /* what a round that was refused was made of */
	bool *keep;		      /* which of those do no harm; NULL: none was refused */
	struct part part[64]; /* still to be checked, the next one last; each is half of another */
	size_t parts;
	struct part trial; /* of `listed`: taken beside what is kept */
	int64_t rounds, checks;
	bool decides;	/* the round is for a person to decide about, and the last */
	struct err why; /* of the refusal */
};

static void rounds_free(struct rounds *r)
{
	fix_list_release(&r->listed);
	fix_list_release(&r->round.applied);
	change_result_release(&r->came_to);
	free(r->keep);
	diagnosing_free(r->before);
	fix_sum_release(&r->sum);
	free(r);
}

static void rounds_fail(struct rounds *r, json *object, const struct err *e)
{
	struct call *call = r->call;
	struct err why = *e;

	call_on_cancel(call, NULL, NULL);
	rounds_free(r);
	call_fail_with(call, &why, object);
}

static void on_rounds_listing(void *arg, const struct diag *const *v, size_t n)
{
	struct rounds *r = arg;

	fix_sum_after(&r->sum, v, n);
}

static void on_rounds_after(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct call *call = r->call;

	if (e->code) {
		rounds_fail(r, result, e);
		return;
	}
	fix_sum_report(&r->sum, result);
	rounds_free(r);
	call_done(call, result);
}

static enum diag_severity worst_of(const struct rounds *r)
{
	return diagnosing_severity(call_args(r->call), DIAG_WARNING);
}

static void rounds_over(struct rounds *r)
{
	struct diag_listing_spec spec = {
		ROWS, worst_of(r), true, on_rounds_listing, on_rounds_after, r
	};

	call_on_cancel(r->call, NULL, NULL);
	diag_listing(r->call, &spec);
}

/* What was done stays done, and is told. */
static void rounds_stop(struct rounds *r, json *object, const struct err *e)
{
	if (!r->sum.applied) {
		rounds_fail(r, object, e);
		return;
	}
	json_free(object);
	r->sum.stopped = *e;
	rounds_over(r);
}

static void on_rounds_tried(void *arg, json *result, const struct err *e);

static bool fix_rounds_takes(void *arg, const struct fix *f)
{
	const struct rounds *r = arg;

	if (fix_sum_tried(&r->sum, f))
		return false;
	for (size_t i = 0; i < r->listed.n; i++)
		if ((r->keep[i] || (i >= r->trial.at && i < r->trial.end)) &&
		    str_eq(r->listed.v[i].id, f->id))
			return true;
	return !r->keep;
}

/* In earnest, or to see what would happen. */
static void rounds_start(struct rounds *r, struct part trial, bool dry, bool verify,
			 call_answer *fn)
{
	struct call_context ctx = *call_context(r->call);

	fix_list_release(&r->round.applied);
	r->trial = trial;
	r->round = (struct fix_round){ .takes = fix_rounds_takes,
				       .arg = r,
				       .dry_run = dry,
				       .nameless = fn != on_rounds_tried,
				       .verify = verify };
	ctx.flat = false;
	ctx.step = &r->round;
	ctx.came_to = &r->came_to;
	if (ctx.errors == ERRORS_ASK && !r->decides)
		ctx.errors = ERRORS_REFUSE;
	r->inner = call_start(call_oxide(r->call), &tool_fix_round, json_copy(call_args(r->call)),
			      &ctx, fn, r);
	call_on_cancel(r->call, call_cancel, r->inner);
}

static bool is_dry(const struct rounds *r)
{
	return json_get_bool(call_args(r->call), "dry_run", false);
}

static void rounds_try(struct rounds *r)
{
	rounds_start(r, (struct part){ 0, 0 }, is_dry(r), true, on_rounds_tried);
}

static void rounds_refuse(struct rounds *r, struct part p, const char *reason)
{
	for (size_t i = p.at; i < p.end; i++)
		fix_sum_refuse(&r->sum, &r->listed.v[i], reason);
}

static void halve(struct rounds *r, struct part p)
{
	size_t middle = p.at + (p.end - p.at) / 2;

	r->part[r->parts++] = (struct part){ middle, p.end };
	r->part[r->parts++] = (struct part){ p.at, middle };
}

static void on_rounds_checked(void *arg, json *result, const struct err *e);

/* Nothing that does no harm is left, and nothing was done. */
static bool is_for_a_person(const struct rounds *r)
{
	return call_context(r->call)->errors == ERRORS_ASK && !r->sum.applied && !is_dry(r) &&
	       r->listed.n;
}

static void rounds_decide(struct rounds *r)
{
	r->decides = true;
	fix_sum_forget(&r->sum);
	rounds_start(r, (struct part){ 0, r->listed.n }, false, true, on_rounds_tried);
}

static bool keeps_any(const struct rounds *r)
{
	for (size_t i = 0; i < r->listed.n; i++)
		if (r->keep[i])
			return true;
	return false;
}

static void rounds_check(struct rounds *r)
{
	int64_t most = config_get(&call_oxide(r->call)->config, CFG_FIX_CHECKS);

	if (r->parts && r->checks++ < most) {
		rounds_start(r, r->part[r->parts - 1], true, true, on_rounds_checked);
		return;
	}
	while (r->parts)
		rounds_refuse(r, r->part[--r->parts], "too many fixes bring new errors");
	if (keeps_any(r))
		rounds_try(r);
	else if (is_for_a_person(r))
		rounds_decide(r);
	else
		rounds_over(r);
}

static void on_rounds_checked(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct part p = r->part[--r->parts];

	if (e->code && !r->round.wrong.code) {
		rounds_stop(r, result, e);
		return;
	}
	if (!e->code)
		memset(r->keep + p.at, true, p.end - p.at);
	else if (p.end - p.at == 1)
		rounds_refuse(r, p, r->round.wrong.msg);
	else
		halve(r, p);
	json_free(result);
	rounds_check(r);
}

/* What the round that was refused is made of. */
static void on_rounds_listed(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;
	struct part all = { 0, r->round.applied.n };

	if (e->code) {
		rounds_stop(r, result, e);
		return;
	}
	json_free(result);
	r->keep = mem_new(all.end + 1);
	r->listed = r->round.applied;
	r->round.applied = (struct fix_list){ 0 };
	if (all.end > 1)
		halve(r, all);
	else
		rounds_refuse(r, all, r->why.msg);
	rounds_check(r);
}

static void rounds_go_on(struct rounds *r)
{
	int64_t most = config_get(&call_oxide(r->call)->config, CFG_FIX_ROUNDS);

	free(r->keep);
	r->keep = NULL;
	fix_list_release(&r->listed);
	if (r->came_to.waits || r->decides || is_dry(r) ||
	    json_get(call_args(r->call), "start_line") || ++r->rounds >= most)
		rounds_over(r);
	else
		rounds_try(r);
}

static void on_rounds_tried(void *arg, json *result, const struct err *e)
{
	struct rounds *r = arg;

	if (r->round.wrong.code && !r->keep) {
		r->why = r->round.wrong;
		json_free(result);
		rounds_start(r, (struct part){ 0, 0 }, true, false, on_rounds_listed);
	} else if (e->code) {
		rounds_stop(r, result, e);
	} else if (!r->round.applied.n) {
		json_free(result);
		rounds_over(r);
	} else {
		json_free(result);
		fix_sum_add(&r->sum, &r->came_to, &r->round.applied);
		rounds_go_on(r);
	}
}

static void on_rounds_before(void *arg, const struct err *e)
{
	struct rounds *r = arg;
	const struct diag **v;
	size_t n;

	if (e->code) {
		rounds_fail(r, NULL, e);
		return;
	}
	n = diagnosing_list(r->before, worst_of(r), &v);
	fix_sum_before(&r->sum, v, n);
	free(v);
	diagnosing_free(r->before);
	r->before = NULL;
	rounds_try(r);
}

void fix_rounds(struct call *call)
{
	struct rounds *r = mem_new(sizeof(*r));

	r->call = call;
	r->before = diagnosing_start(call, on_rounds_before, r);
}
