#include "ws_handshake.h"

#include "../base/base64.h"
#include "../base/sha1.h"

#define WS_KEY_CHARS 24 /* 16 bytes in base64 */

/* The values of the headers that count; NULL pointers: there was none. */
struct ws_head {
	struct http_head http;
	struct str upgrade, connection, version, key, protocol, token;
};

/* In words that the log and the other side may have. */
static bool ws_refuse(struct buf *out, const char *status, enum err_code code, const char *why,
		      struct err *e)
{
	buf_addf(out,
		 "HTTP/1.1 %s\r\nConnection: close\r\nSec-WebSocket-Version: 13\r\n"
		 "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s\n",
		 status, strlen(why) + 1, why);
	return err_set(e, code, "%s", why);
}

bool ws_head_too_long(struct buf *out, size_t most, struct err *e)
{
	struct err why = ERR_INIT;

	err_set(&why, ERR_LIMIT, "the request is longer than %zu bytes", most);
	return ws_refuse(out, "431 Request Header Fields Too Large", why.code, why.msg, e);
}

static bool ws_read(struct str bytes, const struct ws_expect *x, struct ws_head *h, struct err *e)
{
	const struct http_header known[] = {
		{ "upgrade", &h->upgrade },
		{ "connection", &h->connection },
		{ "sec-websocket-version", &h->version },
		{ "sec-websocket-key", &h->key },
		{ "sec-websocket-protocol", &h->protocol },
		{ x->header, &h->token },
		{ 0 },
	};

	return http_head_read(bytes, &h->http, known, e);
}

static bool ws_check(const struct ws_head *h, const struct ws_expect *x, struct buf *out,
		     struct err *e)
{
	struct err why = ERR_INIT;

	if (!http_head_allows(&h->http, x->port, &why))
		return ws_refuse(out, "403 Forbidden", why.code, why.msg, e);
	if (!http_same_token(h->token, x->token))
		return ws_refuse(out, "401 Unauthorized", ERR_DENIED,
				 "the token is missing or wrong; it is in the lock file", e);
	if (!http_lists(h->upgrade, "websocket") || !http_lists(h->connection, "upgrade"))
		return ws_refuse(out, "400 Bad Request", ERR_PROTOCOL,
				 "only WebSocket connections are served here", e);
	if (!str_eq(h->version, STR("13")))
		return ws_refuse(out, "426 Upgrade Required", ERR_UNSUPPORTED,
				 "version 13 of the WebSocket protocol is needed", e);
	if (h->key.n != WS_KEY_CHARS)
		return ws_refuse(out, "400 Bad Request", ERR_PROTOCOL,
				 "Sec-WebSocket-Key must be 16 bytes in base64", e);
	return true;
}

static void ws_accept(const struct ws_head *h, const struct ws_expect *x, struct buf *out)
{
	unsigned char digest[SHA1_BYTES];

	sha1(digest, h->key, STR("258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
	buf_adds(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		      "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
	base64_add(out, (struct str){ (const char *)digest, sizeof(digest) });
	if (http_lists(h->protocol, x->protocol))
		buf_addf(out, "\r\nSec-WebSocket-Protocol: %s", x->protocol);
	buf_adds(out, "\r\n\r\n");
}

bool ws_handshake(struct str head, const struct ws_expect *x, struct buf *out, struct err *e)
{
	struct ws_head h = { 0 };
	struct err why = ERR_INIT;

	if (!ws_read(head, x, &h, &why))
		return ws_refuse(out, "400 Bad Request", why.code, why.msg, e);
	if (!str_eq(h.http.method, STR("GET")))
		return ws_refuse(out, "400 Bad Request", ERR_PROTOCOL,
				 "only GET requests are served here", e);
	if (!ws_check(&h, x, out, e))
		return false;
	ws_accept(&h, x, out);
	return true;
}
