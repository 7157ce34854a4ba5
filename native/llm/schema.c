#include "schema.h"

static bool schema_is_required(const json *required, const char *name)
{
	json_each(item, required)
		if (str_eq(json_text(item), str_of(name)))
			return true;
	return false;
}

/* A member that may be left out: its type, or one of its values, may be null. */
static void allow_null(json *member)
{
	json *types = json_array(), *values;
	const json *allowed = json_get(member, "enum");

	json_push(types, json_copy(json_get(member, "type")));
	json_push(types, json_strz("null"));
	json_put(member, "type", types);
	if (!allowed)
		return;
	values = json_copy(allowed);
	json_push(values, json_null());
	json_put(member, "enum", values);
}

static json *strict_member(const json *member)
{
	struct str type = json_get_str(member, "type");
	json *items, *out;

	if (str_eq(type, STR("object")))
		return schema_strict(member);
	if (!type.n || (str_eq(type, STR("array")) && !json_get(member, "items")))
		return NULL;
	out = json_copy(member);
	if (!str_eq(type, STR("array")))
		return out;
	items = strict_member(json_get(member, "items"));
	if (items)
		json_put(out, "items", items);
	else
		json_free(out);
	return items ? out : NULL;
}

json *schema_strict(const json *schema)
{
	const json *members = json_get(schema, "properties");
	json *out, *to, *required = json_array();

	if (!str_eq(json_get_str(schema, "type"), STR("object")) || !members) {
		json_free(required);
		return NULL;
	}
	out = json_copy(schema);
	json_put(out, "required", required);
	json_put(out, "additionalProperties", json_bool(false));
	to = json_put(out, "properties", json_object());
	json_each(member, json_get(schema, "properties")) {
		json *strict = strict_member(member);

		if (!strict) {
			json_free(out);
			return NULL;
		}
		if (!schema_is_required(json_get(schema, "required"), json_key(member)))
			allow_null(strict);
		json_add(to, json_key(member), strict);
		json_push(required, json_strz(json_key(member)));
	}
	return out;
}

static void schema_function(json *row, const json *tool, bool strict)
{
	const json *schema = json_get(tool, "schema");
	json *parameters = strict ? schema_strict(schema) : NULL;

	json_add(row, "name", json_str(json_get_str(tool, "name")));
	json_add(row, "description", json_str(json_get_str(tool, "description")));
	if (parameters)
		json_add(row, "strict", json_bool(true));
	json_add(row, "parameters", parameters ? parameters : json_copy(schema));
}

void schema_functions(json *body, const json *tools, bool strict, bool nested)
{
	json *list = json_len(tools) ? json_add(body, "tools", json_array()) : NULL;

	json_each(tool, tools) {
		json *row = json_push(list, json_object());

		json_add(row, "type", json_strz("function"));
		schema_function(nested ? json_add(row, "function", json_object()) : row, tool,
				strict);
		/* The API without nesting takes strict for granted. */
		if (!nested && !json_get(row, "strict"))
			json_add(row, "strict", json_bool(false));
	}
}
