#include <stdlib.h>

#include "../io/loop.h"
#include "../tool/shown_texts.h"
#include "turn_impl.h"

/*
 * The engine that asks a model: what was said goes out, the answer streams back (exchange.h), the
 * tools that it calls are run (turn_calls.c), their results go out, until it calls none any more.
 */
static void model_ask(struct turn *t);

/* In the middle of an answer, which stays as far as it came. */
static void model_stop(struct turn *t, const struct err *why)
{
	if (t->over.code || !t->exchange)
		return;
	t->over = *why;
	exchange_cancel(t->exchange);
}

static void count_bytes(struct turn *t, size_t n)
{
	int64_t most = config_get(&t->of->ox->config, CFG_CHAT_ANSWER);
	struct err e = ERR_INIT;

	t->answered += n;
	if (t->answered <= (size_t)most)
		return;
	err_set(&e, ERR_LIMIT, "the answer was longer than %lld bytes (chat.answer_bytes)",
		(long long)most);
	model_stop(t, &e);
}

static void turn_model_on_event(void *self, const struct llm_event *event)
{
	struct turn *t = self;

	if (t->over.code)
		return;
	reply_event(&t->reply, event);
	count_bytes(t, event->text.n);
	if (t->events.text && !t->summing &&
	    (event->kind == LLM_TEXT || event->kind == LLM_THOUGHT))
		t->events.text(t->self, event->text, event->kind == LLM_THOUGHT);
}

static void on_waits(void *self, uint64_t ms, const struct err *why)
{
	struct turn *t = self;

	if (t->events.waits)
		t->events.waits(t->self, ms, why);
}

static void count_answer(struct turn *t)
{
	const struct llm_usage *u = &t->reply.usage;

	llm_usage_add(&t->of->usage, u);
	llm_usage_add(&t->used, u);
	window_counted(t->of, t->sent, u);
}

/* Why an answer that is complete is not all that the model meant to say. */
static void say_stop(const struct turn *t, enum llm_stop stop, struct err *e)
{
	const char *who = t->of->model->name;

	switch (stop) {
	case LLM_MAX_TOKENS:
		err_set(e, ERR_LIMIT,
			"the answer of %s was cut off at its token limit; ask it to go on, or "
			"raise max_tokens of the model",
			who);
		break;
	case LLM_WINDOW_FULL:
		err_set(e, ERR_LIMIT,
			"the conversation is too long for %s; begin a new one, show less, or use a "
			"model with a larger window",
			who);
		break;
	case LLM_REFUSAL:
		err_set(e, ERR_DENIED, "%s refused to answer", who);
		break;
	case LLM_MALFORMED_CALL:
		err_set(e, ERR_PEER, "%s called a tool in a form that cannot be read; ask again",
			who);
		break;
	default:
		break;
	}
}

/* The turn goes on without one where there is none. */
static void take_summary(struct turn *t, const struct err *failed)
{
	if (!failed->code)
		window_summed(t->of, t->summing, &t->reply);
	else if (!t->cancelled)
		window_not_summed(t->of, t->summing);
	t->summing = 0;
	t->over = (struct err)ERR_INIT;
	reply_release(&t->reply);
	reply_init(&t->reply);
	model_ask(t);
}

static void on_exchanged(void *self, const struct err *failed)
{
	struct turn *t = self;
	struct err e = t->over.code ? t->over : *failed;
	enum llm_stop stop = t->reply.stop;
	const struct chat_message *m;

	t->exchange = NULL;
	count_answer(t);
	if (t->summing) {
		take_summary(t, failed);
		return;
	}
	m = reply_keep(&t->reply, &t->of->chat, str_of(provider_name(t->of->model->provider)));
	reply_init(&t->reply);
	if (m)
		turn_tell_message(t);
	if (!e.code)
		say_stop(t, stop, &e);
	if (!e.code && !m && t->rounds == 1)
		err_set(&e, ERR_PEER, "%s has answered nothing; ask again",
			conversation_who(t->of));
	if (!e.code && m && chat_is_waiting(&t->of->chat))
		turn_run_calls(t, m);
	else if (!e.code && m && stop == LLM_PAUSE)
		model_ask(t);
	else
		turn_end(t, &e);
}

static const struct exchange_events exchange_events = { turn_model_on_event, on_waits,
							on_exchanged };

/* All tools that are no other name for another one; *bytes: as they are sent. */
static json *tool_rows(size_t *bytes)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	json *rows = json_array();

	for (const struct tool *const *t = tools; *t; t++)
		if ((*t)->flags & TOOL_CORE)
			json_push(rows, json_of({ "name", json_strz((*t)->name) },
						{ "description", json_strz((*t)->doc) },
						{ "schema", tool_schema(*t) }));
	json_print(&text, rows);
	*bytes = text.n;
	return rows;
}

static bool is_within_bounds(const struct turn *t, struct err *e)
{
	const struct config *c = &t->of->ox->config;
	int64_t rounds = config_get(c, CFG_CHAT_ROUNDS), seconds = config_get(c, CFG_CHAT_SECONDS);
	int64_t tokens = config_get(c, CFG_CHAT_TOKENS), most = config_get(c, CFG_CHAT_COST);
	int64_t used = llm_usage_tokens(&t->used);
	double cost = model_cost(t->of->model, &t->used);

	if (t->rounds > rounds)
		return err_set(e, ERR_LIMIT, "the turn ended after %lld requests (chat.rounds)",
			       (long long)rounds);
	if (loop_now(t->of->ox->loop) - t->began > (uint64_t)seconds * 1000)
		return turn_say_seconds(t, e);
	if (tokens && used > tokens)
		return err_set(e, ERR_LIMIT, "the turn ended after %lld tokens (chat.tokens)",
			       (long long)used);
	if (most && cost * 100 > (double)most)
		return err_set(e, ERR_LIMIT, "the turn ended after a cost of %.2f (chat.cost)",
			       cost);
	return true;
}

/* What is sent next: the conversation, or the question for a summary of its beginning, first. */
static bool model_prompt(struct turn *t, struct prompt *p, size_t tool_bytes, struct err *e)
{
	const struct conversation *c = t->of;
	struct prompt_limits limits = window_limits(c, tool_bytes);
	struct prompt ask;

	if (!prompt_build(p, &c->chat, buf_str(&c->system), &limits, e))
		return false;
	t->summing = window_to_sum(c, p, tool_bytes);
	if (!t->summing)
		return true;
	if (window_sum_prompt(c, t->summing, tool_bytes, &ask, ERR_IGNORED)) {
		prompt_release(p);
		*p = ask;
	} else {
		prompt_release(&ask);
		t->summing = 0;
	}
	return true;
}

static bool model_send(struct turn *t, struct err *e)
{
	const struct model *m = t->of->model;
	size_t tool_bytes;
	json *rows SCOPED(json_release) = tool_rows(&tool_bytes);
	struct llm_options o = { .model = str_of(m->id),
				 .tools = rows,
				 .strict = m->strict,
				 .effort = m->effort,
				 .max_tokens = m->max_tokens,
				 .extra = m->extra };
	struct prompt p SCOPED(prompt_release) = { 0 };

	shown_texts_round(t->of->shown);
	if (model_prompt(t, &p, tool_bytes, e)) {
		t->sent = p.bytes;
		t->exchange =
			exchange_start(t->of->ox, t->of->http, m, &p, &o, &exchange_events, t, e);
	}
	return t->exchange;
}

static void model_ask(struct turn *t)
{
	struct err e = ERR_INIT;

	t->rounds++;
	t->answered = 0;
	if (t->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else if (is_within_bounds(t, &e) && model_send(t, &e))
		return;
	turn_end(t, &e);
}

void turn_calls_over(struct turn *t, const struct err *e)
{
	if (e->code)
		turn_end(t, e);
	else
		model_ask(t);
}

static void model_cancel(struct turn *t)
{
	if (t->exchange)
		exchange_cancel(t->exchange);
	else
		turn_cancel_calls(t);
}

static void model_begin(struct turn *t)
{
	reply_init(&t->reply);
	conversation_tell_rules(t->of);
	model_ask(t);
}

static void model_free(struct turn *t)
{
	reply_release(&t->reply);
	turn_release_calls(t);
	buf_release(&t->failed_last);
}

static const char *model_who(const struct conversation *c)
{
	return c->model->name;
}

static double cost_of_model(const struct conversation *c)
{
	return model_cost(c->model, &c->usage);
}

static const struct engine engine_model = { .name = "model",
					    .begin = model_begin,
					    .stop = model_stop,
					    .cancel = model_cancel,
					    .free = model_free,
					    .who = model_who,
					    .cost = cost_of_model };

void conversation_with_model(struct conversation *c, struct http *http, const struct model *model)
{
	c->engine = &engine_model;
	c->http = http;
	c->model = model;
}
