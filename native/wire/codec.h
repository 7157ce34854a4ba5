#ifndef OX_CODEC_H
#define OX_CODEC_H

#include "../base/json.h"

/*
 * One message, whatever wire it came from: msgpack-RPC and JSON-RPC say the same four things. The
 * body (params, result or error) is left as it was on the wire; whoever wants a tree asks for
 * one with msg_body(), whoever reads bulk scans `raw` itself (jscan.h, lines_event.h).
 */
enum msg_kind { MSG_REQUEST, MSG_NOTIFY, MSG_RESULT, MSG_ERROR };

struct msg {
	enum msg_kind kind;
	const struct codec *codec;
	/* A whole number up to 2^53 or a string. NULL in notifications, and in an error that
	 * answers something the other side could not read. */
	json *id;
	struct str method; /* borrowed; empty in replies */
	struct str raw;	   /* borrowed; empty when there is no body */
	json *body;	   /* made by msg_body() */
	struct buf name;   /* internal: a method that was escaped on the wire */
};

/* The body as a tree, owned by the message; NULL and *e when it is malformed. No body at all is a
 * JSON null. */
const json *msg_body(struct msg *m, struct err *e);
void msg_release(struct msg *m);

enum codec_state { CODEC_MORE, CODEC_MSG, CODEC_ODD, CODEC_BAD };

#define CODEC_DEPTH	 64   /* lists inside lists that codec_msgpack reads */
#define CODEC_SEND_DEPTH 30   /* and that it sends: Neovim closes the channel at 32 */
#define CODEC_HEADER	 8192 /* bytes of the longest header block */

/* What a codec needs to remember between two calls: how far it has looked for the end of the
 * message in front, so that feeding a byte at a time stays linear. Zero it to start; it is zero
 * again after each message. */
struct codec_mark {
	size_t seen;
	size_t body;		   /* headers: bytes announced, plus 1 */
	bool in_body;		   /* headers: the header block has ended */
	unsigned depth;		   /* msgpack: lists still open */
	size_t lacks[CODEC_DEPTH]; /* msgpack: items that each of them lacks */
};

struct codec {
	const char *name;
	/* Takes one message off the front of *in and moves *in behind it. CODEC_MORE wants to see
	 * what it left in *in again, with more behind it (blank lines before a message it takes
	 * off). CODEC_ODD took off what was framed well and is not a message, and says why in *e;
	 * the stream goes on. If it was meant as an answer to a call, *out has the call's id.
	 * CODEC_BAD says why in *e, and *out needs no release; the stream is of no use any
	 * more. A message over `limit` bytes is ERR_LIMIT as soon as that is known, and so are a
	 * header that does not end and msgpack nested deeper than CODEC_DEPTH; all else is
	 * ERR_PROTOCOL. What *out borrows points into *in. The value in `raw` is skimmed, not
	 * checked: its reader finds what is wrong inside it. */
	enum codec_state (*take)(struct str *in, struct codec_mark *mark, size_t limit,
				 struct msg *out, struct err *e);
	/* `body` may be NULL (no params, or a null result); an error's is an object with `code` and
	 * `message`, as JSON-RPC has it. */
	void (*put)(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		    const json *body);
	json *(*decode)(struct str raw, struct err *e);
};

extern const struct codec codec_headers; /* Content-Length: LSP */
extern const struct codec codec_lines;	 /* one JSON text a line: LSP by way of Neovim */
/* The same where bytes that are no UTF-8 are not lost: shown as bytes.h has it (MCP), or as they
 * are, between cores. The others send U+FFFD for each. */
extern const struct codec codec_lines_shown, codec_lines_raw;
/*
 * Neovim. Blobs are read as strings, handles of buffers, windows and tab pages as numbers; keys
 * that are no strings and whole numbers over 2^53 are ERR_PROTOCOL. To be sent, such a number
 * becomes a float, and an error Neovim's [type, message]; a result nested deeper than
 * CODEC_SEND_DEPTH becomes an error that says so; such params, and any json_raw(), are a BUG.
 */
extern const struct codec codec_msgpack;

#endif
