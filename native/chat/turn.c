#include "turn.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "../tool/shown_texts.h"
#include "turn_impl.h"

void conversation_init(struct conversation *c, struct oxide *ox)
{
	*c = (struct conversation){ .ox = ox };
	c->usage = (struct llm_usage)LLM_NO_USAGE;
	c->shown = shown_texts_new((size_t)config_get(&ox->config, CFG_SHOWN_BYTES));
	shown_texts_round(c->shown);
	chat_init(&c->chat);
	chat_init(&c->news);
}

void conversation_release(struct conversation *c)
{
	if (c->ox) /* it was opened */
		turn_drafts_forget(c->ox, c);
	chat_release(&c->news);
	buf_release(&c->system);
	chat_release(&c->chat);
	shown_texts_free(c->shown);
	window_release(&c->window);
}

void conversation_cut(struct conversation *c, size_t n)
{
	window_cut(c, n);
	shown_texts_back(c->shown, n);
}

const char *conversation_who(const struct conversation *c)
{
	return c->engine->who(c);
}

void turn_tell_message(const struct turn *t)
{
	const struct chat *chat = &t->of->chat;

	conversation_keep_shown(t->of);
	turn_record_message(t, chat->v[chat->n - 1]);
	if (t->events.message)
		t->events.message(t->self);
}

static void turn_over(struct turn *t)
{
	struct turn_events events = t->events;
	struct err e = t->end;
	void *self = t->self;

	timer_free(t->limit);
	t->of->going = NULL;
	t->of->engine->free(t);
	free(t);
	events.done(self, &e);
}

void turn_end(struct turn *t, const struct err *e)
{
	if (chat_is_waiting(&t->of->chat)) {
		chat_answer_rest(&t->of->chat, STR("not run: the turn has ended"));
		turn_tell_message(t);
	}
	t->end = *e;
	turn_review_end(t, turn_over);
}

bool turn_say_seconds(const struct turn *t, struct err *e)
{
	int64_t seconds = config_get(&t->of->ox->config, CFG_CHAT_SECONDS);

	return err_set(e, ERR_LIMIT, "the turn ended after %lld s (chat.seconds)",
		       (long long)seconds);
}

static void on_seconds(void *self)
{
	struct turn *t = self;
	struct err e = ERR_INIT;

	turn_say_seconds(t, &e);
	t->of->engine->stop(t, &e);
}

static void turn_begin(void *arg)
{
	struct turn *t = arg;
	const struct chat *chat = &t->of->chat;

	if (chat->n && chat->v[chat->n - 1]->role == CHAT_PERSON)
		turn_record_message(t, chat->v[chat->n - 1]);
	t->of->engine->begin(t);
}

struct turn *turn_start(struct conversation *c, const struct turn_events *events, void *self)
{
	struct turn *t = mem_new(sizeof(*t));

	*t = (struct turn){ .of = c, .events = *events, .self = self };
	t->used = (struct llm_usage)LLM_NO_USAGE;
	t->began = loop_now(c->ox->loop);
	t->limit = timer_new(c->ox->loop, on_seconds, t);
	timer_set(t->limit,
		  t->began + (uint64_t)config_get(&c->ox->config, CFG_CHAT_SECONDS) * 1000);
	c->turns++;
	c->going = t;
	shown_texts_mark(c->shown, c->chat.n);
	conversation_tell_news(c);
	memcpy(c->turn, c->next, sizeof(c->turn));
	*c->next = '\0';
	loop_soon(c->ox->loop, turn_begin, t);
	return t;
}

void turn_cancel(struct turn *t)
{
	t->unreviewed = t->cancelled || t->reviewing;
	t->cancelled = true;
	if (!turn_cancel_review(t))
		t->of->engine->cancel(t);
}
