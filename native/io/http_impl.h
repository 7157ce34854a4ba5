#ifndef OX_HTTP_IMPL_H
#define OX_HTTP_IMPL_H

#include <sys/queue.h>

#include "../base/buf.h"
#include "curl.h"
#include "http.h"

/* Shared by http.c, which carries transfers out, and http_explain.c, which says why one failed. */
struct http_transfer {
	LIST_ENTRY(http_transfer) all;
	struct http *http;
	CURL *easy;
	struct curl_slist *headers;
	struct http_events events;
	void *self;
	struct timer *silence;
	uint64_t silence_ms;
	struct buf body;
	struct buf head; /* "name: value\n" of the answer, names in lower case */
	char *where;	 /* "https://host:port", for messages */
	bool is_loopback;
	bool told_head;
	bool cancelled, silent, too_long;
	char why[CURL_ERROR_SIZE];
};

/* `code` is curl's; what the transfer itself knows comes first. */
void http_explain(const struct http_transfer *t, CURLcode code, struct err *e);

#endif
