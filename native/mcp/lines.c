#include <stdlib.h>

#include "../base/bytes.h"
#include "../base/jscan.h"
#include "../base/mem.h"
#include "../base/utf.h"
#include "../wire/codec_parts.h"
#include "mcp_impl.h"

void mcp_put(struct mcp *m, struct mcp_batch *b, enum msg_kind kind, const json *id,
	     const json *body)
{
	size_t start;

	if (m->ended)
		return;
	if (!b) {
		codec_lines_shown.put(peer_out(m->peer), kind, id, NULL, body);
		return;
	}
	if (b->out.n)
		buf_addc(&b->out, ',');
	start = b->out.n;
	codec_json_print(&b->out, kind, id, NULL, body);
	bytes_show_from(&b->out, start);
}

void mcp_put_error(struct mcp *m, struct mcp_batch *b, const json *id, long code,
		   const char *message, json *data)
{
	json *error SCOPED(json_release) =
		json_of({ "code", json_int(code) }, { "message", json_strz(message) },
			{ "data", data });

	mcp_put(m, b, MSG_ERROR, id, error);
}

void mcp_batch_left(struct mcp *m, struct mcp_batch *b)
{
	if (!b || --b->waiting)
		return;
	if (b->out.n && !m->ended)
		buf_addf(peer_out(m->peer), "[%s]\n", b->out.p);
	buf_release(&b->out);
	free(b);
}

static bool is_json(struct str text)
{
	json *v SCOPED(json_release) = json_parse(text, ERR_IGNORED);

	return v != NULL;
}

/* The id of a request of which not everything can be read; NULL when that is not among the rest, or
 * when it is an answer: that has an id of ours. A number that the text ends with may be cut. */
static json *salvage_id(struct str text)
{
	struct jscan s = jscan_of(text, ERR_IGNORED);
	bool answer = false;
	struct str key;
	json *id = NULL;

	for (jscan_object(&s); jscan_member(&s, &key);) {
		struct str value = jscan_raw(&s);
		bool whole = value.n && value.p + value.n < text.p + text.n;

		answer = answer || str_eq(key, STR("result")) || str_eq(key, STR("error"));
		if (!id && jscan_ok(&s) && whole && str_eq(key, STR("id")) && utf_clean(value))
			id = json_parse(value, ERR_IGNORED);
	}
	if (!answer && (json_is(id, JSON_STRING) || json_is_int(id)))
		return id;
	json_free(id);
	return NULL;
}

/* What cannot be read is answered, so that nobody waits for it. */
static void refuse(struct mcp *m, struct str text, long code, const char *why)
{
	json *id SCOPED(json_release) = salvage_id(text);

	mcp_put_error(m, m->batch, id, code, why, NULL);
}

static void on_message(struct mcp *m, struct str text)
{
	struct err e = ERR_INIT;
	struct msg msg;

	if (!codec_json_read(text, &msg, &e)) {
		refuse(m, text, is_json(text) ? MCP_INVALID_REQUEST : MCP_PARSE_ERROR, e.msg);
		return;
	}
	msg.codec = &codec_lines_shown;
	peer_hear(m->peer, &msg, &e);
	msg_release(&msg);
}

static void on_batch(struct mcp *m, struct str text)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(text, &e);
	struct mcp_batch *b;
	size_t n = 0;

	if (!jscan_skip(&s) || !jscan_end(&s)) {
		refuse(m, text, MCP_PARSE_ERROR, e.msg);
		return;
	}
	if (!m->version || strcmp(m->version, "2025-03-26")) {
		refuse(m, text, MCP_INVALID_REQUEST,
		       "batches are supported in revision 2025-03-26 only");
		return;
	}
	m->batch = b = mem_new(sizeof(*b));
	b->waiting = 1;
	s = jscan_of(text, &e);
	for (jscan_array(&s); jscan_item(&s); n++)
		on_message(m, jscan_raw(&s));
	m->batch = NULL;
	if (!n)
		refuse(m, text, MCP_INVALID_REQUEST, "the batch is empty");
	mcp_batch_left(m, b);
}

static void on_line(struct mcp *m, struct str line)
{
	line = str_trim(line);
	if (!line.n)
		return;
	if (!utf_clean(line))
		refuse(m, line, MCP_PARSE_ERROR, "the message is not UTF-8");
	else if (line.p[0] == '[')
		on_batch(m, line);
	else
		on_message(m, line);
}

/* `begin`: as much of it as the limit allows, however it came. */
static void too_long(struct mcp *m, struct str begin)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_LIMIT, "the message exceeds the limit of %zu bytes, and was ignored",
		m->limits.message);
	refuse(m, begin, MCP_INVALID_REQUEST, e.msg);
}

void mcp_feed(struct mcp *m, struct str bytes, uint64_t now)
{
	struct str line;
	bool is_long;

	m->now = now;
	while (!m->ended && line_cutter_take(&m->lines, &bytes, &line, &is_long))
		if (is_long)
			too_long(m, line);
		else
			on_line(m, line);
	peer_tick(m->peer, now);
}
