#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf.h"
#include "peer_fixture.h"

/* What a server sends in a session: framed as clangd does, then as others do. */
static void put_session(struct buf *out)
{
	static const char *const messages[] = {
		"{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"capabilities\":{\"hoverProvider\":true}}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":"
		"{\"uri\":\"file:///a.c\",\"version\":3,\"diagnostics\":[{\"message\":\"\\u00e4\"}]}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"reg-1\",\"method\":\"client/registerCapability\","
		"\"params\":{\"registrations\":[]}}",
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"window/workDoneProgress/create\","
		"\"params\":{\"token\":\"t\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"no such\\n"
		"\\tdocument\"}}",
	};
	struct buf big = BUF_INIT;

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		buf_addf(out, "Content-Length: %zu\r\n\r\n%s", strlen(messages[i]), messages[i]);
	buf_adds(&big, "{\"id\":3,\"result\":[");
	for (int i = 0; i < 400; i++)
		buf_addf(&big, "%s{\"uri\":\"file:///a.c\",\"line\":%d}", i ? "," : "", i);
	buf_adds(&big, "]}");
	buf_addf(out, "Content-Type: x\ncontent-length: %zu\n\n%s", big.n, big.p);
	buf_release(&big);
}

static const char *const session_trace =
	"reply ok \nresult 1  {\"capabilities\":{\"hoverProvider\":true}}\n"
	"notify  textDocument/publishDiagnostics {\"uri\":\"file:///a.c\",\"version\":3,"
	"\"diagnostics\":[{\"message\":\"\xc3\xa4\"}]}\n"
	"request \"reg-1\" client/registerCapability {\"registrations\":[]}\n"
	"request 0 window/workDoneProgress/create {\"token\":\"t\"}\n"
	"reply invalid no such  document\n"
	"error 2  {\"code\":-32602,\"message\":\"no such\\n\\tdocument\"}\n"
	"reply ok \nresult 3  13091 bytes\n";

static void a_session_is_the_same_in_any_pieces(void **state)
{
	struct buf stream = BUF_INIT;

	(void)state;
	put_session(&stream);
	for (size_t cut = 0; cut < stream.n; cut += cut < 900 ? 1 : 331) {
		struct err e = ERR_INIT;
		struct fixture f;

		start(&f, &codec_headers, PEER_CANCEL_LSP);
		call(&f, "initialize", 1000);
		call(&f, "textDocument/definition", 1000);
		call(&f, "textDocument/references", 0);
		buf_clear(peer_out(f.peer));
		/* cut 0 stands for a byte at a time */
		for (size_t at = 0, n = cut ? cut : 1; at < stream.n; at += n) {
			if (cut && at)
				n = stream.n - at;
			assert_true(
				peer_feed(f.peer, str_sub(buf_str(&stream), at, at + n), 0, &e));
		}
		assert_int_equal(peer_waiting(f.peer), 0);
		assert_int_equal(peer_deadline(f.peer), UINT64_MAX);
		assert_trace(&f, session_trace);
		assert_out(&f, "Content-Length: 45\r\n\r\n"
			       "{\"jsonrpc\":\"2.0\",\"id\":\"reg-1\",\"result\":\"yes\"}"
			       "Content-Length: 39\r\n\r\n"
			       "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"yes\"}");
		stop(&f);
	}
	buf_release(&stream);
}

static void count_reply(void *arg, struct msg *m, const struct err *e)
{
	(void)m;
	(void)e;
	++*(int *)arg;
}

/* Whatever comes, every call is answered once, at the latest when the peer goes. */
static void broken_sessions_answer_every_call_once(void **state)
{
	struct gen g = { 5 };
	struct buf good = BUF_INIT;

	(void)state;
	put_session(&good);
	good.n = 700; /* without the big answer */
	for (int round = 0; round < 2000; round++) {
		int replies[4] = { 0 };
		struct err e = ERR_INIT;
		struct fixture f;
		bool ok = true;

		start(&f, &codec_headers, PEER_CANCEL_LSP);
		for (int i = 0; i < 4; i++)
			peer_call(f.peer, "m", NULL, 0, gen_below(&g, 6), count_reply, &replies[i]);
		for (size_t at = 0, n; ok && at < good.n; at += n) {
			char *piece;

			n = 1 + gen_below(&g, 90);
			n = n < good.n - at ? n : good.n - at;
			piece = mem_copy(good.p + at, n);
			if (!gen_below(&g, 9))
				piece[gen_below(&g, n)] = (char)gen_below(&g, 256);
			if (!gen_below(&g, 9))
				peer_cancel(f.peer, (int64_t)gen_below(&g, 6));
			ok = peer_feed(f.peer, (struct str){ piece, n }, at / 100, &e);
			assert_true(ok || e.code == ERR_PROTOCOL || e.code == ERR_LIMIT);
			free(piece);
		}
		stop(&f);
		for (int i = 0; i < 4; i++)
			assert_int_equal(replies[i], 1);
	}
	buf_release(&good);
}

static void what_is_sent_stands_in_out(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;
	json *id = json_strz("a"), *params = json_object();

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	json_put(params, "x", json_int(1));
	assert_int_equal(peer_call(f.peer, "one", params, 0, 0, on_reply, &f), 1);
	assert_int_equal(call(&f, "two", 0), 2);
	peer_notify(f.peer, "n", NULL);
	peer_answer(f.peer, id, NULL);
	err_set(&e, ERR_STALE, "a.c has changed");
	peer_refuse(f.peer, id, &e);
	assert_out(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"one\",\"params\":{\"x\":1}}\n"
		       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"two\"}\n"
		       "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n"
		       "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":null}\n"
		       "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32004,\"message\":"
		       "\"a.c has changed\",\"data\":{\"code\":\"stale\"}}}\n");
	feed(&f, "{\"id\":2,\"result\":0}\n{\"id\":1,\"result\":null}\n");
	assert_trace(&f, "reply ok \nresult 2  0\nreply ok \nresult 1  null\n");
	json_free(id);
	stop(&f);
}

static void errors_keep_text_and_number(void **state)
{
	static const struct {
		const char *error, *want;
		long code;
	} errors[] = {
		{ "{\"code\":-32601,\"message\":\"no hover\"}", "unsupported no hover", -32601 },
		{ "{\"code\":-32800,\"message\":\"c\"}", "cancelled c", -32800 },
		{ "{\"code\":-32802,\"message\":\"c\"}", "cancelled c", PEER_SERVER_CANCELLED },
		{ "{\"code\":-32801,\"message\":\"c\"}", "peer c", PEER_CONTENT_MODIFIED },
		/* LSP's ServerNotInitialized has the number of our ERR_AMBIGUOUS */
		{ "{\"code\":-32002,\"message\":\"c\"}", "peer c", -32002 },
		{ "{\"code\":-32002,\"message\":\"c\",\"data\":{\"code\":\"ambiguous\"}}",
		  "ambiguous c", -32002 },
		{ "{\"code\":1,\"message\":\"  a\\r\\nb\\u001b[0m\\n\"}", "peer a  b", 1 },
		{ "{\"code\":1,\"message\":\"\\u0085\\tx\\u007f\"}", "peer x", 1 },
		{ "{\"code\":1,\"message\":\"Request a/b failed with message: no\"}", "peer no",
		  1 },
		{ "{\"code\":1}", "peer the error has no message", 1 },
		{ "{\"code\":\"x\",\"message\":5}", "peer the error has no message", 0 },
		{ "\"plain\"", "peer plain", 0 },
		{ "[0,\"Vim:E492\"]", "peer Vim:E492", 0 },
		{ "[]", "peer the error has no message", 0 },
		{ "{\"a\" 1}", "peer JSON: expected a colon at byte 5 of 7", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct buf line = BUF_INIT, want = BUF_INIT;
		struct fixture f;

		start(&f, &codec_lines, PEER_CANCEL_SILENT);
		call(&f, "m", 0);
		buf_addf(&line, "{\"id\":1,\"error\":%s}\n", errors[i].error);
		feed(&f, line.p);
		buf_addf(&want, "reply %s", errors[i].want);
		assert_true(str_starts(buf_str(&f.trace), buf_str(&want)));
		assert_int_equal(f.code, errors[i].code);
		buf_release(&line);
		buf_release(&want);
		stop(&f);
	}
}

static void a_long_error_is_cut_between_characters(void **state)
{
	struct buf line = BUF_INIT;
	struct str got;
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	call(&f, "m", 0);
	buf_adds(&line, "{\"id\":1,\"error\":{\"message\":\"x");
	for (int i = 0; i < 400; i++)
		buf_adds(&line, "\xc3\xa4");
	buf_adds(&line, "\"}}\n");
	feed(&f, line.p);
	got = buf_str(&f.trace);
	got.n = (size_t)((char *)memchr(got.p, '\n', got.n) - got.p);
	assert_true(utf_clean(got));
	assert_true(str_ends(got, STR("\xc3\xa4...")));
	assert_in_range(got.n, 480, 512);
	buf_release(&line);
	stop(&f);
}

static void a_stray_answer_goes_to_the_handler(void **state)
{
	static const char strays[] = "{\"id\":\"1\",\"result\":1}\n{\"id\":9,\"result\":1}\n"
				     "{\"id\":-1,\"result\":1}\n{\"id\":0,\"result\":1}\n"
				     "{\"id\":null,\"error\":{\"code\":-32700}}\n";
	struct err e = ERR_INIT;
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	call(&f, "a", 0);
	feed(&f, strays);
	assert_trace(&f, "stray result \"1\"  1\nstray result 9  1\nstray result -1  1\n"
			 "stray result 0  1\nstray error   {\"code\":-32700}\n");
	feed(&f, "{\"id\":1,\"result\":1}\n{\"id\":1,\"result\":1}\n"); /* twice */
	assert_trace(&f, "reply ok \nresult 1  1\nstray result 1  1\n");
	f.strays_end = true;
	assert_false(peer_feed(f.peer, STR("{\"id\":\"zz\",\"result\":1}\n{\"method\":\"n\"}\n"), 0,
			       &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	assert_string_equal(e.msg, "a response to an unknown request: id \"zz\"");
	assert_trace(&f, "stray result \"zz\"  1\n");
	/* broken for good */
	e = (struct err)ERR_INIT;
	assert_false(peer_feed(f.peer, STR("{\"method\":\"n\"}\n"), 0, &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	assert_trace(&f, "");
	stop(&f);
}

static void a_broken_stream_gives_what_came_before(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	call(&f, "a", 0);
	assert_true(peer_feed(f.peer, STR("{\"method\":\"n\"}\n{\"id"), 0, &e));
	assert_false(peer_feed(f.peer, STR("\":1,\"result\":3}\nhello\n"), 0, &e));
	assert_trace(&f, "notify  n -\nreply ok \nresult 1  3\n");
	assert_int_equal(e.code, ERR_PROTOCOL);
	stop(&f);
}

static void a_peer_without_handlers_refuses(void **state)
{
	static const struct peer_handler none = { 0 };
	struct err e = ERR_INIT;
	struct peer *p = peer_new(&codec_lines, LIMIT, PEER_CANCEL_SILENT, &none, NULL);

	(void)state;
	assert_true(peer_feed(
		p,
		STR("{\"method\":\"n\"}\n{\"id\":5,\"result\":1}\n{\"id\":1,\"method\":\"m\"}\n"),
		0, &e));
	assert_true(str_find(buf_str(peer_out(p)), STR("\"id\":1,\"error\":{\"code\":-32601")) > 0);
	peer_free(p);
	peer_free(NULL);
}

static void neovim_is_a_peer_too(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;

	(void)state;
	start(&f, &codec_msgpack, PEER_CANCEL_SILENT);
	call(&f, "nvim_get_mode", 0);
	call(&f, "nvim_command", 0);
	assert_text(buf_str(peer_out(f.peer)),
		    STR("\x94\x00\x01\xadnvim_get_mode\x90\x94\x00\x02\xacnvim_command\x90"));
	buf_clear(peer_out(f.peer));
	assert_true(peer_feed(f.peer,
			      STR("\x94\x00\x09\xa3tag\x91\x01\x94\x01\x02\x92\x00\xa4"
				  "E492\xc0\x94\x01\x01\xc0\xa1n"),
			      0, &e));
	assert_trace(&f, "request 9 tag [1]\nreply peer E492\nerror 2  [0,\"E492\"]\n"
			 "reply ok \nresult 1  \"n\"\n");
	assert_out(&f, "\x94\x01\x09\xc0\xa3yes");
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_is_the_same_in_any_pieces),
		cmocka_unit_test(broken_sessions_answer_every_call_once),
		cmocka_unit_test(what_is_sent_stands_in_out),
		cmocka_unit_test(errors_keep_text_and_number),
		cmocka_unit_test(a_long_error_is_cut_between_characters),
		cmocka_unit_test(a_stray_answer_goes_to_the_handler),
		cmocka_unit_test(a_broken_stream_gives_what_came_before),
		cmocka_unit_test(a_peer_without_handlers_refuses),
		cmocka_unit_test(neovim_is_a_peer_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
