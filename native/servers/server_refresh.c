#include "../io/loop.h"
#include "server_impl.h"

/*
 * pyright looks for the files of its project a moment after its settings have come, or a document
 * has changed, and then has its client ask for diagnostics anew; it does that too when the settings
 * come, and nothing tells the two apart. So it has to rest after that for longer than the moment
 * lasts, and to answer: what it would have said before is behind the answer.
 */
static void rests(void *arg);

static void server_refresh_rest(struct server *s)
{
	if (!s->rest)
		s->rest = timer_new(s->ox->loop, rests, s);
	timer_set(s->rest,
		  loop_now(s->ox->loop) + (uint64_t)config_get(&s->ox->config, CFG_LSP_QUIET));
}

static void on_rested(void *arg, struct msg *m, const struct err *e)
{
	struct server *s = arg;

	if (s->refreshes != s->rested_after)
		return;
	if (!m) {
		if (e->code == ERR_TIMEOUT) /* it is at work, and may want no more */
			server_refresh_rest(s);
		return;
	}
	s->refreshed = true; /* with an error: no server knows the request */
	pool_stir(s->pool, NULL);
}

static void rests(void *arg)
{
	struct server *s = arg;

	if (!server_ready(s))
		return;
	s->rested_after = s->refreshes;
	peer_call(session_peer(s->session), "$/oxide/ping", NULL, loop_now(s->ox->loop),
		  (uint64_t)config_get(&s->ox->config, CFG_LSP_TIMEOUT), on_rested, s);
	server_wake(s);
}

void server_note_refresh(struct server *s)
{
	if (!s->spec->ready_on_refresh || s->refreshed)
		return;
	s->refreshes++;
	server_refresh_rest(s);
}

void server_forget_refresh(struct server *s)
{
	s->refreshed = false;
	if (s->rest)
		timer_set(s->rest, UINT64_MAX);
}

/* One that is set to look at all files never wants to be asked again. */
bool server_has_begun(const struct server *s, const char *path)
{
	int64_t version;

	if (server_can(s, LSP_PULL_DIAGNOSTICS))
		return s->refreshed || !s->spec->ready_on_refresh || server_can(s, LSP_SURVEY);
	diag_seen(server_store(s), s->key, path, &version);
	return version >= 0 || !s->spec->ready_on_diagnostics;
}
