#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/apply.h"
#include "../core/workspace.h"
#include "../tool/change_result.h"
#include "acp_impl.h"

/*
 * May the agent do this? The table of permissions.h says, by the kind of the call and where its
 * files lie, and asks the user where it says so. What the user answers holds for this once, as far
 * as the agent is told: what lasts is kept in our table.
 */
static enum permission_what permit_what(const struct acp_call *c)
{
	switch (c ? c->kind : ACP_OTHER) {
	case ACP_READ:
	case ACP_SEARCH:
	case ACP_THINK:
		return PERMISSION_READ;
	case ACP_EDIT:
	case ACP_DELETE:
	case ACP_MOVE:
		return PERMISSION_EDIT;
	case ACP_EXECUTE:
		return PERMISSION_COMMAND;
	case ACP_FETCH:
		return PERMISSION_NETWORK;
	default:
		return acp_call_command(c).n ? PERMISSION_COMMAND : PERMISSION_OTHER;
	}
}

/* Calls fn for each file that the call names. */
static void permit_each_file(const struct acp_call *c,
			     void (*fn)(struct acp_task *t, struct str path), struct acp_task *t)
{
	static const char *const members[] = { "file_path", "filePath", "filepath", "path" };

	json_each(part, c->content)
		if (json_get_str(part, "path").n)
			fn(t, json_get_str(part, "path"));
	json_each(location, c->locations)
		if (json_get_str(location, "path").n)
			fn(t, json_get_str(location, "path"));
	for (size_t i = 0; i < 4; i++)
		if (json_get_str(c->input, members[i]).n)
			fn(t, json_get_str(c->input, members[i]));
}

static void look_where(struct acp_task *t, struct str path)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT;
	enum permission_where where;

	path_normal(&whole, t->of->cwd, path);
	where = permission_where(t->of->ox, whole.p);
	if (where > t->request.where)
		t->request.where = where;
}

static void allow_edit(struct acp_task *t, struct str path)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT;

	path_normal(&whole, t->of->cwd, path);
	acp_allow(t->of, "edit", buf_str(&whole));
}

static const json *option_of(const struct acp_task *t, const char *kind)
{
	json_each(o, json_get(t->r->params, "options"))
		if (str_eq(json_get_str(o, "kind"), str_of(kind)))
			return o;
	return NULL;
}

static void select_option(struct acp_task *t, const json *option)
{
	acp_task_done(t, option ? acp_selected(json_get_str(option, "optionId")) : acp_cancelled());
}

/* It is not asked about again by the fs or terminal request that carries it out. */
static void permit_remember(struct acp_task *t)
{
	struct str command = acp_call_command(t->r->call);

	if (t->request.what == PERMISSION_COMMAND && command.n)
		acp_allow(t->of, "run", command);
	if (t->request.what == PERMISSION_EDIT && t->request.where != PERMISSION_INSIDE)
		permit_each_file(t->r->call, allow_edit, t);
}

static void permit_say_yes(struct acp_task *t)
{
	const json *once = option_of(t, "allow_once");

	if (t->r->call)
		permit_remember(t);
	select_option(t, once ? once : option_of(t, "allow_always"));
}

static void permit_say_no(struct acp_task *t, const struct err *e)
{
	const json *once = option_of(t, "reject_once");
	struct acp_doing *d = t->r->call && t->turn ? t->r->call->own : NULL;

	if (d)
		d->denied = true;
	if (t->of->talk && e->code == ERR_DENIED) /* the protocol has no place for a reason */
		conversation_put_news(t->of->talk, false, str_of(e->msg));
	select_option(t, once ? once : option_of(t, "reject_always"));
}

static void permit_on_said(struct acp_task *t, const struct err *e)
{
	if (!e->code)
		permit_say_yes(t);
	else if (e->code == ERR_CANCELLED)
		acp_task_done(t, acp_cancelled());
	else
		permit_say_no(t, e);
}

/* The change itself is the question, where the agent writes files itself. */

struct acp_review {
	struct acp_task *task;
	struct plan *plan;
	int64_t question;
	bool making;	 /* what the user accepted of the change, or made of it, and */
	bool cancelled;	 /* meanwhile */
	bool revised;	 /* a text of it */
	struct buf made; /* that, as a diff */
};

static void permit_end_with(struct acp_review *r, const struct err *e)
{
	struct acp_task *t = r->task;

	plan_free(r->plan);
	buf_release(&r->made);
	free(r);
	t->review = NULL;
	t->then(t, e);
}

static void permit_end_review(void *arg)
{
	struct acp_review *r = arg;
	permit_end_with(r, &(struct err){ ERR_CANCELLED, "cancelled" });
}

void acp_review_cancel(struct acp_review *r)
{
	struct oxide *ox = r->task->of->ox;

	r->cancelled = true;
	if (r->making)
		return;
	ox->editor.unconfirm(ox->editor.self, r->question);
	oxide_soon(ox, permit_end_review, r);
}

/* The review waits to hear that it is over. */
static void tell_answered(const struct acp_review *r)
{
	json *question SCOPED(json_release) = json_int(r->question);

	acp_program_tell(r->task->of, "answered", question);
}

static bool permit_revise(void *arg, size_t i, struct str text, struct err *e);

static bool permit_is_revised(const struct acp_review *r)
{
	bool is = false;

	for (size_t i = 0; i < plan_files(r->plan); i++)
		is = is || plan_is_revised(r->plan, i);
	return is;
}

static struct question permit_question(const struct acp_review *r)
{
	return (struct question){ .plan = r->plan,
				  .title = r->task->title.p,
				  .tool = "session/request_permission",
				  .labels = "",
				  .must = true,
				  .of = r->task->of->talk->context.of,
				  .again = !permit_is_revised(r),
				  .revise = permit_revise };
}

static bool permit_is_whole(const struct acp_review *r, const struct verdict *v)
{
	for (size_t i = 0; i < plan_files(r->plan); i++) {
		if (v->keep && !v->keep[i])
			return false;
		for (size_t k = 0; v->hunks && v->hunks[i].keep && k < v->hunks[i].n; k++)
			if (!v->hunks[i].keep[k])
				return false;
	}
	return true;
}

static void permit_record(const struct conversation *c, const struct apply_result *res)
{
	const char *root = c->context.shown_root ? c->context.shown_root : c->ox->root;
	struct change_result r SCOPED(change_result_release) = { .applied = true };
	json *report SCOPED(json_release) = json_object();

	r.transaction = arena_str(&r.texts, str_of(res->transaction));
	for (size_t i = 0; i < plan_files(res->plan); i++)
		change_result_planned(&r, plan_file(res->plan, i), str_of(root));
	r.has_diff = true;
	plan_preview(res->plan, &r.diff);
	change_result_put(&r, report);
	change_result_put_end(&r, report);
	turn_record_changes(c, report);
}

/* The agent could only write all that it asked for: it hears that it may not, and what is there. */
static void permit_on_made(void *arg, const struct apply_result *res, const struct err *why)
{
	struct acp_review *r = arg;
	struct acp_task *t = r->task;
	struct buf made SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	tell_answered(r);
	if (!res)
		err_set(&e, ERR_DENIED, "%s: the user %s it, but it could not be made: %s",
			t->title.p, r->revised ? "changed" : "accepted a part of", why->msg);
	else
		err_set(&e, ERR_CONFLICT, "the user made it otherwise");
	if (res && t->of->talk) {
		permit_record(t->of->talk, res);
		buf_addf(&made,
			 "%s: the user %s, and the files are changed already: do not make it "
			 "again, nor change it back. What was made:\n%s",
			 t->title.p,
			 r->revised ? "changed this before accepting it"
				    : "accepted only a part of this",
			 r->made.p);
		conversation_put_news(t->of->talk, false, buf_str(&made));
	}
	if (r->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	permit_end_with(r, &e);
}

/* What the user accepts of a change is made here, where that is not all that was proposed. */
static bool permit_make(struct acp_review *r, const struct verdict *v, struct err *e)
{
	struct acp_task *t = r->task;
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct apply_spec spec = { .turn = t->turn ? t->of->talk->turn : NULL,
				   .several = true,
				   .origin = "chat" };

	if (!verdict_take(v, r->plan, e))
		return false;
	plan_preview(r->plan, &r->made);
	r->making = true;
	buf_addf(&title, "%s%s", t->title.p, r->revised ? " (text changed in the review)" : "");
	spec.title = title.p;
	spec.plan = r->plan;
	r->plan = NULL;
	apply_start(t->of->ox, &spec, permit_on_made, r);
	return true;
}

static bool permit_revise(void *arg, size_t i, struct str text, struct err *e)
{
	struct acp_review *r = arg;
	struct editor *ed = &r->task->of->ox->editor;
	struct question q = permit_question(r);

	if (!plan_revise(r->plan, i, text, e))
		return false;
	ed->renew(ed->self, r->question, &q);
	return true;
}

static bool permit_ask_again(struct acp_review *r);

static void permit_on_verdict(void *arg, const struct verdict *v)
{
	struct acp_review *r = arg;
	struct acp_task *t = r->task;
	struct err e = ERR_INIT;

	r->revised = permit_is_revised(r);
	if (v->stale.n && permit_ask_again(r))
		return;
	if (v->later)
		err_set(&e, ERR_NEEDS_CONFIRMATION, "nobody can be asked");
	else if (v->stale.n)
		err_set(&e, ERR_DENIED, "%s: %.*s was changed while it was reviewed; read it again",
			t->title.p, STR_ARG(v->stale));
	else if (!v->yes)
		err_set(&e, ERR_DENIED, "%s: the user declined%s%.*s", t->title.p,
			v->why.n ? ": " : "", STR_ARG(v->why));
	else if ((r->revised || !permit_is_whole(r, v)) && permit_make(r, v, &e))
		return; /* the agent writes all of it or nothing */
	tell_answered(r);
	permit_end_with(r, &e);
}

static struct plan *permit_plan(struct acp_task *t)
{
	struct workspace *w = t->of->ox->workspace;
	const struct plan_source *source = workspace_source(w, t->of->ox->root);
	struct plan *p;
	bool ok = true;

	workspace_by_text(w);
	p = plan_new(source);
	json_each(part, t->r->call->content)
		if (ok && str_eq(json_get_str(part, "type"), STR("diff")))
			ok = acp_plan_part(t->of, p, part);
	if (ok && plan_finish(p, ERR_IGNORED) && plan_files(p))
		return p;
	plan_free(p);
	return NULL;
}

/* Beside what the user has changed while they were asked. False: there it cannot be told. */
static bool permit_ask_again(struct acp_review *r)
{
	struct editor *ed = &r->task->of->ox->editor;
	struct plan *p = r->revised ? NULL : permit_plan(r->task);
	struct question q;

	if (!p)
		return false;
	plan_free(r->plan);
	r->plan = p;
	q = permit_question(r);
	r->question = ed->confirm(ed->self, &q, permit_on_verdict, r);
	return true;
}

/* False: there is no change to be shown. */
static bool permit_by_review(struct acp_task *t)
{
	struct editor *ed = &t->of->ox->editor;
	struct plan *p = t->r->call && ed->confirm ? permit_plan(t) : NULL;
	struct acp_review *r;
	struct question q;

	if (!p)
		return false;
	r = mem_new(sizeof(*r));
	*r = (struct acp_review){ .task = t, .plan = p };
	t->review = r;
	t->then = permit_on_said;
	q = permit_question(r);
	r->question = ed->confirm(ed->self, &q, permit_on_verdict, r);
	return true;
}

static void permit_put_title(struct acp_task *t)
{
	const struct acp_call *c = t->r->call;
	struct str command = c ? acp_call_command(c) : STR("");

	if (command.n)
		buf_addf(&t->title, "run %.*s in %s", STR_ARG(command), t->of->cwd);
	else if (c && c->title.n)
		buf_addf(&t->title, "%s", c->title.p);
	else
		buf_adds(&t->title, "go on");
	if (c && c->name.n && !command.n)
		buf_addf(&t->title, " (%s)", c->name.p);
	if (!option_of(t, "allow_once"))
		buf_adds(&t->title, " (from now on without asking)");
}

/* Of an agent that has read files through us, an edit is reviewed when it is written. */
static bool is_written_here(const struct acp_task *t)
{
	return t->of->reads && t->request.what == PERMISSION_EDIT;
}

static bool is_reviewed(const struct acp_task *t)
{
	const struct conversation *c = t->of->talk;
	enum permission_rule rule =
		c->permissions ? permissions_rule(c->permissions, &t->request) : PERMISSION_REVIEW;

	return rule == PERMISSION_REVIEW && c->context.confirm != CONFIRM_NEVER;
}

void acp_permission(struct acp_task *t)
{
	const struct acp_call *c = t->r->call;
	struct err ok = ERR_INIT;

	if (t->turn && c)
		acp_turn_call(t->turn->acp, t->r->call);
	t->request.what = permit_what(c);
	if (c)
		permit_each_file(c, look_where, t);
	permit_put_title(t);
	if (is_reviewed(t) && is_written_here(t)) {
		permit_on_said(t, &ok);
		return;
	}
	if (is_reviewed(t) && permit_by_review(t))
		return;
	t->unseen = is_reviewed(t);
	if (t->unseen)
		buf_adds(&t->title, " (what it changes cannot be shown)");
	acp_task_permit(t, t->request.what, "session/request_permission", permit_on_said);
}
