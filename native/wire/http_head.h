#ifndef OX_HTTP_HEAD_H
#define OX_HTTP_HEAD_H

#include "../base/buf.h"
#include "../base/err.h"

/*
 * The head of a request of HTTP/1.1 (RFC 9112), for servers on loopback that are for programs of
 * this machine which know a token: ws_handshake.h, http_serve.h. A web page, which names its origin
 * or another host, is refused, whatever it knows.
 *
 *     n = http_head_end(bytes)                             until it is not 0
 *     http_head_read(bytes, &head, known, &e)
 *     http_head_allows(&head, port, &e) && http_same_token(given, token)
 */
struct http_header {
	const char *name; /* in lower case; the last of a list is NULL */
	struct str *value;
};

struct http_head {
	struct str method, target;
	struct str host, origin; /* NULL pointers: there was none */
};

/* How long the head is, with the empty line behind it; 0: it has not ended. */
size_t http_head_end(struct str bytes);
/* Fills in what it says, with the headers that are known; the strings point into `bytes`. A value
 * is left alone where there is no such header. ERR_PROTOCOL: it is of another version, a line is no
 * header, or one that is known is there twice. */
bool http_head_read(struct str bytes, struct http_head *head, const struct http_header *known,
		    struct err *e);
/* ERR_DENIED: it is from a web page, or for another host or port than ours. */
bool http_head_allows(const struct http_head *head, unsigned port, struct err *e);
/* In a time that tells nothing of the token, which is not empty. */
bool http_same_token(struct str given, struct str token);

bool http_lists(struct str list, const char *word); /* "a, b" has the word */

#endif
