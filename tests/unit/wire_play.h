#ifndef OX_TEST_WIRE_PLAY_H
#define OX_TEST_WIRE_PLAY_H

/* Plays bytes through a codec in pieces and writes down what came out. Include cmocka's headers
 * first. */

#include <stdlib.h>

#include "base/mem.h"
#include "wire/codec.h"

#define LIMIT ((size_t)1 << 20)

static inline void trace_msg(struct buf *trace, struct msg *m)
{
	static const char *const kinds[] = { "request", "notify", "result", "error" };
	struct err e = ERR_INIT;
	const json *body = msg_body(m, &e);

	buf_addf(trace, "%s ", kinds[m->kind]);
	if (m->id)
		json_print(trace, m->id);
	buf_addf(trace, " %.*s ", STR_ARG(m->method));
	if (!m->raw.n)
		buf_adds(trace, "-");
	else if (body)
		json_print(trace, body);
	else
		buf_adds(trace, err_name(e.code));
	buf_addc(trace, '\n');
}

/* The first piece has `first` bytes, all others `step`. The codec sees its input in memory that
 * ends where the bytes end, so that a sanitizer finds a look behind them. Returns CODEC_BAD, or
 * CODEC_MORE when all was taken; the trace says when something is left over. */
static inline enum codec_state wire_play(const struct codec *codec, struct str stream, size_t first,
					 size_t step, struct buf *trace, struct err *e)
{
	enum codec_state state = CODEC_MORE;
	struct codec_mark mark = { 0 };
	size_t from = 0, end = 0; /* of the stream: what the codec has not taken, what it got */

	for (size_t n = first; end < stream.n && state != CODEC_BAD; n = step) {
		end = n < stream.n - end ? end + n : stream.n;

		char *copy = malloc(end - from ? end - from : 1);
		struct str in = { copy, end - from };
		struct msg m = { 0 };

		memcpy(copy, stream.p + from, end - from);
		while ((state = codec->take(&in, &mark, LIMIT, &m, e)) == CODEC_MSG ||
		       state == CODEC_ODD) {
			assert_ptr_equal(m.codec, codec);
			if (state == CODEC_ODD)
				buf_addf(trace, "odd %s\n", err_name(e->code));
			else
				trace_msg(trace, &m);
			msg_release(&m);
		}
		from = end - in.n;
		free(copy);
	}
	if (state == CODEC_BAD)
		buf_addf(trace, "bad %s\n", err_name(e->code));
	else if (from < stream.n)
		buf_addf(trace, "left %zu\n", stream.n - from);
	return state;
}

/* Whole, a byte at a time, and in all pairs of pieces: always the same. */
static inline void wire_play_all(const struct codec *codec, struct str stream, const char *want)
{
	struct err e = ERR_INIT;

	for (size_t first = 0; first <= stream.n; first++) {
		struct buf trace = BUF_INIT;

		/* 0 stands for a byte at a time */
		wire_play(codec, stream, first ? first : 1, first ? stream.n : 1, &trace, &e);
		assert_text(buf_str(&trace), str_of(want));
		buf_release(&trace);
	}
}

/* Breaks a good stream in `rounds` ways: nothing may crash, hang, or read behind the end. */
static inline void wire_break(const struct codec *codec, struct str good, size_t rounds,
			      uint64_t seed, const char *const *pieces, size_t npieces)
{
	struct gen g = { seed };

	for (size_t round = 0; round < rounds; round++) {
		struct buf bad = BUF_INIT, trace = BUF_INIT;
		struct err e = ERR_INIT;
		size_t changes = 1 + gen_below(&g, 4);

		buf_add(&bad, good);
		while (changes--) {
			size_t at = gen_below(&g, bad.n), n = gen_below(&g, bad.n - at) / 8;
			const char *piece = pieces[gen_below(&g, npieces)];

			switch (gen_below(&g, 4)) {
			case 0:
				bad.p[at] = (char)gen_below(&g, 256);
				break;
			case 1:
				bad.p[at] ^= (char)(1 << gen_below(&g, 8));
				break;
			case 2:
				memmove(bad.p + at, bad.p + at + n, bad.n - at - n);
				bad.n -= n;
				break;
			default:
				n = strlen(piece) < bad.n - at ? strlen(piece) : bad.n - at;
				memcpy(bad.p + at, piece, n);
			}
		}
		wire_play(codec, buf_str(&bad), 1 + gen_below(&g, bad.n), 1 + gen_below(&g, 60),
			  &trace, &e);
		buf_release(&bad);
		buf_release(&trace);
	}
}

#endif
