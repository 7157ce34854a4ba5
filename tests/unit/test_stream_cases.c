#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case_file.h"
#include "llm/provider.h"

/* Runs tests/cases/stream: each stream whole, byte by byte and cut in two at every place, which all
 * give the same events; and each beginning of it, which never is a complete answer. */

struct trace {
	struct buf out;
	struct llm_event last; /* of text: its `text` is in `pending` */
	struct buf pending;
};

static const char *const words[] = { "text",	  "thought", "kept",  "call",
				     "arguments", "end",     "usage", "stop" };

static bool grows(enum llm_event_kind kind)
{
	return kind == LLM_TEXT || kind == LLM_THOUGHT || kind == LLM_ARGUMENTS;
}

/* Text that comes in other pieces is the same text. */
static void put_pending(struct trace *t)
{
	if (!t->pending.n)
		return;
	buf_addf(&t->out, "%s %zu ", words[t->last.kind], t->last.part);
	json_quote(&t->out, buf_str(&t->pending));
	buf_addc(&t->out, '\n');
	buf_clear(&t->pending);
}

static const char *stop_name(enum llm_stop stop)
{
	static const char *const names[LLM_STOP_COUNT] = {
		"end_turn", "tool_calls", "max_tokens",	    "window_full",
		"refusal",  "pause",	  "malformed_call",
	};

	return names[stop];
}

static void put_count(struct buf *out, const char *name, int64_t n)
{
	if (n >= 0)
		buf_addf(out, " %s %lld", name, (long long)n);
}

static void put_event(struct trace *t, const struct llm_event *ev)
{
	struct buf *out = &t->out;

	buf_adds(out, words[ev->kind]);
	switch (ev->kind) {
	case LLM_KEPT:
		buf_addf(out, " %zu %.*s%s", ev->part, STR_ARG(ev->name), ev->name.n ? " " : "");
		json_quote(out, ev->text);
		break;
	case LLM_CALL:
		buf_addf(out, " %zu %.*s %.*s", ev->part, STR_ARG(ev->id), STR_ARG(ev->name));
		break;
	case LLM_USAGE:
		put_count(out, "in", ev->usage.input);
		put_count(out, "out", ev->usage.output);
		put_count(out, "cached", ev->usage.cached);
		put_count(out, "written", ev->usage.cache_written);
		break;
	case LLM_STOP:
		buf_addf(out, " %s", stop_name(ev->stop));
		break;
	default:
		buf_addf(out, " %zu", ev->part);
	}
	buf_addc(out, '\n');
}

static void on_event(void *arg, const struct llm_event *ev)
{
	struct trace *t = arg;

	if (!grows(ev->kind) || ev->kind != t->last.kind || ev->part != t->last.part)
		put_pending(t);
	if (grows(ev->kind)) {
		assert_true(ev->text.n > 0);
		buf_add(&t->pending, ev->text);
	} else {
		put_event(t, ev);
	}
	t->last = *ev;
}

/* The bytes lie in memory that ends where they end. */
static bool feed(struct stream *s, struct str piece, struct err *e)
{
	char *copy = mem_copy(piece.p, piece.n ? piece.n : 1);
	bool ok = stream_feed(s, (struct str){ copy, piece.n }, e);

	free(copy);
	return ok;
}

/* The pieces are `cut` bytes and the rest; SIZE_MAX: one byte each. Returns how it ended; `retry`
 * is what of that the case says: "", "yes" or "ms MS". */
static enum err_code play(const struct provider *p, struct str stream, size_t cut, struct trace *t,
			  char retry[32])
{
	struct stream *s = stream_new(p, 1 << 20, on_event, t);
	struct err e = ERR_INIT;
	bool ok = true;

	if (cut == SIZE_MAX)
		for (size_t i = 0; ok && i < stream.n; i++)
			ok = feed(s, str_sub(stream, i, i + 1), &e);
	else
		ok = feed(s, str_sub(stream, 0, cut), &e) &&
		     feed(s, str_sub(stream, cut, stream.n), &e);
	put_pending(t);
	if (!ok && e.code == ERR_PROTOCOL)
		buf_adds(&t->out, "error protocol\n");
	else if (!ok)
		buf_addf(&t->out, "error %s: %s\n", err_name(e.code), e.msg);
	strcpy(retry, stream_may_retry(s) ? "yes" : "");
	if (stream_retry_after(s))
		snprintf(retry, 32, "ms %d", (int)stream_retry_after(s));
	e.code = ERR_OK;
	stream_end(s, &e);
	stream_free(s);
	return e.code;
}

static void trace_release(struct trace *t)
{
	buf_release(&t->out);
	buf_release(&t->pending);
}

static void check_play(const struct case_one *c, const struct provider *p, size_t cut)
{
	struct trace t = { 0 };
	char retry[32];
	enum err_code end = play(p, case_str(c, "stream"), cut, &t, retry);

	assert_text(buf_str(&t.out), case_str(c, "events"));
	assert_text(str_of(retry), case_has(c, "retry") ? case_str(c, "retry") : STR(""));
	assert_string_equal(err_name(end), case_str(c, "end").p);
	trace_release(&t);
}

/* No beginning is a complete answer that is not; where the end has an event of its own (elsewhere
 * usage, or more parts, may follow the reason to stop) it is all there then. */
static void check_beginning(const struct case_one *c, const struct provider *p, size_t n)
{
	struct str stream = case_str(c, "stream"), events = case_str(c, "events");
	bool has_end = str_eq(case_str(c, "provider"), STR("anthropic")) ||
		       str_eq(case_str(c, "provider"), STR("openai-responses"));
	struct trace t = { 0 };
	ptrdiff_t stop;
	char retry[32];
	enum err_code end = play(p, str_sub(stream, 0, n), n, &t, retry);

	stop = str_find(buf_str(&t.out), STR("stop "));
	assert_true(end == ERR_INCOMPLETE || stop >= 0);
	if (has_end && end == ERR_OK)
		assert_text(buf_str(&t.out), events);
	trace_release(&t);
}

static void run_case(void **state)
{
	const struct case_one *c = *state;
	struct err e = ERR_INIT;
	const struct provider *p = provider_find(case_str(c, "provider"), &e);
	size_t n = case_str(c, "stream").n;

	assert_non_null(p);
	check_play(c, p, SIZE_MAX);
	for (size_t cut = 0; cut <= n; cut++)
		check_play(c, p, cut);
	for (size_t cut = 0; cut < n; cut++)
		check_beginning(c, p, cut);
}

int main(int argc, char **argv)
{
	return case_run(argc, argv, "tests/cases/stream/*.case", run_case);
}
