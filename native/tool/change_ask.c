#include <stdarg.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/swap_scan.h"
#include "../edit/plan_merge.h"
#include "../servers/gate.h"
#include "auto_update.h"
#include "change_impl.h"

/*
 * What a user is asked about a change, and what they make of it. They may leave out some of it, and
 * add what is offered with it: two plans then become one.
 */
void change_refuse(struct changing *c, struct buf *why, const char *fmt, ...)
{
	va_list args;

	if (call_context(c->call)->errors == ERRORS_ACCEPT)
		return;
	buf_adds(why, why->n ? "; " : "");
	va_start(args, fmt);
	buf_addv(why, fmt, args);
	va_end(args);
}

bool change_is_refused(const struct changing *c)
{
	return c->errors.n || c->refused.n;
}

bool change_wants_asking(const struct changing *c)
{
	enum call_confirm how = call_context(c->call)->confirm;

	if (!plan_files(c->ch.plan) || !call_oxide(c->call)->editor.confirm)
		return false;
	if (change_is_refused(c) || how == CONFIRM_NEVER)
		return change_is_refused(c);
	return how == CONFIRM_ALWAYS || c->ch.must || c->ch.annotated;
}

/* It is listed meanwhile, and holds up nothing that is done when no call is under way. */
static void change_waits(struct changing *c)
{
	const struct registered *a = c->ch.action;

	c->waiting = (struct waiting){ .id = a ? mem_dup(a->id, strlen(a->id)) : change_id(c),
				       .title = c->title,
				       .kind = call_tool(c->call)->name,
				       .who = call_context(c->call)->who,
				       .plan = c->ch.plan };
	registry_wait(call_oxide(c->call)->registry, &c->waiting);
	auto_update_goes_on(call_oxide(c->call));
}

void change_asked(struct changing *c)
{
	auto_update_gives_way(call_oxide(c->call));
	registry_waited(call_oxide(c->call)->registry, &c->waiting);
	free((char *)(uintptr_t)c->waiting.id);
}

static void cancel_question(void *state)
{
	struct changing *c = state;
	const struct editor *ed = &call_oxide(c->call)->editor;

	change_asked(c);
	ed->unconfirm(ed->self, c->question);
	oxide_soon(call_oxide(c->call), change_give_up, c);
}

/* What was added has been looked at with the rest: nothing is offered twice. */
static struct plan *change_offer(struct changing *c)
{
	if (!c->ch.offer || c->cut || c->offered)
		return NULL;
	c->offered = c->ch.offer(c->ch.arg, c->ch.plan);
	return c->offered;
}

static void put_question(struct changing *c, struct question *q, struct buf *notes)
{
	*q = (struct question){ .plan = c->ch.plan,
				.offered = c->offering ? c->offered : NULL,
				.title = c->title,
				.tool = call_tool(c->call)->name,
				.server = c->server,
				.labels = buf_str(&c->labels).p,
				.places = c->cut ? 0 : c->ch.places,
				.annotated = c->ch.annotated,
				.must = c->ch.must,
				.of = call_context(c->call)->of,
				.rest = c->cut,
				.again = c->ch.carries && !c->cut,
				.revise = change_revise };

	change_note_unverified(c);
	swap_scan_report(call_oxide(c->call), c->ch.plan, call_shown_root(c->call), notes);
	change_note_reasons(c, notes);
	buf_add(notes, buf_str(&c->told));
	buf_add(notes, buf_str(&c->notes));
	q->notes = buf_str(notes).p;
	if (c->refused.n)
		change_refuse(c, &c->errors, "%s", c->refused.p);
	q->refused = c->errors.n ? c->errors.p : NULL;
	gate_end(c->gate, false); /* a person may take long */
	c->gate = NULL;
	change_waits(c);
	call_on_cancel(c->call, cancel_question, c);
}

void change_ask(struct changing *c, editor_verdict *fn)
{
	const struct editor *ed = &call_oxide(c->call)->editor;
	struct buf notes SCOPED(buf_release) = BUF_INIT;
	struct question q;

	c->offering = change_offer(c);
	put_question(c, &q, &notes);
	c->verdict = fn;
	c->question = ed->confirm(ed->self, &q, fn, c);
}

void change_renew(struct changing *c)
{
	const struct editor *ed = &call_oxide(c->call)->editor;
	struct buf notes SCOPED(buf_release) = BUF_INIT;
	struct question q;

	change_asked(c); /* what waits has another name now */
	put_question(c, &q, &notes);
	ed->renew(ed->self, c->question, &q);
}

/* The two were worked out from the same texts. */
static bool put_together(struct changing *c, struct err *e)
{
	struct plan_merge *j = plan_merge_new();
	struct plan *whole = NULL;
	bool fits = plan_merge_add(j, c->ch.plan) != MERGE_CLASH &&
		    plan_merge_add(j, c->offered) != MERGE_CLASH;

	c->ch.plan = c->offered = NULL;
	if (!fits)
		err_set(e, ERR_CONFLICT, "%s: what was added to it overlaps with the rest",
			c->title);
	else
		whole = plan_merge_finish(j, call_source(c->call), e);
	plan_merge_free(j);
	buf_clear(&c->revisions); /* what was merged does not know of them */
	buf_add(&c->revisions, buf_str(&c->result.by_user));
	c->ch.plan = whole ? whole : plan_new(call_source(c->call));
	return whole;
}

bool change_take(struct changing *c, const struct verdict *v, bool *other, struct err *e)
{
	struct verdict also = { .yes = true, .keep = v->offered, .hunks = v->offered_hunks };
	bool cut = change_put_left_out(c, v);

	*other = cut;
	c->cut = c->cut || cut;
	c->forced = v->force;
	if (!verdict_take(v, c->ch.plan, e))
		return false;
	change_put_revised(c);
	if (!c->offered || !v->offered)
		return true;
	if (!verdict_take(&also, c->offered, e))
		return false;
	if (!plan_files(c->offered))
		return true;
	c->cut = *other = true;
	return put_together(c, e);
}
