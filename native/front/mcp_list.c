#include "mcp_serve.h"

static json *annotations(const struct tool *t)
{
	json *v = json_object();
	bool writes = t->flags & TOOL_WRITES;

	/* What is left out counts as the worst. */
	json_put(v, "title", json_strz(t->title));
	json_put(v, "readOnlyHint", json_bool(!writes));
	json_put(v, "destructiveHint", json_bool(t->flags & TOOL_DESTROYS));
	json_put(v, "idempotentHint", json_bool(!writes || t->flags & TOOL_REPEATS));
	json_put(v, "openWorldHint", json_bool(t->flags & TOOL_OPEN));
	return v;
}

json *mcp_serve_tools(void *self)
{
	const struct mcp_serve *s = self;
	json *list = json_array(), *row;

	for (const struct tool *const *at = tools; *at; at++) {
		const struct tool *t = *at;

		if (s->listed && !(t->flags & s->listed))
			continue;
		row = json_push(list, json_object());
		json_put(row, "name", json_strz(t->name));
		json_put(row, "title", json_strz(t->title));
		json_put(row, "description", json_strz(t->doc));
		json_put(row, "inputSchema", tool_schema(t));
		json_put(row, "annotations", annotations(t));
	}
	return list;
}

static void put_resource(json *list, const char *key, const char *uri, const char *name,
			 const char *doc)
{
	json *row = json_push(list, json_object());

	json_put(row, key, json_strz(uri));
	json_put(row, "name", json_strz(name));
	json_put(row, "description", json_strz(doc));
	json_put(row, "mimeType", json_strz("text/plain"));
}

json *mcp_serve_resources(void *self)
{
	json *list = json_array();

	(void)self;
	put_resource(list, "uri", MCP_DIAGNOSTICS, "diagnostics",
		     "Errors, warnings and hints of the whole project, with their fixes");
	put_resource(list, "uri", MCP_ACTIONS, "actions",
		     "Fixes, previews and changes that wait for a word, each with its action_id");
	return list;
}

json *mcp_serve_templates(void *self)
{
	json *list = json_array();

	(void)self;
	put_resource(list, "uriTemplate", MCP_DIAGNOSTICS "/{+path}", "diagnostics of a file",
		     "Errors, warnings and hints of one file; its path from the project's folder");
	return list;
}

json *mcp_serve_prompts(void *self)
{
	json *list = json_array(), *row = json_push(list, json_object());

	(void)self;
	json_put(row, "name", json_strz("oxide"));
	json_put(row, "title", json_strz("Working on code with Oxide"));
	json_put(row, "description",
		 json_strz("Which tool is for what, and how they work together"));
	return list;
}
