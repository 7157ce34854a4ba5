#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "server_impl.h"

/*
 * What is behind pool_ask() and pool_cancel():
 *
 *     ask -> answered
 *         -> answered (the server died) -> on_picked (it runs again) -> ask
 */
struct request {
	struct request *next;
	struct server *server;
	int64_t id;
	enum lsp_feature feature;
	json *params; /* to ask again with; NULL: it has been, or cannot be */
	uint64_t patience, asked_at;
	uint64_t moves;	   /* of the workspace when it was asked */
	int64_t asked;	   /* the session's number for it */
	struct pick *pick; /* it waits for the server to run again */
	struct err death;  /* ... after this */
	peer_reply *fn;
	void *arg;
};

static void ask(struct request *r, json *params);

static void finish(struct request *r, struct msg *m, const struct err *e)
{
	struct request **at = &r->server->requests;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	r->fn(r->arg, m, e);
	server_leave(r->server);
	json_free(r->params);
	free(r);
}

static void on_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct request *r = arg;
	struct oxide *ox = r->server->ox;
	struct err e = r->death;
	json *params = r->params;

	r->pick = NULL;
	if (!why->code && s == r->server && settled && workspace_moves(ox->workspace) == r->moves) {
		r->params = NULL;
		ask(r, params);
		return;
	}
	if (why->code == ERR_CANCELLED || why->code == ERR_NO_SERVER)
		e = *why; /* it says how often the server has died */
	finish(r, NULL, &e);
}

/* Those whose answer speaks of more than the file need the index again. What was open for a moment
 * alone is not to be kept open: it comes again with the server. */
static enum pool_need need_of(const struct request *r, const char *path)
{
	if (server_glances(r->server, workspace_known(r->server->ox->workspace, path)))
		return POOL_RUNS;
	switch (r->feature) {
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

/* A question may be asked a second time. A command may have done half of what it does; an answer
 * about texts on trial, or about texts that have moved on, would be about something else. */
static bool ask_again(struct request *r, const struct err *e)
{
	struct server *s = r->server;
	struct buf path = BUF_INIT;
	struct err ignored = ERR_INIT;
	bool can = r->params && r->feature != LSP_EXECUTE && !s->trial && !s->client &&
		   !s->ending && !s->pool->stopping &&
		   workspace_moves(s->ox->workspace) == r->moves &&
		   uri_to_path(&path, json_get_str(r->params, "textDocument.uri"), &ignored);

	if (can) {
		log_line(LOG_WARN, "server %s died of %s or beside it; it is asked once more",
			 s->key, lsp_method(r->feature));
		r->death = *e;
		r->pick = pool_pick(s->pool, path.p, r->feature, need_of(r, path.p), on_picked, r);
	}
	buf_release(&path);
	return can;
}

static void answered(void *arg, struct msg *m, const struct err *why)
{
	struct request *r = arg;
	struct server *s = r->server;
	bool died = why->code && why->code != ERR_CANCELLED && s->state != SERVER_UP;
	struct err e = *why;

	if (e.code)
		err_in(&e, "%s", s->spec->name);
	if (died)
		e.code = ERR_NO_SERVER;
	if (died && ask_again(r, &e))
		return;
	if (e.code == ERR_TIMEOUT)
		server_unanswered(s, r->asked_at, &e);
	finish(r, m, &e);
}

static void ask(struct request *r, json *params)
{
	struct server *s = r->server;

	r->asked_at = loop_now(s->ox->loop);
	r->asked =
		session_ask(s->session, r->feature, params, r->asked_at, r->patience, answered, r);
	server_wake(s);
}

int64_t pool_ask(struct server *s, enum lsp_feature f, json *params, uint64_t timeout_ms,
		 peer_reply *fn, void *arg)
{
	struct request *r = mem_new(sizeof(*r));

	if (!s->session)
		BUG("asking a server that is down: pool_pick() comes first");
	*r = (struct request){ .next = s->requests,
			       .server = s,
			       .id = ++s->last_request,
			       .feature = f,
			       .params = json_copy(params),
			       .moves = workspace_moves(s->ox->workspace),
			       .fn = fn,
			       .arg = arg };
	r->patience =
		timeout_ms ? timeout_ms : (uint64_t)config_get(&s->ox->config, CFG_LSP_TIMEOUT);
	s->requests = r;
	server_use(s);
	ask(r, params);
	return r->id;
}

void pool_cancel(struct server *s, int64_t id)
{
	struct request *r = s->requests;

	while (r && r->id != id)
		r = r->next;
	if (r && r->pick) {
		pool_unpick(r->pick);
	} else if (r && s->session) {
		session_cancel(s->session, r->asked);
		server_wake(s);
	}
}
