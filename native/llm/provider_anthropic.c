#include "provider_impl.h"

/*
 * Anthropic's Messages API (POST /v1/messages). Documented at
 * https://docs.anthropic.com/en/api/messages-streaming.
 *
 * A thought goes back as it came, with its signature, while the turn goes on; a redacted one has
 * no text, and all of it is kept.
 */
#define REDACTED "redacted_thinking"

static void anthropic_path(struct str model, struct buf *out)
{
	(void)model;
	buf_adds(out, "/messages");
}

static void put_kind(json *part, const char *type)
{
	json_add(part, "type", json_strz(type));
}

static void put_thought(json *content, const struct chat_part *p)
{
	json *part;

	if (!p->kept.n)
		return;
	part = json_push(content, json_object());
	if (str_eq(p->name, STR(REDACTED))) {
		put_kind(part, REDACTED);
		llm_put_str(part, "data", p->kept);
		return;
	}
	put_kind(part, "thinking");
	llm_put_str(part, "thinking", p->text);
	llm_put_str(part, "signature", p->kept);
}

static void anthropic_put_part(json *content, const struct chat_part *p, bool own)
{
	json *part;

	if (p->kind == CHAT_THOUGHT) {
		if (own)
			put_thought(content, p);
		return;
	}
	if (p->kind == CHAT_TEXT && !str_trim(p->text).n)
		return; /* the API refuses it */
	part = json_push(content, json_object());
	if (p->kind == CHAT_CALL) {
		put_kind(part, "tool_use");
		llm_put_str(part, "id", p->id);
		llm_put_str(part, "name", p->name);
		json_add(part, "input", call_arguments(p));
	} else if (p->kind == CHAT_RESULT) {
		put_kind(part, "tool_result");
		llm_put_str(part, "tool_use_id", p->id);
		llm_put_str(part, "content", p->text);
		if (p->failed)
			json_add(part, "is_error", json_bool(true));
	} else {
		put_kind(part, "text");
		llm_put_str(part, "text", p->text);
	}
}

static void mark_for_cache(json *part)
{
	json *mark = json_add(part, "cache_control", json_object());

	put_kind(mark, "ephemeral");
}

/* Marks are set at the end of what will be the same in the next request: the instructions, and the
 * last message before the person's, which is the one that changes. */
static void put_messages(json *body, const struct prompt *prompt, const struct provider *self)
{
	json *messages = json_add(body, "messages", json_array());

	for (size_t i = 0; i < prompt->chat.n; i++) {
		const struct chat_message *m = prompt->chat.v[i];
		json *content, *last = NULL;

		content = json_add(llm_put_message(messages,
						   m->role == CHAT_MODEL ? "assistant" : "user"),
				   "content", json_array());
		for (size_t k = 0; k < m->n; k++)
			anthropic_put_part(content, &m->v[k],
					   str_eq(m->format, str_of(self->name)));
		json_each(part, content)
			last = (json *)part;
		if (last && (i + 1 == prompt->now || i + 1 == prompt->chat.n) &&
		    m->role != CHAT_MODEL)
			mark_for_cache(last);
	}
}

static void anthropic_put_tools(json *body, const json *tools)
{
	json *list;

	if (!json_len(tools))
		return;
	list = json_add(body, "tools", json_array());
	json_each(tool, tools) {
		json *row = json_push(list, json_object());

		llm_put_str(row, "name", json_get_str(tool, "name"));
		llm_put_str(row, "description", json_get_str(tool, "description"));
		json_add(row, "input_schema", json_copy(json_get(tool, "schema")));
	}
}

static void anthropic_body(json *body, const struct prompt *prompt, const struct llm_options *o)
{
	llm_put_str(body, "model", o->model);
	json_add(body, "max_tokens", json_int(o->max_tokens ? o->max_tokens : 8192));
	json_add(body, "stream", json_bool(true));
	if (prompt->system.n) {
		json *part = json_push(json_add(body, "system", json_array()), json_object());

		put_kind(part, "text");
		llm_put_str(part, "text", prompt->system);
		mark_for_cache(part);
	}
	anthropic_put_tools(body, o->tools);
	if (o->effort) {
		put_kind(json_add(body, "thinking", json_object()), "adaptive");
		json_add(json_add(body, "output_config", json_object()), "effort",
			 json_strz(o->effort));
	}
	put_messages(body, prompt, &provider_anthropic);
}

static const struct stop_row stops[] = {
	{ "tool_use", LLM_TOOL_CALLS }, { "max_tokens", LLM_MAX_TOKENS },
	{ "pause_turn", LLM_PAUSE },	{ "model_context_window_exceeded", LLM_WINDOW_FULL },
	{ "refusal", LLM_REFUSAL },
};

/* A block that begins, or more of one; and of the message, why it stopped. */
struct block {
	struct str type, id, name, data, text, thinking, signature, arguments, reason;
};

static const struct member block_rows[] = {
	{ "type", '"', offsetof(struct block, type) },
	{ "id", '"', offsetof(struct block, id) },
	{ "name", '"', offsetof(struct block, name) },
	{ "data", '"', offsetof(struct block, data) },
	{ "text", '"', offsetof(struct block, text) },
	{ "thinking", '"', offsetof(struct block, thinking) },
	{ "signature", '"', offsetof(struct block, signature) },
	{ "partial_json", '"', offsetof(struct block, arguments) },
	{ "stop_reason", '"', offsetof(struct block, reason) },
};

struct counts {
	int64_t fresh, output, cached, written;
};

static const struct member count_rows[] = {
	{ "input_tokens", '0', offsetof(struct counts, fresh) },
	{ "output_tokens", '0', offsetof(struct counts, output) },
	{ "cache_read_input_tokens", '0', offsetof(struct counts, cached) },
	{ "cache_creation_input_tokens", '0', offsetof(struct counts, written) },
};

struct event {
	struct str type, message, usage, error;
	int64_t index;
};

static const struct member event_rows[] = {
	{ "type", '"', offsetof(struct event, type) },
	{ "index", '0', offsetof(struct event, index) },
	{ "message", '{', offsetof(struct event, message) },
	{ "usage", '{', offsetof(struct event, usage) },
	{ "error", '{', offsetof(struct event, error) },
};

/* What an event before has told stays where this one does not tell it. */
static bool anthropic_on_usage(struct stream *s, struct str text, struct err *e)
{
	struct llm_usage *u = &s->usage;
	struct counts c = { -1, u->output, u->cached, u->cache_written };

	if (!stream_read(s, text, MEMBERS(count_rows), &c, e))
		return false;
	u->output = c.output;
	u->cached = c.cached;
	u->cache_written = c.written;
	if (c.fresh >= 0)
		u->input =
			c.fresh + (c.cached > 0 ? c.cached : 0) + (c.written > 0 ? c.written : 0);
	stream_usage(s);
	return true;
}

static void on_block(struct stream *s, int64_t index, const struct block *b)
{
	size_t part;

	if (str_eq(b->type, STR("tool_use")))
		stream_call(s, index, b->id, b->name);
	if (str_eq(b->type, STR(REDACTED)))
		stream_kept(s, stream_part(s, index, LLM_THOUGHT), b->type, b->data);
	if (b->text.n)
		stream_text(s, stream_part(s, index, LLM_TEXT), LLM_TEXT, b->text);
	if (b->thinking.n)
		stream_text(s, stream_part(s, index, LLM_THOUGHT), LLM_THOUGHT, b->thinking);
	if (b->signature.n)
		stream_kept(s, stream_part(s, index, LLM_THOUGHT), STR(""), b->signature);
	if (stream_has_part(s, index, LLM_CALL, &part))
		stream_text(s, part, LLM_ARGUMENTS, b->arguments);
	if (b->reason.n)
		s->stop = stop_of(b->reason, MEMBERS(stops), LLM_END_TURN);
}

/* The blocks are read where they are: most events are one. */
static bool read_event(struct stream *s, struct str data, struct event *ev, struct block *b,
		       struct err *e)
{
	struct jscan j = jscan_of(data, e);
	struct str key;

	if (!data.n)
		return true;
	for (jscan_object(&j); jscan_member(&j, &key);)
		if ((str_eq(key, STR("delta")) || str_eq(key, STR("content_block"))) &&
		    jscan_peek(&j) == '{')
			stream_read_next(s, &j, MEMBERS(block_rows), b);
		else
			stream_take(s, &j, key, MEMBERS(event_rows), ev);
	return jscan_ok(&j);
}

static bool anthropic_event(struct stream *s, struct str name, struct str data, struct err *e)
{
	struct event ev = { .type = name };
	struct block b = { .type = STR("") };
	size_t part;

	if (!read_event(s, data, &ev, &b, e))
		return false;
	if (ev.error.n)
		return stream_refused(s, ev.error, e);
	if (!stream_read(s, ev.message, (struct member[]){ { "usage", '{', 0 } }, 1, &ev.usage,
			 e) ||
	    (ev.usage.n && !anthropic_on_usage(s, ev.usage, e)))
		return false;
	on_block(s, ev.index, &b);
	if (str_eq(ev.type, STR("content_block_stop")) &&
	    stream_has_part(s, ev.index, LLM_CALL, &part))
		stream_call_end(s, part);
	if (str_eq(ev.type, STR("message_stop")))
		stream_stop(s, s->stop);
	return true;
}

const struct provider provider_anthropic = {
	.name = "anthropic",
	.headers = { "x-api-key", "", "anthropic-version", "2023-06-01" },
	.path = anthropic_path,
	.body = anthropic_body,
	.event = anthropic_event,
};
