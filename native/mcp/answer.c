#include <stdlib.h>

#include "../base/jscan.h"
#include "../base/mem.h"
#include "mcp_impl.h"

const json *mcp_member(const json *object, const char *name)
{
	json_each(v, object)
		if (json_key(v) && !strcmp(json_key(v), name))
			return v;
	return NULL;
}

static struct str mcp_key(const json *id, struct buf *key)
{
	json_print(key, id);
	return buf_str(key);
}

static void mcp_unlist(struct mcp_request *r)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	if (r->listed)
		map_take(&r->mcp->requests, mcp_key(r->id, &key));
	r->listed = false;
}

static void mcp_release(struct mcp_request *r)
{
	struct mcp *m = r->mcp;

	mcp_unlist(r);
	mcp_unask(r);
	m->alive--;
	mcp_batch_left(m, r->batch);
	json_free(r->id);
	json_free(r->params);
	buf_release(&r->args);
	free(r);
}

/* What every result of the stateless revision says besides. */
static void mcp_put_modern(struct mcp_request *r, json *result)
{
	json *meta;

	if (!json_get(result, "resultType")) {
		json_put(result, "resultType", json_strz("complete"));
		if (r->method->fresh >= 0) {
			json_put(result, "ttlMs", json_int(r->method->fresh));
			json_put(result, "cacheScope", json_strz("private"));
		}
	}
	meta = json_put(result, "_meta", json_object());
	json_put(meta, META_SERVER, mcp_info(r->mcp));
}

/* Sends the answer; the request stays until its host has answered, too. */
void mcp_answer(struct mcp_request *r, json *result)
{
	if (!r->silent) {
		if (r->modern)
			mcp_put_modern(r, result);
		mcp_put(r->mcp, r->batch, MSG_RESULT, r->id, result);
		r->silent = true;
		mcp_unlist(r);
	}
	json_free(result);
}

void mcp_done(struct mcp_request *r, json *result)
{
	mcp_answer(r, result);
	mcp_release(r);
}

static void mcp_fail_with(struct mcp_request *r, long code, const char *message, json *data)
{
	if (code == MCP_NO_RESOURCE && r->modern)
		code = MCP_INVALID_PARAMS;
	if (!r->silent)
		mcp_put_error(r->mcp, r->batch, r->id, code, message, data);
	else
		json_free(data);
	mcp_release(r);
}

void mcp_fail(struct mcp_request *r, long code, const char *message)
{
	const json *uri = json_get(r->params, "uri");
	json *data = NULL;

	if (code == MCP_NO_RESOURCE && uri)
		json_put(data = json_object(), "uri", json_copy(uri));
	mcp_fail_with(r, code, message, data);
}

json *mcp_text(struct str text, bool is_error)
{
	json *v = json_object(),
	     *part = json_push(json_put(v, "content", json_array()), json_object());

	json_put(part, "type", json_strz("text"));
	json_put(part, "text", json_str(text));
	json_put(v, "isError", json_bool(is_error));
	return v;
}

void mcp_set(struct mcp_request *r, void *own)
{
	r->own = own;
}

void *mcp_get(const struct mcp_request *r)
{
	return r->own;
}

/* Of those that say what is to be done. */
static bool mcp_is_second(const struct mcp_request *r, struct str key, struct err *e)
{
	bool name = str_eq(key, STR("name")) && mcp_member(r->params, "name");

	return (name || (str_eq(key, STR("arguments")) && r->args.n)) &&
	       !err_set(e, ERR_PROTOCOL, "two members \"%.*s\"", STR_ARG(key));
}

/* `arguments` stays text, since it may be large, and is the host's to read. */
static bool mcp_read_params(struct mcp_request *r, struct str raw, struct err *e)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;
	struct jscan s;
	struct str key;

	r->params = json_object();
	if (!raw.n)
		return true;
	s = jscan_of(raw, e);
	for (jscan_object(&s); jscan_member(&s, &key);) {
		struct str value = jscan_raw(&s);
		json *v;

		if (!jscan_ok(&s) || mcp_is_second(r, key, e))
			break;
		if (str_eq(key, STR("arguments"))) {
			buf_add(&r->args, value);
			continue;
		}
		v = json_parse(value, e);
		if (!v)
			break;
		buf_clear(&name);
		buf_add(&name, key);
		json_add(r->params, name.p ? name.p : "", v);
	}
	return (jscan_ok(&s) && !e->code) || err_in(e, "params");
}

/* The rules that the request is under: those that it names, or those of `initialize`. */
static bool mcp_read_era(struct mcp_request *r)
{
	const json *meta = mcp_member(r->params, "_meta");
	const json *version = mcp_member(meta, META_VERSION);
	json *data;

	if (!version && (r->mcp->version || (r->method && r->method->early)))
		return true;
	r->modern = true;
	if (!json_is(version, JSON_STRING) ||
	    !json_is(mcp_member(meta, META_CAPABILITIES), JSON_OBJECT)) {
		mcp_fail(r, MCP_INVALID_PARAMS,
			 "a request before `initialize` must have " META_VERSION
			 " (a string) and " META_CAPABILITIES " (an object) in its _meta");
		return false;
	}
	if (str_eq(json_text(version), STR(MCP_MODERN)))
		return true;
	data = json_object();
	json_push(json_put(data, "supported", json_array()), json_strz(MCP_MODERN));
	json_put(data, "requested", json_copy(version));
	mcp_fail_with(r, MCP_UNSUPPORTED_VERSION, "this protocol revision needs `initialize`",
		      data);
	return false;
}

static void mcp_enlist(struct mcp_request *r, struct str method)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;
	struct str id = mcp_key(r->id, &key);

	if (map_get(&r->mcp->requests, id)) {
		mcp_fail(r, MCP_INVALID_REQUEST, "a request with this id is in progress");
	} else if (r->mcp->alive > r->mcp->limits.calls) {
		mcp_fail(r, MCP_INTERNAL, "too many requests are in progress; wait for a response");
	} else if (!r->method || !(r->method->eras & (r->modern ? ERA_MODERN : ERA_LEGACY))) {
		struct err e = ERR_INIT;

		err_set(&e, ERR_UNSUPPORTED, "unknown method %.*s", STR_ARG(method));
		mcp_fail(r, MCP_NO_METHOD, e.msg);
	} else {
		map_put(&r->mcp->requests, id, r);
		r->listed = true;
		if (!r->method->waits || !mcp_hold(r))
			r->method->run(r);
	}
}

void mcp_on_request(void *self, struct msg *msg)
{
	struct mcp *m = self;
	struct mcp_request *r = mem_new(sizeof(*r));
	struct err e = ERR_INIT;

	r->mcp = m;
	r->id = json_copy(msg->id);
	r->method = mcp_method(msg->method);
	r->batch = m->batch;
	if (r->batch)
		r->batch->waiting++;
	m->alive++;
	if (msg->raw.n && msg->raw.p[0] != '{')
		mcp_fail(r, MCP_INVALID_PARAMS, "params must be an object");
	else if (!mcp_read_params(r, msg->raw, &e))
		mcp_fail(r, MCP_PARSE_ERROR, e.msg);
	else if (mcp_read_era(r))
		mcp_enlist(r, msg->method);
}

void mcp_cancel(struct mcp_request *r)
{
	mcp_unlist(r);
	r->silent = true;
	mcp_unask(r);
	if (r->listening || mcp_unhold(r))
		mcp_release(r);
	else
		r->mcp->host.cancel(r->mcp->self, r);
}

static void mcp_on_cancelled(void *self, struct msg *msg, const json *params)
{
	struct mcp *m = self;
	const json *id = json_get(params, "requestId");
	struct buf key SCOPED(buf_release) = BUF_INIT;
	struct mcp_request *r = id ? map_get(&m->requests, mcp_key(id, &key)) : NULL;

	(void)msg;
	if (r)
		mcp_cancel(r);
}

static void mcp_on_roots_changed(void *self, struct msg *msg, const json *params)
{
	(void)msg;
	(void)params;
	mcp_ask_roots(self);
}

static const struct peer_method mcp_notifications[] = {
	{ "notifications/cancelled", false, mcp_on_cancelled },
	{ "notifications/initialized", false, mcp_on_roots_changed },
	{ "notifications/roots/list_changed", false, mcp_on_roots_changed },
	{ NULL, false, NULL },
};

/* One of the protocol's, or the host's own. */
void mcp_on_notify(void *self, struct msg *msg)
{
	struct mcp *m = self;
	const struct peer_method *at = mcp_notifications;
	const json *params = msg_body(msg, ERR_IGNORED);

	while (at->name && !str_eq(msg->method, str_of(at->name)))
		at++;
	if (params && at->name)
		at->run(m, msg, params);
	else if (params && m->host.notified)
		m->host.notified(m->self, msg->method, params);
}

void mcp_progress(struct mcp_request *r, struct str message)
{
	const json *token = mcp_member(mcp_member(r->params, "_meta"), "progressToken");
	json *params;

	if (r->silent || (!json_is(token, JSON_STRING) && !json_is_int(token)))
		return;
	params = json_object();
	json_put(params, "progressToken", json_copy(token));
	json_put(params, "progress", json_int(++r->progressed)); /* it must grow */
	json_put(params, "message", json_str(message));
	peer_notify(r->mcp->peer, "notifications/progress", params);
}
