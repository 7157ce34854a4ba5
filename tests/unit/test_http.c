// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "io/http.h"

/* Requests to a server on loopback, which takes one connection, reads one request and says what it
 * was given to say. */
struct server {
	int fd;
	unsigned port;
	pthread_t thread;
	const char *says; /* NULL: nothing, until the client has gone */
	size_t repeats;	  /* the last line of it so often; 0: once */
	struct buf heard;
	bool client_left; /* it closed the connection before the server did */
};

static size_t body_length(struct str request)
{
	ptrdiff_t at = str_find(request, STR("Content-Length: "));

	return at < 0 ? 0 : strtoul(request.p + at + 16, NULL, 10);
}

static bool is_whole(struct str request)
{
	ptrdiff_t end = str_find(request, STR("\r\n\r\n"));

	return end >= 0 && request.n >= (size_t)end + 4 + body_length(request);
}

static void *serve(void *arg)
{
	struct server *s = arg;
	int fd = accept(s->fd, NULL, NULL);
	ssize_t n = 1;

	while (n > 0 && !is_whole(buf_str(&s->heard))) {
		n = read(fd, buf_room(&s->heard, 4096), 4096);
		s->heard.n += n > 0 ? (size_t)n : 0;
		buf_end(&s->heard);
	}
	for (size_t i = 0; s->says && i <= s->repeats && n >= 0; i++)
		n = write(fd, s->says, strlen(s->says));
	if (!s->says)
		s->client_left = read(fd, (char[1]){ 0 }, 1) <= 0;
	close(fd);
	return NULL;
}

static void start(struct server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(at);

	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s->fd, 4), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &n), 0);
	s->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void join(struct server *s)
{
	pthread_join(s->thread, NULL);
	close(s->fd);
}

struct client {
	struct loop *loop;
	struct http *http;
	struct http_transfer *running;
	struct buf data;
	char retry_after[32];
	int status, heads, dones;
	struct err e;
	bool cancel_at_data;
};

static void on_head(void *self, struct http_transfer *t, int status)
{
	struct client *c = self;
	struct str after = http_header(t, "retry-after");

	c->heads++;
	c->status = status;
	snprintf(c->retry_after, sizeof(c->retry_after), "%.*s", STR_ARG(after));
}

static void on_data(void *self, struct http_transfer *t, struct str bytes)
{
	struct client *c = self;

	buf_add(&c->data, bytes);
	if (c->cancel_at_data)
		http_cancel(t);
}

static void on_done(void *self, struct http_transfer *t, const struct err *e)
{
	struct client *c = self;

	assert_ptr_equal(t, c->running);
	c->dones++;
	if (e)
		c->e = *e;
	loop_stop(c->loop);
}

static const struct http_events events = { on_head, on_data, on_done };

static void client_init(struct client *c)
{
	struct err e = ERR_INIT;

	*c = (struct client){ .loop = loop_new(&e) };
	c->http = http_new(c->loop, &e);
	assert_non_null(c->http);
}

static void ask(struct client *c, const char *url, const char *method, uint64_t silence_ms)
{
	const struct http_header headers[] = { { "authorization", "Bearer k" },
					       { "content-type", "application/json" } };
	const struct http_request r = { .method = method,
					.url = url,
					.headers = headers,
					.n_headers = 2,
					.body = STR("{\"a\":1}"),
					.silence_ms = silence_ms };
	struct err e = ERR_INIT;

	c->running = http_start(c->http, &r, &events, c, &e);
	if (!c->running)
		fail_msg("%s", e.msg);
	assert_int_equal(c->dones, 0);
	loop_run(c->loop);
	assert_int_equal(c->dones, 1);
}

static void ask_server(struct client *c, struct server *s, uint64_t silence_ms)
{
	char url[64];

	start(s);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/x", s->port);
	ask(c, url, "POST", silence_ms);
	join(s);
}

static void client_release(struct client *c)
{
	http_free(c->http);
	loop_run(c->loop); /* until its handles are closed */
	loop_free(c->loop);
	buf_release(&c->data);
}

static void an_answer_is_streamed(void **state)
{
	struct server s = { .says = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				    "Transfer-Encoding: chunked\r\n\r\n"
				    "6\r\ndata: \r\n3\r\na\n\n\r\n0\r\n\r\n" };
	struct client c;

	(void)state;
	client_init(&c);
	ask_server(&c, &s, 0);
	assert_int_equal(c.e.code, ERR_OK);
	assert_int_equal(c.status, 200);
	assert_int_equal(c.heads, 1);
	assert_text(buf_str(&c.data), STR("data: a\n\n"));
	assert_true(str_starts(buf_str(&s.heard), STR("POST /v1/x HTTP/1.1\r\n")));
	assert_true(str_find(buf_str(&s.heard), STR("\r\nauthorization: Bearer k\r\n")) > 0);
	assert_true(str_ends(buf_str(&s.heard), STR("\r\n\r\n{\"a\":1}")));
	assert_true(str_find(buf_str(&s.heard), STR("Expect")) < 0);
	client_release(&c);
	buf_release(&s.heard);
}

static void an_answer_without_a_body_has_a_head(void **state)
{
	struct server s = { .says = "HTTP/1.1 429 Too Many\r\nRetry-After:  7\r\n"
				    "Content-Length: 0\r\n\r\n" };
	struct client c;

	(void)state;
	client_init(&c);
	ask_server(&c, &s, 0);
	assert_int_equal(c.e.code, ERR_OK);
	assert_int_equal(c.status, 429);
	assert_string_equal(c.retry_after, "7");
	client_release(&c);
	buf_release(&s.heard);
}

static void headers_are_those_of_the_final_answer(void **state)
{
	struct server s = { .says = "HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\n"
				    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx" };
	struct client c;

	(void)state;
	client_init(&c);
	ask_server(&c, &s, 0);
	assert_int_equal(c.status, 200);
	assert_int_equal(c.heads, 1);
	assert_string_equal(c.retry_after, "");
	client_release(&c);
	buf_release(&s.heard);
}

static void who_cancels_hears_so_once(void **state)
{
	struct server s = { .says = "HTTP/1.1 200 OK\r\n\r\nmore and more" };
	struct client c;

	(void)state;
	client_init(&c);
	c.cancel_at_data = true;
	ask_server(&c, &s, 0);
	assert_int_equal(c.e.code, ERR_CANCELLED);
	client_release(&c);
	buf_release(&s.heard);
}

static void cancel_running(void *arg)
{
	struct client *c = arg;

	http_cancel(c->running);
	http_cancel(c->running);
	assert_int_equal(c->dones, 0);
}

static void cancelling_closes_the_connection(void **state)
{
	struct server s = { .says = NULL };
	struct client c;
	struct timer *t;

	(void)state;
	client_init(&c);
	t = timer_new(c.loop, cancel_running, &c);
	timer_set(t, loop_now(c.loop) + 20);
	ask_server(&c, &s, 0); /* the server ends when the client has gone */
	assert_int_equal(c.e.code, ERR_CANCELLED);
	timer_free(t);
	client_release(&c);
	buf_release(&s.heard);
}

static void a_silent_server_is_left(void **state)
{
	struct server s = { .says = NULL };
	struct client c;

	(void)state;
	client_init(&c);
	ask_server(&c, &s, 50);
	assert_int_equal(c.e.code, ERR_TIMEOUT);
	assert_non_null(strstr(c.e.msg, "sent nothing"));
	assert_true(s.client_left);
	client_release(&c);
	buf_release(&s.heard);
}

static void assert_fails(struct server *s, enum err_code code, const char *words)
{
	struct client c;

	client_init(&c);
	ask_server(&c, s, 0);
	assert_int_equal(c.e.code, code);
	if (!strstr(c.e.msg, words))
		fail_msg("%s", c.e.msg);
	client_release(&c);
	buf_release(&s->heard);
}

static void what_breaks_off_is_an_error(void **state)
{
	struct server cut = { .says = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" };
	struct server chunk = { .says = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
					"5\r\nab" };
	struct server nothing = { .says = "" };
	struct server endless = { .says = "HTTP/1.1 200 OK\r\nX: 0123456789\r\n",
				  .repeats = 40000 };

	(void)state;
	assert_fails(&cut, ERR_IO, "failed");
	assert_fails(&chunk, ERR_IO, "failed");
	assert_fails(&nothing, ERR_IO, "failed");
	assert_fails(&endless, ERR_IO, "");
}

static void nobody_there_is_said(void **state)
{
	struct server s = { .says = NULL };
	struct client c;
	char url[64];

	(void)state;
	client_init(&c);
	start(&s);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/", s.port);
	shutdown(s.fd, SHUT_RDWR);
	join(&s);
	ask(&c, url, "GET", 0);
	assert_int_equal(c.e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(c.e.msg, "cannot connect to http://127.0.0.1:"));
	client_release(&c);
	buf_release(&s.heard);
}

static void loopback_needs_no_proxy_and_others_take_it(void **state)
{
	struct server direct = { .says = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" };
	struct server proxy = { .says = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" };
	struct client c;
	char at[64];

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	client_init(&c);
	ask_server(&c, &direct, 0);
	assert_int_equal(c.status, 200);
	client_release(&c);

	start(&proxy);
	snprintf(at, sizeof(at), "http://127.0.0.1:%u", proxy.port);
	setenv("http_proxy", at, 1);
	client_init(&c);
	ask(&c, "http://host.invalid/v1", "GET", 0);
	join(&proxy);
	assert_int_equal(c.status, 200);
	assert_true(str_starts(buf_str(&proxy.heard), STR("GET http://host.invalid/v1 ")));
	client_release(&c);
	unsetenv("http_proxy");
	buf_release(&direct.heard);
	buf_release(&proxy.heard);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const urls[] = { "", "127.0.0.1:80", "file:///etc/passwd", "http://",
					    "ftp://127.0.0.1/" };
	struct client c;

	(void)state;
	client_init(&c);
	for (size_t i = 0; i <= sizeof(urls) / sizeof(urls[0]); i++) {
		bool is_url = i == sizeof(urls) / sizeof(urls[0]);
		struct http_request r = { .method = is_url ? "PUT" : "GET",
					  .url = is_url ? "http://127.0.0.1/" : urls[i] };
		struct err e = ERR_INIT;

		assert_null(http_start(c.http, &r, &events, &c, &e));
		assert_int_equal(e.code, ERR_INVALID);
	}
	assert_int_equal(c.dones, 0);
	client_release(&c);
}

static void the_end_of_it_all_ends_what_runs(void **state)
{
	const struct http_request r = { .method = "GET", .url = "http://127.0.0.1:9/" };
	struct err e = ERR_INIT;
	struct client c;

	(void)state;
	client_init(&c);
	c.running = http_start(c.http, &r, &events, &c, &e);
	assert_non_null(c.running);
	client_release(&c);
	assert_int_equal(c.dones, 1);
	assert_int_equal(c.e.code, ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_streamed),
		cmocka_unit_test(an_answer_without_a_body_has_a_head),
		cmocka_unit_test(headers_are_those_of_the_final_answer),
		cmocka_unit_test(who_cancels_hears_so_once),
		cmocka_unit_test(cancelling_closes_the_connection),
		cmocka_unit_test(a_silent_server_is_left),
		cmocka_unit_test(what_breaks_off_is_an_error),
		cmocka_unit_test(nobody_there_is_said),
		cmocka_unit_test(loopback_needs_no_proxy_and_others_take_it),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(the_end_of_it_all_ends_what_runs),
	};

	signal(SIGPIPE, SIG_IGN);
	unsetenv("http_proxy");
	unsetenv("https_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
