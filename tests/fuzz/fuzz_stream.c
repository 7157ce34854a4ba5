#include <string.h>

#include "fuzz.h"
#include "llm/reply.h"

/*
 * A provider's stream, whole and in pieces: the answer that comes of it is the same. The input: a
 * line with the provider's name, one with the lengths of the pieces, which come in turn (none: one
 * byte each), and the stream.
 */
#define LIMIT 2000 /* bytes of an event, so that inputs can pass it */

struct run {
	struct reply reply;
	bool calls[4096]; /* parts that are calls whose arguments are still to come */
	size_t parts;
	bool stopped;
};

static void on_event(void *arg, const struct llm_event *ev)
{
	struct run *r = arg;

	must(!r->stopped);
	must(ev->kind <= LLM_STOP);
	r->stopped = ev->kind == LLM_STOP;
	if (ev->kind == LLM_STOP || ev->kind == LLM_USAGE)
		return reply_event(&r->reply, ev);
	if (ev->part >= sizeof(r->calls) / sizeof(r->calls[0]))
		return;
	if (ev->kind == LLM_CALL) {
		must(ev->part >= r->parts && ev->id.n);
		r->calls[ev->part] = true;
	}
	if (ev->kind == LLM_ARGUMENTS || ev->kind == LLM_CALL_END)
		must(r->calls[ev->part]);
	if (ev->kind == LLM_CALL_END)
		r->calls[ev->part] = false;
	if (ev->kind == LLM_TEXT || ev->kind == LLM_THOUGHT || ev->kind == LLM_ARGUMENTS)
		must(ev->text.n > 0);
	r->parts = ev->part >= r->parts ? ev->part + 1 : r->parts;
	reply_event(&r->reply, ev);
}

/* The piece lies in memory that ends where it ends. */
static bool feed(struct stream *s, struct str piece, struct err *e)
{
	char *copy = malloc(piece.n ? piece.n : 1);
	bool ok;

	memcpy(copy, piece.p, piece.n);
	ok = stream_feed(s, (struct str){ copy, piece.n }, e);
	free(copy);
	return ok;
}

/* What it came to, in `out`. */
static void play(const struct provider *p, struct str text, struct str cuts, bool whole,
		 struct buf *out)
{
	struct run *r = calloc(1, sizeof(*r));
	struct stream *s = stream_new(p, LIMIT, on_event, r);
	struct err e = ERR_INIT;
	struct str left = cuts;
	struct chat c;
	bool ok = true;

	reply_init(&r->reply);
	for (size_t at = 0; ok && at < text.n;) {
		size_t n = whole ? text.n : fuzz_number(&left, text.n - at);

		left = left.n ? left : cuts;
		n = n ? n : 1;
		ok = feed(s, str_sub(text, at, at + n), &e);
		at += n;
	}
	if (!ok)
		must_say(&e);
	buf_addf(out, "%s %d ", err_name(e.code), stream_may_retry(s));
	e.code = ERR_OK;
	must(stream_end(s, &e) == r->stopped || !ok);
	chat_init(&c);
	if (reply_keep(&r->reply, &c, STR("x"))) {
		json *row = chat_message_json(c.v[0]);

		json_print(out, row);
		json_free(row);
	}
	chat_release(&c);
	stream_free(s);
	free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), name = STR(""), cuts = STR("");
	struct buf whole = BUF_INIT, pieces = BUF_INIT;
	const struct provider *p;
	struct err e = ERR_INIT;

	str_line(&rest, &name);
	str_line(&rest, &cuts);
	p = provider_find(name, &e);
	if (!p)
		return 0;
	play(p, rest, cuts, true, &whole);
	play(p, rest, cuts, false, &pieces);
	must_be(buf_str(&pieces), buf_str(&whole));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
