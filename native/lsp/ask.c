#include "ask.h"

#include <stdlib.h>

#include "../base/mem.h"

/* How long to wait before each new attempt: a server that is being typed into needs a moment. */
static const uint64_t pause_ms[] = { 0, 50, 200 };

#define RETRIES (sizeof(pause_ms) / sizeof(*pause_ms))
#define UNKNOWN UINT64_MAX

/* Somebody who waits for the answer. */
struct asker {
	int64_t id;
	uint64_t timeout_ms, due; /* UINT64_MAX: never */
	peer_reply *fn;
	void *arg;
	bool cancelled;
};

struct ask {
	struct asks *asks;
	enum lsp_feature feature;
	json *params;
	struct buf question; /* feature and params, to be told from others */
	struct asker *v;     /* in the order of asking */
	size_t n, cap;
	enum { WAITS, SENT, KNOWN, OVER } state; /* KNOWN: `answer`; OVER: nobody can join it */
	struct buf answer;
	int64_t call;	     /* SENT: the peer's id */
	uint64_t news;	     /* SENT: *asks->news then */
	unsigned tries;	     /* "content modified" so far */
	uint64_t not_before; /* UNKNOWN: the pause begins when the time is next told */
	struct err cannot;   /* with a code: it fails at the next occasion */
};

void asks_init(struct asks *a, struct peer *peer, const struct caps *caps, const char *server,
	       const uint64_t *news)
{
	*a = (struct asks){ .peer = peer, .caps = caps, .server = server, .news = news };
}

static struct ask *find_open(const struct asks *a, enum lsp_feature f, struct str question)
{
	for (size_t i = 0; f != LSP_EXECUTE && i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (ask->state != OVER && (ask->state != SENT || ask->news == *a->news) &&
		    str_eq(buf_str(&ask->question), question))
			return ask;
	}
	return NULL;
}

/* `params` and `question` are taken. */
static struct ask *ask_new(struct asks *a, enum lsp_feature f, json *params, struct buf *question)
{
	const struct buf *known = answers_get(&a->answers, buf_str(question), *a->news);
	struct ask *ask = mem_new(sizeof(*ask));

	ask->asks = a;
	ask->feature = f;
	ask->params = params;
	ask->question = *question;
	if (known) {
		ask->state = KNOWN;
		buf_add(&ask->answer, buf_str(known));
	}
	a->v = mem_grow(a->v, &a->cap, a->n + 1, sizeof(struct ask *));
	a->v[a->n++] = ask;
	return ask;
}

static void ask_free(struct ask *ask)
{
	struct asks *a = ask->asks;
	size_t i = 0;

	while (a->v[i] != ask)
		i++;
	memmove(&a->v[i], &a->v[i + 1], (--a->n - i) * sizeof(struct ask *));
	json_free(ask->params);
	buf_release(&ask->question);
	buf_release(&ask->answer);
	free(ask->v);
	free(ask);
}

int64_t asks_add(struct asks *a, enum lsp_feature f, json *params, uint64_t now,
		 uint64_t timeout_ms, peer_reply *fn, void *arg)
{
	struct asker one = { .id = ++a->last_id, .timeout_ms = timeout_ms, .fn = fn, .arg = arg };
	struct buf question = BUF_INIT;
	struct ask *ask;

	one.due = timeout_ms && timeout_ms < UINT64_MAX - now ? now + timeout_ms : UINT64_MAX;
	buf_addf(&question, "%s ", lsp_method(f));
	json_print(&question, params);
	ask = find_open(a, f, buf_str(&question));
	if (ask) {
		buf_release(&question);
		json_free(params);
	} else {
		ask = ask_new(a, f, params, &question);
	}
	ask->v = mem_grow(ask->v, &ask->cap, ask->n + 1, sizeof(*ask->v));
	ask->v[ask->n++] = one;
	return one.id;
}

/* To one, who is taken out before the call: the function may ask again, and cancel for others. */
static void tell(struct ask *ask, size_t i, struct msg *m, const struct err *e)
{
	struct asker one = ask->v[i];
	struct err cancelled = ERR_INIT;

	memmove(&ask->v[i], &ask->v[i + 1], (--ask->n - i) * sizeof(*ask->v));
	if (one.cancelled) {
		err_set(&cancelled, ERR_CANCELLED, "%s was cancelled", lsp_method(ask->feature));
		one.fn(one.arg, NULL, &cancelled);
	} else {
		one.fn(one.arg, m, e);
	}
}

/* To all. */
static void finish(struct ask *ask, struct msg *m, const struct err *e)
{
	ask->state = OVER;
	while (ask->n)
		tell(ask, 0, m, e);
	ask_free(ask);
}

/* Of diagnostics a server can say that it does not want to be asked again. */
static bool wants_again(struct msg *m)
{
	struct err ignored;

	return json_get_bool(msg_body(m, &ignored), "data.retriggerRequest", true);
}

static void on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct ask *ask = arg;
	struct asks *a = ask->asks;
	long code = e->code && m ? peer_error_code(m) : 0;

	if ((code == PEER_CONTENT_MODIFIED || code == PEER_SERVER_CANCELLED) &&
	    ask->tries < RETRIES && wants_again(m)) {
		ask->state = WAITS;
		ask->not_before = pause_ms[ask->tries++] ? UNKNOWN : 0;
		return;
	}
	if (!e->code && ask->news == *a->news && answers_keep(ask->feature))
		answers_put(&a->answers, buf_str(&ask->question), m->raw, ask->news);
	finish(ask, m, e);
}

static bool waits(const struct ask *ask)
{
	return ask->state == WAITS && !ask->cannot.code;
}

/* Until when somebody wants the answer; 0: nobody does. */
static uint64_t wanted_until(const struct ask *ask)
{
	uint64_t last = 0;

	for (size_t i = 0; i < ask->n; i++)
		if (!ask->v[i].cancelled && ask->v[i].due > last)
			last = ask->v[i].due;
	return last;
}

static bool is_due(const struct ask *ask, uint64_t now)
{
	return waits(ask) && ask->not_before <= now && wanted_until(ask) > now;
}

bool asks_due(struct asks *a, uint64_t now)
{
	bool any = false;

	for (size_t i = 0; i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (waits(ask) && ask->not_before == UNKNOWN)
			ask->not_before = now + pause_ms[ask->tries - 1];
		any = any || is_due(ask, now);
	}
	return any;
}

static json *params_of(const struct ask *ask)
{
	const char *id = ask->asks->caps->diagnostic_id;
	json *params = json_copy(ask->params);

	if ((ask->feature == LSP_PULL_DIAGNOSTICS || ask->feature == LSP_SURVEY) && id && params)
		json_put(params, "identifier", json_strz(id));
	return params;
}

void asks_send(struct asks *a, uint64_t now)
{
	if (!asks_due(a, now))
		return;
	for (size_t i = 0; i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (!is_due(ask, now))
			continue;
		if (!a->caps->can[ask->feature]) {
			err_set(&ask->cannot, ERR_UNSUPPORTED, "%s has no %s (%s)", a->server,
				lsp_feature_name(ask->feature), lsp_method(ask->feature));
			continue;
		}
		ask->state = SENT;
		ask->news = *a->news;
		ask->call = peer_call(a->peer, lsp_method(ask->feature), params_of(ask), now, 0,
				      on_reply, ask);
	}
}

/* The peer's reply is what ends it. */
static void call_off(struct ask *ask)
{
	if (ask->state != SENT || wanted_until(ask))
		return;
	ask->state = OVER;
	peer_cancel(ask->asks->peer, ask->call);
}

void asks_cancel(struct asks *a, int64_t id)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->v[i]->n; k++)
			if (a->v[i]->v[k].id == id) {
				a->v[i]->v[k].cancelled = true;
				call_off(a->v[i]);
				return;
			}
}

/* Why none of them can be answered; false while they may be. */
static bool hopeless(const struct ask *ask, const struct err *why, struct err *e)
{
	if (ask->state == SENT || !(ask->cannot.code || why))
		return false;
	*e = ask->cannot.code ? ask->cannot : *why;
	return true;
}

static void too_late(const struct ask *ask, const struct asker *one, struct err *e)
{
	const char *method = lsp_method(ask->feature), *server = ask->asks->server;
	unsigned long long ms = one->timeout_ms;

	if (ask->state == SENT)
		err_set(e, ERR_TIMEOUT, "%s: no answer within %llu ms", method, ms);
	else
		err_set(e, ERR_TIMEOUT, "%s: %s %s within %llu ms", method, server,
			ask->tries ? "had no lasting answer" : "was not ready", ms);
}

/* Tells those who need not wait any longer, but none who came after `last`. False: there was
 * nobody. */
static bool end_some(struct ask *ask, int64_t last, uint64_t now, const struct err *why)
{
	struct msg known = { .kind = MSG_RESULT, .codec = &codec_headers };
	struct err e = ERR_INIT;

	if (ask->state == OVER || ask->v[0].id > last)
		return false;
	known.raw = buf_str(&ask->answer);
	if (hopeless(ask, why, &e) || ask->state == KNOWN) {
		finish(ask, e.code ? NULL : &known, &e);
		msg_release(&known);
		return true;
	}
	for (size_t i = 0; i < ask->n && ask->v[i].id <= last; i++) {
		if (!ask->v[i].cancelled && ask->v[i].due > now)
			continue;
		too_late(ask, &ask->v[i], &e);
		tell(ask, i, NULL, &e);
		if (ask->state == SENT)
			call_off(ask);
		else if (!ask->n)
			ask_free(ask);
		return true;
	}
	return false;
}

void asks_end(struct asks *a, uint64_t now, const struct err *why)
{
	int64_t last = a->last_id;
	size_t i = 0;

	while (i < a->n) /* what is told may add and end others: begin anew */
		i = end_some(a->v[i], last, now, why) ? 0 : i + 1;
}

uint64_t asks_deadline(const struct asks *a, bool ready, bool over)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < a->n; i++) {
		const struct ask *ask = a->v[i];

		if (ask->state == OVER)
			continue;
		if (ask->state == KNOWN || ask->cannot.code || (over && waits(ask)) ||
		    (ready && waits(ask) && ask->not_before == UNKNOWN))
			return 0;
		if (ready && waits(ask) && ask->not_before < least)
			least = ask->not_before;
		for (size_t k = 0; k < ask->n; k++) {
			const struct asker *one = &ask->v[k];
			uint64_t at = one->cancelled ? 0 : one->due;

			least = at < least ? at : least;
		}
	}
	return least;
}

void asks_release(struct asks *a)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_NO_SERVER, "%s is gone", a->server);
	while (a->n)
		finish(a->v[0], NULL, &e);
	answers_release(&a->answers);
	free(a->v);
	*a = (struct asks){ 0 };
}
