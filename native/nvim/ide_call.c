#include <stdlib.h>

#include "../base/mem.h"
#include "ide_impl.h"

void ide_call_free(struct ide_call *c)
{
	struct ide_client *client = c->client;

	json_free(c->args);
	free(c);
	ide_client_wake(client);
	ide_client_rest(client);
}

static json *ide_text(struct str text)
{
	return json_of({ "type", json_strz("text") }, { "text", json_str(text) });
}

void ide_call_done(struct ide_call *c, const char *first, struct str second)
{
	json *texts = json_list(ide_text(str_of(first)));

	if (second.p)
		json_push(texts, ide_text(second));
	mcp_done(c->request, json_of({ "content", texts }));
	ide_call_free(c);
}

void ide_call_fail(struct ide_call *c, const char *why)
{
	mcp_done(c->request, mcp_text(str_of(why), true));
	ide_call_free(c);
}

/* What Lua answers: {text} or {reason}. */
static void ide_on_lua(void *arg, struct msg *m, const struct err *why)
{
	struct ide_call *c = arg;
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = nvim_lua_result(m, why, &e);
	struct str text = json_get_str(v, "text"), reason = json_get_str(v, "reason");

	c->client->waits--;
	if (e.code || reason.n)
		ide_call_fail(c, e.code ? e.msg : reason.p);
	else
		ide_call_done(c, text.p, (struct str){ 0 });
}

void ide_call_lua(struct ide_call *c)
{
	c->client->waits++;
	nvim_lua(c->client->ide->nvim, "ide",
		 json_of({ "tool", json_strz(c->tool->name) }, { "arguments", json_copy(c->args) }),
		 ide_on_lua, c);
}

void ide_call_pend(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;

	c->pends = true;
	pending_call_add(&c->client->calls, &c->pending);
	if (!n->attaching)
		pending_call_start(&c->pending, n->ox);
}

static json *ide_schema(const struct ide_tool *t)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, t->schema);
	return json_raw(&text);
}

json *ide_tools(void *client)
{
	const struct ide_client *c = client;
	json *list = json_array();

	for (const struct ide_tool *t = c->ide->kind->tools; t->name; t++)
		json_push(list, json_of({ "name", json_strz(t->name) },
					{ "description", json_strz(t->doc) },
					{ "inputSchema", ide_schema(t) }));
	return list;
}

static const struct ide_tool *ide_tool_find(const struct ide_client *c, struct str name)
{
	const struct ide_tool *t = c->ide->kind->tools;

	while (t->name && !str_eq(name, str_of(t->name)))
		t++;
	return t->name ? t : NULL;
}

void ide_on_call(void *self, struct mcp_request *r, struct str name, struct str args)
{
	const struct ide_tool *tool = ide_tool_find(self, name);
	struct err e = ERR_INIT;
	json *v = tool ? json_parse(args, &e) : NULL;
	struct ide_call *c;

	if (!tool)
		err_set(&e, ERR_INVALID, "unknown tool %.*s", STR_ARG(name));
	else if (v && !json_is(v, JSON_OBJECT))
		err_set(&e, ERR_INVALID, "the arguments must be an object");
	if (e.code) {
		json_free(v);
		mcp_fail(r, MCP_INVALID_PARAMS, e.msg);
		return;
	}
	c = mem_new(sizeof(*c));
	c->client = self;
	c->request = r;
	c->tool = tool;
	c->args = v;
	mcp_set(r, c);
	tool->run(c);
}

void ide_on_cancel(void *self, struct mcp_request *r)
{
	struct ide_call *c = mcp_get(r);

	(void)self;
	if (c->pends)
		pending_call_cancel(&c->pending);
}
