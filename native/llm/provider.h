#ifndef OX_PROVIDER_H
#define OX_PROVIDER_H

#include "../wire/sse.h"
#include "prompt.h"

/*
 * The HTTP APIs that models are asked by, behind one table: Anthropic's Messages, OpenAI's Chat
 * Completions (which most others speak as well), OpenAI's Responses and Gemini. No I/O: a prompt
 * becomes the path and body of a POST, and the bytes of the answer's event stream become events.
 *
 *     p = provider_find(STR("anthropic"), &e);
 *     provider_path(p, model, &path); provider_body(p, &prompt, &options, &body);
 *     s = stream_new(p, limit, on_event, self);
 *     stream_feed(s, bytes, &e) ...           each piece, however it was cut
 *     stream_end(s, &e)                       the connection has ended
 *     stream_free(s)
 */
struct provider;

/* LLM_END_TURN is the only one after which the model has said all that it meant to. */
enum llm_stop {
	LLM_END_TURN,
	LLM_TOOL_CALLS,	    /* it waits for their results */
	LLM_MAX_TOKENS,	    /* the answer is cut off */
	LLM_WINDOW_FULL,    /* the conversation is too large for the model */
	LLM_REFUSAL,	    /* by the model, or by a filter of the provider's */
	LLM_PAUSE,	    /* to be sent back as it is, to go on */
	LLM_MALFORMED_CALL, /* it called a tool in a form that the provider could not read */
	LLM_STOP_COUNT
};

/* Tokens; -1: not told. `input` has all of them, cached ones too. */
struct llm_usage {
	int64_t input, output, cached, cache_written;
};

void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more); /* what is known of it */
int64_t llm_usage_tokens(const struct llm_usage *u); /* all that were sent and answered */

#define LLM_NO_USAGE                                                                               \
	{                                                                                          \
		-1, -1, -1, -1                                                                     \
	}

/*
 * Parts of the answer are numbered from 0 in the order in which they begin, and events name theirs:
 * calls that are written at the same time come interleaved. A part of text or thought begins with
 * its first event.
 */
enum llm_event_kind {
	LLM_TEXT,      /* `text` more of it, whole characters */
	LLM_THOUGHT,   /* likewise */
	LLM_KEPT,      /* `text`: the `kept` of the part (chat.h), whole; `name` as chat_part's */
	LLM_CALL,      /* begins: `id` (made up where the provider gives none) and `name` */
	LLM_ARGUMENTS, /* `text` more of its arguments */
	LLM_CALL_END,  /* they are complete, though perhaps no JSON */
	LLM_USAGE,     /* `usage`, as far as known; the last one counts */
	LLM_STOP,      /* `stop`: the last event of an answer that is complete */
};

struct llm_event {
	enum llm_event_kind kind;
	size_t part;
	struct str text, id, name; /* borrowed until the function returns */
	struct llm_usage usage;
	enum llm_stop stop;
};

typedef void llm_event_fn(void *arg, const struct llm_event *event);

/* How a model is asked; what is NULL, empty or 0 is left to the provider. */
struct llm_options {
	struct str model;
	const json *tools;   /* [{ name, description, schema }], as chat tools have them */
	bool strict;	     /* the tools' schemas in the strict form (schema.h) */
	const char *effort;  /* "low", "medium", "high": how long it thinks */
	int64_t max_tokens;  /* of the answer */
	struct str cache_id; /* the same for all requests of a conversation */
	const json *extra;   /* members that are put into the body as they are */
};

const struct provider *provider_find(struct str name, struct err *e); /* the error lists all */
const char *provider_name(const struct provider *p);
/* What is behind the configured URL ("https://api.openai.com/v1"). */
void provider_path(const struct provider *p, struct str model, struct buf *out);
/* The name and value of the header that carries the key, and another one it needs or NULLs. */
struct llm_headers {
	const char *key, *key_prefix; /* "authorization", "Bearer " */
	const char *also, *value;
};
struct llm_headers provider_headers(const struct provider *p);
/* The body of the POST, UTF-8: bytes that are none are sent as U+FFFD. */
void provider_body(const struct provider *p, const struct prompt *prompt,
		   const struct llm_options *o, struct buf *out);

#define LLM_PARTS 4096 /* of one answer; ERR_LIMIT beyond */

/* `limit`: bytes of one event. */
struct stream *stream_new(const struct provider *p, size_t limit, llm_event_fn *fn, void *arg);
void stream_free(struct stream *s);
/* False: ERR_PEER, an error that the provider sent in the stream, with its words; ERR_PROTOCOL or
 * ERR_LIMIT; all that came before it was told. What comes after LLM_STOP is passed over. */
bool stream_feed(struct stream *s, struct str bytes, struct err *e);
/* False: ERR_INCOMPLETE, the answer ended in the middle. */
bool stream_end(struct stream *s, struct err *e);
/* Whether an error of stream_feed() is one that passes ("overloaded"): worth asking again. */
bool stream_may_retry(const struct stream *s);
/* How long it wants not to be asked again, in ms; 0: it does not say. */
uint64_t stream_retry_after(const struct stream *s);
/* The same of an error that is the body of an answer: Gemini says it there, in its details. */
uint64_t error_retry_after(const json *error);

#endif
