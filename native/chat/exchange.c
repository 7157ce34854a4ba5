#include "exchange.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "key_command.h"
#include "refusal.h"

#define ERROR_KEPT 16384 /* bytes of the body of an answer that is an error */

struct exchange {
	struct oxide *ox;
	struct http *http;
	const struct model *model;
	struct exchange_events events;
	void *self;
	struct buf url, body;
	struct key_command *key;	/* is being asked for it */
	struct http_transfer *transfer; /* NULL: it waits */
	struct stream *stream;
	struct timer *pause;
	int status, tries;
	bool is_stream; /* the answer; else it is an error */
	bool told;	/* part of the answer */
	bool cancelled;
	bool passes;	      /* the answer that is an error */
	struct buf error;     /* the body of an answer that is none */
	struct err why;	      /* what ended the stream */
	uint64_t retry_after; /* ms; 0: not said */
};

static bool exchange_send(struct exchange *x, struct err *e);

static void exchange_free(struct exchange *x)
{
	stream_free(x->stream);
	timer_free(x->pause);
	buf_release(&x->url);
	buf_release(&x->body);
	buf_release(&x->error);
	free(x);
}

static void exchange_end(struct exchange *x, const struct err *e)
{
	struct exchange_events events = x->events;
	void *self = x->self;

	exchange_free(x);
	events.done(self, e);
}

static void exchange_on_event(void *arg, const struct llm_event *event)
{
	struct exchange *x = arg;

	x->told = x->told || event->kind != LLM_USAGE;
	x->events.event(x->self, event);
}

/* Some servers, and what is before them, answer with a page or an object instead. */
static bool is_stream(const struct http_transfer *t)
{
	struct str type = http_header(t, "content-type");

	return !str_starts(type, STR("text/html")) && !str_starts(type, STR("application/json"));
}

static void on_head(void *self, struct http_transfer *t, int status)
{
	struct exchange *x = self;

	x->status = status;
	x->is_stream = status / 100 == 2 && is_stream(t);
	x->retry_after = http_retry_after(t);
}

static void on_data(void *self, struct http_transfer *t, struct str bytes)
{
	struct exchange *x = self;

	if (x->why.code)
		return;
	if (!x->is_stream)
		buf_add(&x->error, bytes.n + x->error.n > ERROR_KEPT
					   ? str_sub(bytes, 0, ERROR_KEPT - x->error.n)
					   : bytes);
	else if (!stream_feed(x->stream, bytes, &x->why))
		http_cancel(t);
}

static void read_refusal(struct exchange *x, struct err *e)
{
	struct refusal r SCOPED(refusal_release) = { 0 };

	refusal_read(&r, x->status, buf_str(&x->error));
	refusal_say(&r, x->model, e);
	x->passes = r.passes;
	x->retry_after = x->retry_after ? x->retry_after : r.retry_after;
	if (e->code == ERR_DENIED)
		model_set_key(x->model, STR("")); /* it may be another one next time */
}

static bool passes(const struct exchange *x, const struct err *e)
{
	if (x->status / 100 == 2 && e->code == ERR_PEER)
		return stream_may_retry(x->stream);
	if (x->status && x->status / 100 != 2)
		return x->passes;
	return e->code == ERR_IO || e->code == ERR_INCOMPLETE || e->code == ERR_TIMEOUT;
}

static void pause_over(void *arg)
{
	struct exchange *x = arg;
	struct err e = ERR_INIT;

	if (!exchange_send(x, &e))
		exchange_end(x, &e);
}

/* Before a word was told, with pauses that double. */
static bool exchange_again(struct exchange *x, const struct err *e)
{
	const struct config *c = &x->ox->config;
	uint64_t pause = (uint64_t)config_get(c, CFG_CHAT_RETRY_WAIT);

	if (x->told || x->cancelled || !passes(x, e) || x->tries > config_get(c, CFG_CHAT_RETRIES))
		return false;
	for (int i = 1; i < x->tries; i++)
		pause *= 2;
	pause = x->retry_after ? x->retry_after : pause;
	if (x->events.waits)
		x->events.waits(x->self, pause, e);
	if (!x->pause)
		x->pause = timer_new(x->ox->loop, pause_over, x);
	timer_set(x->pause, loop_now(x->ox->loop) + pause);
	return true;
}

static void say_tries(const struct exchange *x, struct err *e)
{
	const struct err last = *e;

	if (x->tries > 1 && !x->told && !x->cancelled)
		err_set(e, last.code, "%s (tried %d times)", last.msg, x->tries);
}

static void on_done(void *self, struct http_transfer *t, const struct err *failed)
{
	struct exchange *x = self;
	struct err e = ERR_INIT;

	(void)t;
	x->transfer = NULL;
	if (x->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else if (x->why.code)
		e = x->why;
	else if (failed)
		e = *failed;
	else if (!x->is_stream)
		read_refusal(x, &e);
	else
		stream_end(x->stream, &e);
	if (stream_retry_after(x->stream))
		x->retry_after = stream_retry_after(x->stream);
	if (e.code && exchange_again(x, &e))
		return;
	if (e.code)
		say_tries(x, &e);
	exchange_end(x, &e);
}

static const struct http_events http_events = { on_head, on_data, on_done };

static bool exchange_send(struct exchange *x, struct err *e)
{
	const struct config *c = &x->ox->config;
	struct llm_headers h = provider_headers(x->model->provider);
	struct http_header headers[4] = { { "content-type", "application/json" },
					  { "accept", "text/event-stream" } };
	struct http_request r = { .method = "POST",
				  .url = x->url.p,
				  .headers = headers,
				  .n_headers = 2,
				  .body = buf_str(&x->body),
				  .connect_ms = (uint64_t)config_get(c, CFG_CHAT_CONNECT),
				  .silence_ms = (uint64_t)config_get(c, CFG_CHAT_SILENCE) };
	struct buf key = BUF_INIT;
	struct str value;

	if (!model_key(x->model, &value, e))
		return false;
	if (value.n) {
		buf_addf(&key, "%s%.*s", h.key_prefix ? h.key_prefix : "", STR_ARG(value));
		headers[r.n_headers++] = (struct http_header){ h.key, key.p };
	}
	if (h.also)
		headers[r.n_headers++] = (struct http_header){ h.also, h.value };
	x->tries++;
	x->status = 0;
	x->why = (struct err)ERR_INIT;
	buf_clear(&x->error);
	stream_free(x->stream);
	x->stream = stream_new(x->model->provider, (size_t)config_get(c, CFG_CHAT_EVENT),
			       exchange_on_event, x);
	x->transfer = http_start(x->http, &r, &http_events, x, e);
	buf_wipe(&key);
	return x->transfer;
}

static void on_key(void *arg, const struct err *failed)
{
	struct exchange *x = arg;
	struct err e = *failed;

	x->key = NULL;
	if (!e.code && x->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	if (e.code || !exchange_send(x, &e))
		exchange_end(x, &e);
}

static bool exchange_begin(struct exchange *x, struct err *e)
{
	if (!model_wants_key(x->model))
		return exchange_send(x, e);
	x->key = key_command_start(x->ox, x->model, on_key, x, e);
	return x->key;
}

struct exchange *exchange_start(struct oxide *ox, struct http *http, const struct model *model,
				const struct prompt *prompt, const struct llm_options *options,
				const struct exchange_events *events, void *self, struct err *e)
{
	struct exchange *x = mem_new(sizeof(*x));

	*x = (struct exchange){
		.ox = ox, .http = http, .model = model, .events = *events, .self = self
	};
	buf_adds(&x->url, model->url);
	provider_path(model->provider, str_of(model->id), &x->url);
	provider_body(model->provider, prompt, options, &x->body);
	if (exchange_begin(x, e))
		return x;
	exchange_free(x);
	return NULL;
}

static void cancelled_in_pause(void *arg)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "cancelled");
	exchange_end(arg, &e);
}

void exchange_cancel(struct exchange *x)
{
	if (x->cancelled)
		return;
	x->cancelled = true;
	if (x->key) {
		key_command_cancel(x->key);
		return;
	}
	if (x->transfer) {
		http_cancel(x->transfer);
		return;
	}
	timer_set(x->pause, UINT64_MAX);
	loop_soon(x->ox->loop, cancelled_in_pause, x);
}
