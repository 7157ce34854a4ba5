#include "person_ask.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "workspace.h"

struct person_question {
	struct oxide *ox;
	person_said *fn;
	void *arg;
	struct plan *nothing; /* NULL: nobody is there */
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
static void person_unsaid(void *arg)
{
	static const struct verdict later = { .later = true };
	const struct person_question *q = arg;

	on_person_said(arg, q->nothing ? NULL : &later);
}

void person_ask_cancel(void *question)
{
	struct person_question *q = question;

	if (!q->nothing)
		return;
	q->ox->editor.unconfirm(q->ox->editor.self, q->id);
	oxide_soon(q->ox, person_unsaid, q);
}

struct person_question *person_ask(struct oxide *ox, const struct question *about, person_said *fn,
				   void *arg)
{
	struct person_question *q = mem_new(sizeof(*q));
	struct question whole = *about;

	*q = (struct person_question){ .ox = ox, .fn = fn, .arg = arg };
	if (!ox->editor.confirm) {
		oxide_soon(ox, person_unsaid, q);
		return q;
	}
	whole.plan = q->nothing = plan_new(workspace_source(ox->workspace, ox->root));
	plan_finish(q->nothing, ERR_IGNORED);
	q->id = ox->editor.confirm(ox->editor.self, &whole, on_person_said, q);
	return q;
}
