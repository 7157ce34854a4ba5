#include "mcp_impl.h"

static void ping(struct mcp_request *r)
{
	mcp_done(r, json_object());
}

/* None at all are as good as an empty object. */
static struct str args_of(const struct mcp_request *r)
{
	struct str args = buf_str(&r->args);

	return !args.n || str_eq(args, STR("null")) ? STR("{}") : args;
}

static void call(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str name = json_get_str(r->params, "name");

	if (!m->host.tools)
		mcp_fail(r, MCP_NO_METHOD, "there are no tools here");
	else if (!name.n)
		mcp_fail(r, MCP_INVALID_PARAMS, "tools/call wants the name of a tool");
	else if (!mcp_state_ok(r))
		mcp_fail(r, MCP_INVALID_PARAMS,
			 "requestState belongs to no question about this call; make the call anew");
	else
		m->host.call(m->self, r, name, args_of(r));
}

static void read_resource(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str uri = json_get_str(r->params, "uri");

	if (!m->host.resources)
		mcp_fail(r, MCP_NO_METHOD, "there are no resources here");
	else if (!uri.n)
		mcp_fail(r, MCP_INVALID_PARAMS, "resources/read wants a uri");
	else
		m->host.read(m->self, r, uri);
}

static void get_prompt(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str name = json_get_str(r->params, "name");

	if (!m->host.prompts)
		mcp_fail(r, MCP_NO_METHOD, "there are no prompts here");
	else if (!name.n)
		mcp_fail(r, MCP_INVALID_PARAMS, "prompts/get wants the name of a prompt");
	else
		m->host.prompt(m->self, r, name, args_of(r));
}

#define BOTH  (ERA_LEGACY | ERA_MODERN)
#define NEVER (-1)
#define LISTS 60000 /* ms; they stay as they are as long as the program runs */

// clang-format off
static const struct mcp_method methods[] = {
	{ "initialize",               ERA_LEGACY, true,  false, NEVER, mcp_initialize },
	{ "ping",                     ERA_LEGACY, true,  false, NEVER, ping },
	{ "logging/setLevel",         ERA_LEGACY, false, false, NEVER, mcp_set_level },
	{ "server/discover",          ERA_MODERN, false, false, LISTS, mcp_discover },
	{ "tools/list",               BOTH,       false, false, LISTS, mcp_list_tools },
	{ "tools/call",               BOTH,       false, true,  NEVER, call },
	{ "resources/list",           BOTH,       false, false, 0,     mcp_list_resources },
	{ "resources/templates/list", BOTH,       false, false, LISTS, mcp_list_templates },
	{ "resources/read",           BOTH,       false, true,  0,     read_resource },
	{ "resources/subscribe",      ERA_LEGACY, false, false, NEVER, mcp_watch },
	{ "resources/unsubscribe",    ERA_LEGACY, false, false, NEVER, mcp_unwatch },
	{ "subscriptions/listen",     ERA_MODERN, false, false, NEVER, mcp_listen },
	{ "prompts/list",             BOTH,       false, false, LISTS, mcp_list_prompts },
	{ "prompts/get",              BOTH,       false, false, NEVER, get_prompt },
};
// clang-format on

const struct mcp_method *mcp_method(struct str name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (str_eq(name, str_of(methods[i].name)))
			return &methods[i];
	return NULL;
}
