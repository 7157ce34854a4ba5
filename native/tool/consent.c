#include "consent.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/person_ask.h"
#include "../core/trusted_commands.h"

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
static void list_commands(struct oxide *ox, const char *root, enum task_of what, struct buf *out)
{
	for (const struct project_type *k = NULL;
	     (k = project_types_next(ox->project_types, root, k));) {
		struct err e = ERR_INIT;
		const struct task *task = project_type_task(k, what, root, &e);

		for (size_t i = 0; task && task->steps[i]; i++) {
			buf_adds(out, out->n ? "; " : "");
			for (size_t a = 0; task->steps[i][a]; a++)
				buf_addf(out, "%s%s", a ? " " : "", task->steps[i][a]);
		}
	}
}

void consent_commands(struct oxide *ox, const char *root, enum task_of what, struct buf *commands,
		      struct buf *digest)
{
	struct buf all SCOPED(buf_release) = BUF_INIT;

	list_commands(ox, root, what, commands);
	list_commands(ox, root, TASK_CHECK, &all); /* one word is for checks and tests */
	list_commands(ox, root, TASK_TEST, &all);
	trusted_commands_digest(root, buf_str(&all), digest);
}

void consent_title(struct buf *out, const char *root, struct str commands)
{
	buf_addf(out, "run the commands of the project %s (%.*s)", root, STR_ARG(commands));
}

static struct person_question *consent_ask(struct consent *s)
{
	const struct question q = { .tool = call_tool(s->call)->name,
				    .title = buf_str(&s->title).p,
				    .labels = "",
				    .must = true,
				    .of = call_context(s->call)->of };

	return person_ask(call_oxide(s->call), &q, on_consent_verdict, s);
}

struct consent *consent_start(struct call *c, enum task_of what, consent_given *fn, void *arg)
{
	struct consent *s = mem_new(sizeof(*s));
	const struct call_context *context = call_context(c);
	struct oxide *ox = call_oxide(c);
	struct buf commands SCOPED(buf_release) = BUF_INIT;

	*s = (struct consent){ .call = c, .fn = fn, .arg = arg };
	consent_commands(ox, call_root(c), what, &commands, &s->digest);
	consent_title(&s->title, call_root(c), buf_str(&commands));
	if (context->confirm == CONFIRM_NEVER)
		trusted_commands_add(call_root(c), buf_str(&s->digest));
	if (context->confirm == CONFIRM_NEVER || context->may_run || !commands.n ||
	    config_get(&ox->config, CFG_RUN_ALLOW) ||
	    trusted_commands_has(call_root(c), buf_str(&s->digest)))
		oxide_soon(ox, consent_finish, s);
	else
		s->question = consent_ask(s);
	return s;
}
