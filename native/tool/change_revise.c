#include "auto_update.h"
#include "change_impl.h"

/*
 * While a person is asked about a change, they may write a text of it otherwise. The plan has that
 * text from then on, and is looked at again by the language servers; the question stays open, and
 * is renewed by what they found: change_revise -> (verified) on_revision_found -> change_renew. A
 * no that comes meanwhile is taken once the servers are free again.
 */
static void on_revision_found(void *arg, const struct gate_finding *f, const struct err *why)
{
	struct changing *c = arg;
	struct verdict no = { .later = c->later };

	c->checking = false;
	auto_update_goes_on(call_oxide(c->call));
	if (why->code) {
		buf_clear(&c->errors);
		buf_clear(&c->notes);
		buf_addf(&c->notes, "not verified: %s\n", why->msg);
	} else {
		change_put_again(c, f, "it");
	}
	if (call_cancelled(c->call)) {
		change_asked(c);
		change_give_up(c);
	} else if (c->answered) {
		c->verdict(c, &no);
	} else {
		change_renew(c);
	}
}

static void cancel_check(void *state)
{
	struct changing *c = state;
	const struct editor *ed = &call_oxide(c->call)->editor;

	ed->unconfirm(ed->self, c->question);
	if (!c->answered)
		gate_cancel(c->gate);
}

bool change_revise(void *arg, size_t i, struct str text, struct err *e)
{
	struct changing *c = arg;

	if (c->checking)
		return err_set(e, ERR_CONFLICT, "the text before is still being checked");
	if (!plan_revise(c->ch.plan, i, text, e))
		return false;
	c->cut = true;
	buf_clear(&c->errors); /* put_question() has them again */
	if (!c->ch.verify) {
		change_renew(c);
		return true;
	}
	c->checking = true;
	auto_update_gives_way(call_oxide(c->call));
	change_look(c, on_revision_found);
	call_on_cancel(c->call, cancel_check, c);
	return true;
}

bool change_revise_holds(struct changing *c, const struct verdict *v)
{
	if (!c->checking)
		return false;
	c->answered = true;
	c->later = v->later;
	gate_cancel(c->gate);
	return true;
}

void change_put_revised(struct changing *c)
{
	struct buf *diff = &c->result.by_user;

	buf_clear(diff);
	buf_add(diff, buf_str(&c->revisions));
	plan_revisions(c->ch.plan, diff);
	if (diff->n)
		json_put(c->ch.report, "changed_by_user", json_str(buf_str(diff)));
}
