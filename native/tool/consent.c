#include "consent.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/trusted_commands.h"

struct person_question {
	struct call *call;
	person_said *fn;
	void *arg;
	struct plan *nothing;
	int64_t id;
};

static void on_person_said(void *arg, const struct verdict *v)
{
	struct person_question *q = arg;
	person_said *fn = q->fn;
	void *to = q->arg;

	plan_free(q->nothing);
	free(q);
	fn(to, v);
}

/* Nobody is there, or it was cancelled. */
static void unsaid(void *arg)
{
	static const struct verdict later = { .later = true };
	const struct person_question *q = arg;

	on_person_said(arg, q->nothing ? NULL : &later);
}

void person_ask_cancel(void *question)
{
	struct person_question *q = question;
	const struct editor *ed = &call_oxide(q->call)->editor;

	if (!q->nothing)
		return;
	ed->unconfirm(ed->self, q->id);
	oxide_soon(call_oxide(q->call), unsaid, q);
}

struct person_question *person_ask(struct call *c, const char *title, person_said *fn, void *arg)
{
	const struct editor *ed = &call_oxide(c)->editor;
	struct person_question *s = mem_new(sizeof(*s));
	struct question q = { .tool = call_tool(c)->name,
			      .title = title,
			      .labels = "",
			      .must = true,
			      .of = call_context(c)->of };
	struct err ignored = ERR_INIT;

	*s = (struct person_question){ .call = c, .fn = fn, .arg = arg };
	if (!ed->confirm) {
		oxide_soon(call_oxide(c), unsaid, s);
		return s;
	}
	q.plan = s->nothing = plan_new(call_source(c));
	plan_finish(s->nothing, &ignored);
	s->id = ed->confirm(ed->self, &q, on_person_said, s);
	return s;
}

struct consent {
	struct call *call;
	consent_given *fn;
	void *arg;
	struct buf digest, title;
	struct person_question *question;
	struct err why;
};

static void consent_finish(void *arg)
{
	struct consent *s = arg;
	struct err why = s->why;
	consent_given *fn = s->fn;
	void *to = s->arg;

	buf_release(&s->digest);
	buf_release(&s->title);
	free(s);
	fn(to, &why);
}

static void on_consent_verdict(void *arg, const struct verdict *v)
{
	struct consent *s = arg;
	const char *root = call_root(s->call);

	if (!v)
		err_set(&s->why, ERR_CANCELLED, "cancelled");
	else if (v->yes)
		trusted_commands_add(root, buf_str(&s->digest));
	else if (v->later)
		err_set(&s->why, ERR_NEEDS_CONFIRMATION,
			"%s needs confirmation, and no user can be asked: the commands are the "
			"project's own, and are not allowed yet with its current build files; "
			"`oxide call %s --root %s --yes` allows them, or start this with "
			"--allow-run",
			buf_str(&s->title).p, call_tool(s->call)->name, root);
	else
		err_set(&s->why, ERR_DENIED, "%s: the user declined", buf_str(&s->title).p);
	consent_finish(s);
}

void consent_cancel(struct consent *s)
{
	err_set(&s->why, ERR_CANCELLED, "cancelled");
	if (s->question)
		person_ask_cancel(s->question);
}

/* What would be run, as it would be typed. */
static void list_commands(struct call *c, enum task_of what, struct buf *out)
{
	for (const struct project_type *k = NULL;
	     (k = project_types_next(call_oxide(c)->project_types, call_root(c), k));) {
		struct err e = ERR_INIT;
		const struct task *task = project_type_task(k, what, call_root(c), &e);

		for (size_t i = 0; task && task->steps[i]; i++) {
			buf_adds(out, out->n ? "; " : "");
			for (size_t a = 0; task->steps[i][a]; a++)
				buf_addf(out, "%s%s", a ? " " : "", task->steps[i][a]);
		}
	}
}

struct consent *consent_start(struct call *c, enum task_of what, consent_given *fn, void *arg)
{
	struct consent *s = mem_new(sizeof(*s));
	struct oxide *ox = call_oxide(c);
	const char *root = call_root(c);
	struct buf commands = BUF_INIT, all = BUF_INIT;

	*s = (struct consent){ .call = c, .fn = fn, .arg = arg };
	list_commands(c, what, &commands);
	list_commands(c, TASK_CHECK, &all); /* one word is for checks and tests */
	list_commands(c, TASK_TEST, &all);
	trusted_commands_digest(root, buf_str(&all), &s->digest);
	buf_addf(&s->title, "run the commands of the project %s (%s)", root, buf_str(&commands).p);
	if (call_context(c)->confirm == CONFIRM_NEVER)
		trusted_commands_add(root, buf_str(&s->digest));
	if (call_context(c)->confirm == CONFIRM_NEVER || !commands.n ||
	    config_get(&ox->config, CFG_RUN_ALLOW) ||
	    trusted_commands_has(root, buf_str(&s->digest)))
		oxide_soon(ox, consent_finish, s);
	else
		s->question = person_ask(c, buf_str(&s->title).p, on_consent_verdict, s);
	buf_release(&commands);
	buf_release(&all);
	return s;
}
