#include "provider_impl.h"
#include "schema.h"

/*
 * OpenAI's Responses API (POST /responses), with `store` off: all that the model gave goes back to
 * it in the next request, its encrypted thoughts too, and nothing stays with the provider.
 */
static void responses_path(struct str model, struct buf *out)
{
	(void)model;
	buf_adds(out, "/responses");
}

static void put_message_text(json *input, const char *role, const char *type, struct str text)
{
	json *message = llm_put_message(input, role), *part;

	/* OpenAI's own service knows it by its role as well; llama.cpp's does not. */
	json_add(message, "type", json_strz("message"));
	part = json_push(json_add(message, "content", json_array()), json_object());
	json_add(part, "type", json_strz(type));
	llm_put_str(part, "text", text);
}

static void put_kept(json *input, struct str kept)
{
	struct err e = ERR_INIT;
	json *item = json_parse(kept, &e);

	if (item)
		json_push(input, item);
}

static json *put_item(json *input, const char *type, const struct chat_part *p)
{
	json *item = json_push(input, json_object());

	json_add(item, "type", json_strz(type));
	llm_put_str(item, "call_id", p->id);
	return item;
}

static void responses_put_part(json *input, const struct chat_message *m, const struct chat_part *p)
{
	json *item;

	switch (p->kind) {
	case CHAT_THOUGHT:
		if (p->kept.n && str_eq(m->format, str_of(provider_responses.name)))
			put_kept(input, p->kept);
		break;
	case CHAT_CALL:
		item = put_item(input, "function_call", p);
		llm_put_str(item, "name", p->name);
		llm_put_str(item, "arguments", p->text.n ? p->text : STR("{}"));
		break;
	case CHAT_RESULT:
		llm_put_str(put_item(input, "function_call_output", p), "output", p->text);
		break;
	case CHAT_TEXT:
	case CHAT_SHOWN:
		if (m->role == CHAT_MODEL)
			put_message_text(input, "assistant", "output_text", p->text);
		else
			put_message_text(input, "user", "input_text", p->text);
	}
}

static void responses_body(json *body, const struct prompt *prompt, const struct llm_options *o)
{
	json *input;

	llm_put_str(body, "model", o->model);
	json_add(body, "stream", json_bool(true));
	json_add(body, "store", json_bool(false));
	json_push(json_add(body, "include", json_array()),
		  json_strz("reasoning.encrypted_content"));
	if (prompt->system.n)
		llm_put_str(body, "instructions", prompt->system);
	schema_functions(body, o->tools, o->strict, false);
	if (o->max_tokens)
		json_add(body, "max_output_tokens", json_int(o->max_tokens));
	if (o->effort)
		json_add(body, "reasoning",
			 json_of({ "effort", json_strz(o->effort) },
				 { "summary", json_strz("auto") }));
	if (o->cache_id.n)
		llm_put_str(body, "prompt_cache_key", o->cache_id);
	input = json_add(body, "input", json_array());
	for (size_t i = 0; i < prompt->chat.n; i++)
		for (size_t k = 0; k < prompt->chat.v[i]->n; k++)
			responses_put_part(input, prompt->chat.v[i], &prompt->chat.v[i]->v[k]);
}

struct item {
	struct str type, id, name, arguments;
};

static const struct member item_rows[] = {
	{ "type", '"', offsetof(struct item, type) },
	{ "call_id", '"', offsetof(struct item, id) },
	{ "name", '"', offsetof(struct item, name) },
	{ "arguments", '"', offsetof(struct item, arguments) },
};

struct event {
	struct str type, delta, item, response, error;
	int64_t index; /* of the item in the output */
};

static const struct member event_rows[] = {
	{ "type", '"', offsetof(struct event, type) },
	{ "delta", '"', offsetof(struct event, delta) },
	{ "output_index", '0', offsetof(struct event, index) },
	{ "item", '{', offsetof(struct event, item) },
	{ "response", '{', offsetof(struct event, response) },
	{ "error", '{', offsetof(struct event, error) },
};

/* `done`: with all that it came to, so that arguments which did not come in pieces come here. */
static bool on_item(struct stream *s, const struct event *ev, bool done, struct err *e)
{
	struct item it = { .type = STR("") };
	size_t part;

	if (!stream_read(s, ev->item, MEMBERS(item_rows), &it, e))
		return false;
	if (done && str_eq(it.type, STR("reasoning")))
		stream_kept(s, stream_part(s, ev->index, LLM_THOUGHT), STR(""), ev->item);
	if (!str_eq(it.type, STR("function_call")))
		return true;
	if (!stream_has_part(s, ev->index, LLM_CALL, &part))
		part = stream_call(s, ev->index, it.id, it.name);
	if (!done)
		return true;
	if (!s->v[part].said)
		stream_text(s, part, LLM_ARGUMENTS, it.arguments);
	stream_call_end(s, part);
	return true;
}

struct response {
	struct str error, details, reason, usage;
};

static const struct member response_rows[] = {
	{ "error", '{', offsetof(struct response, error) },
	{ "incomplete_details", '{', offsetof(struct response, details) },
	{ "reason", '"', offsetof(struct response, reason) },
	{ "usage", '{', offsetof(struct response, usage) },
};

static bool on_response(struct stream *s, const struct event *ev, struct err *e)
{
	enum llm_stop stop = LLM_END_TURN;
	struct response r = { .error = STR("") };

	if (!stream_read(s, ev->response, MEMBERS(response_rows), &r, e) ||
	    !stream_read(s, r.details, MEMBERS(response_rows), &r, e) ||
	    (r.usage.n && !stream_tokens(s, r.usage, "input_tokens", "output_tokens",
					 "input_tokens_details", e)))
		return false;
	if (str_eq(ev->type, STR("response.failed")))
		return stream_refused(s, r.error.n ? r.error : ev->response, e);
	if (str_eq(ev->type, STR("response.incomplete")))
		stop = str_eq(r.reason, STR("content_filter")) ? LLM_REFUSAL : LLM_MAX_TOKENS;
	stream_stop(s, stop_or_calls(s, stop));
	return true;
}

static void on_delta(struct stream *s, const struct event *ev)
{
	static const struct {
		const char *type;
		enum llm_event_kind kind, of;
	} rows[] = {
		{ "response.output_text.delta", LLM_TEXT, LLM_TEXT },
		{ "response.refusal.delta", LLM_TEXT, LLM_TEXT },
		{ "response.reasoning_summary_text.delta", LLM_THOUGHT, LLM_THOUGHT },
		{ "response.reasoning_text.delta", LLM_THOUGHT, LLM_THOUGHT },
		{ "response.function_call_arguments.delta", LLM_ARGUMENTS, LLM_CALL },
	};
	size_t part;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!str_eq(ev->type, str_of(rows[i].type)))
			continue;
		if (stream_has_part(s, ev->index, rows[i].of, &part))
			stream_text(s, part, rows[i].kind, ev->delta);
		else if (rows[i].of != LLM_CALL)
			stream_text(s, stream_part(s, ev->index, rows[i].of), rows[i].kind,
				    ev->delta);
	}
}

static bool responses_event(struct stream *s, struct str name, struct str data, struct err *e)
{
	struct event ev = { .type = name, .index = -1 };
	bool done;

	if (str_eq(data, STR("[DONE]")))
		return true;
	if (!stream_read(s, data, MEMBERS(event_rows), &ev, e))
		return false;
	if (ev.error.n || str_eq(ev.type, STR("error")))
		return stream_refused(s, ev.error.n ? ev.error : data, e);
	if (str_eq(ev.type, STR("response.completed")) ||
	    str_eq(ev.type, STR("response.incomplete")) || str_eq(ev.type, STR("response.failed")))
		return on_response(s, &ev, e);
	done = str_eq(ev.type, STR("response.output_item.done"));
	if (done || str_eq(ev.type, STR("response.output_item.added")))
		return on_item(s, &ev, done, e);
	on_delta(s, &ev);
	return true;
}

const struct provider provider_responses = {
	.name = "openai-responses",
	.headers = { "authorization", "Bearer ", NULL, NULL },
	.path = responses_path,
	.body = responses_body,
	.event = responses_event,
};
