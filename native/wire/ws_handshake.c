#include "ws_handshake.h"

#include <strings.h>

#include "../base/base64.h"
#include "../base/sha1.h"

#define WS_KEY_CHARS 24 /* 16 bytes in base64 */

/* The values of the headers that count; NULL pointers: there was none. */
struct ws_head {
	struct str host, origin, upgrade, connection, version, key, protocol, token;
	bool twice; /* one that must be there once */
};

size_t ws_head_end(struct str bytes)
{
	ptrdiff_t at = str_find(bytes, STR("\r\n\r\n"));

	return at < 0 ? 0 : (size_t)at + 4;
}

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

static bool ws_same_word(struct str a, const char *b)
{
	return a.n == strlen(b) && !strncasecmp(a.p, b, a.n);
}

/* Whether a list "a, b" has the word. */
static bool ws_lists(struct str list, const char *word)
{
	while (list.n) {
		const char *comma = memchr(list.p, ',', list.n);
		size_t n = comma ? (size_t)(comma - list.p) : list.n;

		if (ws_same_word(str_trim(str_sub(list, 0, n)), word))
			return true;
		list = str_sub(list, n + (comma ? 1 : 0), list.n);
	}
	return false;
}

static struct str *ws_header_place(struct ws_head *h, struct str name, const struct ws_expect *x)
{
	const struct {
		const char *name;
		struct str *place;
	} known[] = {
		{ "host", &h->host },
		{ "origin", &h->origin },
		{ "upgrade", &h->upgrade },
		{ "connection", &h->connection },
		{ "sec-websocket-version", &h->version },
		{ "sec-websocket-key", &h->key },
		{ "sec-websocket-protocol", &h->protocol },
		{ x->header, &h->token },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (ws_same_word(name, known[i].name))
			return known[i].place;
	return NULL;
}

/* False: a line is none of "name: value". */
static bool ws_read_headers(struct ws_head *h, struct str rest, const struct ws_expect *x)
{
	struct str line;

	while (str_line(&rest, &line) && line.n) {
		const char *colon = memchr(line.p, ':', line.n);
		size_t n = colon ? (size_t)(colon - line.p) : 0;
		struct str *place;

		if (!n || line.p[n - 1] == ' ' || line.p[0] == ' ' || memchr(line.p, '\0', line.n))
			return false;
		place = ws_header_place(h, str_sub(line, 0, n), x);
		if (!place)
			continue;
		h->twice = h->twice || place->p;
		*place = str_trim(str_sub(line, n + 1, line.n));
	}
	return true;
}

/* Each byte is looked at, wherever the first wrong one is. */
static bool ws_same_token(struct str given, struct str token)
{
	unsigned char differs = given.n != token.n;

	for (size_t i = 0; i < token.n; i++)
		differs |= (unsigned char)(token.p[i] ^ (given.n ? given.p[i % given.n] : 0));
	return !differs;
}

static bool ws_is_this_host(struct str host, unsigned port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	struct buf want = BUF_INIT;
	bool same = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		buf_clear(&want);
		buf_addf(&want, "%s:%u", names[i], port);
		same = same || ws_same_word(host, want.p);
	}
	buf_release(&want);
	return same;
}

static bool ws_check(const struct ws_head *h, const struct ws_expect *x, struct buf *out,
		     struct err *e)
{
	if (h->origin.p)
		return ws_refuse(out, "403 Forbidden", ERR_DENIED,
				 "web pages have no access here (the request has an Origin)", e);
	if (!ws_is_this_host(h->host, x->port))
		return ws_refuse(out, "403 Forbidden", ERR_DENIED,
				 "the request is for another host", e);
	if (!ws_same_token(h->token, x->token))
		return ws_refuse(out, "401 Unauthorized", ERR_DENIED,
				 "the token is missing or wrong; it is in the lock file", e);
	if (!ws_lists(h->upgrade, "websocket") || !ws_lists(h->connection, "upgrade"))
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
	if (ws_lists(h->protocol, x->protocol))
		buf_addf(out, "\r\nSec-WebSocket-Protocol: %s", x->protocol);
	buf_adds(out, "\r\n\r\n");
}

bool ws_handshake(struct str head, const struct ws_expect *x, struct buf *out, struct err *e)
{
	struct ws_head h = { 0 };
	struct str first = STR("");

	str_line(&head, &first);
	if (!str_starts(first, STR("GET ")) || !str_ends(first, STR(" HTTP/1.1")))
		return ws_refuse(out, "400 Bad Request", ERR_PROTOCOL,
				 "only GET requests of HTTP/1.1 are served here", e);
	if (!ws_read_headers(&h, head, x) || h.twice)
		return ws_refuse(out, "400 Bad Request", ERR_PROTOCOL,
				 "the headers of the request cannot be read", e);
	if (!ws_check(&h, x, out, e))
		return false;
	ws_accept(&h, x, out);
	return true;
}
