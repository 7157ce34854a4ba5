#include "../base/log.h"
#include "../io/loop.h"
#include "client.h"
#include "server_impl.h"

/* Not the editor's: that is the editor's to end, or the person's. */
static void hung_too_long(void *arg)
{
	struct server *s = arg;
	int64_t limit = config_get(&s->ox->config, CFG_LSP_HUNG);

	if (!s->hung_since || s->client)
		return;
	err_set(&s->why, ERR_NO_SERVER, "it was silent for %lld ms", (long long)limit);
	log_line(LOG_ERROR, "server %s is unresponsive: %s; killing it", s->key, s->why.msg);
	server_kill(s);
}

static void on_ping(void *arg, struct msg *m, const struct err *why)
{
	struct server *s = arg;
	struct err e = *why;

	(void)m; /* that it comes is the news */
	s->pinging = false;
	if (e.code == ERR_TIMEOUT)
		server_unanswered(s, s->pinged_at, &e);
}

void server_ping(struct server *s)
{
	if (s->pinging || !server_ready(s))
		return;
	s->pinging = true;
	s->pinged_at = loop_now(s->ox->loop);
	peer_call(session_peer(s->session), "$/oxide/ping", NULL, s->pinged_at,
		  (uint64_t)config_get(&s->ox->config, CFG_LSP_TIMEOUT), on_ping, s);
	server_wake(s);
}

bool server_lives(struct server *s)
{
	server_ping(s);
	return !s->hung_since || !s->client;
}

static void hangs(struct server *s)
{
	uint64_t now = loop_now(s->ox->loop);

	s->hung_since = now;
	if (!s->hung_for)
		s->hung_for = timer_new(s->ox->loop, hung_too_long, s);
	timer_set(s->hung_for, now + (uint64_t)config_get(&s->ox->config, CFG_LSP_HUNG));
	server_ping(s);
	server_tell(s, "hung", "it does not respond");
	pool_stir(s->pool, NULL);
}

void server_unanswered(struct server *s, uint64_t asked_at, struct err *e)
{
	struct err was = *e;

	if (!server_ready(s) || s->heard_at > asked_at)
		return;
	if (!s->hung_since)
		hangs(s);
	if (s->client)
		err_set(e, was.code, "%s; Neovim's own %s is unresponsive; restart it there",
			was.msg, s->spec->name);
	else
		err_set(e, was.code,
			"%s; it is unresponsive, and will be restarted after %lld ms of silence; "
			"`:Oxide core restart %s` restarts it now",
			was.msg, (long long)config_get(&s->ox->config, CFG_LSP_HUNG),
			s->spec->name);
}

void server_heard(struct server *s)
{
	s->heard_at = loop_now(s->ox->loop);
	if (!s->hung_since)
		return;
	server_revived(s);
	server_tell(s, "ready", "it responds again");
	pool_stir(s->pool, NULL);
}

void server_revived(struct server *s)
{
	s->hung_since = 0;
	if (s->hung_for)
		timer_set(s->hung_for, UINT64_MAX);
}
