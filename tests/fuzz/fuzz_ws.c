#include "fuzz.h"
#include "wire/ws.h"

/*
 *     how many bytes come at a time
 *     %%
 *     what a client sends: a handshake, or, where the first line is empty, what comes behind one
 *
 * However it is cut, the same texts are heard and, where it goes on, the same is said; no text is
 * longer than allowed, and nobody is heard without the token.
 */
#define TOKEN	"sesame"
#define MESSAGE 200
#define HANDSHAKE                                                                                  \
	"GET / HTTP/1.1\r\nHost: localhost:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"    \
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"             \
	"X-Token: " TOKEN "\r\n\r\n"

struct end {
	struct ws *ws;
	struct buf heard;
	bool over;
	struct err e;
};

/* Each text is said again; "end" is the last. */
static void on_text(void *self, struct str text)
{
	struct end *n = self;

	must(text.n <= MESSAGE && ws_is_open(n->ws));
	buf_addf(&n->heard, "%zu ", text.n);
	buf_add(&n->heard, text);
	ws_send(n->ws, text);
	if (str_eq(text, STR("end")))
		ws_end(n->ws, 1000, "done");
}

static void end_feed(struct end *n, struct str bytes, size_t piece)
{
	for (size_t at = 0; at < bytes.n; at += piece) {
		size_t end = at + piece < bytes.n ? at + piece : bytes.n;
		bool was_over = n->over;

		n->over = !ws_feed(n->ws, str_sub(bytes, at, end), &n->e);
		must(!was_over || n->over);
	}
}

static void end_run(struct end *n, struct str bytes, size_t piece)
{
	const struct ws_spec spec = { .expect = { "mcp", "x-token", STR(TOKEN), 80 },
				      .head = 400,
				      .message = MESSAGE,
				      .message_fn = on_text,
				      .self = n };
	struct str rest = bytes;

	*n = (struct end){ 0 };
	n->ws = ws_new(&spec);
	if (str_skip(&rest, STR("\n"))) {
		end_feed(n, STR(HANDSHAKE), piece);
		must(ws_is_open(n->ws));
	}
	end_feed(n, rest, piece);
	must(!n->over || !ws_is_open(n->ws));
	if (n->over && n->e.code)
		must_say(&n->e);
}

static void end_release(struct end *n)
{
	ws_free(n->ws);
	buf_release(&n->heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = fuzz_input(data, size), first = fuzz_section(&all);
	size_t piece = fuzz_number(&first, 1000);
	struct end whole, cut;

	end_run(&whole, all, all.n + 1000);
	end_run(&cut, all, piece ? piece : 1);
	must_be(buf_str(&cut.heard), buf_str(&whole.heard));
	/* libwslay may see later that a frame is broken, and then has answered a ping before it. */
	if (!whole.over && !cut.over)
		must_be(buf_str(ws_out(cut.ws)), buf_str(ws_out(whole.ws)));
	must(!whole.heard.n || str_starts(all, STR("\n")) || str_find(all, STR(TOKEN)) >= 0);
	end_release(&whole);
	end_release(&cut);
	return 0;
}
