#include "diag.h"

/* Positions from 1 there; a body that lacks one is read as its first place. */
static json *diag_command_place_of(const json *body, const char *member)
{
	const json *at = json_get(body, member);
	return json_of({ "line", json_int(json_get_int(at, "line", 1) - 1) },
		       { "character", json_int(json_get_int(at, "offset", 1) - 1) });
}

static enum diag_severity severity_of(struct str category)
{
	return str_eq(category, STR("suggestion")) ? DIAG_HINT
	       : str_eq(category, STR("warning"))  ? DIAG_WARNING
						   : DIAG_ERROR;
}

static void tag(json *tags, const json *body, const char *member, int tag_of_lsp)
{
	if (json_get_bool(body, member, false))
		json_push(tags, json_int(tag_of_lsp));
}

static void diag_command_add(json *list, const json *body)
{
	json *d = json_push(list, json_object()), *range = json_put(d, "range", json_object()),
	     *tags;
	struct str source = json_get_str(body, "source");

	json_put(range, "start", diag_command_place_of(body, "start"));
	json_put(range, "end", diag_command_place_of(body, "end"));
	json_put(d, "message", json_str(json_get_str(body, "text")));
	json_put(d, "severity", json_int(severity_of(json_get_str(body, "category"))));
	json_put(d, "code", json_int(json_get_int(body, "code", 0)));
	json_put(d, "source", json_str(source.n ? source : STR("typescript")));
	tags = json_put(d, "tags", json_array());
	tag(tags, body, "reportsUnnecessary", 1);
	tag(tags, body, "reportsDeprecated", 2);
}

json *diag_command(const char *command, const char *question, const char *path)
{
	return json_of({ "command", json_strz(command) },
		       { "arguments",
			 json_list(json_strz(question), json_of({ "file", proto_uri(path) })) });
}

bool diag_commanded(json *list, struct str answer, struct err *e)
{
	json *response SCOPED(json_release) = json_parse(answer, e);
	const json *body = json_get(response, "body");
	bool ok = json_is(body, JSON_ARRAY);

	if (!ok && !e->code)
		err_set(e, ERR_PROTOCOL, "no diagnostics are in the answer");
	json_each(d, body)
		diag_command_add(list, d);
	return ok;
}
