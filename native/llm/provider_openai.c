#include "provider_impl.h"
#include "schema.h"

/*
 * OpenAI's Chat Completions (POST /chat/completions), as OpenAI has it and as llama.cpp, Ollama,
 * vLLM, LM Studio, OpenRouter, DeepSeek, Mistral, Groq and xAI vary it: arguments in one piece or
 * as an object, calls without an index or an id, an id or a name that is repeated, "stop" for a
 * turn that calls tools, `choices` that is empty, thoughts as `reasoning_content`, `reasoning` or
 * inside of <think> at the beginning of the text, errors inside of the stream, no [DONE].
 */
#define THINK	  "<think>"
#define THINK_END "</think>"

static void openai_path(struct str model, struct buf *out)
{
	(void)model;
	buf_adds(out, "/chat/completions");
}

static void put_calls(json *message, const struct chat_message *m)
{
	json *calls = json_add(message, "tool_calls", json_array());

	for (size_t i = 0; i < m->n; i++) {
		const struct chat_part *p = &m->v[i];
		json *call, *function;

		if (p->kind != CHAT_CALL)
			continue;
		call = json_push(calls, json_object());
		llm_put_str(call, "id", p->id);
		json_add(call, "type", json_strz("function"));
		function = json_add(call, "function", json_object());
		llm_put_str(function, "name", p->name);
		llm_put_str(function, "arguments", p->text.n ? p->text : STR("{}"));
	}
}

static void join_parts(const struct chat_message *m, enum chat_kind kind, struct buf *out)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i].kind != kind)
			continue;
		if (out->n && kind == CHAT_TEXT)
			buf_adds(out, "\n\n");
		buf_add(out, m->v[i].text);
	}
}

/* Thoughts go back to a server that gave them, and only while its turn goes on: some refuse older
 * ones. */
static void put_model(json *messages, const struct chat_message *m, bool is_current)
{
	json *message = llm_put_message(messages, "assistant");
	struct buf text SCOPED(buf_release) = BUF_INIT, thoughts SCOPED(buf_release) = BUF_INIT;

	join_parts(m, CHAT_TEXT, &text);
	llm_put_str(message, "content", buf_str(&text));
	if (has_calls(m))
		put_calls(message, m);
	if (is_current && str_eq(m->format, str_of(provider_openai.name))) {
		join_parts(m, CHAT_THOUGHT, &thoughts);
		if (thoughts.n)
			llm_put_str(message, "reasoning_content", buf_str(&thoughts));
	}
}

static void put_messages(json *body, const struct prompt *prompt)
{
	json *messages = json_add(body, "messages", json_array());

	if (prompt->system.n)
		llm_put_str(llm_put_message(messages, "system"), "content", prompt->system);
	for (size_t i = 0; i < prompt->chat.n; i++) {
		const struct chat_message *m = prompt->chat.v[i];
		struct buf text = BUF_INIT;

		if (m->role == CHAT_MODEL) {
			put_model(messages, m, i > prompt->now);
		} else if (m->role == CHAT_PERSON) {
			join_parts(m, CHAT_TEXT, &text);
			llm_put_str(llm_put_message(messages, "user"), "content", buf_str(&text));
			buf_release(&text);
		}
		for (size_t k = 0; m->role == CHAT_TOOLS && k < m->n; k++) {
			json *message = llm_put_message(messages, "tool");

			llm_put_str(message, "tool_call_id", m->v[k].id);
			llm_put_str(message, "content", m->v[k].text);
		}
	}
}

static void openai_body(json *body, const struct prompt *prompt, const struct llm_options *o)
{
	llm_put_str(body, "model", o->model);
	json_add(body, "stream", json_bool(true));
	json_add(json_add(body, "stream_options", json_object()), "include_usage", json_bool(true));
	schema_functions(body, o->tools, o->strict, true);
	if (o->max_tokens)
		json_add(body, "max_completion_tokens", json_int(o->max_tokens));
	if (o->effort)
		json_add(body, "reasoning_effort", json_strz(o->effort));
	put_messages(body, prompt);
}

/* How many bytes at the end of `text` may be the beginning of `mark`. */
static size_t held_back(struct str text, struct str mark)
{
	size_t n = mark.n - 1 < text.n ? mark.n - 1 : text.n;

	for (; n; n--)
		if (str_starts(mark, str_sub(text, text.n - n, text.n)))
			return n;
	return 0;
}

static void tell_text(struct stream *s, enum llm_event_kind kind, struct str text)
{
	if (text.n)
		stream_text(s, stream_part(s, 0, kind), kind, text);
}

/* The text up to the end of the thoughts, or what of it can be told yet. */
static struct str tell_thoughts(struct stream *s, struct str text)
{
	ptrdiff_t end = str_find(text, STR(THINK_END));
	size_t n = end < 0 ? text.n - held_back(text, STR(THINK_END)) : (size_t)end;

	tell_text(s, LLM_THOUGHT, str_sub(text, 0, n));
	if (end < 0)
		return str_sub(text, n, text.n);
	s->in_think = false;
	s->was_text = true;
	return str_sub(text, n + sizeof(THINK_END) - 1, text.n);
}

/* <think> counts at the very beginning alone, where models put it; later it is the text's own. */
static void on_text(struct stream *s, struct str more)
{
	struct buf all SCOPED(buf_release) = s->held;
	struct str text;

	if (s->was_text && !s->in_think && !all.n) {
		tell_text(s, LLM_TEXT, more);
		return;
	}
	s->held = (struct buf)BUF_INIT;
	buf_add(&all, more);
	text = buf_str(&all);
	if (!s->was_text && !s->in_think && str_skip(&text, STR(THINK)))
		s->in_think = true;
	if (s->in_think)
		text = tell_thoughts(s, text);
	if (s->in_think ||
	    (!s->was_text && text.n < sizeof(THINK) - 1 && str_starts(STR(THINK), text))) {
		buf_add(&s->held, text);
	} else {
		s->was_text = s->was_text || text.n;
		tell_text(s, LLM_TEXT, text);
	}
}

static void on_text_end(struct stream *s)
{
	struct buf held SCOPED(buf_release) = s->held;

	s->held = (struct buf)BUF_INIT;
	tell_text(s, s->in_think ? LLM_THOUGHT : LLM_TEXT, buf_str(&held));
}

struct call {
	struct str id, function, name, arguments, object;
	int64_t index;
};

static const struct member call_rows[] = {
	{ "index", '0', offsetof(struct call, index) },
	{ "id", '"', offsetof(struct call, id) },
	{ "function", '{', offsetof(struct call, function) },
	{ "name", '"', offsetof(struct call, name) },
	{ "arguments", '"', offsetof(struct call, arguments) },
	{ "arguments", '{', offsetof(struct call, object) },
};

/* More of a call, which begins where its index is new; without one its place in the list is it. */
static bool on_call(struct stream *s, struct jscan *at, int64_t position, struct err *e)
{
	struct call c = { .index = position };
	size_t part;

	if (!stream_read_next(s, at, MEMBERS(call_rows), &c) ||
	    !stream_read(s, c.function, MEMBERS(call_rows), &c, e))
		return false;
	if (!stream_has_part(s, c.index, LLM_CALL, &part))
		part = stream_call(s, c.index, c.id, c.name);
	stream_text(s, part, LLM_ARGUMENTS, c.object.n ? c.object : c.arguments);
	return true;
}

struct delta {
	struct str content, refusal, thought, reasoning, calls;
};

static const struct member delta_rows[] = {
	{ "content", '"', offsetof(struct delta, content) },
	{ "refusal", '"', offsetof(struct delta, refusal) },
	{ "reasoning_content", '"', offsetof(struct delta, thought) },
	{ "reasoning", '"', offsetof(struct delta, reasoning) },
	{ "tool_calls", '[', offsetof(struct delta, calls) },
};

static bool on_delta(struct stream *s, struct str text, struct err *e)
{
	struct delta d = { .content = STR("") };
	struct jscan calls;

	if (!stream_read(s, text, MEMBERS(delta_rows), &d, e))
		return false;
	tell_text(s, LLM_THOUGHT, d.thought.n ? d.thought : d.reasoning);
	on_text(s, d.content);
	on_text(s, d.refusal);
	calls = stream_list(d.calls, e);
	for (int64_t i = 0; jscan_item(&calls); i++)
		if (!on_call(s, &calls, i, e))
			return false;
	return jscan_ok(&calls);
}

static const struct stop_row stops[] = {
	{ "length", LLM_MAX_TOKENS },
	{ "content_filter", LLM_REFUSAL },
	{ "tool_calls", LLM_TOOL_CALLS },
	{ "function_call", LLM_TOOL_CALLS },
};

struct choice {
	struct str delta, message, reason;
};

static const struct member choice_rows[] = {
	{ "delta", '{', offsetof(struct choice, delta) },
	{ "message", '{', offsetof(struct choice, message) },
	{ "finish_reason", '"', offsetof(struct choice, reason) },
};

static bool on_choice(struct stream *s, struct jscan *at, struct err *e)
{
	struct choice c = { .delta = STR("") };

	if (!stream_read_next(s, at, MEMBERS(choice_rows), &c) || !on_delta(s, c.delta, e) ||
	    !on_delta(s, c.message, e))
		return false;
	if (c.reason.n) {
		s->has_stop = true;
		s->stop = stop_of(c.reason, MEMBERS(stops), LLM_END_TURN);
	}
	return true;
}

static void openai_end(struct stream *s)
{
	if (!s->has_stop)
		return;
	on_text_end(s);
	stream_stop(s, stop_or_calls(s, s->stop));
}

struct event {
	struct str choices, usage, error, error_text, object;
};

static const struct member event_rows[] = {
	{ "choices", '[', offsetof(struct event, choices) },
	{ "usage", '{', offsetof(struct event, usage) },
	{ "error", '{', offsetof(struct event, error) },
	{ "error", '"', offsetof(struct event, error_text) },
	{ "object", '"', offsetof(struct event, object) },
};

static bool openai_event(struct stream *s, struct str name, struct str data, struct err *e)
{
	struct event ev = { .choices = STR("") };
	struct jscan choices;

	if (str_eq(data, STR("[DONE]"))) {
		openai_end(s);
		return true;
	}
	if (!stream_read(s, data, MEMBERS(event_rows), &ev, e))
		return false;
	if (ev.error.n || ev.error_text.n)
		return stream_refused(s, ev.error.n ? ev.error : ev.error_text, e);
	if (str_eq(name, STR("error")) || str_eq(ev.object, STR("error")))
		return stream_refused(s, data, e);
	choices = stream_list(ev.choices, e);
	while (jscan_item(&choices))
		if (!on_choice(s, &choices, e))
			return false;
	return jscan_ok(&choices) &&
	       (!ev.usage.n || stream_tokens(s, ev.usage, "prompt_tokens", "completion_tokens",
					     "prompt_tokens_details", e));
}

const struct provider provider_openai = {
	.name = "openai",
	.headers = { "authorization", "Bearer ", NULL, NULL },
	.path = openai_path,
	.body = openai_body,
	.event = openai_event,
	.end = openai_end,
};
