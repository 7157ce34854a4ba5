#include <string.h>

#include "../base/mem.h"
#include "change_impl.h"
#include "verify.h"

/*
 * What the servers say of a change before it is made, or shown:
 *
 *     change_verify -> change_look -> on_change_found -> change_go_on
 *
 * One that gives a new name is also looked at for what that name would capture (taken.h):
 * on_change_searched comes before change_look, and on_change_captured between on_change_found and
 * change_go_on.
 */

bool call_decides(const struct call *c, bool dry_run)
{
	enum call_errors how = call_context(c)->errors;

	return how == ERRORS_ACCEPT || (how == ERRORS_ASK && !dry_run);
}

static void on_change_captured(void *arg)
{
	struct changing *c = arg;
	struct err e = ERR_INIT;
	size_t captured;

	call_on_cancel(c->call, NULL, NULL);
	if (call_cancelled(c->call))
		err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	else if (!call_decides(c->call, c->ch.dry_run))
		c->refusal = taken_refusal(c->taken, &e);
	else if ((captured = taken_accept(c->taken, c->ch.report, &c->told)))
		change_refuse(c, &c->refused, "it would change the meaning of %zu place%s",
			      captured, captured == 1 ? "" : "s");
	if (e.code) {
		change_end(c, &e);
		return;
	}
	taken_report(c->taken, c->ch.report, &c->told);
	change_go_on(c);
}

/* A person has to know of new errors, and may accept them. */
static void put_errors(struct changing *c, const struct gate_finding *f, const char *what)
{
	buf_clear(&c->errors);
	change_refuse(c, &c->errors, "%s would bring %zu new error%s", what, f->errors,
		      f->errors == 1 ? "" : "s");
}

void change_put_again(struct changing *c, const struct gate_finding *f, const char *what)
{
	buf_clear(&c->errors);
	buf_clear(&c->notes);
	change_put_found(c, f);
	verify_notes(c->call, f, &c->notes);
	if (f->errors)
		put_errors(c, f, what);
}

static void on_change_found(void *arg, const struct gate_finding *f, const struct err *why)
{
	struct changing *c = arg;
	struct err e = *why;

	call_on_cancel(c->call, NULL, NULL);
	if (!e.code && f->errors && !call_decides(c->call, c->ch.dry_run) &&
	    !change_draft_allows(c, f->errors)) {
		if (c->ch.wrong)
			c->ch.wrong(c->ch.arg, c->call, &f->error[0]);
		c->refusal = verify_refusal(c->call, f, &e);
	} else if (!e.code && f->late && c->ch.must_verify) {
		if (!call_decides(c->call, c->ch.dry_run))
			err_set(&e, ERR_INCOMPLETE, "not verified: %s; nothing was changed",
				f->whys ? f->why[0] : "time ran out");
		else
			change_refuse(c, &c->refused, "it could not be verified in time");
	}
	if (e.code) {
		change_end(c, &e);
		return;
	}
	change_put_found(c, f);
	if (change_is_drafted(c))
		change_draft_put_errors(c, f);
	else if (f->errors)
		put_errors(c, f, "it");
	verify_notes(c->call, f, &c->notes);
	if (!c->taken) {
		change_go_on(c);
		return;
	}
	taken_look(c->taken, &c->gate, on_change_captured, c);
	call_on_cancel(c->call, taken_cancel, c->taken);
}

static bool is_among(const char *const *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], path))
			return true;
	return false;
}

/* Those of the change's own that are not looked at anyway. */
static const char **also_look(const struct changing *c, const struct gate_spec *spec, size_t *n)
{
	const char **all = mem_new((c->ch.n_also + 1) * sizeof(*all));

	for (size_t i = 0; i < c->ch.n_also; i++)
		if (!is_among(spec->also, spec->n_also, c->ch.also[i]))
			all[(*n)++] = c->ch.also[i];
	return all;
}

/* Of what a person has left out a part, others use what that part was to change. */
void change_look(struct changing *c, gate_found *fn)
{
	struct gate_spec spec = { .timeout_ms = c->ch.patience_ms,
				  .alone = c->ch.alone && !c->cut,
				  .by = c->ch.by };
	const char **seen SCOPED(mem_release) = NULL;

	if (c->taken) {
		spec.also = taken_files(c->taken, &spec.n_also);
		spec.looks = taken_looks;
		spec.arg = c->taken;
	}
	spec.seen = seen = also_look(c, &spec, &spec.n_seen);
	if (!spec.timeout_ms)
		spec.timeout_ms = call_context(c->call)->timeout_ms;
	c->gate = gate_start(call_oxide(c->call), c->whole ? c->whole : c->ch.plan, &spec, fn, c);
	if (!c->ch.dry_run)
		apply_expect(call_oxide(c->call));
	call_on_cancel(c->call, gate_cancel, c->gate);
}

/* To look at a thousand files would take the servers minutes. */
static void leave_unverified(struct changing *c)
{
	change_put_large(c, "check at most %zu", c->ch.most);
	taken_free(c->taken);
	c->taken = NULL;
	c->ch.verify = false;
}

static void on_change_searched(void *arg)
{
	struct changing *c = arg;

	call_on_cancel(c->call, NULL, NULL);
	if (call_cancelled(c->call)) {
		change_give_up(c);
	} else if (taken_part(c->taken) == TAKEN_NONE) {
		leave_unverified(c);
		change_go_on(c);
	} else {
		change_look(c, on_change_found);
	}
}

void change_verify(struct changing *c)
{
	struct taken_spec spec = { c->ch.plan, c->ch.new_name, c->ch.most, c->ch.home,
				   c->ch.searched };

	if (!spec.new_name.n) {
		change_look(c, on_change_found);
		return;
	}
	c->taken = taken_start(c->call, &spec, on_change_searched, c);
	call_on_cancel(c->call, taken_cancel, c->taken);
}
