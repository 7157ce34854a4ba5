#ifndef OX_HTTP_H
#define OX_HTTP_H

#include "../base/str.h"
#include "loop.h"

/*
 * HTTP requests on the loop (libcurl's multi interface): HTTP/1.1 and 2, TLS with the system's
 * certificates or those of SSL_CERT_FILE and SSL_CERT_DIR, proxies by the environment as curl has
 * them, but never for a loopback address. Redirects are not followed: they would take keys along.
 *
 *     h = http_new(loop, &e);
 *     t = http_start(h, &request, &events, self, &e);
 *                 -> head(status) -> data(bytes) ... -> done(NULL)
 *     http_cancel(t)                                  -> done(ERR_CANCELLED)
 *     http_free(h)          after the last use; what still runs is done with ERR_CANCELLED first
 *
 * What is received is handed over as it comes, at most some 16 KB at a time, and kept nowhere. Of
 * headers and bodies nothing gets into the log.
 */
struct http;
struct http_transfer;

struct http_header {
	const char *name, *value;
};

struct http_request {	    /* borrowed until http_start() returns */
	const char *method; /* "GET" or "POST" */
	const char *url;    /* http or https */
	const struct http_header *headers;
	size_t n_headers;
	struct str body;
	uint64_t connect_ms; /* until it is connected, TLS and all; 0: 5 minutes */
	uint64_t silence_ms; /* without a byte from the server; 0: no limit */
};

/* Members may be NULL, but for `done`. All but http_free() may be called from them. */
struct http_events {
	/* The final answer has begun, with this status: any, a 404 is an answer too. */
	void (*head)(void *self, struct http_transfer *t, int status);
	void (*data)(void *self, struct http_transfer *t, struct str bytes);
	/* Exactly once, last, and never from inside http_start() or http_cancel(). `e` is NULL
	 * where the answer is complete; else ERR_CANCELLED, ERR_TIMEOUT, ERR_NOT_FOUND (the host),
	 * ERR_DENIED (its certificate) or ERR_IO. Then *t is gone. */
	void (*done)(void *self, struct http_transfer *t, const struct err *e);
};

#define HTTP_HEADER_BYTES 65536 /* of all headers of an answer; ERR_IO beyond */

struct http *http_new(struct loop *l, struct err *e); /* NULL: libcurl is not there */
void http_free(struct http *h);
/* NULL: the URL or the method makes no sense; no event comes then. */
struct http_transfer *http_start(struct http *h, const struct http_request *r,
				 const struct http_events *events, void *self, struct err *e);
/* Closes the connection at once. */
void http_cancel(struct http_transfer *t);
/* A header of the answer by its name in lower case; empty: there is none. Borrowed until `done`
 * returns. */
struct str http_header(const struct http_transfer *t, const char *name);
/* How long the server wants not to be asked again, in ms: `retry-after-ms`, or `retry-after` in
 * seconds or as a date; 0: it does not say. */
uint64_t http_retry_after(const struct http_transfer *t);

#endif
