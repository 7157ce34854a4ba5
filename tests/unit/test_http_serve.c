/* HTTP on loopback: who is let in, and what comes of requests that are whole, in pieces, one behind
 * the other, too long, broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/http_serve.h"

#define HOST  "Host: 127.0.0.1:4711\r\n"
#define TOKEN "Authorization: Bearer sesame\r\n"
#define POST  "POST /mcp HTTP/1.1\r\n" HOST TOKEN "Content-Length: 3\r\n"
#define HEAD  300 /* the most bytes of each */
#define BODY  50

struct end {
	struct http_serve *serve;
	struct buf heard; /* "METHOD session body\n" each */
	bool later;	  /* it does not answer yet */
};

static void end_heard(void *self, const struct http_request *r)
{
	struct end *n = self;

	buf_addf(&n->heard, "%d %.*s %.*s\n", (int)r->method, STR_ARG(r->session),
		 STR_ARG(r->body));
	if (r->method == HTTP_GET)
		http_serve_stream(n->serve);
	else if (!n->later)
		http_serve_answer(n->serve, "200 OK", "s1", STR("{}"));
}

static void end_init(struct end *n)
{
	struct http_serve_spec spec = { .target = "/mcp",
					.token = STR("sesame"),
					.port = 4711,
					.session_header = "mcp-session-id",
					.head = HEAD,
					.body = BODY,
					.request = end_heard,
					.self = n };

	*n = (struct end){ 0 };
	n->serve = http_serve_new(&spec);
}

static void end_release(struct end *n)
{
	http_serve_free(n->serve);
	buf_release(&n->heard);
}

static void assert_answer(struct end *n, const char *begin)
{
	struct str out = buf_str(http_serve_out(n->serve));

	assert_true(str_starts(out, str_of(begin)));
	buf_clear(http_serve_out(n->serve));
}

#define ANSWER                                                                                     \
	"HTTP/1.1 200 OK\r\nmcp-session-id: s1\r\nContent-Type: application/json\r\n"              \
	"Content-Length: 2\r\n\r\n{}"

static void test_answer(void **state)
{
	struct end n;

	(void)state;
	end_init(&n);
	http_serve_feed(n.serve, STR(POST "Mcp-Session-Id: s1\r\n\r\n{1}"));
	assert_null(http_serve_over(n.serve));
	assert_string_equal(n.heard.p, "1 s1 {1}\n");
	assert_string_equal(http_serve_out(n.serve)->p, ANSWER);
	http_serve_feed(n.serve, STR("DELETE /mcp HTTP/1.1\r\n" HOST TOKEN "\r\n"));
	assert_string_equal(n.heard.p, "1 s1 {1}\n2  \n");
	end_release(&n);
}

/* However the bytes are cut, and with the next request behind the first. */
static void test_pieces(void **state)
{
	struct str all = STR(POST "\r\none" POST "\r\ntwo");

	(void)state;
	for (size_t piece = 1; piece <= all.n; piece += 7) {
		struct end n;

		end_init(&n);
		for (size_t at = 0; at < all.n; at += piece)
			http_serve_feed(n.serve,
					str_sub(all, at, at + piece < all.n ? at + piece : all.n));
		assert_string_equal(n.heard.p, "1  one\n1  two\n");
		assert_string_equal(http_serve_out(n.serve)->p, ANSWER ANSWER);
		end_release(&n);
	}
}

static void test_one_after_the_other(void **state)
{
	struct end n;

	(void)state;
	end_init(&n);
	n.later = true;
	http_serve_feed(n.serve, STR(POST "\r\none" POST "\r\ntwo"));
	assert_string_equal(n.heard.p, "1  one\n");
	assert_true(http_serve_waits(n.serve));
	http_serve_answer(n.serve, "202 Accepted", NULL, STR(""));
	assert_string_equal(http_serve_out(n.serve)->p,
			    "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
	assert_string_equal(n.heard.p, "1  one\n1  two\n");
	while (!http_serve_over(n.serve))
		http_serve_feed(n.serve, STR("more than it may keep"));
	assert_int_equal(http_serve_over(n.serve)->code, ERR_LIMIT);
	end_release(&n);
}

static void test_stream(void **state)
{
	struct end n;

	(void)state;
	end_init(&n);
	http_serve_feed(n.serve, STR("GET /mcp HTTP/1.1\r\n" HOST TOKEN "\r\n"));
	assert_true(http_serve_streams(n.serve));
	assert_answer(&n, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n");
	http_serve_event(n.serve, STR("{\"a\":1}"));
	http_serve_event(n.serve, STR(""));
	assert_string_equal(http_serve_out(n.serve)->p,
			    "f\r\ndata: {\"a\":1}\n\n\r\n8\r\ndata: \n\n\r\n");
	http_serve_feed(n.serve, STR("GET"));
	assert_int_equal(http_serve_over(n.serve)->code, ERR_PROTOCOL);
	http_serve_event(n.serve, STR("late"));
	end_release(&n);
}

static void test_refused(void **state)
{
	static const struct {
		const char *request, *answer, *why;
	} cases[] = {
		{ "GET /mcp HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 401 ", "the token is missing" },
		{ "GET /mcp HTTP/1.1\r\n" HOST "Authorization: sesame\r\n\r\n", "HTTP/1.1 401 ",
		  "the token is missing" },
		{ "GET /mcp HTTP/1.1\r\n" HOST "Authorization: Bearer sesamE\r\n\r\n",
		  "HTTP/1.1 401 ", "the token is missing" },
		{ "GET /mcp HTTP/1.1\r\n" HOST TOKEN TOKEN "\r\n", "HTTP/1.1 400 ", "the headers" },
		{ "GET /mcp HTTP/1.1\r\n" HOST TOKEN "Origin: null\r\n\r\n", "HTTP/1.1 403 ",
		  "web pages" },
		{ "GET /mcp HTTP/1.1\r\nHost: a.example:4711\r\n" TOKEN "\r\n", "HTTP/1.1 403 ",
		  "the request is for another host" },
		{ "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:4712\r\n" TOKEN "\r\n", "HTTP/1.1 403 ",
		  "the request is for another host" },
		{ "GET /mcp HTTP/1.1\r\n" TOKEN "\r\n", "HTTP/1.1 403 ", "the request is for" },
		{ "GET / HTTP/1.1\r\n" HOST TOKEN "\r\n", "HTTP/1.1 404 ", "the request is for a" },
		{ "PUT /mcp HTTP/1.1\r\n" HOST TOKEN "\r\n", "HTTP/1.1 405 ", "only GET, POST" },
		{ "GET /mcp HTTP/1.0\r\n" HOST TOKEN "\r\n", "HTTP/1.1 400 ", "only requests of" },
		{ "GET /mcp x HTTP/1.1\r\n" HOST TOKEN "\r\n", "HTTP/1.1 400 ", "only requests" },
		{ "GET/mcp HTTP/1.1\r\n" HOST TOKEN "\r\n", "HTTP/1.1 400 ", "only requests" },
		{ "\x16\x03\x01\r\n\r\n", "HTTP/1.1 400 ", "only requests of HTTP/1.1" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN "\r\n", "HTTP/1.1 411 ",
		  "the request needs" },
		{ POST "Transfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 411 ", "the request needs" },
		{ POST "Content-Length: 3\r\n\r\n", "HTTP/1.1 400 ", "the headers" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN "Content-Length: -1\r\n\r\n", "HTTP/1.1 400 ",
		  "the Content-Length" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN "Content-Length: 3, 3\r\n\r\n",
		  "HTTP/1.1 400 ", "the Content-Length" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN "Content-Length:\r\n\r\n", "HTTP/1.1 400 ",
		  "the Content-Length" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN "Content-Length: 51\r\n\r\n", "HTTP/1.1 413 ",
		  "the body of the request is longer than 50 bytes" },
		{ "POST /mcp HTTP/1.1\r\n" HOST TOKEN
		  "Content-Length: 99999999999999999999\r\n\r\n",
		  "HTTP/1.1 400 ", "the Content-Length" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct end n;

		end_init(&n);
		http_serve_feed(n.serve, str_of(cases[i].request));
		assert_non_null(http_serve_over(n.serve));
		assert_answer(&n, cases[i].answer);
		assert_true(
			str_starts(str_of(http_serve_over(n.serve)->msg), str_of(cases[i].why)));
		http_serve_feed(n.serve, STR(POST "\r\none")); /* no second try */
		assert_int_equal(n.heard.n, 0);
		assert_int_equal(http_serve_out(n.serve)->n, 0);
		end_release(&n);
	}
}

static void test_head_too_long(void **state)
{
	struct end n;
	size_t fed = 0;

	(void)state;
	end_init(&n);
	for (; !http_serve_over(n.serve) && fed < 1000; fed++)
		http_serve_feed(n.serve, STR("a"));
	assert_int_equal(fed, HEAD + 1);
	assert_answer(&n, "HTTP/1.1 431 ");
	end_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_head_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
