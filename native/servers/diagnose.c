#include "diagnose_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "pick.h"
#include "pool.h"
#include "trial.h"

/*
 * on_diagnose_picked -> diagnose_begin, and then, of a server that
 *     can be asked: pull_diags -> on_diagnose_diags_pulled -> diagnose_end
 *         ^-- diagnose_look <-- '  (it checks what was saved)
 *     answers to a command: ask_command -> on_diagnose_command_answered ... -> diagnose_end
 *     publishes, or does not answer: await_publish -> diagnose_look ... -> diagnose_end
 *     registers meanwhile that it can be asked, as pyright does, and publishes no more: pull_diags
 */
static void on_diagnose_news(void *arg, const char *path);

void diagnose_free(struct diagnose *d)
{
	if (d->fencing || d->hurrying)
		return;
	json_free(d->answers);
	free(d->path);
	free(d);
}

uint64_t diagnose_heard(struct diagnose *d, int64_t *version)
{
	return diag_seen(server_diags(d->server), server_key(d->server), d->path, version);
}

/* Whether it was too slow for who did not wait for it alone; of one that is asked its answer tells.
 */
static void note_tardy(struct diagnose *d)
{
	uint64_t least = (uint64_t)config_get(&d->ox->config, CFG_LSP_SILENCE);
	int64_t version = -1;

	if (!d->quiet || d->gone)
		return;
	diagnose_heard(d, &version);
	if (d->complete || version >= d->wanted)
		server_note_tardy(d->server, false);
	else if (!d->cancelled || loop_now(d->ox->loop) >= d->began + least)
		server_note_tardy(d->server, true);
}

static void diagnose_end(struct diagnose *d, const struct err *e)
{
	if (d->server)
		note_tardy(d);
	pool_unwatch(d->ox->pool, on_diagnose_news, d);
	timer_free(d->deadline);
	timer_free(d->quiet);
	if (d->server)
		server_leave(d->server);
	d->finished = true;
	d->fn(d->arg, d->server, d->complete, e);
	diagnose_free(d);
}

static void on_diagnose_picked(void *arg, struct server *s, bool settled, const struct err *e);

static void diagnose_pick(struct diagnose *d)
{
	struct pool *p = d->ox->pool;

	d->pick = d->only ? pool_pick_server(p, d->path, d->only, POOL_OPEN, on_diagnose_picked, d)
			  : pool_pick(p, d->path, LSP_FEATURES, POOL_OPEN, on_diagnose_picked, d);
}

/* It has died, and is being started again. */
static void diagnose_again(struct diagnose *d)
{
	pool_unwatch(d->ox->pool, on_diagnose_news, d);
	timer_free(d->deadline);
	timer_free(d->quiet);
	d->deadline = d->quiet = NULL;
	d->begins = d->gone = d->complete = d->checking = d->passed = false;
	d->question = NULL;
	d->seen = 0;
	server_leave(d->server);
	d->server = NULL;
	diagnose_pick(d);
	if (d->seeing)
		pick_seeing(d->pick);
}

static void diagnose_over(void *arg)
{
	struct diagnose *d = arg;
	struct err e = ERR_INIT;

	if (d->cancelled) {
		err_set(&e, ERR_CANCELLED, "cancelled");
	} else if (d->gone && d->begins && !d->fencing) {
		diagnose_again(d);
		return;
	} else if (d->gone) {
		err_set(&e, ERR_NO_SERVER, "%s exited before it reported on %s",
			server_name(d->server), d->path);
	}
	diagnose_end(d, &e);
}

static void await_quiet(struct diagnose *d, uint64_t since, enum config_key bound)
{
	timer_set(d->quiet, since + (uint64_t)config_get(&d->ox->config, bound));
}

/* Where a text was spoken of long ago, and nothing has come or gone since, the silence was long
 * enough already. Without versions nobody knows whether it was of this text. */
static uint64_t silent_since(const struct diagnose *d)
{
	return server_versioned(d->server) ? server_quiet_since(d->server) : loop_now(d->ox->loop);
}

/* Has the server spoken of the present text? One that says when it is idle is done with it by then:
 * clangd speaks of a text first with the headers as it knew them. It may also have nothing to say:
 * a text that came back before it was looked at is the one that it spoke of last. */
void diagnose_look(struct diagnose *d)
{
	int64_t version = -1;
	uint64_t seen = diagnose_heard(d, &version);
	bool spoken = version >= d->wanted;
	enum sync_work work = server_work(d->server, d->path);

	if (!seen || work == WORK_BUSY || d->complete) /* complete: it is about to end */
		return;
	if (work == WORK_DONE && diagnose_can_fence(d)) {
		diagnose_fence(d, seen);
	} else if (!spoken) {
		return;
	} else if (server_versioned(d->server) && !server_staged(d->server)) {
		d->complete = true;
		timer_set(d->deadline, 0);
	} else if (seen != d->seen) {
		d->seen = seen;
		await_quiet(d, silent_since(d), CFG_LSP_QUIET);
	}
}

static void pull_diags(struct diagnose *d);

static void on_diagnose_news(void *arg, const char *path)
{
	struct diagnose *d = arg;

	if (d->asked)
		return; /* the answer will tell */
	d->gone = d->gone || (!path && server_version(d->server, d->path) < 0);
	if (d->gone)
		timer_set(d->deadline, 0);
	else if (d->checking ? !server_checking(d->server)
			     : server_can(d->server, LSP_PULL_DIAGNOSTICS))
		pull_diags(d);
	else if (!d->checking && (!path || !strcmp(path, d->path)))
		diagnose_look(d);
}

/* Silence: it counts once the server is not at work on more. */
static void quiet_over(void *arg)
{
	struct diagnose *d = arg;

	if (server_busy(d->server)) {
		await_quiet(d, loop_now(d->ox->loop), CFG_LSP_QUIET);
		return;
	}
	d->complete = server_versioned(d->server);
	timer_set(d->deadline, 0);
}

static void watch_server(struct diagnose *d)
{
	if (!d->deadline) {
		d->deadline = timer_new(d->ox->loop, diagnose_over, d);
		pool_watch(d->ox->pool, on_diagnose_news, d);
	}
	timer_set(d->deadline, d->until);
}

static void on_diagnose_diags_pulled(void *arg, struct msg *m, const struct err *why)
{
	struct diagnose *d = arg;
	struct buf id SCOPED(buf_release) = BUF_INIT;
	struct err e = *why;

	d->complete = !e.code && diag_pulled(server_diags(d->server), server_key(d->server),
					     d->path, server_encoding(d->server), m->raw, &id, &e);
	d->asked = 0;
	d->checking = d->complete && !d->exact && server_checking(d->server);
	/* of what is not saved nobody knows what the check would say */
	d->complete = d->complete && !d->checking && !(d->exact && server_checks(d->server));
	if (d->checking)
		watch_server(d);
	else
		diagnose_end(d, &e);
}

/* What a check finds comes unasked: whoever asks once that is over is answered after it. */
static void pull_diags(struct diagnose *d)
{
	if (d->deadline)
		timer_set(d->deadline, UINT64_MAX);
	if (d->quiet)
		timer_set(d->quiet, UINT64_MAX);
	d->asked = server_ask(d->server, LSP_PULL_DIAGNOSTICS, proto_doc(d->path), d->timeout_ms,
			      on_diagnose_diags_pulled, d);
}

static void ask_command(struct diagnose *d);
static void await_publish(struct diagnose *d);

static bool take_answers(struct diagnose *d, struct err *e)
{
	struct buf list SCOPED(buf_release) = BUF_INIT;

	json_print(&list, d->answers);
	return diag_publish(server_diags(d->server), server_key(d->server), d->path,
			    server_encoding(d->server), d->wanted, buf_str(&list), e);
}

static void on_diagnose_command_answered(void *arg, struct msg *m, const struct err *why)
{
	struct diagnose *d = arg;
	struct err e = *why;
	bool taken = !e.code && diag_commanded(d->answers, m->raw, &e), more;

	d->asked = 0;
	if (taken && server_version(d->server, d->path) != d->wanted)
		d->question = NULL; /* about a text that has moved on */
	more = taken && (!d->question || *++d->question);
	if (more && !server_answers(d->server)) { /* it has been told to shut down */
		err_set(&e, ERR_NO_SERVER, "%s is shutting down", server_name(d->server));
		diagnose_end(d, &e);
	} else if (more) {
		ask_command(d);
	} else if (taken) {
		d->complete = take_answers(d, &e);
		diagnose_end(d, &e);
	} else if (e.code == ERR_PEER || e.code == ERR_PROTOCOL) {
		await_publish(d);
	} else if (e.code == ERR_NO_SERVER && d->begins) {
		diagnose_again(d);
	} else {
		diagnose_end(d, &e);
	}
}

/* One question after the other: each is sent behind what has changed, and answered in turn. */
static void ask_command(struct diagnose *d)
{
	const char *const *command = server_answers(d->server);

	if (!d->question) {
		json_free(d->answers);
		d->answers = json_array();
		d->question = command + 1;
		server_flush(d->server);
		d->wanted = server_version(d->server, d->path);
	}
	d->asked = server_ask(d->server, LSP_EXECUTE, diag_command(*command, *d->question, d->path),
			      d->timeout_ms, on_diagnose_command_answered, d);
}

static uint64_t diagnose_patience(const struct diagnose *d)
{
	const struct config *c = &d->ox->config;
	uint64_t patience =
		d->timeout_ms ? d->timeout_ms : (uint64_t)config_get(c, CFG_LSP_DIAGNOSTICS);
	uint64_t least = (uint64_t)config_get(c, CFG_LSP_SILENCE);

	return d->beside && server_tardy(d->server) && least < patience ? least : patience;
}

static void diagnose_begin(struct diagnose *d, struct server *s)
{
	d->server = s;
	d->began = loop_now(d->ox->loop);
	d->until = d->began + diagnose_patience(d);
	server_use(s);
	if (server_can(s, LSP_PULL_DIAGNOSTICS))
		pull_diags(d);
	else if (server_answers(s))
		ask_command(d);
	else
		await_publish(d);
}

/* To what it publishes. */
static void await_publish(struct diagnose *d)
{
	struct server *s = d->server;
	int64_t version;

	server_flush(s);
	d->wanted = server_version(s, d->path);
	d->quiet = timer_new(d->ox->loop, quiet_over, d);
	watch_server(d);
	if (!server_versioned(s) && diag_seen(server_store(s), server_key(s), d->path, &version))
		await_quiet(d, loop_now(d->ox->loop), CFG_LSP_SILENCE);
	diagnose_hurry(d);
	diagnose_look(d);
}

static void on_diagnose_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct diagnose *d = arg;

	(void)settled;
	d->pick = NULL;
	if (s)
		diagnose_begin(d, s);
	else
		diagnose_end(d, e);
}

static struct diagnose *diagnose_new(struct oxide *ox, const char *path, uint64_t timeout_ms,
				     diagnosed *fn, void *arg)
{
	struct diagnose *d = mem_new(sizeof(*d));

	d->ox = ox;
	d->path = mem_dup(path, strlen(path));
	d->timeout_ms = timeout_ms;
	d->fn = fn;
	d->arg = arg;
	return d;
}

struct diagnose *diagnose_open(struct oxide *ox, struct server *s, bool beside, const char *path,
			       uint64_t timeout_ms, diagnosed *fn, void *arg)
{
	struct diagnose *d = diagnose_new(ox, path, timeout_ms, fn, arg);

	d->beside = beside;
	diagnose_begin(d, s);
	return d;
}

struct diagnose *diagnose_shown(struct oxide *ox, struct server *s, bool beside, const char *path,
				bool same_head, uint64_t timeout_ms, diagnosed *fn, void *arg)
{
	struct diagnose *d = diagnose_new(ox, path, timeout_ms, fn, arg);

	diagnose_exactly(d);
	d->same_head = same_head;
	d->beside = beside;
	diagnose_begin(d, s);
	return d;
}

struct diagnose *diagnose_start(struct oxide *ox, struct server *s, const char *path,
				uint64_t timeout_ms, diagnosed *fn, void *arg)
{
	struct diagnose *d = diagnose_new(ox, path, timeout_ms, fn, arg);

	d->only = s;
	d->beside = s;
	d->begins = true;
	diagnose_pick(d);
	return d;
}

void diagnose_exactly(struct diagnose *d)
{
	d->exact = true;
}

void diagnose_seeing(struct diagnose *d)
{
	d->seeing = true;
	pick_seeing(d->pick);
}

void diagnose_cancel(struct diagnose *d)
{
	d->cancelled = true;
	if (d->pick)
		pool_unpick(d->pick);
	else if (d->asked)
		server_cancel(d->server, d->asked);
	else
		timer_set(d->deadline, 0);
}
