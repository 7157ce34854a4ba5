#ifndef OX_CODEC_H
#define OX_CODEC_H

#include "../base/json.h"

/*
 * One message, whatever wire it came from: msgpack-RPC and JSON-RPC say the same four things. The
 * body (params, result or error) is left as it stood on the wire; whoever wants a tree asks for
 * one with msg_body(), whoever reads bulk scans `raw` itself (jscan.h, lines_event.h).
 */
enum msg_kind { MSG_REQUEST, MSG_NOTIFY, MSG_RESULT, MSG_ERROR };

struct codec;

struct msg {
	enum msg_kind kind;
	const struct codec *codec;
	json *id; /* number or string; NULL in notifications */
	struct str method; /* borrowed; empty in replies */
	struct str raw; /* borrowed; empty when there is no body */
	json *body; /* made by msg_body() */
};

/* The body as a tree, owned by the message; NULL and *e when it is malformed. No body at all is a
 * JSON null. */
const json *msg_body(struct msg *m, struct err *e);
void msg_release(struct msg *m);

enum codec_state { CODEC_MORE, CODEC_MSG, CODEC_BAD };

/* What a codec needs to remember between two calls: how far it has looked for the end of the
 * message in front, so that feeding a byte at a time stays linear. Zero it to start. */
struct codec_mark {
	size_t seen;
	size_t body; /* bytes announced by a header, plus 1 */
};

struct codec {
	const char *name;
	/* Takes one message off the front of *in and moves *in behind it. CODEC_MORE leaves *in and
	 * wants to see the same bytes again with more behind them. CODEC_BAD says why in *e; the
	 * stream is of no use any more. A message over `limit` bytes is ERR_LIMIT as soon as that
	 * is known. What *out borrows points into *in. */
	enum codec_state (*take)(struct str *in, struct codec_mark *mark, size_t limit,
				 struct msg *out, struct err *e);
	/* `body` may be NULL (no params, or a null result). */
	void (*put)(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		    const json *body);
	json *(*decode)(struct str raw, struct err *e);
};

extern const struct codec codec_headers; /* Content-Length: LSP */
extern const struct codec codec_lines; /* one JSON text a line: MCP */
extern const struct codec codec_msgpack; /* Neovim */

#endif
