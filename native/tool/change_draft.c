
#include "../base/mem.h"
#include "../core/turn_drafts.h"
#include "../servers/gate.h"
#include "change_impl.h"

/*
 * What is different of a change that is part of a model's turn; and one that is kept in the draft
 * of a model's turn instead of being made. What is verified is all of the draft with it, against
 * the texts as they are; what is answered is this step.
 */
bool change_is_drafted(const struct changing *c)
{
	return c->whole;
}

/* One change of a caller is one project's. */
bool change_may_span(const struct changing *c)
{
	return c->turn || *c->undoes;
}

/* It may leave errors that the next step mends, where nobody asked for it to be verified; and those
 * that the steps before have left are not its own. */
bool change_draft_allows(const struct changing *c, size_t errors)
{
	const struct turn_draft *t = call_context(c->call)->draft;

	return c->whole && (!c->strict || errors <= t->errors);
}

static bool change_draft_begin(struct changing *c, struct err *e)
{
	struct turn_draft *t = call_context(c->call)->draft;
	const char *root = t->root ? t->root : c->project->root;
	json *clashes;

	c->next = draft_with(t->draft, c->ch.plan, e);
	if (!c->next)
		return false;
	call_source(c->call); /* paths are shown as the call has them */
	clashes = json_array();
	c->whole = draft_plan(c->next, root, clashes, e);
	c->strict = c->ch.verify;
	c->ch.verify = c->ch.verify ||
		       (!c->ch.unverified && json_get_bool(call_args(c->call), "verify", true));
	if (!c->whole) {
		err_in(e, "the user has edited what this turn changes");
		c->refusal = error_object(e);
		error_put(c->refusal, "conflicts", clashes);
		return false;
	}
	json_free(clashes);
	return true;
}

/* A turn's texts are kept whole, for undo and redo in spite of later edits; the disk must not be
 * read for that any more once they are being changed. */
bool change_turn_begin(struct changing *c, struct err *e)
{
	struct plan *p = c->ch.plan;

	if (!plan_files(p))
		return true;
	for (size_t i = 0; c->turn && i < plan_files(p); i++)
		if (!plan_want(p, i, e))
			return false;
	return !call_context(c->call)->draft || change_draft_begin(c, e);
}

void change_draft_keep(struct changing *c)
{
	struct turn_draft *t = call_context(c->call)->draft;

	c->result.kept = true;
	change_describe(c, false);
	draft_take(t->draft, c->next);
	c->next = NULL;
	t->errors = c->new_errors;
	if (!t->root)
		t->root = mem_dup(c->project->root, strlen(c->project->root));
}

/* They are reported, and nobody has accepted them yet. */
void change_draft_put_errors(struct changing *c, const struct gate_finding *f)
{
	c->new_errors = f->errors;
	if (f->errors)
		change_result_syntax(&c->result, "%zu new error%s", f->errors,
				     f->errors == 1 ? "" : "s");
	change_result_put_checks(&c->result, c->ch.report);
}

void change_draft_release(struct changing *c)
{
	draft_free(c->next);
	plan_free(c->whole);
}
