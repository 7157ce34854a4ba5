#ifndef OX_FUZZ_CODEC_H
#define OX_FUZZ_CODEC_H

#include "base/utf.h"
#include "fuzz.h"
#include "wire/codec.h"

/*
 * A stream of bytes through a codec, whole and in pieces: what comes out is the same. What came
 * out, put again, is taken as the same message. The input: a line with the lengths of the pieces,
 * which come in turn (none: one byte each), and the stream.
 */
#define FUZZ_LIMIT 1000 /* bytes of a message, so that inputs can pass it */

static inline void fuzz_trace(struct buf *trace, struct msg *m)
{
	struct err e = ERR_INIT;
	const json *body = msg_body(m, &e);

	buf_addf(trace, "%d ", (int)m->kind);
	if (m->id)
		json_print(trace, m->id);
	buf_addc(trace, ' ');
	buf_add(trace, m->method);
	buf_addc(trace, ' ');
	if (body)
		json_print(trace, body);
	else
		buf_adds(trace, err_name(e.code));
	buf_addc(trace, '\n');
}

static inline size_t fuzz_depth(const json *v)
{
	size_t most = 0;

	json_each(item, v) {
		size_t n = fuzz_depth(item);

		most = n > most ? n : most;
	}
	return most + 1;
}

/* msgpack-RPC has its own form of errors; and a method is put as a C string. */
static inline bool fuzz_can_put(const struct codec *codec, const struct msg *m)
{
	bool is_msgpack = codec == &codec_msgpack;

	if (!m->body || !utf_clean(m->method) || str_find(m->method, STR("\0")) >= 0)
		return false;
	return !is_msgpack || (m->kind != MSG_ERROR && fuzz_depth(m->body) <= CODEC_SEND_DEPTH);
}

static inline void fuzz_put_again(const struct codec *codec, const struct msg *m, struct str want)
{
	struct buf method = BUF_INIT, out = BUF_INIT, trace = BUF_INIT;
	struct codec_mark mark = { 0 };
	struct msg again = { 0 };
	struct err e = ERR_INIT;
	struct str in;

	buf_add(&method, m->method);
	codec->put(&out, m->kind, m->id, method.p ? method.p : "", m->body);
	in = buf_str(&out);
	must(codec->take(&in, &mark, SIZE_MAX / 2, &again, &e) == CODEC_MSG);
	must(!in.n);
	fuzz_trace(&trace, &again);
	must_be(buf_str(&trace), want);
	msg_release(&again);
	buf_release(&method);
	buf_release(&out);
	buf_release(&trace);
}

static inline void fuzz_message(const struct codec *codec, struct msg *m, struct buf *trace)
{
	size_t at = trace->n;

	must(m->codec == codec);
	must((m->kind == MSG_REQUEST || m->kind == MSG_NOTIFY) == (m->method.n > 0));
	must(m->id || m->kind == MSG_NOTIFY || m->kind == MSG_ERROR);
	fuzz_trace(trace, m);
	if (fuzz_can_put(codec, m))
		fuzz_put_again(codec, m, str_sub(buf_str(trace), at, trace->n));
}

/* Writes down all that comes out. The codec sees each piece in memory that ends where it ends. */
static inline void fuzz_play(const struct codec *codec, struct str stream, struct str cuts,
			     bool whole, struct buf *trace)
{
	enum codec_state state = CODEC_MORE;
	struct codec_mark mark = { 0 };
	struct str left = cuts;
	struct err e = ERR_INIT;
	size_t from = 0, end = 0; /* of the stream: what the codec has not taken, what it got */

	while (end < stream.n && state != CODEC_BAD) {
		size_t n = fuzz_number(&left, stream.n - end);
		char *copy;
		struct str in;
		struct msg m = { 0 };

		left = left.n ? left : cuts;
		end += whole ? stream.n : n ? n : 1;
		copy = malloc(end - from);
		memcpy(copy, stream.p + from, end - from);
		in = (struct str){ copy, end - from };
		while ((state = codec->take(&in, &mark, FUZZ_LIMIT, &m, &e)) == CODEC_MSG ||
		       state == CODEC_ODD) {
			if (state == CODEC_MSG)
				fuzz_message(codec, &m, trace);
			else
				buf_addf(trace, "odd %s\n", err_name(e.code));
			msg_release(&m);
		}
		from = end - in.n;
		free(copy);
	}
	if (state == CODEC_BAD) {
		must_say(&e);
		buf_addf(trace, "bad %s\n", err_name(e.code));
	} else {
		buf_addf(trace, "left %zu\n", stream.n - from);
	}
}

static inline int fuzz_codec(const struct codec *codec, struct str stream)
{
	struct buf whole = BUF_INIT, pieces = BUF_INIT;
	struct str cuts = STR("");

	str_line(&stream, &cuts);
	fuzz_play(codec, stream, cuts, true, &whole);
	fuzz_play(codec, stream, cuts, false, &pieces);
	must_be(buf_str(&pieces), buf_str(&whole));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}

#endif
