#ifndef OX_PROVIDER_IMPL_H
#define OX_PROVIDER_IMPL_H

#include "../base/jscan.h"
#include "provider.h"

/*
 * Shared by provider.c, which has the table and the life of a stream, and one source for each API:
 * provider_anthropic.c, provider_openai.c (Chat Completions), provider_responses.c and
 * provider_gemini.c.
 */
struct provider {
	const char *name;
	struct llm_headers headers;
	void (*path)(struct str model, struct buf *out);
	void (*body)(json *body, const struct prompt *prompt, const struct llm_options *o);
	/* One event of the stream; `name` may be empty. */
	bool (*event)(struct stream *s, struct str name, struct str data, struct err *e);
	/* The connection has ended without LLM_STOP; may still give it. NULL: nothing to add. */
	void (*end)(struct stream *s);
};

extern const struct provider provider_anthropic, provider_openai, provider_responses,
	provider_gemini;

/* A part of the answer that has begun. */
struct open_part {
	int64_t index; /* by which the provider names it */
	enum llm_event_kind kind;
	bool said; /* something of it was told */
	bool ended;
};

struct stream {
	const struct provider *provider;
	llm_event_fn *fn;
	void *arg;
	struct sse sse;
	struct open_part *v; /* its place in here is the number of the part */
	size_t n, cap;
	struct llm_usage usage;
	bool stopped, may_retry;
	uint64_t retry_after; /* ms; 0: not said */
	bool has_stop;	      /* the provider said why it stopped, and may still send more */
	enum llm_stop stop;
	bool in_think;	      /* provider_openai.c: inside of <think> */
	struct buf held;      /* and the beginning of such a mark, perhaps */
	bool was_text;	      /* and text has begun, before which alone such a mark counts */
	struct arena scratch; /* of one event */
};

/* The part by the provider's index, begun where there is none, or where that one is of another
 * kind or has ended. */
size_t stream_part(struct stream *s, int64_t index, enum llm_event_kind kind);
bool stream_has_part(const struct stream *s, int64_t index, enum llm_event_kind kind, size_t *part);
void stream_text(struct stream *s, size_t part, enum llm_event_kind kind, struct str text);
/* Begins a call; one of the same index that has not ended ends. `id` empty: one is made up. */
size_t stream_call(struct stream *s, int64_t index, struct str id, struct str name);
void stream_call_end(struct stream *s, size_t part);
void stream_kept(struct stream *s, size_t part, struct str name, struct str kept);
void stream_usage(struct stream *s);
void stream_stop(struct stream *s, enum llm_stop stop);
/* An error that the provider sent: {"type" or "code" or "status", "message"}. Returns false. */
bool stream_refused(struct stream *s, struct str error, struct err *e);

/*
 * What to take of an object of JSON into a struct: a member of the type that jscan_peek() tells it
 * by, in the place `at`. A string ('"') decoded and an object or list ('{', '[') as its text, both
 * a struct str that lives until the event ends; a number ('0') an int64_t, true or false ('t') a
 * bool. Others are passed over, and what is not there stays as it was.
 */
struct member {
	const char *name;
	char type;
	size_t at;
};

#define MEMBERS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

/* False: `text` is not an object, or broken; empty: nothing is taken. */
bool stream_read(struct stream *s, struct str text, const struct member *rows, size_t n, void *out,
		 struct err *e);
/* How many tokens were used, by these names, and how many of them a cache had, in `details`; tells
 * of it, with stream_usage(). */
bool stream_tokens(struct stream *s, struct str usage, const char *input, const char *output,
		   const char *details, struct err *e);
/* Enters a list, to be walked with jscan_item(); `list` empty: there are none. */
struct jscan stream_list(struct str list, struct err *e);
/* stream_read() of the object that is next there. */
bool stream_read_next(struct stream *s, struct jscan *at, const struct member *rows, size_t n,
		      void *out);
/* One member of an object that is walked with jscan_member(): its value is next. */
void stream_take(struct stream *s, struct jscan *at, struct str key, const struct member *rows,
		 size_t n, void *out);

/* The first row of the name; `otherwise` where there is none. */
struct stop_row {
	const char *reason;
	enum llm_stop stop;
};
enum llm_stop stop_of(struct str reason, const struct stop_row *rows, size_t n,
		      enum llm_stop otherwise);
/* A turn that calls tools ends with that, whatever reason was given for a good end. */
enum llm_stop stop_or_calls(const struct stream *s, enum llm_stop stop);

/* Requests: what several have in common. */
void llm_put_str(json *to, const char *key, struct str text);
json *llm_put_message(json *messages, const char *role);
/* The arguments of a call as an object; {} where they are none. */
json *call_arguments(const struct chat_part *call);
bool has_calls(const struct chat_message *m);

#endif
