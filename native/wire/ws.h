#ifndef OX_WS_H
#define OX_WS_H

#include "ws_handshake.h"

/*
 * The server's end of a WebSocket conversation (RFC 6455), without any I/O: bytes in, bytes out.
 * The frames are libwslay's, which this file alone knows; what is ours is the handshake, the
 * bounds, and that texts are all that is spoken.
 *
 *     bytes ---> ws_feed() ---> spec.message()
 *     bytes <--- ws_out()  <--- the answer to the handshake, ws_send(), ws_end()
 *
 * Pings are answered and fragments put together. What breaks the protocol, a message that is too
 * long (close code 1009), is binary (1003) or no UTF-8 (1007) ends the conversation.
 */
struct ws;

struct ws_spec {
	struct ws_expect expect; /* the strings are borrowed, and have to stay */
	size_t head;		 /* bytes of the longest request for a handshake */
	size_t message;		 /* bytes of the longest message */
	/* It may call ws_send() and ws_end(). */
	void (*message_fn)(void *self, struct str text);
	void *self;
};

struct ws *ws_new(const struct ws_spec *spec);
void ws_free(struct ws *w);

/* False: it is over. What is in ws_out() is to be sent yet, and then the connection closed; *e says
 * why, ERR_OK where the other side has said that it ends. Bytes that come later are dropped. */
bool ws_feed(struct ws *w, struct str bytes, struct err *e);
struct buf *ws_out(struct ws *w); /* drain with buf_drop() */
/* Nothing where it is not open. */
void ws_send(struct ws *w, struct str text);
/* Says that it ends: 1000 it is done, 1001 we go away, 1008 it did what it must not. */
void ws_end(struct ws *w, unsigned code, const char *why);
bool ws_is_open(const struct ws *w); /* the handshake is over, and nobody has ended it */

#endif
