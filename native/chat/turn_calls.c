#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "../tool/answer_text.h"
#include "turn_impl.h"

/* How often the same call may fail before the model is told, and before the turn ends. */
#define FAILED_HINT 2
#define FAILED_MOST 3

static void turn_calls_step(struct turn *t);

/* Tools that see real files alone run once what is drafted has been reviewed. */
static bool is_held(const struct turn_call *c)
{
	return c->tool && !(c->tool->flags & TOOL_TEXT) && turn_has_draft(c->of);
}

static bool runs_alone(const struct turn_call *c)
{
	return c->tool && (c->tool->flags & (TOOL_WRITES | TOOL_OPEN) || is_held(c));
}

static void refuse_call(struct turn_call *c, const struct err *e)
{
	answer_text(&c->result, c->tool, NULL, e, SIZE_MAX);
	c->failed = true;
	c->code = e->code;
}

/* Finds the tool, and reads the arguments. Answers decide what a person is asked, not arguments: a
 * model cannot confirm its own change. */
static void prepare_call(struct turn_call *c)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (c->args || c->failed)
		return;
	c->tool = tool_find(c->part->name, &e);
	buf_add(&text, c->part->text.n ? c->part->text : STR("{}"));
	c->args = c->tool ? tool_args(c->tool, &text, &e) : NULL;
	if (c->args)
		json_drop(c->args, "confirm");
	else
		refuse_call(c, &e);
}

/* Now, and not before: what ran before it may have written what it runs. */
static bool decide_call(struct turn_call *c, struct err *e)
{
	turn_decide(c);
	return c->rule != PERMISSION_DENY || permission_deny(&c->request, e);
}

/* False: it has to wait until nothing else runs. */
static bool may_start(struct turn *t, struct turn_call *c)
{
	struct err e = ERR_INIT;

	prepare_call(c);
	if (t->running && (t->writing || runs_alone(c)))
		return false;
	if (c->failed || is_held(c))
		return true;
	if (!decide_call(c, &e))
		refuse_call(c, &e);
	return !t->running || c->rule != PERMISSION_ASK;
}

/* The same call that failed before: how often by now. */
static size_t count_failure(struct turn *t, const struct turn_call *c)
{
	struct buf now = BUF_INIT;

	buf_addf(&now, "%.*s %.*s", STR_ARG(c->part->name), STR_ARG(c->part->text));
	if (!str_eq(buf_str(&now), buf_str(&t->failed_last)))
		t->failed_times = 0;
	buf_release(&t->failed_last);
	t->failed_last = now;
	return ++t->failed_times;
}

static void end_call(struct turn_call *c, const json *answer)
{
	struct turn *t = c->of;

	c->ended = true;
	if (c->failed && count_failure(t, c) == FAILED_HINT)
		buf_adds(&c->result, "The same call has failed twice: do not repeat it; read the "
				     "file again, or try another way.\n");
	if (t->events.result)
		t->events.result(t->self, c->part, buf_str(&c->result), answer, c->failed);
	turn_record_call(c, answer);
}

static void finish_call(struct turn_call *c, json *result, const struct err *e)
{
	struct turn *t = c->of;

	answer_text(&c->result, c->tool, result, e,
		    (size_t)config_get(&t->of->ox->config, CFG_MCP_ANSWER));
	if (!e->code && json_get_bool(result, "needs_confirmation", false))
		buf_adds(&c->result, "Nothing was changed: the user has not confirmed it.\n");
	c->failed = e->code != ERR_OK;
	c->code = e->code;
	t->running--;
	t->writing = false;
	end_call(c, result);
	json_free(result);
	turn_calls_step(t);
}

static void decide_place(struct turn_call *c);

static void on_answer(void *arg, json *result, const struct err *e)
{
	struct turn_call *c = arg;

	c->call = NULL;
	c->elsewhere = NULL;
	if (turn_asks_outside(c, e)) {
		json_free(result);
		decide_place(c);
	} else {
		finish_call(c, result, e);
	}
}

static void begin_call(struct turn_call *c)
{
	struct call_context context = c->of->of->context;
	json *args = json_copy(c->args); /* it may have to be made again */

	context.origin = "chat";
	context.who = c->of->of->model->name;
	context.shown = c->of->of->shown;
	turn_permit(c, &context);
	turn_draft_for(c->of, c->tool, &context);
	if (c->of->of->runner) {
		c->elsewhere = c->of->of->runner->start(c->of->of->runner_self, c->tool, args,
							&context, on_answer, c);
		return;
	}
	c->call = call_start(c->of->of->ox, c->tool, args, &context, on_answer, c);
}

/* Of a file that it was refused for. */
static void on_place_permission(void *arg, const struct err *e)
{
	struct turn_call *c = arg;

	c->asking = NULL;
	if (e->code) {
		finish_call(c, NULL, e);
		return;
	}
	turn_exempt_place(c);
	begin_call(c);
}

static void decide_place(struct turn_call *c)
{
	struct err e = ERR_INIT;

	if (c->rule == PERMISSION_ASK) {
		c->asking =
			permission_ask(c->of->of->permissions, &c->request, on_place_permission, c);
		return;
	}
	if (c->rule == PERMISSION_DENY)
		permission_deny(&c->request, &e);
	on_place_permission(c, &e);
}

static void on_permission(void *arg, const struct err *e)
{
	struct turn_call *c = arg;

	c->asking = NULL;
	c->rule = PERMISSION_ALLOW;
	if (e->code)
		finish_call(c, NULL, e);
	else
		begin_call(c);
}

static void ask_or_begin_call(struct turn_call *c)
{
	if (c->rule == PERMISSION_ASK)
		c->asking = permission_ask(c->of->of->permissions, &c->request, on_permission, c);
	else
		begin_call(c);
}

void turn_resume_call(struct turn_call *c, bool decided)
{
	struct err e = ERR_INIT;

	if (c->of->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled by the user");
	else if (!decided)
		err_set(&e, ERR_NEEDS_CONFIRMATION,
			"not run: %s sees the changes of this turn once the user has reviewed them",
			c->tool->name);
	if (e.code || !decide_call(c, &e))
		finish_call(c, NULL, &e);
	else
		ask_or_begin_call(c);
}

static void start_call(struct turn *t, struct turn_call *c)
{
	c->began_ms = loop_wall_ms();
	if (t->events.call)
		t->events.call(t->self, c->part);
	if (c->failed) {
		end_call(c, NULL);
		return;
	}
	t->running++;
	t->writing = runs_alone(c) || c->rule == PERMISSION_ASK;
	if (is_held(c))
		turn_hold_call(c);
	else
		ask_or_begin_call(c);
}

static void put_results(struct turn *t)
{
	struct chat_message *m = chat_add(&t->of->chat, CHAT_TOOLS);

	for (size_t i = 0; i < t->n; i++) {
		struct turn_call *c = &t->calls[i];
		struct chat_part part = { .kind = CHAT_RESULT,
					  .failed = c->failed || !c->ended,
					  .id = c->part->id,
					  .name = c->part->name,
					  .text = c->ended ? buf_str(&c->result)
							   : STR("cancelled by the user") };

		chat_put(m, &part);
		if (!c->ended)
			turn_record_call(c, NULL);
	}
}

static void all_ended(void *arg)
{
	struct turn *t = arg;
	struct err e = ERR_INIT;

	put_results(t);
	turn_tell_message(t);
	if (t->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else if (t->failed_times >= FAILED_MOST)
		err_set(&e, ERR_LIMIT,
			"the model made the same call %zu times, and it failed each "
			"time: %.*s",
			t->failed_times, (int)(t->failed_last.n > 200 ? 200 : t->failed_last.n),
			t->failed_last.p);
	turn_release_calls(t);
	turn_calls_over(t, &e);
}

/* Starts what can be: readers side by side, a writer when nothing else runs. */
static void turn_calls_step(struct turn *t)
{
	while (t->next < t->n && !t->cancelled) {
		struct turn_call *c = &t->calls[t->next];

		if (!may_start(t, c))
			return;
		t->next++;
		start_call(t, c);
	}
	if (!t->running)
		oxide_soon(t->of->ox, all_ended, t);
}

void turn_run_calls(struct turn *t, const struct chat_message *m)
{
	t->calls = mem_new((m->n + 1) * sizeof(*t->calls));
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].kind == CHAT_CALL)
			t->calls[t->n++] = (struct turn_call){ .of = t, .part = &m->v[i] };
	turn_calls_step(t);
}

void turn_cancel_calls(struct turn *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->calls[i].call)
			call_cancel(t->calls[i].call);
		if (t->calls[i].elsewhere)
			t->of->runner->cancel(t->of->runner_self, t->calls[i].elsewhere);
		if (t->calls[i].asking)
			permission_cancel(t->calls[i].asking);
	}
}

void turn_release_calls(struct turn *t)
{
	for (size_t i = 0; i < t->n; i++) {
		json_free(t->calls[i].args);
		buf_release(&t->calls[i].result);
		buf_release(&t->calls[i].title);
		buf_release(&t->calls[i].digest);
		buf_release(&t->calls[i].commands);
		exempt_release(&t->calls[i].exempt);
	}
	free(t->calls);
	t->calls = NULL;
	t->n = t->next = 0;
}
