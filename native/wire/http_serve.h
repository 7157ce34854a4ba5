#ifndef OX_HTTP_SERVE_H
#define OX_HTTP_SERVE_H

#include "http_head.h"

/*
 * The server's end of an HTTP/1.1 connection, as MCP's "Streamable HTTP" needs it, without any I/O:
 * bytes in, bytes out. There is one target, for those who know a token ("Authorization: Bearer"),
 * and bodies have a Content-Length; whatever else a request may be is answered with an error here,
 * after which the connection is over.
 *
 *     bytes ---> http_serve_feed() ---> spec.request()
 *     bytes <--- http_serve_out()  <--- http_serve_answer(), or
 *                                       http_serve_stream(), http_serve_event() ...
 *
 * Each request is answered once, now or later; the next one is read after that. A stream is what
 * its connection has for good.
 */
struct http_serve;

enum http_method { HTTP_GET, HTTP_POST, HTTP_DELETE };

struct http_request {
	enum http_method method;
	struct str session; /* of the header for that; empty: it has none */
	struct str body;
};

struct http_serve_spec {
	const char *target;	    /* "/mcp" */
	struct str token;	    /* borrowed; not empty */
	unsigned port;		    /* that we listen on, which the Host has to name */
	const char *session_header; /* in lower case */
	size_t head, body;	    /* the most bytes of each */
	/* It may answer. What it is given is borrowed until it returns. */
	void (*request)(void *self, const struct http_request *r);
	void *self;
};

struct http_serve *http_serve_new(const struct http_serve_spec *spec);
void http_serve_free(struct http_serve *s);

/* What comes while a request is answered is kept, up to the length of one. */
void http_serve_feed(struct http_serve *s, struct str bytes);
struct buf *http_serve_out(struct http_serve *s); /* drain with buf_drop() */
/* Why it is over; NULL: it goes on. What is in http_serve_out() is to be sent yet, and then the
 * connection closed. Bytes that come later are dropped. */
const struct err *http_serve_over(const struct http_serve *s);
/* A request waits to be answered; nothing may be answered else. */
bool http_serve_waits(const struct http_serve *s);
bool http_serve_streams(const struct http_serve *s);

/* `status` is "200 OK"; `session`, where it is not NULL, goes to the header for that; a body is
 * JSON, and there is none where it is empty. */
void http_serve_answer(struct http_serve *s, const char *status, const char *session,
		       struct str body);
void http_serve_stream(struct http_serve *s);		      /* of server-sent events */
void http_serve_event(struct http_serve *s, struct str line); /* one of them */

#endif
