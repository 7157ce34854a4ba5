/* server_ask() and server_cancel(), and what becomes of a request when the server dies
 * (lsp/request.h). */

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "server_impl.h"

/* Those whose answer speaks of more than the file need the index again. What was open for a moment
 * alone is not to be kept open: it comes again with the server. */
static enum pool_need need_of(struct server *s, enum lsp_feature f, const char *path)
{
	if (server_glances(s, workspace_known(s->ox->workspace, path)))
		return POOL_RUNS;
	switch (f) {
	case LSP_RENAME:
	case LSP_REFERENCES:
	case LSP_IMPLEMENTATION:
	case LSP_DEFINITION:
	case LSP_TYPE_DEFINITION:
		return POOL_SETTLED;
	default:
		return POOL_OPEN;
	}
}

static uint64_t request_moves(void *self)
{
	const struct server *s = self;

	return workspace_moves(s->ox->workspace);
}

static void on_server_again(void *arg, struct server *picked, bool settled, const struct err *why)
{
	struct request *r = arg;
	struct server *s = r->requests->self;
	struct err e = r->why;

	if (!why->code && picked == s && settled && request_moves(s) == r->moves) {
		request_resume(r, loop_now(s->ox->loop));
		server_wake(s);
		return;
	}
	err_in(&e, "%s", s->spec->name);
	e.code = ERR_NO_SERVER;
	if (why->code == ERR_CANCELLED || why->code == ERR_NO_SERVER)
		e = *why; /* it says how often the server has died */
	request_fail(r, &e);
}

/* A command may have done half of what it does; an answer about texts on trial, or about texts that
 * have moved on, would be about something else. */
static bool request_hold(void *self, struct request *r)
{
	struct server *s = self;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool can = s->state != SERVER_UP && r->feature != LSP_EXECUTE && !s->trial && !s->client &&
		   !s->ending && !s->pool->stopping && request_moves(s) == r->moves &&
		   uri_to_path(&path, json_get_str(r->params, "textDocument.uri"), ERR_IGNORED);

	if (can) {
		log_line(LOG_WARN, "server %s exited during %s; retrying once", s->key,
			 lsp_method(r->feature));
		r->held = pool_pick(s->pool, path.p, r->feature, need_of(s, r->feature, path.p),
				    on_server_again, r);
	}
	return can;
}

static void request_abandon(void *self, struct request *r)
{
	(void)self;
	pool_unpick(r->held);
}

static void request_failed(void *self, uint64_t asked_at, struct err *e)
{
	struct server *s = self;

	err_in(e, "%s", s->spec->name);
	if (e->code != ERR_CANCELLED && s->state != SERVER_UP)
		e->code = ERR_NO_SERVER;
	if (e->code == ERR_TIMEOUT)
		server_unanswered(s, asked_at, e);
}

static void request_told(void *self)
{
	server_leave(self);
}

const struct requests_owner server_requests = {
	request_moves, request_hold, request_abandon, request_failed, request_told,
};

int64_t server_ask(struct server *s, enum lsp_feature f, json *params, uint64_t timeout_ms,
		   peer_reply *fn, void *arg)
{
	uint64_t patience =
		timeout_ms ? timeout_ms : (uint64_t)config_get(&s->ox->config, CFG_LSP_TIMEOUT);
	int64_t id;

	if (!s->session)
		BUG("a request to a server that is down: call pool_pick() first");
	server_use(s);
	id = request_ask(&s->requests, f, params, loop_now(s->ox->loop), patience, fn, arg);
	server_wake(s);
	return id;
}

static void tick_requests(void *arg)
{
	struct server *s = arg;

	requests_tick(&s->requests, loop_now(s->ox->loop));
}

void server_cancel(struct server *s, int64_t id)
{
	request_cancel(&s->requests, id);
	if (s->link)
		server_wake(s);
	else /* it is held, and others may wait for the same answer */
		loop_soon(s->ox->loop, tick_requests, s);
}
