#include <stdarg.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/registry.h"
#include "change_impl.h"

/*
 * call_change -> (verified) change_verify -> change_go_on -> (asked)
 * on_change_verdict -> change_begin -> (permitted) apply -> on_change_applied
 *
 * A text that a person writes otherwise while they are asked is looked at too, and the question
 * goes on with what was found (change_revise.c).
 *
 * What a person leaves out nobody has verified without, nor what they add with it: that is looked
 * at again, and where it would bring new errors, they are asked once more: on_change_verdict ->
 * change_look -> on_change_rest -> change_ask or begin.
 */

/* The plan goes, or back to where it can be named. */
static void let_go(struct changing *c)
{
	struct registered *a = c->ch.action;

	if (c->plan_taken || !a || c->cut || (c->whole && !c->next)) {
		registered_free(a);
		if (!c->plan_taken)
			plan_free(c->ch.plan);
		return;
	}
	a->plan = c->ch.plan;
	registry_put(call_oxide(c->call)->registry, a);
}

static void change_answer(struct call *call, const struct err *e, const struct err *partly,
			  json *report, json *refusal)
{
	json *failure;

	if (e->code) {
		json_free(report);
		call_fail_with(call, e, refusal);
	} else if (partly->code) {
		failure = error_object(partly);
		json_put(report, "success", json_bool(false));
		json_put(report, "error", json_copy(json_get(failure, "error")));
		json_free(failure);
		call_fail_with(call, partly, report);
	} else {
		call_done(call, report);
	}
}

void change_end(struct changing *c, const struct err *e)
{
	struct call *call = c->call;
	json *report = c->ch.report, *refusal = c->refusal;
	struct change ch = c->ch;
	bool stale = e->code == ERR_STALE && ch.retry && !c->cut;
	bool made = c->plan_taken && !e->code;
	struct err why = *e; /* it may lie in what is freed here */

	if (c->cut)
		call_not_again(call);
	gate_end(c->gate, made);
	change_note_own(c, made || (c->whole && !c->next));
	change_add_more(c, NULL);
	change_end_result(c, e);
	taken_free(c->taken);
	let_go(c);
	plan_free(c->offered);
	change_draft_release(c);
	free(c->title);
	free(c->undoes);
	free(c->turn);
	free(c->server);
	free(c->name);
	free(c->new_name);
	free(c->home);
	json_free(c->reasons);
	buf_release(&c->labels);
	buf_release(&c->told);
	buf_release(&c->notes);
	buf_release(&c->refused);
	buf_release(&c->revisions);
	buf_release(&c->errors);
	free(c);
	if (ch.ended && !(ch.over && stale))
		ch.ended(ch.over_arg, why.code ? NULL : report, &why);
	if (ch.over && stale)
		json_free(report);
	else
		change_answer(call, &why, &ch.partly, report, refusal);
	if (ch.over)
		ch.over(ch.over_arg, call, stale ? &why : NULL);
}

static void on_change_applied(void *arg, const struct apply_result *res, const struct err *e)
{
	struct changing *c = arg;
	struct change_result *r = &c->result;

	if (res) {
		r->transaction = arena_str(&r->texts, str_of(res->transaction));
		r->saved = res->saved;
		r->left_modified = res->left_modified;
		if (*res->warning)
			change_result_warn(r, str_of(res->warning));
	}
	change_end(c, e);
}

static void on_change_applying(void *arg)
{
	change_describe(arg, true);
}

/* As the history has it. */
static const char *change_title(const struct changing *c, struct buf *out)
{
	buf_addf(out, "%s%s", c->title, c->result.by_user.n ? " (text changed in the review)" : "");
	return out->p;
}

/* What takes back a part of a transaction is a change of its own. */
static void apply(struct changing *c)
{
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct apply_spec spec = { .plan = c->ch.plan,
				   .title = change_title(c, &title),
				   .undoes = str_of(c->cut ? "" : c->undoes),
				   .redoes = c->ch.redoes && !c->cut,
				   .turn = c->turn,
				   .several = change_may_span(c),
				   .home = call_project(c->call),
				   .origin = call_context(c->call)->origin,
				   .meanwhile = on_change_applying,
				   .next = c->ch.again };

	change_keep_own(c);
	call_on_cancel(c->call, NULL, NULL); /* from here on it happens whole */
	c->plan_taken = true;
	apply_start(call_oxide(c->call), &spec, on_change_applied, c);
}

void change_give_up(void *arg)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	change_end(arg, &e);
}

static void on_change_permit(void *arg, bool yes)
{
	struct changing *c = arg;

	if (yes && !call_cancelled(c->call)) {
		call_permit(c->call);
		apply(c);
	} else {
		change_give_up(c);
	}
}

static void change_begin(struct changing *c)
{
	const struct call_context *ctx = call_context(c->call);
	struct err e = ERR_INIT;

	call_on_cancel(c->call, NULL, NULL);
	if (c->ch.instead)
		change_end(c, change_hand_over(c, &e));
	else if (ctx->permit && !call_is_permitted(c->call))
		ctx->permit(ctx->of, c->title, c->project->root, on_change_permit, c);
	else
		apply(c);
}

static void change_rest_unverified(struct changing *c);
static void on_change_rest(void *arg, const struct gate_finding *f, const struct err *why);

static void on_change_verdict(void *arg, const struct verdict *v)
{
	struct changing *c = arg;
	struct err e = ERR_INIT;

	if (change_revise_holds(c, v))
		return;
	change_asked(c);
	if (v->later) {
		change_describe(c, false);
		c->result.waits = true;
		change_put_action(c);
		change_end(c, &e);
	} else if (!v->yes && v->stale.n) {
		err_set(&e, ERR_STALE,
			"%.*s was changed while this was reviewed; nothing was changed. Read it "
			"again, then try again",
			STR_ARG(v->stale));
		change_end(c, &e);
	} else if (!v->yes) {
		err_set(&e, ERR_CANCELLED, "%s was not confirmed; nothing was changed", c->title);
		change_end(c, &e);
	} else {
		bool other;

		if (!change_take(c, v, &other, &e))
			change_end(c, &e);
		else if (other && c->ch.verify && plan_files(c->ch.plan))
			change_look(c, on_change_rest);
		else if (other)
			change_rest_unverified(c);
		else
			change_begin(c);
	}
}

/* An undo that finds all as it was before, as `u` left it, is marked and no more. */
static bool change_only_marks(const struct changing *c)
{
	return !plan_files(c->ch.plan) && *c->undoes && !c->ch.dry_run && !change_is_drafted(c);
}

void change_go_on(struct changing *c)
{
	if (change_only_marks(c)) {
		apply(c);
	} else if (c->ch.dry_run || !plan_files(c->ch.plan)) {
		change_describe(c, true);
		if (plan_files(c->ch.plan) && !c->undoes[0] && !c->ch.nameless &&
		    !change_is_drafted(c))
			change_put_action(c);
		change_end(c, ERR_IGNORED);
	} else if (change_is_drafted(c)) {
		if (call_tool(c->call)->flags & TOOL_TEXT) /* others see what is real */
			change_keep_own(c);
		change_draft_keep(c);
		change_end(c, ERR_IGNORED);
	} else if (change_wants_asking(c)) {
		change_ask(c, on_change_verdict);
	} else {
		change_begin(c);
	}
}

static void change_begin_rest(struct changing *c)
{
	if (!plan_files(c->ch.plan) || !change_is_refused(c) || c->forced ||
	    call_context(c->call)->errors == ERRORS_ACCEPT) {
		change_begin(c);
		return;
	}
	change_ask(c, on_change_verdict);
}

/* What speaks against it may hold as before. */
static void change_rest_unverified(struct changing *c)
{
	buf_clear(&c->errors); /* change_ask() puts the reasons there again */
	change_begin_rest(c);
}

/* What is left of a change, of which all was verified. */
static void on_change_rest(void *arg, const struct gate_finding *f, const struct err *why)
{
	struct changing *c = arg;

	call_on_cancel(c->call, NULL, NULL);
	if (why->code) {
		struct err e = *why;

		change_end(c, &e);
		return;
	}
	buf_clear(&c->told); /* much of it may be about what was left out */
	change_put_again(c, f, "what is left");
	change_begin_rest(c);
}

void call_change(struct call *call, const struct change *ch)
{
	const char *turn = ch->turn ? ch->turn : call_context(call)->turn;
	struct changing *c = mem_new(sizeof(*c));
	struct err e = ERR_INIT;

	c->call = call;
	c->ch = *ch;
	c->title = mem_dup(ch->title, strlen(ch->title));
	c->undoes = mem_dup(ch->undoes.p, ch->undoes.n);
	c->turn = turn ? mem_dup(turn, strlen(turn)) : NULL;
	c->new_name = mem_dup(ch->new_name.p, ch->new_name.n);
	c->ch.new_name = str_of(c->new_name);
	c->home = ch->home ? mem_dup(ch->home, strlen(ch->home)) : NULL;
	c->ch.home = c->home;
	c->server = ch->server ? mem_dup(ch->server, strlen(ch->server)) : NULL;
	c->name = ch->name ? mem_dup(ch->name, strlen(ch->name)) : NULL;
	c->reasons = json_copy(json_get(ch->report, "reasons"));
	c->ch.again = ch->again || call_is_again(call);
	call_saw(call, ch->plan);
	buf_adds(&c->labels, ch->labels ? ch->labels : "");
	buf_adds(&c->told, ch->notes ? ch->notes : "");
	if (ch->refused)
		change_refuse(c, &c->refused, "%s", ch->refused);
	if (ch->unverified)
		change_result_syntax(&c->result, "skipped: %s", ch->unverified);
	c->project = apply_project(call_oxide(call), ch->plan, call_project(call));
	if ((!change_may_span(c) && !apply_is_in_one(call_oxide(call), ch->plan, &e)) ||
	    !apply_is_inside(call_oxide(call), ch->plan, &e) || !change_turn_begin(c, &e))
		change_end(c, &e);
	else if (c->ch.verify && plan_files(ch->plan))
		change_verify(c);
	else
		change_go_on(c);
}
