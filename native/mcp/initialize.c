#include <stdlib.h>

#include "../base/mem.h"
#include "mcp_impl.h"

static const char *const legacy[] = { MCP_LEGACY };

json *mcp_info(const struct mcp *m)
{
	return json_of({ "name", json_strz(m->host.name) }, { "title", json_strz(m->host.title) },
		       { "version", json_strz(m->host.version) });
}

static json *offers(const struct mcp *m)
{
	json *v = json_of({ "logging", json_object() },
			  { "tools", m->host.tools ? json_object() : NULL });

	if (m->host.resources)
		json_put(json_put(v, "resources", json_object()), "subscribe", json_bool(true));
	if (m->host.prompts)
		json_put(v, "prompts", json_object());
	return v;
}

static void put_instructions(const struct mcp *m, json *result)
{
	if (m->host.instructions)
		json_put(result, "instructions", json_strz(m->host.instructions));
}

void mcp_initialize(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	const json *wanted = json_get(r->params, "protocolVersion"),
		   *capabilities = json_get(r->params, "capabilities"),
		   *client = json_get(r->params, "clientInfo");
	json *result;

	if (r->batch) {
		mcp_fail(r, MCP_INVALID_REQUEST, "initialize must not be part of a batch");
		return;
	}
	if (!json_is(wanted, JSON_STRING)) {
		mcp_fail(r, MCP_INVALID_PARAMS, "initialize needs a protocolVersion");
		return;
	}
	m->version = legacy[0];
	for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++)
		if (str_eq(json_text(wanted), str_of(legacy[i])))
			m->version = legacy[i];
	json_free(m->capabilities);
	m->capabilities = capabilities ? json_copy(capabilities) : NULL;
	json_free(m->client);
	m->client = client ? json_copy(client) : NULL;
	result = json_of({ "protocolVersion", json_strz(m->version) },
			 { "capabilities", offers(m) }, { "serverInfo", mcp_info(m) });
	put_instructions(m, result);
	mcp_done(r, result);
}

void mcp_discover(struct mcp_request *r)
{
	json *result = json_object();

	json_push(json_put(result, "supportedVersions", json_array()), json_strz(MCP_MODERN));
	json_put(result, "capabilities", offers(r->mcp));
	put_instructions(r->mcp, result);
	mcp_done(r, result);
}

const json *mcp_capabilities(const struct mcp_request *r)
{
	return r->modern ? mcp_member(mcp_member(r->params, "_meta"), META_CAPABILITIES)
			 : r->mcp->capabilities;
}

void mcp_client(const struct mcp_request *r, struct buf *out)
{
	const json *info = r->modern ? mcp_member(mcp_member(r->params, "_meta"), META_CLIENT)
				     : r->mcp->client;
	struct str name = json_get_str(info, "name"), version = json_get_str(info, "version");

	buf_addf(out, "%.*s%s%.*s", STR_ARG(name), name.n && version.n ? " " : "",
		 STR_ARG(version));
}

static void on_roots(void *arg, struct msg *msg, const struct err *e)
{
	struct mcp *m = arg;
	const json *body = e->code ? NULL : msg_body(msg, ERR_IGNORED),
		   *roots = json_get(body, "roots");
	struct mcp_request **held = m->held;
	size_t n = m->held_n;

	m->asking_roots = 0;
	if (json_is(roots, JSON_ARRAY) && !m->ended)
		m->host.roots(m->self, roots);
	m->held = NULL;
	m->held_n = m->held_cap = 0;
	for (size_t i = 0; i < n; i++)
		held[i]->method->run(held[i]);
	free(held);
}

void mcp_ask_roots(struct mcp *m)
{
	if (m->asking_roots || !m->host.roots || !json_get(m->capabilities, "roots"))
		return;
	m->asking_roots =
		peer_call(m->peer, "roots/list", NULL, m->now, m->limits.roots, on_roots, m);
}

bool mcp_hold(struct mcp_request *r)
{
	struct mcp *m = r->mcp;

	if (!m->asking_roots || r->modern)
		return false;
	mem_add(m->held, m->held_n, m->held_cap, r);
	return true;
}

bool mcp_unhold(struct mcp_request *r)
{
	struct mcp *m = r->mcp;

	for (size_t i = 0; i < m->held_n; i++)
		if (m->held[i] == r) {
			memmove(m->held + i, m->held + i + 1,
				(--m->held_n - i) * sizeof(struct mcp_request *));
			return true;
		}
	return false;
}
