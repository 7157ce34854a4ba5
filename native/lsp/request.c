#include "request.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "session_impl.h"

/* How long to wait before each new attempt: a server that is being typed into needs a moment. */
static const uint64_t pause_ms[] = { 0, 50, 200 };

#define RETRIES (sizeof(pause_ms) / sizeof(*pause_ms))
#define UNKNOWN UINT64_MAX /* not_before: the pause begins when the time is next told */

void requests_init(struct requests *rs, const struct requests_owner *owner, void *self)
{
	*rs = (struct requests){ .owner = owner, .self = self };
	TAILQ_INIT(&rs->list);
}

static struct request *find_open(const struct requests *rs, enum lsp_feature f, struct str question)
{
	uint64_t moves = rs->owner->moves(rs->self);
	struct request *r;

	if (f == LSP_EXECUTE)
		return NULL;
	TAILQ_FOREACH(r, &rs->list, next)
		if (r->state != REQUEST_OVER && r->state != REQUEST_HELD && r->moves == moves &&
		    (r->state != REQUEST_SENT || r->news == rs->session->sync.news) &&
		    str_eq(buf_str(&r->question), question))
			return r;
	return NULL;
}

/* `params` and `question` are taken. */
static struct request *request_new(struct requests *rs, enum lsp_feature f, json *params,
				   struct buf *question)
{
	const struct buf *known = NULL;
	struct request *r = mem_new(sizeof(*r));

	if (rs->session)
		known = answers_get(&rs->answers, buf_str(question), rs->session->sync.news);
	r->requests = rs;
	r->feature = f;
	r->params = params;
	r->moves = rs->owner->moves(rs->self);
	r->question = *question;
	TAILQ_INIT(&r->waiters);
	if (known) {
		r->state = REQUEST_KNOWN;
		buf_add(&r->answer, buf_str(known));
	}
	TAILQ_INSERT_TAIL(&rs->list, r, next);
	return r;
}

static void request_free(struct request *r)
{
	TAILQ_REMOVE(&r->requests->list, r, next);
	json_free(r->params);
	buf_release(&r->question);
	buf_release(&r->answer);
	free(r->cannot);
	free(r);
}

static void set_deadline(struct request_waiter *one, uint64_t now)
{
	uint64_t ms = one->timeout_ms;

	one->asked_at = now;
	one->due = ms && ms < UINT64_MAX - now ? now + ms : UINT64_MAX;
}

/* To one, who is taken out before the call: the function may ask again, and cancel for others. */
static void request_tell(struct request *r, struct request_waiter *one, struct msg *m,
			 const struct err *why)
{
	struct requests *rs = r->requests;
	struct err e = *why;

	TAILQ_REMOVE(&r->waiters, one, next);
	if (one->cancelled)
		err_set(&e, ERR_CANCELLED, "%s was cancelled", lsp_method(r->feature));
	if (e.code && !r->final)
		rs->owner->failed(rs->self, one->asked_at, &e);
	one->fn(one->arg, one->cancelled ? NULL : m, &e);
	free(one);
	rs->owner->told(rs->self);
}

/* To all. */
static void finish(struct request *r, struct msg *m, const struct err *e)
{
	struct request_waiter *one;

	r->state = REQUEST_OVER;
	while ((one = TAILQ_FIRST(&r->waiters)))
		request_tell(r, one, m, e);
	request_free(r);
}

/* Until when somebody wants the answer; 0: nobody does. */
static uint64_t wanted_until(const struct request *r)
{
	const struct request_waiter *one;
	uint64_t last = 0;

	TAILQ_FOREACH(one, &r->waiters, next)
		if (!one->cancelled && one->due > last)
			last = one->due;
	return last;
}

/* The session has ended, or can send nothing any more. */
static void lose(struct request *r, const struct err *why)
{
	struct requests *rs = r->requests;
	struct request_waiter *one;

	r->why = *why;
	if (r->was_held || !wanted_until(r) || !rs->owner->hold(rs->self, r)) {
		finish(r, NULL, why);
		return;
	}
	r->state = REQUEST_HELD;
	r->was_held = true;
	TAILQ_FOREACH(one, &r->waiters, next)
		one->due = UINT64_MAX;
}

static void on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct request *r = arg;
	const struct session *s = r->requests->session;
	long code = e->code && m ? peer_error_code(m) : 0;

	if (e->code == ERR_IO && peer_closed(s->peer)) {
		lose(r, e);
		return;
	}
	if ((code == PEER_CONTENT_MODIFIED || code == PEER_SERVER_CANCELLED) &&
	    r->tries < RETRIES && /* of diagnostics a server can say that it is not to be asked
				     again */
	    json_get_bool(msg_body(m, ERR_IGNORED), "data.retriggerRequest", true)) {
		r->state = REQUEST_WAITING;
		r->not_before = pause_ms[r->tries++] ? UNKNOWN : 0;
		return;
	}
	if (!e->code && r->news == s->sync.news && answers_keep(r->feature))
		answers_put(&r->requests->answers, buf_str(&r->question), m->raw, r->news);
	finish(r, m, e);
}

static bool waits(const struct request *r)
{
	return r->state == REQUEST_WAITING && !r->cannot;
}

static bool is_due(const struct request *r, uint64_t now)
{
	return waits(r) && r->not_before <= now && wanted_until(r) > now;
}

static json *params_of(const struct request *r)
{
	const char *id = r->requests->session->caps.diagnostic_id;
	json *params = json_copy(r->params);

	if ((r->feature == LSP_PULL_DIAGNOSTICS || r->feature == LSP_SURVEY) && id && params)
		json_put(params, "identifier", json_strz(id));
	return params;
}

static void send_one(struct request *r, uint64_t now)
{
	struct session *s = r->requests->session;
	const char *method = lsp_method(r->feature);

	if (!s->caps.can[r->feature]) {
		r->cannot = mem_new(sizeof(*r->cannot));
		err_set(r->cannot, ERR_UNSUPPORTED, "%s does not support %s (%s)", s->spec->name,
			lsp_feature_name(r->feature), method);
		return;
	}
	sync_flush(&s->sync);
	r->state = REQUEST_SENT;
	r->news = s->sync.news;
	r->call = peer_call(s->peer, method, params_of(r), now, 0, on_reply, r);
}

static void send_due(struct requests *rs, uint64_t now)
{
	struct request *r;

	if (!rs->session || rs->session->state != SESSION_READY)
		return;
	TAILQ_FOREACH(r, &rs->list, next) {
		if (waits(r) && r->not_before == UNKNOWN)
			r->not_before = now + pause_ms[r->tries - 1];
		if (is_due(r, now))
			send_one(r, now);
	}
}

int64_t request_ask(struct requests *rs, enum lsp_feature f, json *params, uint64_t now,
		    uint64_t timeout_ms, peer_reply *fn, void *arg)
{
	struct request_waiter *one = mem_new(sizeof(*one));
	struct buf question = BUF_INIT;
	int64_t id = ++rs->last_id;
	struct request *r;

	*one = (struct request_waiter){ .id = id, .timeout_ms = timeout_ms, .fn = fn, .arg = arg };
	set_deadline(one, now);
	buf_addf(&question, "%s ", lsp_method(f));
	json_print(&question, params);
	r = find_open(rs, f, buf_str(&question));
	if (r) {
		buf_release(&question);
		json_free(params);
	} else {
		r = request_new(rs, f, params, &question);
	}
	TAILQ_INSERT_TAIL(&r->waiters, one, next);
	send_due(rs, now);
	return id;
}

/* Nobody may want it any more. The peer's reply, or the owner, is what ends it. */
static void call_off(struct request *r)
{
	struct requests *rs = r->requests;

	if (wanted_until(r))
		return;
	if (r->state == REQUEST_HELD) {
		rs->owner->abandon(rs->self, r);
	} else if (r->state == REQUEST_SENT) {
		r->state = REQUEST_OVER;
		peer_cancel(rs->session->peer, r->call);
	}
}

void request_cancel(struct requests *rs, int64_t id)
{
	struct request *r;
	struct request_waiter *one;

	TAILQ_FOREACH(r, &rs->list, next)
		TAILQ_FOREACH(one, &r->waiters, next)
			if (one->id == id && !one->cancelled) {
				one->cancelled = true;
				call_off(r);
				return;
			}
}

static void too_late(const struct request *r, const struct request_waiter *one, struct err *e)
{
	const char *method = lsp_method(r->feature), *server = r->requests->session->spec->name;
	unsigned long long ms = one->timeout_ms;

	if (r->state == REQUEST_SENT)
		err_set(e, ERR_TIMEOUT, "%s: no answer within %llu ms", method, ms);
	else
		err_set(e, ERR_TIMEOUT, "%s: %s %s within %llu ms", method, server,
			r->tries ? "gave no final answer" : "was not ready", ms);
}

/* One who has cancelled or is out of time, but none who came after `last`. */
static bool end_one(struct request *r, int64_t last, uint64_t now)
{
	struct err e = ERR_INIT;
	struct request_waiter *one;

	TAILQ_FOREACH(one, &r->waiters, next)
		if (one->id > last || one->cancelled || one->due <= now)
			break;
	if (!one || one->id > last)
		return false;
	if (!one->cancelled)
		too_late(r, one, &e);
	request_tell(r, one, NULL, &e);
	if (r->state == REQUEST_SENT)
		call_off(r);
	else if (TAILQ_EMPTY(&r->waiters) && r->state != REQUEST_HELD)
		request_free(r);
	return true;
}

/* False: there was nobody to be told. */
static bool end_some(struct request *r, int64_t last, uint64_t now, const struct err *why)
{
	struct msg known = { .kind = MSG_RESULT, .codec = &codec_headers };

	if (r->state == REQUEST_OVER || TAILQ_EMPTY(&r->waiters) ||
	    TAILQ_FIRST(&r->waiters)->id > last)
		return false;
	if (r->cannot) {
		finish(r, NULL, r->cannot);
	} else if (why && r->state != REQUEST_SENT && r->state != REQUEST_HELD) {
		lose(r, why);
	} else if (r->state == REQUEST_KNOWN) {
		known.raw = buf_str(&r->answer);
		finish(r, &known, ERR_IGNORED);
		msg_release(&known);
	} else {
		return end_one(r, last, now);
	}
	return true;
}

void requests_tick(struct requests *rs, uint64_t now)
{
	int64_t last = rs->last_id;
	struct err why = ERR_INIT;
	struct request *r;
	bool over;

	send_due(rs, now);
	over = rs->session && session_over(rs->session, &why);
	for (r = TAILQ_FIRST(&rs->list); r;) /* what is told may add and end others: begin again */
		r = end_some(r, last, now, over ? &why : NULL) ? TAILQ_FIRST(&rs->list)
							       : TAILQ_NEXT(r, next);
}

uint64_t requests_deadline(const struct requests *rs)
{
	bool ready = rs->session && rs->session->state == SESSION_READY;
	uint64_t least = UINT64_MAX;
	const struct request *r;
	const struct request_waiter *one;
	bool over = rs->session && session_over(rs->session, ERR_IGNORED);

	TAILQ_FOREACH(r, &rs->list, next) {
		if (r->state == REQUEST_OVER)
			continue;
		if (r->state == REQUEST_KNOWN || r->cannot ||
		    (over && r->state == REQUEST_WAITING) ||
		    (ready && waits(r) && r->not_before == UNKNOWN))
			return 0;
		if (ready && waits(r) && r->not_before < least)
			least = r->not_before;
		TAILQ_FOREACH(one, &r->waiters, next) {
			uint64_t at = one->cancelled ? 0 : one->due;

			least = at < least ? at : least;
		}
	}
	return least;
}

void request_resume(struct request *r, uint64_t now)
{
	struct request_waiter *one;

	r->state = REQUEST_WAITING;
	r->held = NULL;
	TAILQ_FOREACH(one, &r->waiters, next)
		set_deadline(one, now);
	send_due(r->requests, now);
}

void request_fail(struct request *r, const struct err *e)
{
	r->final = true;
	finish(r, NULL, e);
}

static void fail_all(struct requests *rs, const char *server, bool held)
{
	struct request *r = TAILQ_FIRST(&rs->list);
	struct err e = ERR_INIT;

	err_set(&e, ERR_NO_SERVER, "%s has exited", server);
	while (r)
		if (r->state == REQUEST_HELD && !held) {
			r = TAILQ_NEXT(r, next);
		} else {
			lose(r, &e);
			r = TAILQ_FIRST(&rs->list);
		}
}

void requests_detach(struct requests *rs)
{
	fail_all(rs, rs->session->spec->name, false);
	rs->session = NULL;
}

void requests_release(struct requests *rs)
{
	fail_all(rs, "the server", true);
	answers_release(&rs->answers);
}
