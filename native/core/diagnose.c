#include "diagnose.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "workspace.h"

/*
 *     start -> on_picked -+-> (it can be asked) on_pulled ------> finish
 *                         +-> (it publishes) look, look, ... ---> finish
 */
struct diagnose {
	struct oxide *ox;
	char *path;
	uint64_t timeout_ms;
	diagnosed *fn;
	void *arg;
	struct pick *pick; /* until it is picked */
	struct server *server;
	int64_t asked;
	struct timer *deadline, *quiet;
	int64_t wanted; /* the version to be spoken of */
	uint64_t seen;
	bool complete, cancelled;
};

static void on_news(void *arg, const char *path);

static void finish(struct diagnose *d, const struct err *e)
{
	pool_unwatch(d->ox->pool, on_news, d);
	timer_free(d->deadline);
	timer_free(d->quiet);
	d->fn(d->arg, d->server, d->complete, e);
	free(d->path);
	free(d);
}

static void over(void *arg)
{
	struct diagnose *d = arg;
	struct err e = ERR_INIT;

	if (d->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	finish(d, &e);
}

/* Has the server spoken of the present text? */
static void look(struct diagnose *d)
{
	int64_t version = -1;
	uint64_t seen = diag_seen(d->ox->diags, server_key(d->server), d->path, &version);

	if (!seen || version < d->wanted)
		return;
	if (server_versioned(d->server) && !server_staged(d->server)) {
		d->complete = true;
		timer_set(d->deadline, 0);
	} else if (seen != d->seen || !server_busy(d->server)) {
		d->seen = seen;
		timer_set(d->quiet, loop_now(d->ox->loop) +
					    (uint64_t)config_get(&d->ox->config, CFG_LSP_QUIET));
	}
}

static void on_news(void *arg, const char *path)
{
	struct diagnose *d = arg;

	if (!path && server_version(d->server, d->path) < 0)
		timer_set(d->deadline, 0); /* the server is gone */
	else if (!path || !strcmp(path, d->path))
		look(d);
}

/* Silence: it counts once the server is not at work on more. The end of that work is news. */
static void quiet_over(void *arg)
{
	struct diagnose *d = arg;

	if (server_busy(d->server))
		return;
	d->complete = server_versioned(d->server);
	timer_set(d->deadline, 0);
}

static void on_pulled(void *arg, struct msg *m, const struct err *why)
{
	struct diagnose *d = arg;
	struct buf id = BUF_INIT;
	struct err e = *why;

	d->complete = !e.code && diag_pulled(d->ox->diags, server_key(d->server), d->path,
					     server_encoding(d->server), m->raw, &id, &e);
	buf_release(&id);
	finish(d, &e);
}

static void ignore(void *arg, struct msg *m, const struct err *e)
{
	(void)arg;
	(void)m;
	(void)e;
}

/* Servers let a text rest before they look at it, in case more is typed. A question about it ends
 * the rest: clangd is done in half the time. */
static void hurry(struct diagnose *d)
{
	struct doc *doc = workspace_known(d->ox->workspace, d->path);
	int64_t version = -1;

	diag_seen(d->ox->diags, server_key(d->server), d->path, &version);
	if (doc && version < d->wanted && server_can(d->server, LSP_HOVER))
		pool_ask(d->server, LSP_HOVER, proto_at(doc, 0, server_encoding(d->server)), 0,
			 ignore, NULL);
}

static void on_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct diagnose *d = arg;
	uint64_t patience = d->timeout_ms
				    ? d->timeout_ms
				    : (uint64_t)config_get(&d->ox->config, CFG_LSP_DIAGNOSTICS);

	(void)settled;
	d->pick = NULL;
	d->server = s;
	if (!s) {
		finish(d, e);
		return;
	}
	if (server_can(s, LSP_PULL_DIAGNOSTICS)) {
		d->asked = pool_ask(s, LSP_PULL_DIAGNOSTICS, proto_doc(d->path), d->timeout_ms,
				    on_pulled, d);
		return;
	}
	server_flush(s);
	d->wanted = server_version(s, d->path);
	d->deadline = timer_new(d->ox->loop, over, d);
	d->quiet = timer_new(d->ox->loop, quiet_over, d);
	timer_set(d->deadline, loop_now(d->ox->loop) + patience);
	pool_watch(d->ox->pool, on_news, d);
	hurry(d);
	look(d);
}

struct diagnose *diagnose_start(struct oxide *ox, const char *path, uint64_t timeout_ms,
				diagnosed *fn, void *arg)
{
	struct diagnose *d = mem_new(sizeof(*d));

	d->ox = ox;
	d->path = mem_dup(path, strlen(path));
	d->timeout_ms = timeout_ms;
	d->fn = fn;
	d->arg = arg;
	d->pick = pool_pick(ox->pool, path, LSP_FEATURES, POOL_OPEN, on_picked, d);
	return d;
}

void diagnose_cancel(struct diagnose *d)
{
	d->cancelled = true;
	if (d->pick)
		pool_unpick(d->pick);
	else if (d->asked)
		pool_cancel(d->server, d->asked);
	else
		timer_set(d->deadline, 0);
}
