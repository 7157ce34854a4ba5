#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../edit/plan_merge.h"
#include "diagnosing.h"
#include "fixes.h"
#include "lsp_diagnostic.h"
#include "offered_action.h"
#include "places.h"
#include "verify.h"

/*
 * round_run -> on_round_diagnosed -> on_round_offers -> round_plan_next -> on_round_planned
 *     -> round_plan_next ... -> round_hand_over -> call_change
 */
struct round {
	struct call *call;
	struct diagnosing *diagnosing;
	struct code_actions *offers;
	size_t at; /* the offer that is looked at */
	struct plan_merge *join;
	struct wsedit_notes notes;
	struct fix_list fixes; /* those that are looked at, */
	struct fix_round *as;  /* and those that are taken */
	const char *server;    /* of the last one */
};

static void round_free(struct round *r)
{
	call_on_cancel(r->call, NULL, NULL);
	plan_merge_free(r->join);
	wsedit_notes_release(&r->notes);
	code_actions_free(r->offers);
	diagnosing_free(r->diagnosing);
	fix_list_release(&r->fixes);
	free(r);
}

static void round_fail(struct round *r, const struct err *e)
{
	struct call *call = r->call;
	struct err why = *e; /* it may lie in what is freed here */

	round_free(r);
	call_fail(call, &why);
}

static void on_round_wrong(void *arg, struct call *call, const struct gate_diag *first)
{
	struct fix_round *as = arg;
	struct place at;

	place_in(first->doc, &first->diag.range, first->diag.enc, &at);
	err_set(&as->wrong, ERR_CONFLICT, "it would bring a new error: %.*s:%zu: %.*s",
		STR_ARG(call_shown(call, first->diag.path)), first->diag.lineless ? 0 : at.line,
		STR_ARG(first->diag.message));
}

/* The servers are let go before the change is shown to them. */
static void round_hand_over(struct round *r)
{
	struct call *call = r->call;
	struct fix_round *as = r->as;
	struct change ch = { .title = "fix diagnostics",
			     .server = r->server,
			     .must = str_eq(json_get_str(call_args(call), "confirm"), STR("ask")),
			     .dry_run = as->dry_run,
			     .nameless = as->nameless,
			     .verify = as->verify,
			     .wrong = on_round_wrong,
			     .arg = as };
	struct wsedit_notes notes SCOPED(wsedit_notes_release) = r->notes;
	struct err e = ERR_INIT;

	ch.plan = plan_merge_finish(r->join, call_source(call), &e);
	if (!ch.plan) {
		round_fail(r, &e);
		return;
	}
	ch.report = json_object();
	r->notes = (struct wsedit_notes){ 0 };
	round_free(r);
	ch.labels = buf_str(&notes.labels).p;
	ch.annotated = notes.confirm;
	call_change(call, &ch);
}

static void round_finish(struct round *r)
{
	struct call *call = r->call;

	if (r->as->applied.n) {
		round_hand_over(r);
		return;
	}
	round_free(r);
	call_done(call, json_object());
}

/* The fix that this round takes of the offer it is at, and its number. */
static bool round_choose(struct round *r, size_t *i)
{
	struct oxide *ox = call_oxide(r->call);
	const struct offer *o = code_actions_offer(r->offers, r->at);
	ptrdiff_t best = fix_choice(r->offers, r->at);
	const struct diag *d;
	struct buf id SCOPED(buf_release) = BUF_INIT;
	struct places places SCOPED(places_release) = { 0 };
	struct place at;
	struct fix f;
	bool takes;

	if (best < 0)
		return false;
	d = o->about[0];
	*i = (size_t)best;
	places_init(&places, ox);
	places_look(&places, o->path, &d->range, d->enc, &at);
	offered_action_id(ox, o, *i, &id);
	f = (struct fix){ .file = call_shown(r->call, o->path),
			  .line = at.line,
			  .text = at.text,
			  .message = d->message,
			  .title = o->actions.v[*i].title,
			  .id = buf_str(&id) };
	takes = r->as->takes(r->as->arg, &f);
	if (takes)
		fix_list_add(&r->fixes, &f);
	return takes;
}

static void round_plan_next(struct round *r);

static void on_round_planned(void *arg, struct plan *p, const struct wsedit_notes *notes,
			     const struct err *e)
{
	struct round *r = arg;
	const struct offer *o = code_actions_offer(r->offers, r->at++);

	if (e->code == ERR_CANCELLED) {
		round_fail(r, e);
		return;
	}
	if (e->code) {
		log_line(LOG_INFO, "fix left out: %s", e->msg);
	} else if (plan_merge_add(r->join, p) == MERGE_TAKEN) {
		fix_list_add(&r->as->applied, &r->fixes.v[r->fixes.n - 1]);
		r->server = server_name(o->server);
		r->notes.confirm = r->notes.confirm || notes->confirm;
		buf_add(&r->notes.labels, buf_str(&notes->labels));
	}
	round_plan_next(r);
}

/* One after the other: only so can a server's command be told from another's. */
static void round_plan_next(struct round *r)
{
	for (; r->at < code_actions_count(r->offers); r->at++) {
		const struct offer *o = code_actions_offer(r->offers, r->at);
		size_t i;

		if (!round_choose(r, &i))
			continue;
		offered_action_ask(r->call, o, i, on_round_planned, r);
		return;
	}
	round_finish(r);
}

static void on_round_offers(void *arg, const struct err *e)
{
	struct round *r = arg;

	if (e->code)
		round_fail(r, e);
	else
		round_plan_next(r);
}

/* Whether the arguments ask for this diagnostic to be fixed. */
static bool is_wanted_diag(struct places *places, const json *args, const struct diag *d)
{
	struct str code = json_get_str(args, "code");
	int64_t first = json_get_int(args, "start_line", 0);
	int64_t last = json_get_int(args, "end_line", first);
	struct place at;

	if (code.n && !str_eq(code, d->code))
		return false;
	if (!first)
		return true;
	places_look(places, d->path, &d->range, d->enc, &at);
	return (int64_t)at.line <= last && (int64_t)at.end_line >= first;
}

static void ask_round_fixes(struct round *r, const struct diag **v, size_t n)
{
	struct oxide *ox = call_oxide(r->call);
	const json *args = call_args(r->call);
	struct code_actions_spec spec = { .kind = json_get_str(args, "kind"),
					  .timeout_ms = call_context(r->call)->timeout_ms };
	size_t most = (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FIXES), kept = 0;
	struct places places SCOPED(places_release) = { 0 };

	if (!spec.kind.n)
		spec.kind = STR("quickfix");
	places_init(&places, ox);
	for (size_t i = 0; i < n && kept < most; i++)
		if (is_wanted_diag(&places, args, v[i]))
			v[kept++] = v[i];
	r->offers = code_actions_for(ox, v, kept, &spec, on_round_offers, r);
	call_on_cancel(r->call, code_actions_cancel, r->offers);
}

static void on_round_diagnosed(void *arg, const struct err *e)
{
	struct round *r = arg;
	enum diag_severity worst = diagnosing_severity(call_args(r->call), DIAG_WARNING);
	const struct diag **v;
	size_t n;

	if (e->code) {
		round_fail(r, e);
		return;
	}
	n = diagnosing_list(r->diagnosing, worst, &v);
	ask_round_fixes(r, v, n);
	free(v);
}

static void round_run(struct call *call)
{
	struct round *r = mem_new(sizeof(*r));

	r->call = call;
	r->join = plan_merge_new();
	r->as = call_context(call)->step;
	r->diagnosing = diagnosing_start(call, on_round_diagnosed, r);
}

const struct tool tool_fix_round = {
	.name = "fix",
	.doc = "One round of fixes",
	.params = lsp_diagnostic_params,
	.flags = TOOL_WRITES,
	.run = round_run,
};
