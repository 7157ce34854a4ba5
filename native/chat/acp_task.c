#include <stdlib.h>

#include "../base/mem.h"
#include "../core/trusted_commands.h"
#include "acp_impl.h"

void acp_allow(struct acp_program *p, const char *what, struct str key)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_addf(&name, "%s %.*s", what, STR_ARG(key));
	free(map_put(&p->allowed, buf_str(&name), mem_dup("", 0)));
}

bool acp_take_allowed(struct acp_program *p, const char *what, struct str key)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;
	void *v;

	buf_addf(&name, "%s %.*s", what, STR_ARG(key));
	v = map_take(&p->allowed, buf_str(&name));
	free(v);
	return v;
}

static void acp_task_free(struct acp_task *t)
{
	struct acp_turn *a = t->turn ? t->turn->acp : NULL;
	struct acp_program *p = t->of;

	buf_release(&t->title);
	buf_release(&t->digest);
	buf_release(&t->path);
	free(t);
	if (a) {
		a->tasks--;
		acp_turn_maybe_end(a);
	}
	acp_program_maybe_over(p);
}

void acp_task_done(struct acp_task *t, json *result)
{
	acp_answer(t->r, result);
	acp_program_wake(t->of);
	acp_task_free(t);
}

void acp_task_fail(struct acp_task *t, long code, const char *message)
{
	acp_refuse(t->r, code, message);
	acp_program_wake(t->of);
	acp_task_free(t);
}

static void acp_task_on_permitted(void *arg, const struct err *e)
{
	struct acp_task *t = arg;

	t->asking = NULL;
	t->rule = PERMISSION_ALLOW;
	t->then(t, e);
}

/* Nobody is there who could be asked where no conversation is open any more. */
void acp_task_permit(struct acp_task *t, enum permission_what what, const char *tool,
		     void (*then)(struct acp_task *t, const struct err *e))
{
	const struct conversation *c = t->of->talk;
	struct err e = ERR_INIT;

	t->then = then;
	t->rule = PERMISSION_REVIEW;
	t->request.what = what;
	t->request.tool = tool;
	t->request.who = t->of->name;
	t->request.root = t->of->ox->root;
	t->request.title = buf_str(&t->title).p;
	if (t->request.where != PERMISSION_PROTECTED && !t->unseen) {
		trusted_commands_digest_text(buf_str(&t->title), &t->digest);
		t->request.digest = &t->digest;
	}
	if (!c)
		err_set(&e, ERR_CANCELLED, "the conversation is closed");
	else if (c->permissions)
		t->rule = permissions_rule(c->permissions, &t->request);
	if (t->rule == PERMISSION_REVIEW && t->unseen)
		t->rule = PERMISSION_ASK;
	if (t->rule == PERMISSION_DENY)
		permission_deny(&t->request, &e);
	if (t->rule == PERMISSION_ASK && c && !c->permissions)
		err_set(&e, ERR_NEEDS_CONFIRMATION, "%s: nobody can be asked", t->title.p);
	if (!e.code && t->rule == PERMISSION_ASK) {
		t->request.of = c->context.of;
		t->asking = permission_ask(c->permissions, &t->request, acp_task_on_permitted, t);
	} else {
		then(t, &e);
	}
}

void acp_task_start(void *program, struct acp_request *r)
{
	struct acp_program *p = program;
	struct acp_task *t;

	if (!p->talk) {
		acp_refuse(r, ACP_INTERNAL, "the conversation is closed");
		return;
	}
	t = mem_new(sizeof(*t));
	*t = (struct acp_task){ .of = p, .turn = acp_program_turn(p), .r = r };
	r->own = t;
	if (t->turn)
		t->turn->acp->tasks++;
	switch (r->ask) {
	case ACP_ASK_PERMISSION:
		acp_permission(t);
		break;
	case ACP_ASK_READ:
		acp_read_file(t);
		break;
	case ACP_ASK_WRITE:
		acp_write_file(t);
		break;
	case ACP_ASK_TERMINAL:
		acp_terminal_create(t);
		break;
	case ACP_ASK_OUTPUT:
		acp_terminal_output(t);
		break;
	case ACP_ASK_EXIT:
		acp_terminal_wait(t);
		break;
	case ACP_ASK_KILL:
	case ACP_ASK_RELEASE:
		acp_terminal_kill(t, r->ask == ACP_ASK_RELEASE);
		break;
	}
}

/* Each of these leads to its answer, which nobody hears. */
void acp_task_cancel(void *program, struct acp_request *r)
{
	struct acp_task *t = r->own;

	(void)program;
	if (t->asking)
		permission_cancel(t->asking);
	else if (t->review)
		acp_review_cancel(t->review);
	else if (t->call)
		call_cancel(t->call);
	else if (t->waits)
		acp_terminal_unwait(t);
}
