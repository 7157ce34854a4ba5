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

bool mcp_named(struct mcp_request *r, bool offered, const char *member, struct str *out)
{
	struct err e = ERR_INIT;

	*out = json_get_str(r->params, member);
	if (!offered) {
		err_set(&e, ERR_UNSUPPORTED, "%s: not found", r->method->name);
		mcp_fail(r, MCP_NO_METHOD, e.msg);
	} else if (!out->n) {
		err_set(&e, ERR_INVALID, "%s needs a %s", r->method->name, member);
		mcp_fail(r, MCP_INVALID_PARAMS, e.msg);
	}
	return offered && out->n;
}

static void call(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str name;

	if (!mcp_named(r, m->host.tools != NULL, "name", &name))
		return;
	if (mcp_state_ok(r))
		m->host.call(m->self, r, name, args_of(r));
	else
		mcp_fail(r, MCP_INVALID_PARAMS,
			 "requestState does not match this call; call again");
}

static void read_resource(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str uri;

	if (mcp_named(r, m->host.resources != NULL, "uri", &uri))
		m->host.read(m->self, r, uri);
}

static void get_prompt(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str name;

	if (mcp_named(r, m->host.prompts != NULL, "name", &name))
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
