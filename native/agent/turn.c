#include "turn.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "turn_impl.h"

static void turn_ask(struct turn *t);

void conversation_init(struct conversation *c, struct oxide *ox, struct http *http,
		       const struct model *model)
{
	*c = (struct conversation){ .ox = ox, .http = http, .model = model, .system = "" };
	c->usage = (struct llm_usage)LLM_NO_USAGE;
	chat_init(&c->chat);
}

void conversation_release(struct conversation *c)
{
	chat_release(&c->chat);
}

void turn_tell_message(const struct turn *t)
{
	const struct chat *chat = &t->of->chat;

	turn_record_message(t, chat->v[chat->n - 1]);
	if (t->events.message)
		t->events.message(t->self);
}

static void turn_end(struct turn *t, const struct err *e)
{
	struct turn_events events = t->events;
	void *self = t->self;

	if (chat_is_waiting(&t->of->chat)) {
		chat_answer_rest(&t->of->chat, STR("not run: the turn has ended"));
		turn_tell_message(t);
	}
	reply_release(&t->reply);
	turn_release_calls(t);
	buf_release(&t->failed_last);
	free(t);
	events.done(self, e);
}

static void on_event(void *self, const struct llm_event *event)
{
	struct turn *t = self;

	reply_event(&t->reply, event);
	if (t->events.text && (event->kind == LLM_TEXT || event->kind == LLM_THOUGHT))
		t->events.text(t->self, event->text, event->kind == LLM_THOUGHT);
}

static void on_waits(void *self, uint64_t ms, const struct err *why)
{
	struct turn *t = self;

	if (t->events.waits)
		t->events.waits(t->self, ms, why);
}

static void add_tokens(int64_t *sum, int64_t more)
{
	if (more >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + more;
}

static void count_usage(struct llm_usage *sum, const struct llm_usage *u)
{
	add_tokens(&sum->input, u->input);
	add_tokens(&sum->output, u->output);
	add_tokens(&sum->cached, u->cached);
	add_tokens(&sum->cache_written, u->cache_written);
}

/* Why an answer that is complete is not all that the model meant to say. */
static void say_stop(const struct turn *t, enum llm_stop stop, struct err *e)
{
	const char *who = t->of->model->name;

	switch (stop) {
	case LLM_MAX_TOKENS:
		err_set(e, ERR_LIMIT, "the answer of %s was cut off at its limit of tokens", who);
		break;
	case LLM_WINDOW_FULL:
		err_set(e, ERR_LIMIT, "the conversation is too long for %s", who);
		break;
	case LLM_REFUSAL:
		err_set(e, ERR_DENIED, "%s refused to answer", who);
		break;
	case LLM_MALFORMED_CALL:
		err_set(e, ERR_PEER, "%s called a tool in a form that cannot be read", who);
		break;
	default:
		break;
	}
}

static void on_exchanged(void *self, const struct err *failed)
{
	struct turn *t = self;
	struct err e = *failed;
	enum llm_stop stop = t->reply.stop;
	const struct chat_message *m;

	t->exchange = NULL;
	count_usage(&t->of->usage, &t->reply.usage);
	m = reply_keep(&t->reply, &t->of->chat, str_of(provider_name(t->of->model->provider)));
	reply_init(&t->reply);
	if (m)
		turn_tell_message(t);
	if (!e.code)
		say_stop(t, stop, &e);
	if (!e.code && m && chat_is_waiting(&t->of->chat))
		turn_run_calls(t, m);
	else if (!e.code && m && stop == LLM_PAUSE)
		turn_ask(t);
	else
		turn_end(t, &e);
}

static const struct exchange_events exchange_events = { on_event, on_waits, on_exchanged };

/* All tools that are no other name for another one. */
static json *tool_rows(void)
{
	json *rows = json_array();

	for (const struct tool *const *t = tools; *t; t++)
		if ((*t)->flags & TOOL_CORE)
			json_push(rows, json_of({ "name", json_strz((*t)->name) },
						{ "description", json_strz((*t)->doc) },
						{ "schema", tool_schema(*t) }));
	return rows;
}

static bool is_within_bounds(const struct turn *t, struct err *e)
{
	const struct config *c = &t->of->ox->config;
	int64_t rounds = config_get(c, CFG_CHAT_ROUNDS), seconds = config_get(c, CFG_CHAT_SECONDS);

	if (t->rounds > rounds)
		return err_set(e, ERR_LIMIT, "the turn ended after %lld requests (chat.rounds)",
			       (long long)rounds);
	if (loop_now(t->of->ox->loop) - t->began > (uint64_t)seconds * 1000)
		return err_set(e, ERR_LIMIT, "the turn ended after %lld s (chat.seconds)",
			       (long long)seconds);
	return true;
}

static bool turn_send(struct turn *t, struct err *e)
{
	const struct model *m = t->of->model;
	json *rows = tool_rows();
	struct llm_options o = { .model = str_of(m->id),
				 .tools = rows,
				 .strict = m->strict,
				 .effort = m->effort,
				 .max_tokens = m->max_tokens,
				 .extra = m->extra };
	struct prompt_limits limits = {
		.window = m->window,
		.answer = (size_t)m->max_tokens,
		.old_result = (size_t)config_get(&t->of->ox->config, CFG_CHAT_OLD_RESULT),
	};
	struct prompt p;

	if (prompt_build(&p, &t->of->chat, str_of(t->of->system), &limits, e))
		t->exchange =
			exchange_start(t->of->ox, t->of->http, m, &p, &o, &exchange_events, t, e);
	prompt_release(&p);
	json_free(rows);
	return t->exchange;
}

static void turn_ask(struct turn *t)
{
	struct err e = ERR_INIT;

	t->rounds++;
	if (t->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else if (is_within_bounds(t, &e) && turn_send(t, &e))
		return;
	turn_end(t, &e);
}

void turn_calls_over(struct turn *t, const struct err *e)
{
	if (e->code)
		turn_end(t, e);
	else
		turn_ask(t);
}

static void turn_begin(void *arg)
{
	struct turn *t = arg;
	const struct chat *chat = &t->of->chat;

	if (chat->n && chat->v[chat->n - 1]->role == CHAT_PERSON)
		turn_record_message(t, chat->v[chat->n - 1]);
	turn_ask(t);
}

struct turn *turn_start(struct conversation *c, const struct turn_events *events, void *self)
{
	struct turn *t = mem_new(sizeof(*t));

	*t = (struct turn){ .of = c, .events = *events, .self = self };
	t->began = loop_now(c->ox->loop);
	c->turns++;
	reply_init(&t->reply);
	loop_soon(c->ox->loop, turn_begin, t);
	return t;
}

void turn_cancel(struct turn *t)
{
	t->cancelled = true;
	if (t->exchange)
		exchange_cancel(t->exchange);
	else
		turn_cancel_calls(t);
}
