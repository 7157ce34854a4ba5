#include <stdlib.h>

#include "../base/mem.h"
#include "app_server.h"

#define AUTHENTICATE (-32000)

void acp_end_waiting(struct acp_waiting *w, const json *result, const struct err *e)
{
	w->fn(w->arg, result, e);
	buf_release(&w->about);
	free(w);
}

/* Usage in one form: {input, output, cached}, those that are known. */
static json *usage_of(const json *result)
{
	const json *u = json_get(result, "usage"), *g = json_get(result, "_meta.quota.token_count");
	int64_t in = json_get_int(u, "inputTokens", json_get_int(g, "input_tokens", -1)),
		out = json_get_int(u, "outputTokens", json_get_int(g, "output_tokens", -1)),
		cached = json_get_int(u, "cachedReadTokens", -1);

	if (in < 0 && out < 0)
		return NULL;
	return json_of({ "input", json_int(in) }, { "output", json_int(out) },
		       { "cached", cached < 0 ? NULL : json_int(cached) });
}

static void acp_end_prompt(struct acp_waiting *w, const json *result)
{
	struct err ok = ERR_INIT;
	json *v SCOPED(json_release) =
		json_of({ "stopReason", json_str(json_get_str(result, "stopReason")) },
			{ "usage", usage_of(result) });

	acp_end_waiting(w, v, &ok);
}

void acp_on_stopped(struct acp *a, const json *update)
{
	struct acp_waiting *w = a->prompt;

	a->prompt = NULL;
	if (w)
		acp_end_prompt(w, update);
}

void acp_fail_prompt(struct acp *a, const struct err *why)
{
	struct acp_waiting *w = a->prompt;
	struct err e = ERR_INIT;

	a->prompt = NULL;
	if (w)
		acp_end_waiting(w, NULL,
				why ? why : (err_set(&e, ERR_IO, "the connection is closed"), &e));
}

static void acp_on_prompted(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);

	if (!result || e.code)
		acp_end_waiting(w, NULL, &e);
	else if (w->acp->agent.version == 2 && !json_get(result, "stopReason") && !w->acp->ended)
		w->acp->prompt = w;
	else
		acp_end_prompt(w, result);
}

void acp_on_answered(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);

	if (e.code && m && peer_error_code(m) == AUTHENTICATE)
		e.code = ERR_DENIED;
	if (!e.code && w->read)
		w->read(w->acp, result, &e);
	acp_end_waiting(w, e.code ? NULL : result, &e);
}

struct acp_waiting *acp_ask_agent(struct acp *a, const char *method, json *params,
				  uint64_t timeout_ms, peer_reply *reply, acp_reply *fn, void *arg)
{
	struct acp_waiting *w = mem_new(sizeof(*w));

	*w = (struct acp_waiting){ .acp = a, .fn = fn, .arg = arg };
	peer_call(a->peer, method, params, a->now, timeout_ms, reply, w);
	return w;
}

static void acp_initialize_agent(struct acp *a, const struct acp_client *c, uint64_t timeout_ms,
				 acp_reply *fn, void *arg)
{
	json *files = json_of({ "readTextFile", json_bool(c->files) },
			      { "writeTextFile", json_bool(c->files) });
	json *info = json_of({ "name", json_strz(c->name) }, { "title", json_strz(c->title) },
			     { "version", json_strz(c->version) });
	json *can = json_of({ "fs", files }, { "terminal", json_bool(c->terminals) });
	json *params = json_of({ "protocolVersion", json_int(ACP_VERSION) },
			       { "clientCapabilities", can }, { "clientInfo", info });

	acp_ask_agent(a, "initialize", params, timeout_ms, acp_on_answered, fn, arg)->read =
		acp_read_agent;
}

void acp_initialize(struct acp *a, const struct acp_client *c, uint64_t timeout_ms, acp_reply *fn,
		    void *arg)
{
	if (a->app_server)
		app_server_initialize(a, c, timeout_ms, fn, arg);
	else
		acp_initialize_agent(a, c, timeout_ms, fn, arg);
}

void acp_authenticate(struct acp *a, struct str method, acp_reply *fn, void *arg)
{
	acp_ask_agent(a, a->agent.version == 2 ? "auth/login" : "authenticate",
		      json_of({ "methodId", json_str(method) }), 0, acp_on_answered, fn, arg);
}

void acp_new_session(struct acp *a, struct str cwd, json *servers, acp_reply *fn, void *arg)
{
	buf_clear(&a->session);
	if (a->app_server) {
		app_server_start(a, cwd, servers, fn, arg);
		return;
	}
	acp_ask_agent(a, "session/new",
		      json_of({ "cwd", json_str(cwd) }, { "mcpServers", servers }), 0,
		      acp_on_answered, fn, arg)
		->read = acp_read_session;
}

void acp_load_session(struct acp *a, struct str id, bool all, struct str cwd, json *servers,
		      acp_reply *fn, void *arg)
{
	bool loads = !a->agent.resumes || (all && a->agent.loads);
	json *params;

	if (a->app_server) {
		app_server_resume(a, id, all, cwd, servers, fn, arg);
		return;
	}
	params = json_of({ "sessionId", json_str(id) }, { "cwd", json_str(cwd) },
			 { "mcpServers", servers });
	buf_clear(&a->session);
	buf_add(&a->session, id);
	acp_ask_agent(a, loads ? "session/load" : "session/resume", params, 0, acp_on_answered, fn,
		      arg)
		->read = acp_read_session;
}

void acp_list_sessions(struct acp *a, struct str cwd, struct str cursor, acp_reply *fn, void *arg)
{
	json *params;

	if (a->app_server) {
		app_server_list(a, cwd, cursor, fn, arg);
		return;
	}
	params =
		json_of({ "cwd", json_str(cwd) }, { "cursor", cursor.n ? json_str(cursor) : NULL });
	acp_ask_agent(a, "session/list", params, 0, acp_on_answered, fn, arg);
}

static void acp_on_option_set(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);
	struct str about = buf_str(&w->about), category;

	str_line(&about, &category);
	if (!e.code && !acp_read_options(w->acp, result)) {
		struct buf name SCOPED(buf_release) = BUF_INIT;

		buf_add(&name, category);
		acp_set_current(w->acp, name.p, about);
	}
	acp_end_waiting(w, e.code ? NULL : result, &e);
}

static bool no_option(const struct acp *a, struct str option, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;

	json_each(o, a->options)
		buf_addf(&names, "%s%.*s", names.n ? ", " : "", STR_ARG(json_get_str(o, "id")));
	return err_set(e, ERR_NOT_FOUND, "the agent has no option %.*s%s%.300s", STR_ARG(option),
		       names.n ? "; there are: " : "", names.n ? names.p : "");
}

static bool has_value(const json *option, struct str value)
{
	json_each(v, json_get(option, "values"))
		if (str_eq(json_get_str(v, "value"), value))
			return true;
	return !json_len(json_get(option, "values"));
}

static bool no_value(const json *option, struct str value, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;

	json_each(v, json_get(option, "values"))
		buf_addf(&names, "%s%.*s", names.n ? ", " : "", STR_ARG(json_get_str(v, "value")));
	return err_set(e, ERR_NOT_FOUND, "%.*s must be one of %.300s, not %.*s",
		       STR_ARG(json_get_str(option, "id")), names.n ? names.p : "", STR_ARG(value));
}

bool acp_set_option(struct acp *a, struct str option, struct str value, acp_reply *fn, void *arg,
		    struct err *e)
{
	const json *o = acp_find_option(a, option);
	struct str via = json_get_str(o, "via"), id = json_get_str(o, "id");
	struct acp_waiting *w;
	const char *method;
	json *params;

	if (!o)
		return no_option(a, option, e);
	if (!has_value(o, value))
		return no_value(o, value, e);
	params = json_of({ "sessionId", json_str(buf_str(&a->session)) });
	if (str_eq(via, STR("mode"))) {
		method = "session/set_mode";
		json_put(params, "modeId", json_str(value));
	} else if (str_eq(via, STR("model"))) {
		method = "session/set_model";
		json_put(params, "modelId", json_str(value));
	} else {
		method = "session/set_config_option";
		json_put(params, "configId", json_str(id));
		json_put(params, "value", json_str(value));
	}
	w = acp_ask_agent(a, method, params, 0, acp_on_option_set, fn, arg);
	buf_addf(&w->about, "%.*s\n%.*s", STR_ARG(id), STR_ARG(value));
	return true;
}

void acp_prompt(struct acp *a, json *blocks, acp_reply *fn, void *arg)
{
	acp_end_message(a);
	if (a->app_server) {
		app_server_prompt(a, blocks, fn, arg);
		return;
	}
	acp_ask_agent(a, "session/prompt",
		      json_of({ "sessionId", json_str(buf_str(&a->session)) },
			      { "prompt", blocks }),
		      0, acp_on_prompted, fn, arg);
}

void acp_cancel(struct acp *a)
{
	if (a->app_server) {
		app_server_cancel(a);
		return;
	}
	peer_notify(a->peer, "session/cancel",
		    json_of({ "sessionId", json_str(buf_str(&a->session)) }));
}

json *acp_cancelled(void)
{
	return json_of({ "outcome", json_of({ "outcome", json_strz("cancelled") }) });
}

json *acp_selected(struct str option)
{
	return json_of({ "outcome", json_of({ "outcome", json_strz("selected") },
					    { "optionId", json_str(option) }) });
}
