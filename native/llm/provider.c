#include "../base/bytes.h"
#include "../base/mem.h"
#include "provider_impl.h"

#include <stdlib.h>

static const struct provider *const providers[] = { &provider_anthropic, &provider_openai,
						    &provider_responses, &provider_gemini };

#define RETRY_AFTER_MOST_S 86400 /* more makes no sense */
#define PROVIDERS	   (sizeof(providers) / sizeof(providers[0]))

const struct provider *provider_find(struct str name, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < PROVIDERS; i++)
		if (str_eq(name, str_of(providers[i]->name)))
			return providers[i];
	for (size_t i = 0; i < PROVIDERS; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", providers[i]->name);
	err_set(e, ERR_NOT_FOUND, "unknown provider \"%.*s\": must be one of %s", STR_ARG(name),
		names.p);
	return NULL;
}

const char *provider_name(const struct provider *p)
{
	return p->name;
}

void provider_path(const struct provider *p, struct str model, struct buf *out)
{
	p->path(model, out);
}

struct llm_headers provider_headers(const struct provider *p)
{
	return p->headers;
}

void provider_body(const struct provider *p, const struct prompt *prompt,
		   const struct llm_options *o, struct buf *out)
{
	json *body SCOPED(json_release) = json_object();
	size_t start = out->n;

	p->body(body, prompt, o);
	json_each(extra, o->extra)
		json_put(body, json_key(extra), json_copy(extra));
	json_print(out, body);
	bytes_mend_from(out, start);
}

static void add_tokens(int64_t *sum, int64_t more)
{
	if (more >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + more;
}

void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more)
{
	add_tokens(&sum->input, more->input);
	add_tokens(&sum->output, more->output);
	add_tokens(&sum->cached, more->cached);
	add_tokens(&sum->cache_written, more->cache_written);
}

int64_t llm_usage_tokens(const struct llm_usage *u)
{
	return (u->input > 0 ? u->input : 0) + (u->output > 0 ? u->output : 0);
}

struct stream *stream_new(const struct provider *p, size_t limit, llm_event_fn *fn, void *arg)
{
	struct stream *s = mem_new(sizeof(*s));

	s->provider = p;
	s->fn = fn;
	s->arg = arg;
	s->sse.limit = limit;
	s->usage = (struct llm_usage)LLM_NO_USAGE;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	sse_release(&s->sse);
	buf_release(&s->held);
	arena_release(&s->scratch);
	free(s->v);
	free(s);
}

static bool provider_on_event(void *arg, struct str name, struct str data, struct err *e)
{
	struct stream *s = arg;
	bool ok = s->stopped || s->provider->event(s, name, data, e);

	arena_release(&s->scratch);
	if (ok && s->n > LLM_PARTS)
		return err_set(e, ERR_LIMIT, "the answer has more than %d parts", LLM_PARTS);
	return ok;
}

bool stream_feed(struct stream *s, struct str bytes, struct err *e)
{
	return sse_feed(&s->sse, bytes, provider_on_event, s, e);
}

bool stream_end(struct stream *s, struct err *e)
{
	if (!s->stopped && s->provider->end && !sse_is_cut(&s->sse))
		s->provider->end(s);
	if (s->stopped)
		return true;
	return err_set(e, ERR_INCOMPLETE,
		       "the connection ended in the middle of the answer; ask again to go on");
}

bool stream_may_retry(const struct stream *s)
{
	return s->may_retry;
}

uint64_t stream_retry_after(const struct stream *s)
{
	return s->retry_after;
}

bool stream_has_part(const struct stream *s, int64_t index, enum llm_event_kind kind, size_t *part)
{
	for (size_t i = s->n; i-- > 0;) {
		if (s->v[i].index != index || s->v[i].kind != kind || s->v[i].ended)
			continue;
		*part = i;
		return true;
	}
	return false;
}

size_t stream_part(struct stream *s, int64_t index, enum llm_event_kind kind)
{
	size_t part;

	if (stream_has_part(s, index, kind, &part))
		return part;
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n] = (struct open_part){ .index = index, .kind = kind };
	return s->n++;
}

static void provider_tell(struct stream *s, struct llm_event event)
{
	s->fn(s->arg, &event);
}

void stream_text(struct stream *s, size_t part, enum llm_event_kind kind, struct str text)
{
	if (!text.n)
		return;
	s->v[part].said = true;
	provider_tell(s, (struct llm_event){ .kind = kind, .part = part, .text = text });
}

size_t stream_call(struct stream *s, int64_t index, struct str id, struct str name)
{
	struct buf made SCOPED(buf_release) = BUF_INIT;
	size_t part;

	if (stream_has_part(s, index, LLM_CALL, &part))
		stream_call_end(s, part);
	part = stream_part(s, index, LLM_CALL);
	if (!id.n)
		buf_addf(&made, "call_%zu", part);
	provider_tell(s, (struct llm_event){ .kind = LLM_CALL,
					     .part = part,
					     .id = id.n ? id : buf_str(&made),
					     .name = name });
	return part;
}

void stream_call_end(struct stream *s, size_t part)
{
	s->v[part].ended = true;
	provider_tell(s, (struct llm_event){ .kind = LLM_CALL_END, .part = part });
}

void stream_kept(struct stream *s, size_t part, struct str name, struct str kept)
{
	provider_tell(s, (struct llm_event){
				 .kind = LLM_KEPT, .part = part, .name = name, .text = kept });
}

void stream_usage(struct stream *s)
{
	provider_tell(s, (struct llm_event){ .kind = LLM_USAGE, .usage = s->usage });
}

void stream_stop(struct stream *s, enum llm_stop stop)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind == LLM_CALL && !s->v[i].ended)
			stream_call_end(s, i);
	provider_tell(s, (struct llm_event){ .kind = LLM_STOP, .stop = stop });
	s->stopped = true;
}

/* What passes by itself, in the words of each API. */
static bool passes(struct str kind)
{
	static const char *const kinds[] = { "overloaded_error",
					     "api_error",
					     "rate_limit_error",
					     "timeout_error",
					     "server_error",
					     "rate_limit_exceeded",
					     "UNAVAILABLE",
					     "RESOURCE_EXHAUSTED",
					     "INTERNAL",
					     "DEADLINE_EXCEEDED",
					     "429",
					     "500",
					     "502",
					     "503",
					     "529" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_eq(kind, str_of(kinds[i])))
			return true;
	return false;
}

static void take_member(struct stream *s, struct jscan *j, const struct member *row, void *out)
{
	char *to = (char *)out + row->at;
	struct str text;

	if (row->type == '0')
		*(int64_t *)to = jscan_int(j);
	else if (row->type == 't')
		*(bool *)to = jscan_bool(j);
	else {
		text = row->type == '"' ? jscan_text(j, &s->scratch) : jscan_raw(j);
		*(struct str *)to = text;
	}
}

static const struct member *find_member(const struct member *rows, size_t n, struct str name,
					char type)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].type == type && name.n && rows[i].name[0] == name.p[0] &&
		    str_eq(name, str_of(rows[i].name)))
			return &rows[i];
	return NULL;
}

void stream_take(struct stream *s, struct jscan *at, struct str key, const struct member *rows,
		 size_t n, void *out)
{
	const struct member *row = find_member(rows, n, key, jscan_peek(at));

	if (row)
		take_member(s, at, row, out);
	else
		jscan_skip(at);
}

bool stream_read_next(struct stream *s, struct jscan *at, const struct member *rows, size_t n,
		      void *out)
{
	struct str key;

	for (jscan_object(at); jscan_member(at, &key);)
		stream_take(s, at, key, rows, n, out);
	return jscan_ok(at);
}

bool stream_read(struct stream *s, struct str text, const struct member *rows, size_t n, void *out,
		 struct err *e)
{
	struct jscan j;

	if (!text.n)
		return true;
	j = jscan_of(text, e);
	return stream_read_next(s, &j, rows, n, out);
}

bool stream_tokens(struct stream *s, struct str usage, const char *input, const char *output,
		   const char *details, struct err *e)
{
	const struct member counts[] = { { input, '0', offsetof(struct llm_usage, input) },
					 { output, '0', offsetof(struct llm_usage, output) } };
	const struct member cached = { "cached_tokens", '0', offsetof(struct llm_usage, cached) };
	const struct member inner = { details, '{', 0 };
	struct str more = STR("");

	if (!stream_read(s, usage, MEMBERS(counts), &s->usage, e) ||
	    !stream_read(s, usage, &inner, 1, &more, e) ||
	    !stream_read(s, more, &cached, 1, &s->usage, e))
		return false;
	stream_usage(s);
	return true;
}

struct jscan stream_list(struct str list, struct err *e)
{
	struct jscan j = jscan_of(list.n ? list : STR("[]"), e);

	jscan_array(&j);
	return j;
}

enum llm_stop stop_of(struct str reason, const struct stop_row *rows, size_t n,
		      enum llm_stop otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(reason, str_of(rows[i].reason)))
			return rows[i].stop;
	return otherwise;
}

enum llm_stop stop_or_calls(const struct stream *s, enum llm_stop stop)
{
	for (size_t i = 0; stop == LLM_END_TURN && i < s->n; i++)
		if (s->v[i].kind == LLM_CALL)
			return LLM_TOOL_CALLS;
	return stop;
}

/* A google.protobuf.Duration: seconds with a fraction, as in "34.074s". */
uint64_t error_retry_after(const json *error)
{
	json_each(detail, json_get(error, "details")) {
		struct str delay = json_get_str(detail, "retryDelay");
		double s;
		char *end;

		if (!str_ends(json_get_str(detail, "@type"), STR("/google.rpc.RetryInfo")) ||
		    !str_ends(delay, STR("s")))
			continue;
		s = strtod(delay.p, &end);
		return end == delay.p + delay.n - 1 && s > 0 && s <= RETRY_AFTER_MOST_S
			       ? (uint64_t)(s * 1000)
			       : 0;
	}
	return 0;
}

static uint64_t text_retry_after(struct str error)
{
	json *v SCOPED(json_release) = json_parse(error, ERR_IGNORED);

	return error_retry_after(v);
}

struct refusal {
	struct str message, type, code, status, error;
	int64_t number;
};

static const struct member refusal_rows[] = {
	{ "message", '"', offsetof(struct refusal, message) },
	{ "type", '"', offsetof(struct refusal, type) },
	{ "code", '"', offsetof(struct refusal, code) },
	{ "code", '0', offsetof(struct refusal, number) },
	{ "status", '"', offsetof(struct refusal, status) },
};

bool stream_refused(struct stream *s, struct str error, struct err *e)
{
	struct refusal r = { .message = STR("") };
	struct err bad = ERR_INIT;

	if (!stream_read(s, error, MEMBERS(refusal_rows), &r, &bad) || !r.message.n)
		r.message = error;
	s->retry_after = text_retry_after(error);
	s->may_retry = passes(r.type) || passes(r.code) || passes(r.status) || r.number == 429 ||
		       r.number >= 500;
	return err_set(e, ERR_PEER, "the provider ended the answer early: %.*s",
		       r.message.n > 400 ? 400 : (int)r.message.n, r.message.p);
}

void llm_put_str(json *to, const char *key, struct str text)
{
	json_add(to, key, json_str(text));
}

json *llm_put_message(json *messages, const char *role)
{
	json *m = json_push(messages, json_object());

	json_add(m, "role", json_strz(role));
	return m;
}

json *call_arguments(const struct chat_part *call)
{
	struct err e = ERR_INIT;
	json *args = json_parse(call->text, &e);

	if (args && json_is(args, JSON_OBJECT))
		return args;
	json_free(args);
	return json_object();
}

bool has_calls(const struct chat_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].kind == CHAT_CALL)
			return true;
	return false;
}
