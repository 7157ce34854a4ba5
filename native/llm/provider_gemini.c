#include "provider_impl.h"

/*
 * Google's Gemini API (POST /models/MODEL:streamGenerateContent). Each event is a whole response
 * with more parts; calls come whole, and the signature of a thought is beside the part that it
 * belongs to, where the API demands it back.
 */
static void gemini_path(struct str model, struct buf *out)
{
	buf_addf(out, "/models/%.*s:streamGenerateContent?alt=sse", STR_ARG(model));
}

static void put_result(json *part, const struct chat_part *p)
{
	json *row = json_add(part, "functionResponse", json_object());

	llm_put_str(row, "id", p->id);
	llm_put_str(row, "name", p->name);
	llm_put_str(json_add(row, "response", json_object()), p->failed ? "error" : "output",
		    p->text);
}

static void gemini_put_part(json *parts, const struct chat_part *p, bool own)
{
	json *part, *row;

	if (p->kind == CHAT_THOUGHT && !(own && p->kept.n))
		return;
	part = json_push(parts, json_object());
	if (p->kind == CHAT_CALL) {
		row = json_add(part, "functionCall", json_object());
		llm_put_str(row, "id", p->id);
		llm_put_str(row, "name", p->name);
		json_add(row, "args", call_arguments(p));
	} else if (p->kind == CHAT_RESULT) {
		put_result(part, p);
	} else {
		llm_put_str(part, "text", p->text);
		if (p->kind == CHAT_THOUGHT)
			json_add(part, "thought", json_bool(true));
	}
	if (own && p->kept.n)
		llm_put_str(part, "thoughtSignature", p->kept);
}

static void gemini_put_tools(json *body, const json *tools)
{
	json *list;

	if (!json_len(tools))
		return;
	list = json_add(json_push(json_add(body, "tools", json_array()), json_object()),
			"functionDeclarations", json_array());
	json_each(tool, tools) {
		json *row = json_push(list, json_object());

		llm_put_str(row, "name", json_get_str(tool, "name"));
		llm_put_str(row, "description", json_get_str(tool, "description"));
		json_add(row, "parametersJsonSchema", json_copy(json_get(tool, "schema")));
	}
}

static void put_config(json *body, const struct llm_options *o)
{
	json *config = json_add(body, "generationConfig", json_object());
	json *thinking = json_add(config, "thinkingConfig", json_object());

	json_add(thinking, "includeThoughts", json_bool(true));
	if (o->effort)
		json_add(thinking, "thinkingLevel", json_strz(o->effort));
	if (o->max_tokens)
		json_add(config, "maxOutputTokens", json_int(o->max_tokens));
}

static void gemini_body(json *body, const struct prompt *prompt, const struct llm_options *o)
{
	json *contents, *content, *system;

	if (prompt->system.n) {
		system = json_add(body, "systemInstruction", json_object());
		llm_put_str(json_push(json_add(system, "parts", json_array()), json_object()),
			    "text", prompt->system);
	}
	gemini_put_tools(body, o->tools);
	put_config(body, o);
	contents = json_add(body, "contents", json_array());
	for (size_t i = 0; i < prompt->chat.n; i++) {
		const struct chat_message *m = prompt->chat.v[i];
		bool own = str_eq(m->format, str_of(provider_gemini.name));

		content = llm_put_message(contents, m->role == CHAT_MODEL ? "model" : "user");
		content = json_add(content, "parts", json_array());
		for (size_t k = 0; k < m->n; k++)
			gemini_put_part(content, &m->v[k], own);
	}
}

struct part {
	struct str text, signature, call, id, name, args;
	bool is_thought;
};

static const struct member part_rows[] = {
	{ "text", '"', offsetof(struct part, text) },
	{ "thoughtSignature", '"', offsetof(struct part, signature) },
	{ "thought", 't', offsetof(struct part, is_thought) },
	{ "functionCall", '{', offsetof(struct part, call) },
	{ "id", '"', offsetof(struct part, id) },
	{ "name", '"', offsetof(struct part, name) },
	{ "args", '{', offsetof(struct part, args) },
};

static bool on_part(struct stream *s, struct jscan *at, struct err *e)
{
	struct part p = { .text = STR("") };
	enum llm_event_kind kind;
	size_t part;

	if (!stream_read_next(s, at, MEMBERS(part_rows), &p) ||
	    !stream_read(s, p.call, MEMBERS(part_rows), &p, e))
		return false;
	if (!p.call.n && !p.text.n && !p.signature.n)
		return true;
	kind = p.is_thought ? LLM_THOUGHT : LLM_TEXT;
	if (p.call.n) {
		part = stream_call(s, (int64_t)s->n, p.id, p.name);
		stream_text(s, part, LLM_ARGUMENTS, p.args.n ? p.args : STR("{}"));
	} else {
		part = stream_part(s, 0, kind);
		stream_text(s, part, kind, p.text);
	}
	if (p.signature.n)
		stream_kept(s, part, STR(""), p.signature);
	if (p.call.n)
		stream_call_end(s, part);
	return true;
}

static const struct stop_row stops[] = {
	{ "STOP", LLM_END_TURN },
	{ "MAX_TOKENS", LLM_MAX_TOKENS },
	{ "MALFORMED_FUNCTION_CALL", LLM_MALFORMED_CALL },
	{ "UNEXPECTED_TOOL_CALL", LLM_MALFORMED_CALL },
};

struct candidate {
	struct str content, parts, reason;
};

static const struct member candidate_rows[] = {
	{ "content", '{', offsetof(struct candidate, content) },
	{ "parts", '[', offsetof(struct candidate, parts) },
	{ "finishReason", '"', offsetof(struct candidate, reason) },
};

static void on_finish(struct stream *s, enum llm_stop stop)
{
	s->has_stop = true;
	s->stop = stop;
}

static bool on_candidate(struct stream *s, struct jscan *at, struct err *e)
{
	struct candidate c = { .content = STR("") };
	struct jscan parts;

	if (!stream_read_next(s, at, MEMBERS(candidate_rows), &c) ||
	    !stream_read(s, c.content, MEMBERS(candidate_rows), &c, e))
		return false;
	parts = stream_list(c.parts, e);
	while (jscan_item(&parts))
		if (!on_part(s, &parts, e))
			return false;
	if (c.reason.n)
		on_finish(s, stop_of(c.reason, MEMBERS(stops), LLM_REFUSAL));
	return jscan_ok(&parts);
}

struct counts {
	int64_t input, answer, thoughts, cached;
};

static const struct member count_rows[] = {
	{ "promptTokenCount", '0', offsetof(struct counts, input) },
	{ "candidatesTokenCount", '0', offsetof(struct counts, answer) },
	{ "thoughtsTokenCount", '0', offsetof(struct counts, thoughts) },
	{ "cachedContentTokenCount", '0', offsetof(struct counts, cached) },
};

static bool gemini_on_usage(struct stream *s, struct str text, struct err *e)
{
	struct counts c = { -1, -1, 0, -1 };

	if (!stream_read(s, text, MEMBERS(count_rows), &c, e))
		return false;
	s->usage = (struct llm_usage){ .input = c.input,
				       .output = c.answer < 0 ? -1 : c.answer + c.thoughts,
				       .cached = c.cached,
				       .cache_written = -1 };
	stream_usage(s);
	return true;
}

/* More may follow the reason to stop: the end of the connection is the end of the answer. */
static void gemini_end(struct stream *s)
{
	if (s->has_stop)
		stream_stop(s, stop_or_calls(s, s->stop));
}

struct event {
	struct str candidates, usage, feedback, block_reason, error;
};

static const struct member event_rows[] = {
	{ "candidates", '[', offsetof(struct event, candidates) },
	{ "usageMetadata", '{', offsetof(struct event, usage) },
	{ "promptFeedback", '{', offsetof(struct event, feedback) },
	{ "blockReason", '"', offsetof(struct event, block_reason) },
	{ "error", '{', offsetof(struct event, error) },
};

static bool gemini_event(struct stream *s, struct str name, struct str data, struct err *e)
{
	struct event ev = { .candidates = STR("") };
	struct jscan candidates;

	(void)name;
	if (!stream_read(s, data, MEMBERS(event_rows), &ev, e) ||
	    !stream_read(s, ev.feedback, MEMBERS(event_rows), &ev, e))
		return false;
	if (ev.error.n)
		return stream_refused(s, ev.error, e);
	candidates = stream_list(ev.candidates, e);
	while (jscan_item(&candidates))
		if (!on_candidate(s, &candidates, e))
			return false;
	if (ev.block_reason.n) /* the prompt was refused: there is no candidate */
		on_finish(s, LLM_REFUSAL);
	return jscan_ok(&candidates) && (!ev.usage.n || gemini_on_usage(s, ev.usage, e));
}

const struct provider provider_gemini = {
	.name = "gemini",
	.headers = { "x-goog-api-key", "", NULL, NULL },
	.path = gemini_path,
	.body = gemini_body,
	.event = gemini_event,
	.end = gemini_end,
};
