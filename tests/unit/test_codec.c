#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "wire_play.h"

/* The same conversation on every wire. */
static const char *const talk_trace =
	"request 1 initialize {\"rootUri\":\"file:///\xc3\xa4\",\"list\":[1,-2,0.5,true,null,[],{}]}\n"
	"notify  initialized -\n"
	"result 1  {\"capabilities\":{\"text\":\"a\\\"b\\\\c\\n\xf0\x9f\x98\x80\"}}\n"
	"result 2  null\n"
	"request 7 workspace/configuration [{\"section\":\"x\"}]\n";

static json *parse(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	assert_non_null(v);
	return v;
}

static void put(struct buf *out, const struct codec *c, enum msg_kind kind, int64_t id,
		const char *method, const char *body)
{
	json *v = body ? parse(body) : NULL, *n = json_int(id);

	c->put(out, kind, kind == MSG_NOTIFY ? NULL : n, method, v);
	json_free(v);
	json_free(n);
}

static void put_talk(struct buf *out, const struct codec *c)
{
	put(out, c, MSG_REQUEST, 1, "initialize",
	    "{\"rootUri\":\"file:///\xc3\xa4\",\"list\":[1,-2,0.5,true,null,[],{}]}");
	put(out, c, MSG_NOTIFY, 0, "initialized", NULL);
	put(out, c, MSG_RESULT, 1, NULL,
	    "{\"capabilities\":{\"text\":\"a\\\"b\\\\c\\n\xf0\x9f\x98\x80\"}}");
	put(out, c, MSG_RESULT, 2, NULL, NULL);
	put(out, c, MSG_REQUEST, 7, "workspace/configuration", "[{\"section\":\"x\"}]");
}

static void what_is_put_is_taken_in_any_pieces(void **state)
{
	static const struct codec *const codecs[] = { &codec_headers, &codec_lines };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf stream = BUF_INIT;

		put_talk(&stream, codecs[i]);
		wire_play_all(codecs[i], buf_str(&stream), talk_trace);
		buf_release(&stream);
	}
}

static void headers_are_read_as_loosely_as_servers_write_them(void **state)
{
	static const char stream[] =
		"Content-Length: 28\r\nContent-Type: application/vscode-jsonrpc; "
		"charset=utf-8\r\n\r\n{\"method\":\"a\",\"params\":[10]}"
		"content-type: x\ncontent-length:15\n\n{\"method\":\"b\"} "
		"\r\n\n\r\nCONTENT-LENGTH:   22 \r\nX_y-1:\r\nContent-Length: 22\r\n\r\n"
		"{\"id\":3,\"result\":null}"
		"Content-Length: 14\n\r\n{\"method\":\"c\"}";

	(void)state;
	wire_play_all(&codec_headers, str_of(stream),
		      "notify  a [10]\nnotify  b -\nresult 3  null\nnotify  c -\n");
}

static void blank_lines_are_skipped(void **state)
{
	(void)state;
	wire_play_all(&codec_lines,
		      STR("\n\r\n  \n {\"method\":\"a\"} \r\n\n{\"method\":\"b\"}\n\n"),
		      "notify  a -\nnotify  b -\n");
}

static void a_line_holds_no_line_end(void **state)
{
	struct buf out = BUF_INIT, text = BUF_INIT;
	json *body, *id = json_int(1);

	(void)state;
	buf_adds(&text, "[1,\r\n 2\n]");
	body = json_raw(&text);
	codec_lines.put(&out, MSG_RESULT, id, NULL, body);
	assert_int_equal(memchr(out.p, '\n', out.n) - (void *)out.p, out.n - 1);
	wire_play_all(&codec_lines, buf_str(&out), "result 1  [1,2]\n");
	buf_release(&out);
	json_free(body);
	json_free(id);
}

/* What servers were seen to send, and what they mean. */
static const struct {
	const char *text, *want;
} readings[] = {
	{ "{\"id\":1,\"result\":{\"a\":1},\"error\":null}", "result 1  {\"a\":1}\n" },
	{ "{\"id\":1,\"result\":null,\"error\":null}", "result 1  null\n" },
	{ "{\"id\":1,\"result\":null,\"error\":{\"code\":1}}", "error 1  {\"code\":1}\n" },
	{ "{\"id\":1,\"error\":{\"code\":1}}", "error 1  {\"code\":1}\n" },
	{ "{\"id\":null,\"error\":{\"code\":-32700}}", "error   {\"code\":-32700}\n" },
	{ "{\"id\":\"zz\",\"method\":\"m\",\"params\":null}", "request \"zz\" m null\n" },
	{ "{\"id\":\"a\\u00e4\\n\",\"method\":\"m\"}", "request \"a\xc3\xa4\\n\" m -\n" },
	{ "{\"id\":-9007199254740992,\"method\":\"m\"}", "request -9007199254740992 m -\n" },
	{ "{\"method\":\"textDocument\\/x\"}", "notify  textDocument/x -\n" },
	{ "{\"method\":\"m\",\"result\":null,\"error\":null}", "notify  m -\n" },
	{ "{\"extra\":[{\"id\":9},\"]\\\\\"],\"method\":\"m\"}", "notify  m -\n" },
	{ "{\"result\":[18446744073709551615],\"id\":1}", "result 1  [1.8446744073709552e+19]\n" },
	/* skimmed, so found by the reader of the body only */
	{ "{\"id\":1,\"result\":[1 2}}", "result 1  protocol\n" },
};

static void odd_messages_are_read_as_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		struct buf stream = BUF_INIT;

		buf_addf(&stream, "%s\n", readings[i].text);
		wire_play_all(&codec_lines, buf_str(&stream), readings[i].want);
		buf_clear(&stream);
		buf_addf(&stream, "Content-Length: %zu\r\n\r\n%s", strlen(readings[i].text),
			 readings[i].text);
		wire_play_all(&codec_headers, buf_str(&stream), readings[i].want);
		buf_release(&stream);
	}
}

static const struct {
	const char *bytes;
	enum err_code code;
	const char *says;
} bad_headers[] = {
	{ "\r\nX: 1\r\n\r\n", ERR_PROTOCOL, "no Content-Length" },
	{ "Content-Length: abc\r\n", ERR_PROTOCOL, "not a number: \"abc\"" },
	{ "Content-Length: 0x10\r\n", ERR_PROTOCOL, "not a number" },
	{ "Content-Length: -5\r\n", ERR_PROTOCOL, "not a number: \"-5\"" },
	{ "Content-Length: +5\r\n", ERR_PROTOCOL, "not a number" },
	{ "Content-Length:\r\n", ERR_PROTOCOL, "empty" },
	{ "Content-Length: 5\r\nContent-Length: 6\r\n", ERR_PROTOCOL, "two different" },
	{ "Content-Length: 1048577\r\n", ERR_LIMIT, "1048577 bytes" },
	{ "Content-Length: 4294967296\r\n", ERR_LIMIT, "4294967296" },
	{ "Content-Length: 18446744073709551615\r\n", ERR_LIMIT, "limit" },
	{ "Content-Length: 99999999999999999999999999\r\n", ERR_LIMIT, "9999" },
	{ "Content-Length: 18446744073709551621\r\n", ERR_LIMIT, "limit" }, /* 2^64 + 5 */
	{ "starting up\n", ERR_PROTOCOL, "bad header" },
	{ "Content Length: 5\r\n", ERR_PROTOCOL, "bad header" },
	{ ": 5\r\n", ERR_PROTOCOL, "bad header" },
	{ "Content-Length\r\n", ERR_PROTOCOL, "bad header" },
	{ "{\"jsonrpc\":\"2.0\"}", ERR_PROTOCOL, "bad header" }, /* no line end, no wait */
	{ "\x1b[31mfatal\x1b[0m\n", ERR_PROTOCOL, "bad header" },
};

/* What is framed well costs no more than itself: the message behind it is taken. */
static void assert_odd(const struct codec *c, struct str bytes, const char *says)
{
	static const char want[] = "odd protocol\nnotify  m -\n";
	struct err e = ERR_INIT;
	struct buf trace = BUF_INIT;

	wire_play_all(c, bytes, want);
	assert_int_equal(wire_play(c, bytes, bytes.n, 1, &trace, &e), CODEC_MORE);
	if (e.code != ERR_PROTOCOL || !strstr(e.msg, says))
		fail_msg("%s: got %s: %s", says, err_name(e.code), e.msg);
	for (const char *p = e.msg; *p; p++)
		assert_in_range(*p, ' ', '~');
	buf_release(&trace);
}

static void assert_bad(const struct codec *c, struct str bytes, enum err_code code,
		       const char *says)
{
	for (size_t step = 1; step <= bytes.n; step += bytes.n - 1) {
		struct buf trace = BUF_INIT;
		struct err e = ERR_INIT;

		assert_int_equal(wire_play(c, bytes, step, step, &trace, &e), CODEC_BAD);
		if (e.code != code || !strstr(e.msg, says))
			fail_msg("%s: got %s: %s", says, err_name(e.code), e.msg);
		for (const char *p = e.msg; *p; p++)
			assert_in_range(*p, ' ', '~');
		buf_release(&trace);
	}
}

static void bad_headers_are_named(void **state)
{
	struct err e = ERR_INIT;
	struct buf trace = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_headers) / sizeof(bad_headers[0]); i++)
		assert_bad(&codec_headers, str_of(bad_headers[i].bytes), bad_headers[i].code,
			   bad_headers[i].says);
	/* what was found instead, printable and cut */
	wire_play(&codec_headers,
		  STR("\x1b[31mTraceback (most recent call last):\x1b[0m and much more of it\n"),
		  99, 99, &trace, &e);
	assert_string_equal(e.msg, "bad header: \".[31mTraceback (most recent call last):....\"");
	buf_release(&trace);
}

static void a_header_that_does_not_end_is_refused(void **state)
{
	struct buf one = BUF_INIT, many = BUF_INIT;

	(void)state;
	while (one.n <= CODEC_HEADER)
		buf_adds(&one, "xxxxxxxxxxxxxxx");
	while (many.n <= CODEC_HEADER)
		buf_adds(&many, "X-Y: z\r\n");
	assert_bad(&codec_headers, buf_str(&one), ERR_LIMIT, "unterminated header");
	assert_bad(&codec_headers, buf_str(&many), ERR_LIMIT, "unterminated header");
	buf_release(&one);
	buf_release(&many);
}

static const struct {
	const char *text, *says;
} bad_messages[] = {
	{ "hello", "expected an object" },
	{ "null", "expected an object" },
	{ "[1,2]", "expected an object" },
	{ "{", "expected a string" },
	{ "{}", "neither a method nor an id" },
	{ "{\"jsonrpc\":\"2.0\"}", "neither a method nor an id" },
	{ "{\"id\":1}", "neither a result nor an error" },
	{ "{\"id\":1,\"error\":null}", "neither a result nor an error" },
	{ "{\"id\":1,\"result\":1,\"error\":{}}", "both a result and an error" },
	{ "{\"result\":1}", "neither a method nor an id" },
	{ "{\"id\":null,\"result\":1}", "must be an integer or a string" },
	{ "{\"id\":null,\"method\":\"m\"}", "must be an integer or a string" },
	{ "{\"id\":1.5,\"method\":\"m\"}", "must be an integer or a string" },
	{ "{\"id\":1e300,\"method\":\"m\"}", "must be an integer or a string" },
	{ "{\"id\":9007199254740994,\"method\":\"m\"}", "9007199254740994" },
	{ "{\"id\":--,\"method\":\"m\"}", "must be an integer or a string" },
	{ "{\"id\":true,\"method\":\"m\"}", "must be an integer or a string" },
	{ "{\"id\":[1],\"result\":1}", "must be an integer or a string" },
	{ "{\"id\":\"\\x\",\"result\":1}", "id" },
	{ "{\"method\":1}", "must be a non-empty string" },
	{ "{\"method\":\"\"}", "must be a non-empty string" },
	{ "{\"method\":null}", "must be a non-empty string" },
	{ "{\"method\":\"\\q\"}", "method" },
	{ "{\"method\":\"m\",\"id\":1,\"result\":1}", "both a request and a response" },
	{ "{\"id\":1,\"id\":1,\"result\":1}", "two members" },
	{ "{\"method\":\"m\"} x", "text after the message" },
	{ "{\"method\":\"m\"}{\"method\":\"m\"}", "text after the message" },
	{ "{\"method\":\"m\",\"params\":undefined}", "expected a value" },
	{ "{\"method\":\"m\",\"params\":\"x}", "unterminated string" },
	{ "{\"method\":\"m\",\"params\":\"x\\\"}", "unterminated string" },
	{ "{\"method\" \"m\"}", "expected a colon" },
	{ "{\"id\":1 \"method\":\"m\"}", "a comma or the end" },
	{ "{\"method\":\"m\",\"params\":[[[}", "expected a value" },
};

static void frame(struct buf *out, const struct codec *c, const char *text)
{
	if (c == &codec_headers)
		buf_addf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	else
		buf_addf(out, "%s\n", text);
}

static void bad_messages_are_named_and_passed_over(void **state)
{
	static const struct codec *const codecs[] = { &codec_lines, &codec_headers };
	struct buf stream = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_messages) / sizeof(bad_messages[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			buf_clear(&stream);
			frame(&stream, codecs[k], bad_messages[i].text);
			frame(&stream, codecs[k], "{\"method\":\"m\"}");
			assert_odd(codecs[k], buf_str(&stream), bad_messages[i].says);
		}
	buf_clear(&stream);
	frame(&stream, &codec_headers, "");
	frame(&stream, &codec_headers, "{\"method\":\"m\"}");
	assert_odd(&codec_headers, buf_str(&stream), "expected an object");
	buf_release(&stream);
}

/* Who waits for an answer that makes no sense can be told, where the id is there. */
static void an_odd_answer_has_its_id(void **state)
{
	static const struct {
		const char *text;
		int64_t id;
	} rows[] = {
		{ "{\"id\":7}\n", 7 },
		{ "{\"id\":7,\"error\":null}\n", 7 },
		{ "{\"id\":7,\"result\":1,\"error\":{}}\n", 7 },
		{ "{\"id\":7,\"result\":[}\n", 7 },
		{ "{\"id\":7,\"method\":1}\n", 0 },
		{ "{\"id\":1.5,\"result\":1}\n", 0 },
		{ "{}\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct codec_mark mark = { 0 };
		struct msg m = { 0 };
		struct err e = ERR_INIT;
		struct str in = str_of(rows[i].text);

		assert_int_equal(codec_lines.take(&in, &mark, 99, &m, &e), CODEC_ODD);
		assert_int_equal(json_is(m.id, JSON_NUMBER) ? json_number(m.id) : 0, rows[i].id);
		msg_release(&m);
	}
}

static enum codec_state take_once(const struct codec *c, struct str in, size_t limit, struct err *e)
{
	struct codec_mark mark = { 0 };
	struct msg m = { 0 };
	enum codec_state got = c->take(&in, &mark, limit, &m, e);

	msg_release(&m);
	return got;
}

static void a_limit_counts_the_message(void **state)
{
	static const struct str line = { "{\"method\":\"m\"}\n", 15 };
	static const struct str framed = { "Content-Length: 14\r\n\r\n{\"method\":\"m\"}", 36 };
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(take_once(&codec_lines, line, 14, &e), CODEC_MSG);
	assert_int_equal(take_once(&codec_lines, line, 13, &e), CODEC_BAD);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_int_equal(take_once(&codec_lines, str_sub(line, 0, 10), 9, &e), CODEC_BAD);
	assert_int_equal(take_once(&codec_headers, framed, 14, &e), CODEC_MSG);
	e.code = ERR_OK;
	/* before the body is there */
	assert_int_equal(take_once(&codec_headers, str_sub(framed, 0, 20), 13, &e), CODEC_BAD);
	assert_int_equal(e.code, ERR_LIMIT);
}

/* Nothing is looked at twice, but the header line in front. */
static void a_byte_at_a_time_is_linear(void **state)
{
	static const struct codec *const codecs[] = { &codec_headers, &codec_lines };
	size_t size = 800000;
	char *text = mem_new(size + 1);

	(void)state;
	memset(text, 'a', size);
	for (size_t i = 0; i < 2; i++) {
		struct buf stream = BUF_INIT;
		struct codec_mark mark = { 0 };
		struct msg m = { 0 };
		struct err e = ERR_INIT;
		json *id = json_int(1), *body = json_strz(text);
		struct str in;

		codecs[i]->put(&stream, MSG_RESULT, id, NULL, body);
		for (size_t n = 1; n < stream.n; n++) {
			in = str_sub(buf_str(&stream), 0, n);
			assert_int_equal(codecs[i]->take(&in, &mark, LIMIT, &m, &e), CODEC_MORE);
			assert_int_equal(in.n, n);
			assert_true(mark.in_body || mark.seen == n || n < 40);
		}
		in = buf_str(&stream);
		assert_int_equal(codecs[i]->take(&in, &mark, LIMIT, &m, &e), CODEC_MSG);
		assert_int_equal(m.raw.n, size + 2);
		assert_int_equal(in.n, 0);
		msg_release(&m);
		json_free(id);
		json_free(body);
		buf_release(&stream);
	}
	free(text);
}

static void broken_streams_do_no_harm(void **state)
{
	static const char *const pieces[] = {
		"Content-Length: ",
		"99999999999999999999",
		"-1",
		"\r\n\r\n",
		"\n",
		"{",
		"}",
		"[",
		"\"",
		"\\",
		":",
		",",
		"\\u",
		"\"id\"",
		"null",
		"\x80",
		"\"result\"",
		"\"error\"",
	};
	static const struct codec *const codecs[] = { &codec_headers, &codec_lines };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf stream = BUF_INIT;

		put_talk(&stream, codecs[i]);
		wire_break(codecs[i], buf_str(&stream), 4000, 42, pieces,
			   sizeof(pieces) / sizeof(pieces[0]));
		buf_release(&stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_taken_in_any_pieces),
		cmocka_unit_test(headers_are_read_as_loosely_as_servers_write_them),
		cmocka_unit_test(blank_lines_are_skipped),
		cmocka_unit_test(a_line_holds_no_line_end),
		cmocka_unit_test(odd_messages_are_read_as_meant),
		cmocka_unit_test(bad_headers_are_named),
		cmocka_unit_test(a_header_that_does_not_end_is_refused),
		cmocka_unit_test(bad_messages_are_named_and_passed_over),
		cmocka_unit_test(an_odd_answer_has_its_id),
		cmocka_unit_test(a_limit_counts_the_message),
		cmocka_unit_test(a_byte_at_a_time_is_linear),
		cmocka_unit_test(broken_streams_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
