#include "../base/path.h"
#include "app_server.h"

/* Items of a turn of Codex' app server, as ACP has calls of tools. */
static json *app_changed_file(const json *change)
{
	struct str kind = json_get_str(change, "kind.type"), diff = json_get_str(change, "diff");
	struct str to = json_get_str(change, "kind.move_path");
	ptrdiff_t said = to.n ? str_find(diff, STR("\n\nMoved to: ")) : -1;
	json *part = json_of({ "type", json_strz("diff") },
			     { "path", json_str(json_get_str(change, "path")) });

	if (str_eq(kind, STR("add")))
		json_put(part, "newText", json_str(diff));
	else if (str_eq(kind, STR("delete")))
		json_put(part, "gone", json_bool(true));
	else
		json_put(part, "patch",
			 json_str(str_sub(diff, 0, said < 0 ? diff.n : (size_t)said + 1)));
	if (str_eq(kind, STR("delete")))
		json_put(part, "oldText", json_str(diff));
	if (to.n)
		json_put(part, "newPath", json_str(to));
	return part;
}

json *app_server_changes(const json *changes)
{
	json *content = json_array();

	json_each(change, changes)
		if (json_get_str(change, "path").n)
			json_push(content, app_changed_file(change));
	return content;
}

static void app_put_files(json *call, const json *item)
{
	const json *changes = json_get(item, "changes");
	json *places = json_array();
	struct buf title = BUF_INIT;

	json_each(change, changes) {
		struct str path = json_get_str(change, "path"),
			   to = json_get_str(change, "kind.move_path"),
			   kind = json_get_str(change, "kind.type");

		buf_addf(&title, "%s%s %.*s", title.n ? ", " : "",
			 str_eq(kind, STR("add"))      ? "create"
			 : str_eq(kind, STR("delete")) ? "delete"
			 : to.n			       ? "move"
						       : "edit",
			 STR_ARG(path_base(path)));
		json_push(places, json_of({ "path", json_str(path) }));
		if (to.n)
			json_push(places, json_of({ "path", json_str(to) }));
	}
	json_put(call, "title", json_take(&title));
	json_put(call, "name", json_strz("apply_patch"));
	json_put(call, "kind", json_strz("edit"));
	json_put(call, "locations", places);
	json_put(call, "content", app_server_changes(changes));
}

/* A command of which all parts read or search does no more. */
static const char *app_kind_of_command(const json *actions)
{
	bool reads = json_len(actions), searches = false;

	json_each(action, actions) {
		struct str type = json_get_str(action, "type");

		searches = searches || !str_eq(type, STR("read"));
		reads = reads && (str_eq(type, STR("read")) || str_eq(type, STR("search")) ||
				  str_eq(type, STR("listFiles")));
	}
	return !reads ? "execute" : searches ? "search" : "read";
}

/* What a shell is given, where that is known for sure; else the shell with it. */
static struct str app_command_of(const json *item)
{
	const json *actions = json_get(item, "commandActions"), *only = json_first(actions);

	if (json_len(actions) == 1 && str_eq(json_get_str(only, "type"), STR("unknown")) &&
	    json_get_str(only, "command").n)
		return json_get_str(only, "command");
	return json_get_str(item, "command");
}

static void app_put_command(json *call, const json *item)
{
	const json *actions = json_get(item, "commandActions"), *code = json_get(item, "exitCode");
	struct str out = json_get_str(item, "aggregatedOutput");
	json *places = json_array();
	struct buf text SCOPED(buf_release) = BUF_INIT;

	json_each(action, actions)
		if (json_get_str(action, "path").n)
			json_push(places,
				  json_of({ "path", json_str(json_get_str(action, "path")) }));
	if (json_is(code, JSON_NUMBER) && json_number(code))
		buf_addf(&text, "Exit code %lld\n", (long long)json_number(code));
	buf_add(&text, out);
	json_put(call, "title", json_str(app_command_of(item)));
	json_put(call, "name", json_strz("shell"));
	json_put(call, "kind", json_strz(app_kind_of_command(actions)));
	json_put(call, "locations", places);
	json_put(call, "rawInput", json_of({ "command", json_str(app_command_of(item)) }));
	if (text.n)
		json_put(call, "rawOutput", json_str(buf_str(&text)));
}

static void app_put_tool(json *call, const json *item)
{
	struct str server = json_get_str(item, "server"), space = json_get_str(item, "namespace");
	struct str failed = json_get_str(item, "error.message");
	const json *content = json_get(item, "result.content");
	struct str of = server.n ? server : space;

	json_put(call, "name",
		 json_strf("%.*s%s%.*s", STR_ARG(of), of.n ? "." : "",
			   STR_ARG(json_get_str(item, "tool"))));
	json_put(call, "title", json_str(json_get_str(call, "name")));
	if (json_get(item, "arguments"))
		json_put(call, "rawInput", json_copy(json_get(item, "arguments")));
	if (!content)
		content = json_get(item, "contentItems");
	if (content || failed.n)
		json_put(call, "rawOutput", content ? json_copy(content) : json_str(failed));
}

static void app_put_search(json *call, const json *item)
{
	json_put(call, "name", json_strz("web_search"));
	json_put(call, "title", json_str(json_get_str(item, "query")));
	json_put(call, "kind", json_strz("fetch"));
}

json *app_server_call(const json *item)
{
	static const struct {
		struct str type;
		void (*put)(json *call, const json *item);
	} types[] = { { { "fileChange", 10 }, app_put_files },
		      { { "commandExecution", 16 }, app_put_command },
		      { { "mcpToolCall", 11 }, app_put_tool },
		      { { "dynamicToolCall", 15 }, app_put_tool },
		      { { "webSearch", 9 }, app_put_search } };
	struct str type = json_get_str(item, "type"), id = json_get_str(item, "id"),
		   status = json_get_str(item, "status");
	json *call;
	size_t i = 0;

	while (i < sizeof(types) / sizeof(*types) && !str_eq(type, types[i].type))
		i++;
	if (i == sizeof(types) / sizeof(*types) || !id.n)
		return NULL;
	call = json_of({ "toolCallId", json_str(id) });
	types[i].put(call, item);
	if (str_eq(status, STR("completed")))
		json_put(call, "status", json_strz("completed"));
	else if (str_eq(status, STR("failed")) || str_eq(status, STR("declined")))
		json_put(call, "status", json_strz("failed"));
	else
		json_put(call, "status", json_strz("in_progress"));
	return call;
}
