#include "mcp_serve.h"

/* What is left out counts as the worst. */
static json *tool_annotations(const struct tool *t)
{
	bool writes = t->flags & TOOL_WRITES;

	return json_of({ "title", json_strz(t->title) }, { "readOnlyHint", json_bool(!writes) },
		       { "destructiveHint", json_bool(t->flags & TOOL_DESTROYS) },
		       { "idempotentHint", json_bool(!writes || t->flags & TOOL_REPEATS) },
		       { "openWorldHint", json_bool(t->flags & TOOL_OPEN) });
}

json *mcp_serve_tools(void *self)
{
	const struct mcp_serve *s = self;
	json *list = json_array();

	for (const struct tool *const *at = tools; *at; at++) {
		const struct tool *t = *at;

		if (!(t->flags & TOOL_USER) && (!s->listed || t->flags & s->listed))
			json_push(list, json_of({ "name", json_strz(t->name) },
						{ "title", json_strz(t->title) },
						{ "description", json_strz(t->doc) },
						{ "inputSchema", tool_schema(t) },
						{ "annotations", tool_annotations(t) }));
	}
	return list;
}

static json *resource(const char *key, const char *uri, const char *name, const char *doc)
{
	return json_of({ key, json_strz(uri) }, { "name", json_strz(name) },
		       { "description", json_strz(doc) }, { "mimeType", json_strz("text/plain") });
}

json *mcp_serve_resources(void *self)
{
	(void)self;
	return json_list(
		resource("uri", MCP_DIAGNOSTICS, "diagnostics",
			 "Errors, warnings and hints of the whole project, with their fixes"),
		resource("uri", MCP_ACTIONS, "actions",
			 "Fixes, previews and changes that need confirmation, each with its "
			 "action_id"));
}

json *mcp_serve_templates(void *self)
{
	(void)self;
	return json_list(resource("uriTemplate", MCP_DIAGNOSTICS "/{+path}",
				  "diagnostics of a file",
				  "Errors, warnings and hints of one file; its path is relative to "
				  "the project root"));
}

json *mcp_serve_prompts(void *self)
{
	(void)self;
	return json_list(
		json_of({ "name", json_strz("oxide") },
			{ "title", json_strz("Working on code with Oxide") },
			{ "description",
			  json_strz("What each tool is for, and how they work together") }));
}
