#include <stdlib.h>

#include "../base/mem.h"
#include "../wire/codec_parts.h"
#include "app_server.h"

static bool acp_on_stray(void *self, struct msg *m)
{
	(void)self; /* answered twice, or too late: of no use, and no harm */
	(void)m;
	return true;
}

static void acp_send_error(struct acp *a, const json *id, long code, const char *message)
{
	json *error SCOPED(json_release) =
		json_of({ "code", json_int(code) }, { "message", json_strz(message) });

	if (!a->ended)
		codec_lines_shown.put(peer_out(a->peer), MSG_ERROR, id, NULL, error);
}

static void acp_release_request(struct acp_request *r)
{
	struct acp *a = r->acp;

	for (size_t i = 0; i < a->n; i++)
		if (a->requests[i] == r) {
			memmove(a->requests + i, a->requests + i + 1,
				(a->n - i - 1) * sizeof(struct acp_request *));
			a->n--;
			break;
		}
	json_free(r->id);
	json_free(r->params);
	free(r);
}

void acp_answer(struct acp_request *r, json *result)
{
	if (r->acp->app_server)
		result = app_server_answer(r, result);
	if (!r->silent)
		peer_answer(r->acp->peer, r->id, result);
	else
		json_free(result);
	acp_release_request(r);
}

void acp_refuse(struct acp_request *r, long code, const char *message)
{
	if (!r->silent)
		acp_send_error(r->acp, r->id, code, message);
	acp_release_request(r);
}

/* A request of the agent, with the members that it needs, strings but for `options`. */
static const struct acp_method {
	const char *name;
	const char *needs[2];
} methods[] = {
	[ACP_ASK_PERMISSION] = { "session/request_permission", { "options" } },
	[ACP_ASK_READ] = { "fs/read_text_file", { "path" } },
	[ACP_ASK_WRITE] = { "fs/write_text_file", { "path", "content" } },
	[ACP_ASK_TERMINAL] = { "terminal/create", { "command" } },
	[ACP_ASK_OUTPUT] = { "terminal/output", { "terminalId" } },
	[ACP_ASK_EXIT] = { "terminal/wait_for_exit", { "terminalId" } },
	[ACP_ASK_KILL] = { "terminal/kill", { "terminalId" } },
	[ACP_ASK_RELEASE] = { "terminal/release", { "terminalId" } },
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

/* What it lacks; NULL: nothing. */
static const char *acp_lacks(const struct acp_method *m, const json *params)
{
	for (size_t i = 0; i < 2 && m->needs[i]; i++) {
		const json *v = json_get(params, m->needs[i]);
		bool is_list = !strcmp(m->needs[i], "options");

		if (!json_is(v, is_list ? JSON_ARRAY : JSON_STRING))
			return m->needs[i];
	}
	return NULL;
}

static bool acp_is_ours(const struct acp *a, const json *params)
{
	struct str session = json_get_str(params, "sessionId");

	return !session.n || str_eq(session, buf_str(&a->session));
}

static void acp_start_request(struct acp *a, enum acp_ask ask, const json *id, const json *params)
{
	struct acp_request *r = mem_new(sizeof(*r));

	*r = (struct acp_request){
		.acp = a, .ask = ask, .id = json_copy(id), .params = json_copy(params)
	};
	if (ask == ACP_ASK_PERMISSION)
		r->call = acp_merge_call(a, json_get(params, "toolCall"));
	mem_add(a->requests, a->n, a->cap, r);
	a->host.request(a->self, r);
}

void acp_start_permission(struct acp *a, const json *id, const json *params)
{
	if (a->n >= a->limits.requests)
		acp_send_error(a, id, ACP_INTERNAL,
			       "too many requests are in progress; wait for a response");
	else
		acp_start_request(a, ACP_ASK_PERMISSION, id, params);
}

static void acp_on_request(void *self, struct msg *m)
{
	struct acp *a = self;
	struct err e = ERR_INIT;
	const json *params = msg_body(m, &e);
	const char *lack;
	size_t i = 0;

	while (i < METHODS && !str_eq(m->method, str_of(methods[i].name)))
		i++;
	if (!params) {
		acp_send_error(a, m->id, ACP_INVALID_PARAMS, e.msg);
	} else if (i == METHODS) {
		peer_refuse_unknown(a->peer, m);
	} else if (a->n >= a->limits.requests) {
		acp_send_error(a, m->id, ACP_INTERNAL,
			       "too many requests are in progress; wait for a response");
	} else if (!acp_is_ours(a, params)) {
		acp_send_error(a, m->id, ACP_INVALID_PARAMS, "session not found");
	} else if ((lack = acp_lacks(&methods[i], params))) {
		err_set(&e, ERR_INVALID, "%s needs the member %s", methods[i].name, lack);
		acp_send_error(a, m->id, ACP_INVALID_PARAMS, e.msg);
	} else {
		acp_start_request(a, (enum acp_ask)i, m->id, params);
	}
}

static void acp_cancel_request(struct acp_request *r)
{
	if (r->silent)
		return;
	r->silent = true;
	r->acp->host.cancel(r->acp->self, r);
}

void acp_cancel_requests(struct acp *a)
{
	for (size_t i = a->n; i; i = i - 1 < a->n ? i - 1 : a->n)
		if (!a->requests[i - 1]->silent)
			a->host.cancel(a->self, a->requests[i - 1]);
}

static bool same_id(const json *a, const json *b)
{
	return json_type_of(a) == json_type_of(b) && json_number(a) == json_number(b) &&
	       str_eq(json_text(a), json_text(b));
}

static struct acp_request *acp_request_of(const struct acp *a, const json *id)
{
	for (size_t i = 0; id && i < a->n; i++)
		if (!a->requests[i]->silent && same_id(a->requests[i]->id, id))
			return a->requests[i];
	return NULL;
}

void acp_drop_request(struct acp *a, const json *id)
{
	struct acp_request *r = acp_request_of(a, id);

	if (r)
		acp_cancel_request(r);
}

static void on_cancel_request(void *self, struct msg *m, const json *params)
{
	const json *id = json_get(params, "requestId");
	struct acp *a = self;

	(void)m;
	if (!acp_request_of(a, id))
		return;
	acp_send_error(a, id, -32800, "cancelled");
	acp_drop_request(a, id);
}

static const struct peer_method notifications[] = {
	{ "session/update", false, acp_on_update },
	{ "$/cancel_request", false, on_cancel_request },
	{ NULL, false, NULL },
};

static struct acp *acp_new_on(const struct acp_host *host, const struct acp_limits *limits,
			      void *self, const struct peer_handler *handler)
{
	struct acp *a = mem_new(sizeof(*a));

	a->host = *host;
	a->limits = *limits;
	a->self = self;
	a->lines.limit = limits->message;
	a->peer = peer_new(&codec_lines_shown, limits->message, PEER_CANCEL_SILENT, handler, a);
	return a;
}

struct acp *acp_new(const struct acp_host *host, const struct acp_limits *limits, void *self)
{
	static const struct peer_handler handler = { .request = acp_on_request,
						     .stray = acp_on_stray,
						     .methods = notifications };

	return acp_new_on(host, limits, self, &handler);
}

struct acp *acp_new_app_server(const struct acp_host *host, const struct acp_limits *limits,
			       void *self)
{
	static const struct peer_handler handler = { .request = app_server_on_request,
						     .stray = acp_on_stray,
						     .methods = app_server_notifications };
	struct acp *a = acp_new_on(host, limits, self, &handler);

	a->app_server = true;
	return a;
}

void acp_free(struct acp *a)
{
	if (!a)
		return;
	if (!a->ended || a->n)
		BUG("an ACP client is freed with %zu requests in progress", a->n);
	peer_free(a->peer);
	acp_forget_calls(a);
	map_release(&a->calls);
	line_cutter_release(&a->lines);
	json_free(a->initialized);
	json_free(a->options);
	buf_release(&a->session);
	buf_release(&a->turn);
	buf_release(&a->said.id);
	free(a->requests);
	free(a);
}

struct peer *acp_peer(struct acp *a)
{
	return a->peer;
}

size_t acp_waiting(const struct acp *a)
{
	return a->n;
}

void acp_tick(struct acp *a, uint64_t now)
{
	a->now = now;
	peer_tick(a->peer, now);
}

void acp_end(struct acp *a, const struct err *why)
{
	if (a->ended)
		return;
	a->ended = true;
	for (size_t i = a->n; i; i = i - 1 < a->n ? i - 1 : a->n)
		acp_cancel_request(a->requests[i - 1]);
	peer_close(a->peer, why);
	peer_tick(a->peer, a->now);
	acp_fail_prompt(a, why);
}

static bool acp_on_odd_line(struct acp *a, struct str line, bool is_long, struct err *e)
{
	char shown[CODEC_EXCERPT];

	if (a->host.odd)
		a->host.odd(a->self, line);
	if (++a->odd <= a->limits.odd)
		return true;
	codec_excerpt(line, shown);
	if (is_long)
		return err_set(e, ERR_LIMIT, "a line has more than %zu bytes: %s",
			       a->limits.message, shown);
	return err_set(e, ERR_PROTOCOL, "%zu lines in a row are not messages; the last one: %s",
		       a->odd, shown);
}

static bool acp_on_line(struct acp *a, struct str line, bool is_long, struct err *e)
{
	struct err why = ERR_INIT;
	struct msg m;
	bool ok;

	line = str_trim(line);
	if (!line.n)
		return true;
	if (is_long || !codec_json_read(line, &m, &why))
		return acp_on_odd_line(a, line, is_long, e);
	a->odd = 0;
	m.codec = &codec_lines_shown;
	ok = peer_hear(a->peer, &m, e);
	msg_release(&m);
	return ok;
}

bool acp_feed(struct acp *a, struct str bytes, uint64_t now, struct err *e)
{
	struct str line;
	bool is_long, ok = true;

	a->now = now;
	while (ok && !a->ended && line_cutter_take(&a->lines, &bytes, &line, &is_long))
		ok = acp_on_line(a, line, is_long, e);
	if (ok)
		peer_tick(a->peer, now);
	return ok;
}
