#include "ws.h"

#include <stdlib.h>

#include <wslay/wslay.h>

#include "../base/mem.h"

enum ws_state { WS_HEAD, WS_OPEN, WS_OVER };

struct ws {
	struct ws_spec spec;
	enum ws_state state;
	struct buf head; /* of the request, until it has ended */
	struct str fed;	 /* what is being read */
	struct buf out;
	wslay_event_context_ptr frames; /* once it is open */
};

static ssize_t ws_on_recv(wslay_event_context_ptr frames, uint8_t *to, size_t room, int flags,
			  void *self)
{
	struct ws *w = self;
	size_t n = w->fed.n < room ? w->fed.n : room;

	(void)flags;
	if (!n) {
		wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(to, w->fed.p, n);
	w->fed = str_sub(w->fed, n, w->fed.n);
	return (ssize_t)n;
}

static ssize_t ws_on_send(wslay_event_context_ptr frames, const uint8_t *bytes, size_t n, int flags,
			  void *self)
{
	struct ws *w = self;

	(void)frames;
	(void)flags;
	buf_add(&w->out, (struct str){ (const char *)bytes, n });
	return (ssize_t)n;
}

static void ws_on_message(wslay_event_context_ptr frames,
			  const struct wslay_event_on_msg_recv_arg *m, void *self)
{
	struct ws *w = self;

	(void)frames;
	if (w->state != WS_OPEN)
		return;
	if (m->opcode == WSLAY_TEXT_FRAME)
		w->spec.message_fn(w->spec.self, (struct str){ m->msg ? (const char *)m->msg : "",
							       m->msg_length });
	else if (m->opcode == WSLAY_BINARY_FRAME)
		ws_end(w, WSLAY_CODE_UNSUPPORTED_DATA, "only text messages are understood");
}

struct ws *ws_new(const struct ws_spec *spec)
{
	struct ws *w = mem_new(sizeof(*w));

	w->spec = *spec;
	return w;
}

void ws_free(struct ws *w)
{
	if (!w)
		return;
	if (w->frames)
		wslay_event_context_free(w->frames);
	buf_release(&w->head);
	buf_release(&w->out);
	free(w);
}

static void ws_open(struct ws *w)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = ws_on_recv,
		.send_callback = ws_on_send,
		.on_msg_recv_callback = ws_on_message,
	};

	if (wslay_event_context_server_init(&w->frames, &callbacks, w))
		BUG("out of memory (a WebSocket connection)");
	wslay_event_config_set_max_recv_msg_length(w->frames, w->spec.message);
	w->state = WS_OPEN;
}

/* Takes the request's head off the front, as much of it as there is. */
static bool ws_take_head(struct ws *w, struct str *bytes, struct err *e)
{
	size_t before = w->head.n, end;

	buf_add(&w->head, *bytes);
	end = http_head_end(buf_str(&w->head));
	if ((end ? end : w->head.n) > w->spec.head) {
		w->state = WS_OVER;
		return ws_head_too_long(&w->out, w->spec.head, e);
	}
	*bytes = str_sub(*bytes, end ? end - before : bytes->n, bytes->n);
	if (!end)
		return true;
	w->head.n = end;
	if (!ws_handshake(buf_str(&w->head), &w->spec.expect, &w->out, e)) {
		w->state = WS_OVER;
		return false;
	}
	buf_wipe(&w->head); /* it has the token */
	ws_open(w);
	return true;
}

/* What went wrong, by the code that the other side is told. */
static bool ws_broken(const struct ws *w, struct err *e)
{
	unsigned code = wslay_event_get_status_code_sent(w->frames);

	switch (code) {
	case WSLAY_CODE_MESSAGE_TOO_BIG:
		return err_set(e, ERR_LIMIT, "a message exceeds the limit of %zu bytes",
			       w->spec.message);
	case WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA:
		return err_set(e, ERR_PROTOCOL, "a message is not UTF-8");
	case WSLAY_CODE_UNSUPPORTED_DATA:
		return err_set(e, ERR_UNSUPPORTED, "a message is binary");
	default:
		return err_set(e, ERR_PROTOCOL, "it breaks the WebSocket protocol");
	}
}

static bool ws_read_frames(struct ws *w, struct str bytes, struct err *e)
{
	int failed;

	w->fed = bytes;
	failed = wslay_event_recv(w->frames);
	w->fed = STR("");
	wslay_event_send(w->frames);
	if (!failed && wslay_event_get_read_enabled(w->frames) && w->state == WS_OPEN)
		return true;
	w->state = WS_OVER;
	if (!failed && wslay_event_get_close_received(w->frames))
		return false;
	return ws_broken(w, e);
}

bool ws_feed(struct ws *w, struct str bytes, struct err *e)
{
	if (w->state == WS_HEAD && !ws_take_head(w, &bytes, e))
		return false;
	if (w->state == WS_HEAD || (w->state == WS_OPEN && !bytes.n))
		return true;
	return w->state == WS_OPEN && ws_read_frames(w, bytes, e);
}

struct buf *ws_out(struct ws *w)
{
	return &w->out;
}

void ws_send(struct ws *w, struct str text)
{
	struct wslay_event_msg m = { WSLAY_TEXT_FRAME, (const uint8_t *)text.p, text.n };

	if (w->state == WS_OPEN && !wslay_event_queue_msg(w->frames, &m))
		wslay_event_send(w->frames);
}

void ws_end(struct ws *w, unsigned code, const char *why)
{
	if (w->state == WS_OPEN) {
		wslay_event_queue_close(w->frames, (uint16_t)code, (const uint8_t *)why,
					strlen(why));
		wslay_event_send(w->frames);
	}
	w->state = WS_OVER;
}

bool ws_is_open(const struct ws *w)
{
	return w->state == WS_OPEN;
}
