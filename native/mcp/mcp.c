#include <stdlib.h>

#include "../base/mem.h"
#include "mcp_impl.h"

/* Answers that come too late are of no use, and no harm. */
static bool mcp_on_stray(void *self, struct msg *m)
{
	(void)self;
	(void)m;
	return true;
}

struct mcp *mcp_new(const struct mcp_host *host, const struct mcp_limits *limits, void *self)
{
	static const struct peer_handler handler = { .request = mcp_on_request,
						     .notify = mcp_on_notify,
						     .stray = mcp_on_stray };
	struct mcp *m = mem_new(sizeof(*m));

	m->host = *host;
	m->limits = *limits;
	m->lines.limit = limits->message;
	m->self = self;
	m->level = MCP_WARNING;
	m->peer = peer_new(&codec_lines_shown, limits->message, PEER_CANCEL_MCP, &handler, m);
	peer_set_name(m->peer, "MCP client");
	return m;
}

void mcp_free(struct mcp *m)
{
	if (!m)
		return;
	if (!m->ended || m->alive)
		BUG("an MCP server is freed with %zu requests in progress", m->alive);
	peer_free(m->peer);
	line_cutter_release(&m->lines);
	json_free(m->capabilities);
	json_free(m->client);
	map_release(&m->requests);
	map_release(&m->watched);
	mcp_ask_release(m);
	free(m->held);
	free(m);
}

struct peer *mcp_peer(struct mcp *m)
{
	return m->peer;
}

size_t mcp_waiting(const struct mcp *m)
{
	return m->alive;
}

void mcp_tick(struct mcp *m, uint64_t now)
{
	m->now = now;
	peer_tick(m->peer, now);
}

/* A subscription ends with what could cancel it: then true. */
static bool mcp_hear_no_more(struct mcp_request *r)
{
	bool listening = r->listening;

	if (r->question)
		peer_cancel(r->mcp->peer, r->question->call);
	if (listening)
		mcp_cancel(r);
	return listening;
}

void mcp_input_ended(struct mcp *m, uint64_t now)
{
	struct str key;
	void *r;

	mcp_feed(m, STR("\n"), now);
	m->deaf = true;
	if (m->asking_roots)
		peer_cancel(m->peer, m->asking_roots);
	for (size_t i = 0; map_at(&m->requests, &i, &key, &r);)
		i = mcp_hear_no_more(r) ? 0 : i + 1;
	peer_tick(m->peer, now);
}

void mcp_end(struct mcp *m)
{
	struct str key;
	void *r;

	m->ended = true;
	for (size_t i = 0; map_at(&m->requests, &i, &key, &r); i = 0)
		mcp_cancel(r);
	peer_close(m->peer, NULL);
	peer_tick(m->peer, m->now);
}

static const char *const level_names[] = { "debug", "info",	"notice", "warning",
					   "error", "critical", "alert",  "emergency" };
#define LEVELS (sizeof(level_names) / sizeof(level_names[0]))

static bool mcp_read_level(const json *v, enum mcp_level *level)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (str_eq(json_text(v), str_of(level_names[i]))) {
			*level = (enum mcp_level)i;
			return true;
		}
	return false;
}

void mcp_set_level(struct mcp_request *r)
{
	if (mcp_read_level(json_get(r->params, "level"), &r->mcp->level))
		mcp_done(r, json_object());
	else
		mcp_fail(r, MCP_INVALID_PARAMS,
			 "level must be one of debug, info, notice, warning, error, critical, "
			 "alert, emergency");
}

/* A modern client says with each request what it wants to hear while that is under way. */
static bool mcp_wants_log(const struct mcp *m, enum mcp_level level)
{
	if (m->version && level >= m->level)
		return true;
	map_each(it, &m->requests) {
		const struct mcp_request *r = it.value;
		enum mcp_level least;

		if (r->modern &&
		    mcp_read_level(mcp_member(mcp_member(r->params, "_meta"), META_LOG_LEVEL),
				   &least) &&
		    level >= least)
			return true;
	}
	return false;
}

void mcp_log(struct mcp *m, enum mcp_level level, struct str text)
{
	json *params;

	if (!mcp_wants_log(m, level))
		return;
	params = json_of({ "level", json_strz(level_names[level]) },
			 { "logger", json_strz(m->host.name) }, { "data", json_str(text) });
	peer_notify(m->peer, "notifications/message", params);
}
