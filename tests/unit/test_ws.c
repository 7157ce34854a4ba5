/* WebSockets: who is let in, and what comes of frames that are whole, in pieces, too long, broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/mem.h"
#include "wire/ws.h"

#define REQUEST                                                                                    \
	"GET / HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nConnection: keep-alive, Upgrade\r\n"            \
	"Upgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"                                      \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define TOKEN "X-Token: sesame\r\n"
#define MOST  200 /* bytes of a message */

struct end {
	struct ws *ws;
	struct buf heard; /* "text\n" each */
	struct err e;
};

static void end_heard(void *self, struct str text)
{
	struct end *n = self;

	buf_addf(&n->heard, "%.*s\n", STR_ARG(text));
}

static void end_init(struct end *n)
{
	struct ws_spec spec = { .expect = { "mcp", "x-token", STR("sesame"), 4711 },
				.head = 500,
				.message = MOST,
				.message_fn = end_heard,
				.self = n };

	*n = (struct end){ 0 };
	n->ws = ws_new(&spec);
}

static void end_release(struct end *n)
{
	ws_free(n->ws);
	buf_release(&n->heard);
}

static bool end_feed(struct end *n, struct str bytes)
{
	return ws_feed(n->ws, bytes, &n->e);
}

static void assert_answer(struct end *n, const char *begin)
{
	struct str out = buf_str(ws_out(n->ws));

	assert_true(out.n >= strlen(begin));
	assert_memory_equal(out.p, begin, strlen(begin));
	buf_clear(ws_out(n->ws));
}

static void end_open(struct end *n)
{
	end_init(n);
	assert_true(end_feed(n, STR(REQUEST TOKEN "\r\n")));
	assert_true(ws_is_open(n->ws));
	buf_clear(ws_out(n->ws));
}

/* A frame as a client sends it, with a mask. */
static void frame(struct buf *out, unsigned first, struct str text)
{
	static const char mask[4] = { 1, 2, 3, 4 };

	buf_addc(out, (char)first);
	buf_addc(out, (char)(0x80 | (text.n < 126 ? text.n : 126)));
	if (text.n >= 126) {
		buf_addc(out, (char)(text.n >> 8));
		buf_addc(out, (char)text.n);
	}
	buf_add(out, (struct str){ mask, 4 });
	for (size_t i = 0; i < text.n; i++)
		buf_addc(out, (char)(text.p[i] ^ mask[i % 4]));
}

static bool end_frame(struct end *n, unsigned first, struct str text)
{
	struct buf bytes = BUF_INIT;
	bool ok;

	frame(&bytes, first, text);
	ok = end_feed(n, buf_str(&bytes));
	buf_release(&bytes);
	return ok;
}

static void test_handshake(void **state)
{
	struct end n;

	(void)state;
	end_init(&n);
	assert_true(end_feed(&n, STR(REQUEST TOKEN "Sec-WebSocket-Protocol: x, mcp\r\n\r\n")));
	/* the example of RFC 6455, 1.3 */
	assert_string_equal(
		buf_str(ws_out(n.ws)).p,
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
		"Sec-WebSocket-Protocol: mcp\r\n\r\n");
	end_release(&n);
}

static void test_refused(void **state)
{
	static const struct {
		const char *request, *answer, *why;
	} cases[] = {
		{ REQUEST "\r\n", "HTTP/1.1 401 ", "the token is missing" },
		{ REQUEST "X-Token: sesamE\r\n\r\n", "HTTP/1.1 401 ", "the token is missing" },
		{ REQUEST "X-Token: sesamesesame\r\n\r\n", "HTTP/1.1 401 ", "the token" },
		{ REQUEST "X-Token:\r\n\r\n", "HTTP/1.1 401 ", "the token is missing" },
		{ REQUEST TOKEN TOKEN "\r\n", "HTTP/1.1 400 ", "the headers" },
		{ REQUEST TOKEN "Origin: http://a.example\r\n\r\n", "HTTP/1.1 403 ", "web pages" },
		{ REQUEST TOKEN "odd\r\n\r\n", "HTTP/1.1 400 ", "the headers" },
		{ REQUEST TOKEN "odd : 1\r\n\r\n", "HTTP/1.1 400 ", "the headers" },
		{ "POST / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "only GET" },
		{ "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 400 ", "only requests of HTTP/1.1" },
		{ "\x16\x03\x01\r\n\r\n", "HTTP/1.1 400 ", "only requests of HTTP/1.1" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\n" TOKEN "\r\n", "HTTP/1.1 403 ",
		  "the request is for another host" },
		{ "GET / HTTP/1.1\r\nHost: localhost:4711\r\n" TOKEN "\r\n", "HTTP/1.1 400 ",
		  "only WebSocket" },
		{ "GET / HTTP/1.1\r\nHost: localhost:4711\r\nUpgrade: websocket\r\n"
		  "Connection: Upgrade\r\nSec-WebSocket-Version: 8\r\n" TOKEN "\r\n",
		  "HTTP/1.1 426 ", "version 13" },
		{ "GET / HTTP/1.1\r\nHost: localhost:4711\r\nUpgrade: websocket\r\n"
		  "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" TOKEN "\r\n",
		  "HTTP/1.1 400 ", "Sec-WebSocket-Key" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct end n;

		end_init(&n);
		assert_false(end_feed(&n, str_of(cases[i].request)));
		assert_answer(&n, cases[i].answer);
		assert_memory_equal(n.e.msg, cases[i].why, strlen(cases[i].why));
		assert_false(end_feed(&n, STR(REQUEST TOKEN "\r\n"))); /* no second try */
		assert_false(ws_is_open(n.ws));
		end_release(&n);
	}
}

static void test_head_too_long(void **state)
{
	struct end n;
	bool ok = true;
	size_t fed = 0;

	(void)state;
	end_init(&n);
	for (; ok && fed < 1000; fed++)
		ok = end_feed(&n, STR("a"));
	assert_int_equal(fed, 501);
	assert_answer(&n, "HTTP/1.1 431 ");
	end_release(&n);
}

/* However the bytes are cut. */
static void test_pieces(void **state)
{
	struct buf all = BUF_INIT;

	(void)state;
	buf_adds(&all, REQUEST TOKEN "\r\n");
	frame(&all, 0x81, STR("one"));
	frame(&all, 0x01, STR("t"));
	frame(&all, 0x89, STR("ping"));
	frame(&all, 0x00, STR(""));
	frame(&all, 0x80, STR("wo"));
	frame(&all, 0x81, STR(""));
	for (size_t piece = 1; piece < all.n; piece += 7) {
		struct end n;

		end_init(&n);
		for (size_t at = 0; at < all.n; at += piece)
			assert_true(end_feed(&n, str_sub(buf_str(&all), at,
							 at + piece < all.n ? at + piece : all.n)));
		assert_string_equal(n.heard.p, "one\ntwo\n\n");
		assert_true(str_ends(buf_str(ws_out(n.ws)), STR("\r\n\r\n\x8a\4ping")));
		end_release(&n);
	}
	buf_release(&all);
}

static void test_send(void **state)
{
	struct end n;

	(void)state;
	end_open(&n);
	ws_send(n.ws, STR("{}"));
	assert_string_equal(buf_str(ws_out(n.ws)).p, "\x81\2{}");
	buf_clear(ws_out(n.ws));
	ws_end(n.ws, 1001, "bye");
	assert_memory_equal(buf_str(ws_out(n.ws)).p,
			    "\x88\5\x03\xe9"
			    "bye",
			    7);
	assert_false(end_frame(&n, 0x81, STR("late")));
	ws_send(n.ws, STR("late"));
	assert_int_equal(ws_out(n.ws)->n, 7);
	assert_int_equal(n.heard.n, 0);
	end_release(&n);
}

/* The other side ends it, and hears so. */
static void test_closed(void **state)
{
	struct end n;

	(void)state;
	end_open(&n);
	assert_false(end_frame(&n, 0x88, STR("\x03\xe8")));
	assert_int_equal(n.e.code, ERR_OK);
	assert_answer(&n, "\x88\2\x03\xe8");
	end_release(&n);
}

static void assert_broken(unsigned first, struct str text, enum err_code code, unsigned close)
{
	struct end n;
	char want[] = { (char)0x88, 0, (char)(close >> 8), (char)close };
	struct str out;

	end_open(&n);
	assert_false(end_frame(&n, first, text));
	assert_int_equal(n.e.code, code);
	out = buf_str(ws_out(n.ws));
	assert_true(out.n >= 4);
	assert_int_equal(out.p[0], want[0]);
	assert_memory_equal(out.p + 2, want + 2, 2);
	assert_int_equal(n.heard.n, 0);
	end_release(&n);
}

static void test_broken(void **state)
{
	char *large = mem_new(MOST + 2);
	struct end n;

	(void)state;
	memset(large, 'x', MOST + 1);
	assert_broken(0x81, (struct str){ large, MOST + 1 }, ERR_LIMIT, 1009);
	assert_broken(0x82, STR("bytes"), ERR_UNSUPPORTED, 1003);
	assert_broken(0x81, STR("\xff\xfe"), ERR_PROTOCOL, 1007);
	assert_broken(0x80, STR("of nothing"), ERR_PROTOCOL, 1002);
	assert_broken(0xc1, STR("compressed"), ERR_PROTOCOL, 1002);
	assert_broken(0x83, STR("unknown"), ERR_PROTOCOL, 1002);
	end_open(&n);
	assert_false(end_feed(&n, STR("\x81\2{}"))); /* no mask */
	assert_int_equal(n.e.code, ERR_PROTOCOL);
	end_release(&n);
	end_open(&n); /* a frame of 2^62 bytes is refused by its first one */
	assert_false(end_feed(&n, STR("\x81\xff\x40\0\0\0\0\0\0\0\1\2\3\4x")));
	assert_int_equal(n.e.code, ERR_LIMIT);
	end_release(&n);
	end_open(&n); /* in fragments, each of which is small */
	for (int i = 0; i < 3; i++)
		assert_int_equal(end_frame(&n, i ? 0x00 : 0x01, (struct str){ large, MOST / 2 }),
				 i < 2);
	assert_int_equal(n.e.code, ERR_LIMIT);
	end_release(&n);
	free(large);
}

static void test_base64(void **state)
{
	static const char *const want[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==" };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct buf out = BUF_INIT;

		base64_add(&out, str_sub(STR("foobar"), 0, i));
		assert_string_equal(buf_str(&out).p, want[i]);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handshake),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_head_too_long), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_send),	      cmocka_unit_test(test_closed),
		cmocka_unit_test(test_broken),	      cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
