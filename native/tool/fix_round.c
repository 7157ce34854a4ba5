#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/workspace.h"
#include "../edit/merge.h"
#include "../servers/remedy.h"
#include "diagnosing.h"
#include "fixes.h"
#include "places.h"

/*
 * run -> on_diagnosed -> on_offers -> next -> on_remedy -> next ... -> hand_over -> call_change
 */
struct round {
	struct call *call;
	struct diagnosing *diagnosing;
	struct offers *offers;
	size_t at;	       /* the offer that is looked at, */
	json *row;	       /* its fix, */
	struct remedy *remedy; /* and what that would change */
	struct merge *join;
	struct wsedit_notes notes;
	json *applied;
	const char *server; /* of the last one */
};

static void round_free(struct round *r)
{
	call_on_cancel(r->call, NULL, NULL);
	merge_free(r->join);
	wsedit_notes_release(&r->notes);
	offers_free(r->offers);
	diagnosing_free(r->diagnosing);
	json_free(r->applied);
	json_free(r->row);
	free(r);
}

static void round_fail(struct round *r, const struct err *e)
{
	struct call *call = r->call;
	struct err why = *e; /* it may lie in what is freed here */

	round_free(r);
	call_fail(call, &why);
}

/* The servers are let go before the change is shown to them. */
static void hand_over(struct round *r)
{
	struct call *call = r->call;
	const json *args = call_args(call);
	struct change ch = { .title = "fix diagnostics", .server = r->server };
	struct wsedit_notes notes = r->notes;
	struct err e = ERR_INIT;

	ch.plan = merge_plan(r->join, call_source(call), &e);
	if (!ch.plan) {
		round_fail(r, &e);
		return;
	}
	ch.report = json_object();
	json_put(ch.report, "applied", r->applied);
	r->applied = NULL;
	r->notes = (struct wsedit_notes){ 0 };
	round_free(r);
	ch.labels = buf_str(&notes.labels).p;
	ch.annotated = notes.confirm;
	ch.must = str_eq(json_get_str(args, "confirm"), STR("ask"));
	ch.dry_run = json_get_bool(args, "dry_run", false);
	ch.nameless = json_get_bool(args, "check", false);
	ch.verify = json_get_bool(args, "verify", true);
	call_change(call, &ch);
	wsedit_notes_release(&notes);
}

static void finish(struct round *r)
{
	struct call *call = r->call;
	json *result;

	if (json_first(r->applied)) {
		hand_over(r);
		return;
	}
	result = json_object();
	json_put(result, "applied", r->applied);
	r->applied = NULL;
	round_free(r);
	call_done(call, result);
}

/* The row of a fix; `text`, the line that it is for, tells it from others of its kind. */
static json *row_of(struct round *r, const struct offer *o, size_t i)
{
	struct oxide *ox = call_oxide(r->call);
	json *row = json_object();
	struct buf id = BUF_INIT;
	struct places places;
	struct place at;

	places_init(&places, ox);
	places_look(&places, o->diag.path, &o->diag.range, o->diag.enc, &at);
	fix_id(ox, o, i, &id);
	json_put(row, "file", json_str(call_shown(r->call, o->diag.path)));
	json_put(row, "line", json_int((int64_t)at.line));
	json_put(row, "text", json_str(at.text));
	json_put(row, "message", json_str(o->diag.message));
	json_put(row, "title", json_str(o->fixes.v[i].title));
	json_put(row, "action_id", json_take(&id));
	places_release(&places);
	return row;
}

/* In an earlier round it was of no use, or brought new errors. */
static bool was_tried(const json *args, const json *row)
{
	static const char *const keys[] = { "file", "text", "message", "title" };

	json_each(old, json_get(args, "skip")) {
		bool same = true;

		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			same = same &&
			       str_eq(json_get_str(old, keys[k]), json_get_str(row, keys[k]));
		if (same)
			return true;
	}
	return false;
}

static bool is_asked_for(const json *args, const json *row)
{
	const json *only = json_get(args, "only");

	json_each(id, only)
		if (str_eq(json_text(id), json_get_str(row, "action_id")))
			return true;
	return !only;
}

/* The fix that this round takes of the offer it is at, as its row and its number; NULL: none. */
static json *choose(struct round *r, size_t *i)
{
	const json *args = call_args(r->call);
	ptrdiff_t best = fix_choice(r->offers, r->at);
	json *row;

	if (best < 0)
		return NULL;
	*i = (size_t)best;
	row = row_of(r, offers_at(r->offers, r->at), *i);
	if (is_asked_for(args, row) && !was_tried(args, row))
		return row;
	json_free(row);
	return NULL;
}

static void next(struct round *r);

static void on_remedy(void *arg, struct plan *p, const struct wsedit_notes *notes,
		      const struct err *e)
{
	struct round *r = arg;
	const struct offer *o = offers_at(r->offers, r->at++);

	r->remedy = NULL;
	if (e->code == ERR_CANCELLED) {
		round_fail(r, e);
		return;
	}
	if (e->code) {
		log_line(LOG_INFO, "fix left out: %s", e->msg);
	} else if (merge_add(r->join, p) == MERGE_TAKEN) {
		json_push(r->applied, r->row);
		r->row = NULL;
		r->server = server_name(o->server);
		r->notes.confirm = r->notes.confirm || notes->confirm;
		buf_add(&r->notes.labels, buf_str(&notes->labels));
	}
	json_free(r->row);
	r->row = NULL;
	next(r);
}

/* One after the other: only so can a server's command be told from another's. */
static void next(struct round *r)
{
	struct remedy_spec spec = { offers_moves(r->offers), call_context(r->call)->timeout_ms };

	for (; r->at < offers_count(r->offers); r->at++) {
		const struct offer *o = offers_at(r->offers, r->at);
		size_t i;

		r->row = choose(r, &i);
		if (!r->row)
			continue;
		r->remedy = remedy_start(call_oxide(r->call), o->server, &o->fixes.v[i], &spec,
					 on_remedy, r);
		return;
	}
	finish(r);
}

static void cancelled(void *state)
{
	struct round *r = state;

	if (r->remedy)
		remedy_cancel(r->remedy);
	else
		offers_cancel(r->offers);
}

static void on_offers(void *arg, const struct err *e)
{
	struct round *r = arg;

	if (e->code)
		round_fail(r, e);
	else
		next(r);
}

/* Whether the arguments ask for this diagnostic to be fixed. */
static bool is_wanted(struct places *places, const json *args, const struct diag *d)
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

static void ask_for_offers(struct round *r, const struct diag **v, size_t n)
{
	struct oxide *ox = call_oxide(r->call);
	const json *args = call_args(r->call);
	struct offers_spec spec = { json_get_str(args, "kind"), call_context(r->call)->timeout_ms,
				    false };
	size_t most = (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FIXES), kept = 0;
	struct places places;

	if (!spec.kind.n)
		spec.kind = STR("quickfix");
	places_init(&places, ox);
	for (size_t i = 0; i < n && kept < most; i++)
		if (is_wanted(&places, args, v[i]))
			v[kept++] = v[i];
	places_release(&places);
	r->offers = offers_start(ox, v, kept, &spec, on_offers, r);
	call_on_cancel(r->call, cancelled, r);
}

static void on_diagnosed(void *arg, const struct err *e)
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
	ask_for_offers(r, v, n);
	free(v);
}

static void run(struct call *call)
{
	struct round *r = mem_new(sizeof(*r));

	r->call = call;
	r->join = merge_new();
	r->applied = json_array();
	r->diagnosing = diagnosing_start(call, on_diagnosed, r);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false, "the file; the project when left out", NULL },
	{ "severity", P_STR, false, "the mildest to fix", "error|warning|info|hint" },
	FIX_PARAMS,
	{ "only", P_LIST, false, "action_ids", NULL },
	{ "skip", P_LIST, false, "rows of fixes that are not tried again", NULL },
	{ "verify", P_BOOL, false, "new errors refuse it (default true)", NULL },
	{ "dry_run", P_BOOL, false, "only show what would change", NULL },
	{ "check", P_BOOL, false, "with dry_run: it gets no action_id", NULL },
	{ "confirm", P_STR, false, "ask, or apply (default)", "ask|apply" },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_fix_round = {
	.name = "fix",
	.doc = "One round of fixes",
	.params = params,
	.flags = TOOL_WRITES,
	.run = run,
	.say = say_change,
};
