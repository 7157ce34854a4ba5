#include "decide_turn.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"

/*
 * turn: all that a model has changed in one turn, as one: accepted or rejected while it waits for
 * the user (core/turn_drafts.h); undone, redone and shown once it is in the history, or reviewed
 * there: what the user does not leave out is undone, as a change of its own.
 *
 * accept: turn_run -> (the review that is open is cancelled) -> decide -> show_draft -> call_change
 *         -> (stale: show_draft) -> on_draft_ended
 */
static struct str action_of(const struct call *c)
{
	return json_get_str(call_args(c), "action");
}

static bool is_action(const struct call *c, const char *action)
{
	return str_eq(action_of(c), str_of(action));
}

static struct turn_draft *draft_of(struct call *c)
{
	return turn_draft_find(call_oxide(c), json_get_str(call_args(c), "turn"));
}

static json *files_of(struct call *c, const struct plan *p)
{
	json *list = json_array();

	for (size_t i = 0; i < plan_files(p); i++)
		json_push(list, json_str(call_shown(c, plan_file(p, i)->path)));
	return list;
}

/* Error objects of what cannot be carried over. */
static void fail_stale(struct call *c, const struct err *e, json *clashes)
{
	json *object = error_object(e);

	if (json_len(clashes))
		error_put(object, "conflicts", json_copy(clashes));
	call_fail_with(c, e, object);
}

/* A decision about a draft, until the call is answered. */
struct deciding {
	struct call *call;
	struct turn_draft *draft;
	json *clashes;
};

static void decide(void *arg);

/* The next in line takes over, once this one is answered. */
static void decide_turn_settle(struct deciding *d, enum turn_fate fate, const json *report,
			       const struct err *e)
{
	struct turn_draft *t = d->draft;
	struct turn_changes what = { .fate = fate, .report = report, .why = e };
	struct call *next = t->next;

	t->review = NULL;
	t->next = NULL;
	if (next && fate == TURN_UNDECIDED) {
		t->review = next;
		oxide_soon(call_oxide(next), decide, next);
		return;
	}
	if (next) { /* it was decided before the other one could be cancelled */
		struct err gone = ERR_INIT;

		err_set(&gone, ERR_NOT_FOUND, "the changes of this turn were %s already",
			fate == TURN_REJECTED ? "rejected" : "accepted");
		call_fail(next, &gone);
	}
	turn_draft_settle(t, &what);
}

static enum turn_fate fate_of(const struct deciding *d, const json *report, const struct err *e)
{
	if (e->code)
		return e->code == ERR_CANCELLED && !call_cancelled(d->call) ? TURN_REJECTED
									    : TURN_UNDECIDED;
	if (json_get_bool(report, "needs_confirmation", false))
		return TURN_UNDECIDED;
	return json_get(report, "left_out") ? TURN_ACCEPTED_IN_PART : TURN_ACCEPTED;
}

static void on_draft_ended(void *arg, const json *report, const struct err *e)
{
	struct deciding *d = arg;
	enum turn_fate fate = fate_of(d, report, e);
	struct err why = *e;

	if (fate == TURN_UNDECIDED && !why.code)
		err_set(&why, ERR_CANCELLED, "nobody has confirmed it; nothing was changed");
	decide_turn_settle(d, fate,
			   fate == TURN_ACCEPTED || fate == TURN_ACCEPTED_IN_PART ? report : NULL,
			   fate == TURN_UNDECIDED ? &why : NULL);
	d->draft = NULL; /* it may be gone */
}

static void show_draft(struct deciding *d);

static void on_draft_over(void *arg, struct call *c, const struct err *stale)
{
	struct deciding *d = arg;

	(void)c;
	json_free(d->clashes);
	d->clashes = NULL;
	if (stale)
		show_draft(d); /* the user went on typing */
	else
		free(d);
}

static void fail_deciding(struct deciding *d, const struct err *e)
{
	struct call *c = d->call;

	decide_turn_settle(d, TURN_UNDECIDED, NULL, e);
	fail_stale(c, e, d->clashes);
	json_free(d->clashes);
	free(d);
}

static void show_draft(struct deciding *d)
{
	struct turn_draft *t = d->draft;
	struct change ch = {
		.title = t->title,
		.must = true,
		.verify = true,
		.turn = t->id,
		.ended = on_draft_ended,
		.over = on_draft_over,
		.over_arg = d,
		.retry = true,
		.carries = true,
	};
	struct err e = ERR_INIT;

	workspace_source(call_oxide(d->call)->workspace, call_shown_root(d->call));
	d->clashes = json_array();
	ch.plan = draft_plan(t->draft, t->root, d->clashes, &e);
	if (!ch.plan) {
		fail_deciding(d, &e);
		return;
	}
	ch.report = json_of({ "turn", json_strz(t->id) }, { "title", json_strz(t->title) });
	call_change(d->call, &ch);
}

static void reject(struct deciding *d)
{
	struct call *c = d->call;
	json *answer =
		json_of({ "success", json_bool(true) }, { "turn", json_strz(d->draft->id) },
			{ "title", json_strz(d->draft->title) }, { "rejected", json_bool(true) });

	decide_turn_settle(d, TURN_REJECTED, NULL, NULL);
	free(d);
	call_done(c, answer);
}

static void decide(void *arg)
{
	struct call *c = arg;
	struct deciding *d = mem_new(sizeof(*d));

	d->call = c;
	LIST_FOREACH(d->draft, &call_oxide(c)->drafts, all)
		if (d->draft->review == c)
			break;
	call_on_cancel(c, NULL, NULL);
	if (is_action(c, "reject"))
		reject(d);
	else
		show_draft(d);
}

/* While it waits for the one before. */
static void on_cancel_waiting(void *arg)
{
	struct call *c = arg;
	struct turn_draft *t;
	struct err e = ERR_INIT;

	LIST_FOREACH(t, &call_oxide(c)->drafts, all)
		if (t->next == c)
			t->next = NULL;
	err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	call_fail(c, &e);
}

static void begin_deciding(struct call *c)
{
	struct turn_draft *t = draft_of(c);
	struct err e = ERR_INIT;

	if (!t)
		err_set(&e, ERR_NOT_FOUND, "no changes of a model wait for a review");
	else if (call_context(c)->turn)
		err_set(&e, ERR_DENIED,
			"the changes of a turn are for the user to accept or reject");
	else if (t->busy)
		err_set(&e, ERR_CONFLICT,
			"the model is still working; what it changes can be accepted or rejected at "
			"the end of its turn");
	else if (t->next)
		err_set(&e, ERR_CONFLICT, "the changes of this turn are being decided about");
	if (e.code) {
		call_fail(c, &e);
	} else if (t->review) {
		t->next = c;
		call_on_cancel(c, on_cancel_waiting, c);
		call_cancel(t->review);
	} else {
		t->review = c;
		decide(c);
	}
}

struct call *turn_review(struct oxide *ox, struct turn_draft *t, const struct call_context *context,
			 call_answer *fn, void *arg)
{
	struct call_context ctx = *context;

	ctx.who = t->who;
	if (ctx.errors == ERRORS_REFUSE)
		ctx.errors = ctx.confirm == CONFIRM_NEVER ? ERRORS_ACCEPT : ERRORS_ASK;
	return call_start(ox, &tool_turn,
			  json_of({ "action", json_strz("accept") }, { "turn", json_strz(t->id) }),
			  &ctx, fn, arg);
}

static void put_turn(json *report, const struct history_turn *found)
{
	json_put(report, "turn", json_str(buf_str(&found->turn)));
	json_put(report, "title", json_str(buf_str(&found->title)));
}

#define REVIEW_NOTE "each part takes back what the turn has made of it; leave out what is to stay"

static void run_history(void *arg)
{
	struct call *c = arg;
	enum history_way way = is_action(c, "redo") ? HISTORY_REDO : HISTORY_UNDO;
	const struct plan_source *source = call_source(c);
	bool reviews = is_action(c, "review");
	struct change ch = { .plan = plan_new(source),
			     .redoes = way == HISTORY_REDO,
			     .must = reviews,
			     .notes = reviews ? REVIEW_NOTE : NULL };
	struct history_turn found SCOPED(history_turn_release) = { 0 };
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (call_cancelled(c))
		err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	if (!e.code &&
	    history_turn(call_oxide(c)->history, call_root(c), json_get_str(call_args(c), "turn"),
			 way, ch.plan, &found, &e) &&
	    plan_finish(ch.plan, &e) && call_may_take_back(c, ch.plan, &e)) {
		buf_addf(&title, "%s %s", reviews ? "take back" : action_of(c).p, found.title.p);
		ch.title = title.p;
		ch.undoes = buf_str(&found.ids);
		ch.report = json_object();
		put_turn(ch.report, &found);
		call_change(c, &ch);
	} else {
		plan_free(ch.plan);
		fail_stale(c, &e, found.clashes);
	}
}

/* Where the user has changed the same lines, as the model has made it, and what is in the way. */
static json *diff_of_draft(struct call *c, struct turn_draft *t, struct err *e)
{
	json *clashes SCOPED(json_release) = json_array(), *v = NULL;
	struct err stale = ERR_INIT;
	struct buf diff = BUF_INIT;
	struct plan *p;

	call_source(c); /* paths are shown as the call has them */
	p = draft_plan(t->draft, t->root, clashes, &stale);
	if (p)
		plan_preview(p, &diff);
	if (p || (stale.code == ERR_STALE && draft_diff(t->draft, t->root, &diff, e)))
		v = json_of({ "turn", json_strz(t->id) }, { "title", json_strz(t->title) },
			    { "applied", json_bool(false) }, { "files", p ? files_of(c, p) : NULL },
			    { "conflicts", p ? NULL : json_copy(clashes) },
			    { "messages", p ? NULL : json_list(json_strz(stale.msg)) },
			    { "diff", json_take(&diff) });
	else if (stale.code && !e->code)
		*e = stale;
	plan_free(p);
	return v;
}

static json *diff_of_history(struct call *c, struct err *e)
{
	struct history_turn found SCOPED(history_turn_release) = { 0 };
	struct buf diff SCOPED(buf_release) = BUF_INIT;
	json *v = NULL;

	if (history_turn_diff(call_oxide(c)->history, call_root(c),
			      json_get_str(call_args(c), "turn"), &diff, &found, e)) {
		v = json_object();
		put_turn(v, &found);
		json_put(v, "applied", json_bool(true));
		json_put(v, "diff", json_str(buf_str(&diff)));
	}
	return v;
}

static void turn_run(struct call *c)
{
	struct turn_draft *t = draft_of(c);
	bool decides =
		is_action(c, "accept") || is_action(c, "reject") || (t && is_action(c, "review"));
	struct err e = ERR_INIT;
	json *v;

	if (decides) {
		begin_deciding(c);
	} else if (is_action(c, "diff") && t) {
		v = diff_of_draft(c, t, &e);
		call_end(c, v, &e);
	} else if (!call_has_history(c, &e)) {
		call_fail(c, &e);
	} else if (is_action(c, "diff")) {
		v = diff_of_history(c, &e);
		call_end(c, v, &e);
	} else {
		apply_after(call_oxide(c), run_history, c);
	}
}

static const struct param params[] = {
	{ "action", P_STR, true, "undo|redo|review|diff|accept|reject",
	  "undo or redo what the turn has changed; review: choose which parts of it are undone; "
	  "diff: show it; accept or reject what waits for a review" },
	{ "turn", P_STR, false, NULL, "which turn; default: the last" },
	PARAMS_END,
};

const struct tool tool_turn = {
	.name = "turn",
	.title = "A model's turn as one change",
	.doc = "Undo, redo, show, accept or reject all that a model has changed in one turn; what "
	       "was edited since stays",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_USER,
	.run = turn_run,
	.print = print_turn,
};
