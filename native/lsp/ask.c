#include "ask.h"

#include <stdlib.h>

#include "../base/mem.h"

/* How long to wait before each new attempt: a server that is being typed into needs a moment. */
static const uint64_t pause_ms[] = { 0, 50, 200 };

#define RETRIES (sizeof(pause_ms) / sizeof(*pause_ms))
#define UNKNOWN UINT64_MAX

struct ask {
	struct asks *asks;
	int64_t id;
	enum lsp_feature feature;
	json *params;
	uint64_t timeout_ms, due; /* UINT64_MAX: never */
	peer_reply *fn;
	void *arg;
	bool sent, cancelled;
	int64_t call;	     /* sent: the peer's id */
	unsigned tries;	     /* "content modified" so far */
	uint64_t not_before; /* UNKNOWN: the pause begins when the time is next told */
	struct err cannot;   /* with a code: it fails at the next occasion */
};

void asks_init(struct asks *a, struct peer *peer, const struct caps *caps, const char *server)
{
	*a = (struct asks){ .peer = peer, .caps = caps, .server = server };
}

int64_t asks_add(struct asks *a, enum lsp_feature f, json *params, uint64_t now,
		 uint64_t timeout_ms, peer_reply *fn, void *arg)
{
	struct ask *ask = mem_new(sizeof(*ask));

	ask->asks = a;
	ask->id = ++a->last_id;
	ask->feature = f;
	ask->params = params;
	ask->timeout_ms = timeout_ms;
	ask->due = timeout_ms && timeout_ms < UINT64_MAX - now ? now + timeout_ms : UINT64_MAX;
	ask->fn = fn;
	ask->arg = arg;
	a->v = mem_grow(a->v, &a->cap, a->n + 1, sizeof(struct ask *));
	a->v[a->n++] = ask;
	return ask->id;
}

/* Takes it out before it calls: the function may ask again. */
static void finish(struct ask *ask, struct msg *m, const struct err *e)
{
	struct asks *a = ask->asks;

	for (size_t i = 0; i < a->n; i++)
		if (a->v[i] == ask) {
			memmove(&a->v[i], &a->v[i + 1], (--a->n - i) * sizeof(struct ask *));
			break;
		}
	ask->fn(ask->arg, m, e);
	json_free(ask->params);
	free(ask);
}

static void on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct ask *ask = arg;
	long code = e->code && m ? peer_error_code(m) : 0;

	if ((code != PEER_CONTENT_MODIFIED && code != PEER_SERVER_CANCELLED) ||
	    ask->tries == RETRIES) {
		finish(ask, m, e);
		return;
	}
	ask->sent = false;
	ask->not_before = pause_ms[ask->tries++] ? UNKNOWN : 0;
}

static bool waits(const struct ask *ask)
{
	return !ask->sent && !ask->cancelled && !ask->cannot.code;
}

bool asks_due(struct asks *a, uint64_t now)
{
	bool any = false;

	for (size_t i = 0; i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (waits(ask) && ask->not_before == UNKNOWN)
			ask->not_before = now + pause_ms[ask->tries - 1];
		any = any || (waits(ask) && ask->not_before <= now && ask->due > now);
	}
	return any;
}

static json *params_of(const struct ask *ask)
{
	const char *id = ask->asks->caps->diagnostic_id;
	json *params = json_copy(ask->params);

	if (ask->feature == LSP_PULL_DIAGNOSTICS && id && params)
		json_put(params, "identifier", json_strz(id));
	return params;
}

void asks_send(struct asks *a, uint64_t now)
{
	if (!asks_due(a, now))
		return;
	for (size_t i = 0; i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (!waits(ask) || ask->not_before > now || ask->due <= now)
			continue;
		if (!a->caps->can[ask->feature]) {
			err_set(&ask->cannot, ERR_UNSUPPORTED, "%s has no %s (%s)", a->server,
				lsp_feature_name(ask->feature), lsp_method(ask->feature));
			continue;
		}
		ask->sent = true;
		ask->call = peer_call(a->peer, lsp_method(ask->feature), params_of(ask), now,
				      ask->due == UINT64_MAX ? 0 : ask->due - now, on_reply, ask);
	}
}

void asks_cancel(struct asks *a, int64_t id)
{
	for (size_t i = 0; i < a->n; i++) {
		struct ask *ask = a->v[i];

		if (ask->id != id)
			continue;
		if (ask->sent)
			peer_cancel(a->peer, ask->call);
		else
			ask->cancelled = true;
		return;
	}
}

/* Whether it ends now without having been answered, and with which error. */
static bool ends(const struct ask *ask, uint64_t now, const struct err *why, struct err *e)
{
	const char *method = lsp_method(ask->feature);

	if (ask->sent)
		return false;
	if (ask->cancelled)
		err_set(e, ERR_CANCELLED, "%s was cancelled", method);
	else if (ask->cannot.code)
		*e = ask->cannot;
	else if (why)
		*e = *why;
	else if (ask->due <= now)
		err_set(e, ERR_TIMEOUT, "%s: %s %s within %llu ms", method, ask->asks->server,
			ask->tries ? "had no lasting answer" : "was not ready",
			(unsigned long long)ask->timeout_ms);
	else
		return false;
	return true;
}

static struct ask *first_end(struct asks *a, int64_t last, uint64_t now, const struct err *why,
			     struct err *e)
{
	for (size_t i = 0; i < a->n && a->v[i]->id <= last; i++)
		if (ends(a->v[i], now, why, e))
			return a->v[i];
	return NULL;
}

void asks_end(struct asks *a, uint64_t now, const struct err *why)
{
	struct err e = ERR_INIT;
	int64_t last = a->last_id;
	struct ask *ask;

	while ((ask = first_end(a, last, now, why, &e)))
		finish(ask, NULL, &e);
}

uint64_t asks_deadline(const struct asks *a, bool ready)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < a->n; i++) {
		const struct ask *ask = a->v[i];
		uint64_t at = ask->due;

		if (ask->sent)
			continue;
		if (!waits(ask) || (ready && ask->not_before == UNKNOWN))
			at = 0;
		else if (ready && ask->not_before < at)
			at = ask->not_before;
		least = at < least ? at : least;
	}
	return least;
}

void asks_release(struct asks *a)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_NO_SERVER, "%s is gone", a->server);
	while (a->n)
		finish(a->v[0], NULL, &e);
	free(a->v);
	*a = (struct asks){ 0 };
}
