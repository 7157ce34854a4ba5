#include "consent.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/trusted_commands.h"

struct consent {
	struct call *call;
	consent_given *fn;
	void *arg;
	struct buf digest, title;
	struct plan *nothing; /* of the question */
	int64_t question;
	bool asked;
	struct err why;
};

static void consent_finish(void *arg)
{
	struct consent *s = arg;
	struct err why = s->why;
	consent_given *fn = s->fn;
	void *to = s->arg;

	plan_free(s->nothing);
	buf_release(&s->digest);
	buf_release(&s->title);
	free(s);
	fn(to, &why);
}

static void on_consent_verdict(void *arg, const struct verdict *v)
{
	struct consent *s = arg;
	const char *root = call_root(s->call);

	if (v->yes)
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
	s->asked = false;
	consent_finish(s);
}

void consent_cancel(struct consent *s)
{
	const struct editor *ed = &call_oxide(s->call)->editor;

	err_set(&s->why, ERR_CANCELLED, "cancelled");
	if (!s->asked)
		return;
	s->asked = false;
	ed->unconfirm(ed->self, s->question);
	oxide_soon(call_oxide(s->call), consent_finish, s);
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

static void nobody(void *arg)
{
	static const struct verdict later = { .later = true };

	on_consent_verdict(arg, &later);
}

static void consent_ask(struct consent *s)
{
	const struct editor *ed = &call_oxide(s->call)->editor;
	struct question q = { .tool = call_tool(s->call)->name,
			      .title = buf_str(&s->title).p,
			      .labels = "",
			      .must = true,
			      .of = call_context(s->call)->of };
	struct err ignored = ERR_INIT;

	if (!ed->confirm) {
		oxide_soon(call_oxide(s->call), nobody, s);
		return;
	}
	q.plan = s->nothing = plan_new(call_source(s->call));
	plan_finish(s->nothing, &ignored);
	s->asked = true;
	s->question = ed->confirm(ed->self, &q, on_consent_verdict, s);
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
		consent_ask(s);
	buf_release(&commands);
	buf_release(&all);
	return s;
}
