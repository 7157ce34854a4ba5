#include "http_serve.h"

#include <stdlib.h>

#include "../base/mem.h"

enum http_serve_state { SERVE_READS, SERVE_WAITS, SERVE_STREAMS, SERVE_OVER };

struct http_serve {
	struct http_serve_spec spec;
	enum http_serve_state state;
	bool reading; /* http_serve_feed() goes on by itself */
	struct buf in, out;
	struct err why; /* it is over */
};

struct serve_head {
	struct http_head http;
	struct str authorization, session, length, encoding;
	size_t end, body; /* bytes of each */
	enum http_method method;
};

struct http_serve *http_serve_new(const struct http_serve_spec *spec)
{
	struct http_serve *s = mem_new(sizeof(*s));

	s->spec = *spec;
	return s;
}

void http_serve_free(struct http_serve *s)
{
	if (!s)
		return;
	buf_wipe(&s->in); /* it may have the token */
	buf_release(&s->out);
	free(s);
}

/* In words that the log and the other side may have; false. */
static bool serve_refuse(struct http_serve *s, const char *status, enum err_code code,
			 const char *why)
{
	buf_addf(&s->out,
		 "HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: text/plain\r\n"
		 "Content-Length: %zu\r\n\r\n%s\n",
		 status, strlen(why) + 1, why);
	err_set(&s->why, code, "%s", why);
	s->state = SERVE_OVER;
	return false;
}

static bool serve_refuse_long(struct http_serve *s, const char *status, const char *what,
			      size_t most)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_LIMIT, "the %s of the request is longer than %zu bytes", what, most);
	return serve_refuse(s, status, e.code, e.msg);
}

static bool serve_method(struct str method, enum http_method *to)
{
	static const char *const names[] = { "GET", "POST", "DELETE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(method, str_of(names[i]))) {
			*to = (enum http_method)i;
			return true;
		}
	return false;
}

/* Digits alone: a sign or a list would be read otherwise by somebody else. */
static bool serve_length(struct str digits, size_t *to)
{
	*to = 0;
	if (!digits.n || digits.n > 15)
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return false;
		*to = *to * 10 + (size_t)(digits.p[i] - '0');
	}
	return true;
}

static bool serve_read_length(struct http_serve *s, struct serve_head *h)
{
	if (h->encoding.p || (h->method == HTTP_POST && !h->length.p))
		return serve_refuse(s, "411 Length Required", ERR_UNSUPPORTED,
				    "the request needs a Content-Length");
	if (h->length.p && !serve_length(h->length, &h->body))
		return serve_refuse(s, "400 Bad Request", ERR_PROTOCOL,
				    "the Content-Length is not a number");
	if (h->body > s->spec.body)
		return serve_refuse_long(s, "413 Content Too Large", "body", s->spec.body);
	return true;
}

static bool serve_allows(struct http_serve *s, const struct serve_head *h)
{
	struct str token = h->authorization;
	struct err e = ERR_INIT;

	if (!http_head_allows(&h->http, s->spec.port, &e))
		return serve_refuse(s, "403 Forbidden", e.code, e.msg);
	if (!str_skip(&token, STR("Bearer ")) || !http_same_token(token, s->spec.token))
		return serve_refuse(s, "401 Unauthorized", ERR_DENIED,
				    "the token is missing or wrong");
	return true;
}

static bool serve_read_head(struct http_serve *s, struct serve_head *h)
{
	const struct http_header known[] = { { "authorization", &h->authorization },
					     { "content-length", &h->length },
					     { "transfer-encoding", &h->encoding },
					     { s->spec.session_header, &h->session },
					     { 0 } };
	struct err e = ERR_INIT;

	if (!http_head_read(str_sub(buf_str(&s->in), 0, h->end), &h->http, known, &e))
		return serve_refuse(s, "400 Bad Request", e.code, e.msg);
	if (!serve_allows(s, h))
		return false;
	if (!str_eq(h->http.target, str_of(s->spec.target)))
		return serve_refuse(s, "404 Not Found", ERR_NOT_FOUND,
				    "the request is for a target that is not served here");
	if (!serve_method(h->http.method, &h->method))
		return serve_refuse(s, "405 Method Not Allowed", ERR_UNSUPPORTED,
				    "only GET, POST and DELETE are served here");
	return serve_read_length(s, h);
}

/* One request, if all of it is there; then true. */
static bool serve_next(struct http_serve *s)
{
	struct serve_head h = { .end = http_head_end(buf_str(&s->in)) };
	struct http_request r;

	if ((h.end ? h.end : s->in.n) > s->spec.head)
		return serve_refuse_long(s, "431 Request Header Fields Too Large", "head",
					 s->spec.head);
	if (!h.end || !serve_read_head(s, &h) || s->in.n - h.end < h.body)
		return false;
	r = (struct http_request){ h.method, h.session,
				   str_sub(buf_str(&s->in), h.end, h.end + h.body) };
	s->state = SERVE_WAITS;
	s->spec.request(s->spec.self, &r);
	memset(s->in.p, 0, h.end); /* it has the token */
	buf_drop(&s->in, h.end + h.body);
	return true;
}

void http_serve_feed(struct http_serve *s, struct str bytes)
{
	if (s->state == SERVE_OVER)
		return;
	if (s->state == SERVE_STREAMS && bytes.n) {
		err_set(&s->why, ERR_PROTOCOL, "something was sent behind a request for a stream");
		s->state = SERVE_OVER;
		return;
	}
	buf_add(&s->in, bytes);
	if (s->in.n > s->spec.head + s->spec.body && s->state == SERVE_WAITS)
		serve_refuse_long(s, "413 Content Too Large", "rest", s->spec.head + s->spec.body);
	s->reading = true;
	while (s->state == SERVE_READS && s->in.n && serve_next(s))
		;
	s->reading = false;
}

struct buf *http_serve_out(struct http_serve *s)
{
	return &s->out;
}

const struct err *http_serve_over(const struct http_serve *s)
{
	return s->state == SERVE_OVER ? &s->why : NULL;
}

bool http_serve_waits(const struct http_serve *s)
{
	return s->state == SERVE_WAITS;
}

bool http_serve_streams(const struct http_serve *s)
{
	return s->state == SERVE_STREAMS;
}

void http_serve_answer(struct http_serve *s, const char *status, const char *session,
		       struct str body)
{
	if (s->state != SERVE_WAITS)
		return;
	s->state = SERVE_READS;
	buf_addf(&s->out, "HTTP/1.1 %s\r\n", status);
	if (session)
		buf_addf(&s->out, "%s: %s\r\n", s->spec.session_header, session);
	if (body.n)
		buf_adds(&s->out, "Content-Type: application/json\r\n");
	buf_addf(&s->out, "Content-Length: %zu\r\n\r\n", body.n);
	buf_add(&s->out, body);
	if (!s->reading)
		http_serve_feed(s, STR("")); /* what came meanwhile */
}

void http_serve_stream(struct http_serve *s)
{
	if (s->state != SERVE_WAITS)
		return;
	s->state = SERVE_STREAMS;
	buf_adds(&s->out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
			  "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void http_serve_event(struct http_serve *s, struct str line)
{
	static const struct str begin = { "data: ", 6 }, end = { "\n\n", 2 };

	if (s->state != SERVE_STREAMS)
		return;
	buf_addf(&s->out, "%zx\r\n", begin.n + line.n + end.n);
	buf_add(&s->out, begin);
	buf_add(&s->out, line);
	buf_add(&s->out, end);
	buf_adds(&s->out, "\r\n");
}
